"""whence: a memory debugger for C and C++ that is generated from rules."""

__version__ = "0.1.0"
