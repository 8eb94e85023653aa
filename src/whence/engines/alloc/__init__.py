"""The engine ``alloc``: any program as it is, with our allocator preloaded (docs/alloc-engine.md)."""
