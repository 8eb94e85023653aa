"""Calls: of the C library, which go to the runtime; of functions that rules watch; of Valgrind's
interface."""
