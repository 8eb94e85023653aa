"""Origins of values: instrumentation that says whence a bad value came, for locating only."""
