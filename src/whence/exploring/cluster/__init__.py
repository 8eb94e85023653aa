"""Exploration spread over an engine for clusters: one process gives out shares of the tree to others.

`coordinator` gives out and records; `session` explores a share with a server of its own; `worker` keeps
sessions where the engine runs; `engine` is the border to `dask.distributed`, the only module that imports it.
"""
