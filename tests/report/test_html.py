"""The page for browsers: complete, safe, without a network; its script in a browser where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from samples import DANGLING, HERE, OVERFLOW, RUN, SAMPLES, WRITE_STACK
from tests.harness.findings import changed

from whence.abi.hops import HopKind
from whence.findings import Block, Event, Finding, Frame, Leak, LeakKind, RunInfo, States
from whence.findings.chains import Chain, Hop
from whence.findings.coverage import Coverage, LeftOut
from whence.report.chain_text import chain_heading
from whence.report.html import HtmlRenderer
from whence.report.html.code import CodeShelf
from whence.report.html.leaks import leak_tree
from whence.report.source import SourceFinder

VOID = {"meta", "input", "br", "link"}
LEAK = SAMPLES["leak"]


class Page(HTMLParser):
    """The elements of a page; an end tag that fits no open element fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def having(self, name: str) -> list[str]:
        return [
            value or "" for _, attributes in self.elements for key, value in attributes.items() if key == name
        ]


def rendered(*findings: Finding, run: RunInfo = RUN) -> str:
    return HtmlRenderer(directory=str(HERE)).render(findings, run)


def test_every_kind_of_finding_is_on_the_page() -> None:
    text = rendered(*SAMPLES.values())
    page = Page(text)
    shown = [each for each in page.having("id") if each.startswith("finding-")]
    assert len(shown) == len(SAMPLES)
    for finding in SAMPLES.values():
        assert finding.key in page.text
    assert Counter(page.having("id")).most_common(1)[0][1] == 1
    for link in page.having("href"):
        assert link.removeprefix("#") in page.having("id")
    for code in page.having("data-code"):
        assert code in page.having("id")


def test_the_page_needs_no_network() -> None:
    text = rendered(*SAMPLES.values())
    page = Page(text)
    assert not page.having("src")
    assert not [link for link in page.having("href") if not link.startswith("#")]
    assert "default-src 'none'" in " ".join(page.having("content"))
    assert not re.search(r"url\(|@import|https?://", text)


def test_names_of_programs_do_not_become_elements() -> None:
    evil = "</script><script>alert(1)</script>"
    frame = replace(WRITE_STACK[0], function=evil, file=f"/{evil}.c", inlined=False)
    run = replace(
        RUN, arguments=(evil,), notes=(evil,), documents=(Coverage(left_out=(LeftOut(evil, evil),)),)
    )
    text = rendered(changed(OVERFLOW, stack=(frame,)), run=run)
    assert evil not in text
    assert [tag for tag, _ in Page(text).elements].count("script") == 1


def test_sources_are_quoted_with_the_place_marked() -> None:
    text = rendered(OVERFLOW)
    page = Page(text)
    classes = page.having("class")
    assert "line here" in classes and "line caret" in classes
    assert "p [ i ] = i ;" in re.sub(r"\s+", " ", page.text)
    assert "just after a block of 20 bytes" in page.text


def test_bytes_around_the_address_have_their_kinds() -> None:
    page = Page(rendered(OVERFLOW, DANGLING))
    cells = Counter(page.having("class"))
    assert cells["cell written"] >= 8  # in both pictures
    assert cells["cell block"] >= 40
    assert cells["cell red-zone"] and cells["cell freed"]
    hints = page.having("title")
    assert any(hint.endswith("written, byte 20 from the block's begin") for hint in hints)


def test_chains_mark_where_values_meet() -> None:
    chained = next(finding for finding in SAMPLES.values() if finding.chains)
    first = chained.chains[0]
    other = replace(first, term="r1", hops=first.hops[1:], cut=True)
    page = Page(rendered(changed(chained, chains=(first, other))))
    hops = [each for each in page.having("class") if each.split()[:1] == ["hop"]]
    assert len(hops) == len(first.hops) + len(other.hops) + 1
    assert sum("shared" in each for each in hops) == 2 * len(other.hops)
    assert "earlier hops are not known" in page.text
    assert chain_heading(first) in page.text


