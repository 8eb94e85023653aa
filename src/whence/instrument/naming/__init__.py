"""What the program calls its variables, types and values, by its debug information: for reports.

Some names are needed after LLVM has dropped debug information; metadata that LLVM keeps carries them there.
"""
