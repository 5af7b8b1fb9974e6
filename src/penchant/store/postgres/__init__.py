"""The event log in a schema of a PostgreSQL database: `log` is the store, the other modules are its parts."""
