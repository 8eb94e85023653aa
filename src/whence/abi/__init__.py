"""What the checked process and Python agree on, written once.

Every number, field, option and symbol that crosses the border between the C
runtime, the generated IR and Python stands in this package, as a table;
`whence.abi.header` prints the C side of the tables.
"""
