"""The event log in one SQLite file: `log` is the store, the other modules are its parts."""
