"""The native engine: instrumented machine code, run at full speed under the runtime library."""
