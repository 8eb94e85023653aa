"""The way of one module from bitcode to its instrumented object: all passes in their order, and what LLVM
does between them.
"""