def with_library_hops() -> tuple[Finding, Chain]:
    """A finding whose chain goes twice through a header of the C++ library, by three and by two hops."""
    chained = next(finding for finding in SAMPLES.values() if finding.chains)
    file, own = "/usr/include/c++/12/bits/shared_ptr.h", Hop(HopKind.STORED, "f", "own.cpp", 3, 5, "kept")
    inner = [Hop(HopKind.ARGUMENT, "f", file, line, 5, f"step_{line}") for line in range(5)]
    birth = Hop(HopKind.ALLOCATION, "g", file, 9, 5, "operator new")
    chain = Chain("r", 8, (*inner[:3], own, *inner[3:], birth))
    return changed(chained, chains=(chain,)), chain


def test_hops_in_the_cxx_library_are_folded_and_all_there() -> None:
    finding, chain = with_library_hops()
    page = Page(rendered(finding))
    kinds = [each for each in page.having("class") if each.split()[:1] == ["hop"]]
    assert [each for each in kinds if "folded" in each] == ["hop folded"] * 2
    assert len(kinds) == len(chain.hops) + 2
    assert page.text.count("3 hops in the C++ library") == page.text.count("2 hops in the C++ library") == 1
    said = re.findall(r"passed to (step_\d)|(stored to kept|allocated by operator new)", page.text)
    assert ["".join(each) for each in said] == [
        *("step_0", "step_1", "step_2", "stored to kept", "step_3", "step_4", "allocated by operator new"),
    ]


def test_a_run_without_findings_says_so() -> None:
    text = Page(rendered()).text
    assert "Nothing was reported." in text
    assert "no findings" in text


# ---- leaks ----


def lost(size: int, *functions: str, count: int = 1) -> Finding:
    """A leak of blocks that the last function allocated, called by the one before it."""
    stack = tuple(Frame(sum(name.encode()), function=name) for name in reversed(functions))
    block = Block(1, 0x1000, size, allocated=Event(1, 0, stack))
    return changed(LEAK, block=block, leak=Leak(count, size, kind=LeakKind.DEFINITE))


def test_leaks_are_a_tree_by_size() -> None:
    leaks = [
        lost(10, "main", "read", "copy"),
        lost(500, "main", "load", count=5),
        lost(90, "main", "read", "new"),
    ]
    tree = leak_tree([OVERFLOW, *leaks], str(HERE), CodeShelf(SourceFinder()))
    assert tree is not None
    assert (tree.bytes, tree.blocks) == (600, 7)
    shown = [
        (" > ".join(call.function for call in row.calls), row.last.bytes) for row in tree.rows() if row.calls
    ]
    assert shown == [("main", 600), ("load", 500), ("read", 100), ("new", 90), ("copy", 10)]
    assert [row.last.findings for row in tree.rows() if row.leaf] == [[3], [4], [2]]
    opened = [bool(row.calls) for row in tree.rows()]
    assert opened.count(True) == opened.count(False)


def test_calls_with_one_way_on_stand_together_however_deep() -> None:
    deep = lost(8, *(f"f{i}" for i in range(3000)))
    tree = leak_tree([deep], str(HERE), CodeShelf(SourceFinder()))
    assert tree is not None
    assert [len(row.calls) for row in tree.rows()] == [3000, 0]
    Page(rendered(deep))


def test_no_leaks_no_tree() -> None:
    assert leak_tree([OVERFLOW], str(HERE), CodeShelf(SourceFinder())) is None
    assert "Leaks by size" not in rendered(OVERFLOW)


def test_closed_findings_are_told_apart() -> None:
    leaks = [lost(10, "main", "read", "copy"), lost(500, "main", "load", "copy", count=5)]
    text = Page(rendered(OVERFLOW, *leaks)).text
    assert "10 bytes in 1 block: copy, read, main" in text
    assert "500 bytes in 5 blocks: copy, load, main" in text
    assert "4 bytes in " in text


def test_many_leaks_begin_with_their_tree() -> None:
    few = [lost(10 + number, "main", f"f{number}") for number in range(3)]
    many = [*few, lost(90, "main", "f")]
    assert rendered(*few).index('id="findings"') < rendered(*few).index('id="leaks"')
    assert rendered(*many).index('id="findings"') > rendered(*many).index('id="leaks"')
    assert rendered(*many).count('id="leaks"') == 1


