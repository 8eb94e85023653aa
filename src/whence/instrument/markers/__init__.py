"""What inserted code is called: the names by which passes, filters and the runtime know each other's calls.

The lowest room: it knows the interface to the runtime, and no pass. Of the definitions, only those stand here
that other rooms need to know.
"""
