"""Complete use cases, each run by one command and by the tests."""