@pytest.mark.parametrize(("distance", "left_out"), [(0, False), (300, False), (900, True)])
def test_the_memory_shows_the_boundary_that_was_crossed(distance: int, left_out: bool) -> None:
    end = OVERFLOW.block.end  # type: ignore[union-attr]
    access = replace(OVERFLOW.access, address=end + distance, first_bad=end + distance)
    begin = (end + distance) // 64 * 64 - 512
    page = rendered(changed(OVERFLOW, access=access, states=States(begin, bytes([0xFA]) * 128)))
    edges = re.findall(r'class="cell [a-z-]+ edge" title="(0x[0-9a-f]+)', page)
    assert f"{end:#x}" in edges
    assert "begin or end of the block" in page
    assert ("<th>⋮</th>" in page) == left_out


def test_a_long_copy_shows_the_end_of_its_block() -> None:
    block = replace(OVERFLOW.block, size=5000)
    access = replace(OVERFLOW.access, address=block.begin, size=5004, first_bad=block.end)
    page = rendered(
        changed(
            OVERFLOW,
            block=block,
            access=access,
            states=States(block.end // 64 * 64 - 512, bytes([0xFA]) * 128),
        )
    )
    cells = re.findall(r'"cell ([a-z- ]+)" title="(0x[0-9a-f]+)', page)
    by_address = {address: kind for kind, address in cells}
    assert by_address[f"{block.end - 1:#x}"] == "written-inside"
    assert by_address[f"{block.end:#x}"] == "written edge"


def test_every_picture_has_a_legend() -> None:
    for finding in SAMPLES.values():
        page = rendered(finding)
        pictures = page.count('<pre class="ruler"') + page.count('<table class="bytes"')
        assert page.count('<ul class="legend"') == pictures


def test_long_places_are_shortened_in_the_middle() -> None:
    file = f"/src/{'deep/' * 40}file.c"
    frame = replace(WRITE_STACK[0], file=file, inlined=False)
    page = rendered(changed(OVERFLOW, stack=(frame,)))
    (shown,) = re.findall(r'<span class="where" title="([^"]*)">([^<]*)<', page)
    assert file in shown[0] and len(shown[1]) == 64
    assert shown[1].startswith("/src/deep/") and re.search(r"…[a-z/]*file\.c:\d+", shown[1])


# ---- in a browser ----

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1200,900"),
)
ACTIONS = """
<script>
const said = [];
const say = (text) => said.push(text);
const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const count = () => document.getElementById("shown").textContent;
say(count());
const search = document.getElementById("search");
search.value = "main double"; search.dispatchEvent(new Event("input")); say(count());
search.value = ""; search.dispatchEvent(new Event("input"));
const rule = document.getElementById("rule");
rule.value = "heap-buffer-overflow"; rule.dispatchEvent(new Event("change")); say(count());
rule.value = ""; rule.dispatchEvent(new Event("change"));
key("j"); say(document.activeElement.closest(".finding").id);
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
say(document.activeElement.closest(".finding").id);
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "o", bubbles: true }));
say(String(document.activeElement.closest(".finding").open));
const folded = document.querySelector(".hop.folded details"), inner = folded.querySelector(".hop");
say(inner.checkVisibility() + " then");
folded.querySelector("summary").click(); say(String(inner.checkVisibility()));
const place = document.querySelector("button[data-code]");
place.click(); say(place.nextElementSibling.className);
place.click(); say(place.getAttribute("aria-expanded"));
const theme = document.documentElement.dataset.theme;
key("t"); say(String(document.documentElement.dataset.theme !== theme));
say(String(document.documentElement.scrollWidth <= window.innerWidth));
document.title = said.join("|");
</script>
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_the_page_works_in_a_browser(tmp_path: Path) -> None:
    samples = [with_library_hops()[0], *SAMPLES.values()]
    overflows = sum(finding.rule.name == "heap-buffer-overflow" for finding in samples)
    page = tmp_path / "page.html"
    page.write_text(rendered(*samples).replace("</body>", f"{ACTIONS}</body>"))
    shown = subprocess.run(
        [str(BROWSER), *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    found = re.search(r"<title>(.*?)</title>", shown)
    assert found is not None
    everything, searched, chosen, first, second, opened, before, behind, *more = found[1].split("|")
    code, closed, theme, fits = more
    total = len(samples)
    assert everything == f"{total} of {total}"
    assert 0 < int(searched.split()[0]) < total
    assert chosen == f"{overflows} of {total}"
    assert (first, second, opened) == ("finding-1", "finding-2", "false")
    assert (before, behind) == ("false then", "true")
    assert (code, closed, theme, fits) == ("code", "false", "true", "true")
