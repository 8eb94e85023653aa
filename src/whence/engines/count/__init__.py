"""The engine ``count``: an unchanged program whose calls of the allocator are counted (docs/heap.md)."""
