"""A hook of mkdocs: links to files of the repository outside of the pages become their names."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)]*)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of each page."""
    return _OUTSIDE.sub(lambda match: f"`{match[2]}`", markdown)
