"""Findings as one HTML page that needs nothing else: no network, no other files."""

from whence.report.html.page import HtmlRenderer

__all__ = ["HtmlRenderer"]
