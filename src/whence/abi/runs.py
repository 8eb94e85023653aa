"""A run's folder and socket, as the runtime, the native launcher and Python use them."""

from __future__ import annotations

RECORD = "record"
"""Name of the record file in the folder."""
SERVICE = "service"
"""Name of the socket in the folder."""
SERVICE_ROOM = 16384
"""Bytes of the longest message on the socket."""
