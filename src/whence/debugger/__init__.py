"""Checked programs under gdb: `session` in whence's process, `commands` in gdb's."""
