"""Links between the pages: the files are there, and so are the headings."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tests.harness.session import REPOSITORY

PAGES = (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md")))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@cache
def text_of(page: Path) -> str:
    """Without examples, in which a link is none."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)


@cache
def anchors(page: Path) -> frozenset[str]:
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading) for heading in headings)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain)


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in LINK.findall(text_of(page)):
            name, _, anchor = link.partition("#")
            if "://" in link:
                continue
            target = page if not name else (page.parent / name).resolve()
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
                broken.append(f"{page.name}: {link}")
    assert not broken


def test_the_site_has_every_page() -> None:
    site = (REPOSITORY / "mkdocs.yml").read_text()
    assert not [page.name for page in PAGES[1:] if f"- {page.name}\n" not in site]
