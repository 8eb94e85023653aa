"""Local, global and thread-local variables as blocks: red zones around them, their scopes, and what keeps
them in memory where their addresses may be used.
"""
