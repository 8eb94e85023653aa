"""The engine ``alloc``: an unchanged program with whence's allocator preloaded (docs/alloc-engine.md)."""
