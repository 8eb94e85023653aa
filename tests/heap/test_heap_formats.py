"""The files that ``whence heap`` writes, read back; its page; differences; mistakes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from heap_harness import Heap
from tests.harness.process import TIMEOUT, is_one_sentence

from whence.report.json import schema

pytestmark = pytest.mark.build

NAMES = ("json", "html", "massif", "collapsed", "pprof", "speedscope")
PEAK = {"grow": 10000, "make": 5000, "temporaries": 10}
"""What functions have at the peak of the program."""


@pytest.fixture(scope="module")
def files(heaps: Callable[[str], Heap]) -> dict[str, Path]:
    """All of them, of one run."""
    heap = heaps("plain")
    paths = {name: heap.whence.directory / f"written.{name}" for name in NAMES}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    done = heap.command(*options, heap.programs["ways"], "ways")
    assert done.status == 0, done.err
    return paths


def test_json_follows_its_schema(files: dict[str, Path]) -> None:
    document = json.loads(files["json"].read_text())
    jsonschema.Draft202012Validator(schema()).validate(document)
    assert document["run"]["heap"]["processes"][0]["peak"] == {"blocks": 3, "bytes": 15010}


def test_massif_is_read_by_ms_print(files: dict[str, Path]) -> None:
    text = files["massif"].read_text()
    (peak,) = re.findall(r"mem_heap_B=(\d+)\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak", text)
    assert peak == "15010"
    times = list(map(int, re.findall(r"^time=(\d+)", text, re.M)))
    assert times == sorted(times)
    ms_print = shutil.which("ms_print")
    if ms_print is None:
        pytest.skip("ms_print is not on this machine")
    shown = subprocess.run([ms_print, "--threshold=0", files["massif"]], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")
    for name, size in PEAK.items():
        assert re.search(rf"\({size:,}B\) 0x[0-9A-F]+: {name} \(", shown.stdout)


def test_collapsed_stacks(files: dict[str, Path]) -> None:
    lines = [line.rpartition(" ") for line in files["collapsed"].read_text().splitlines()]
    found = {path.rpartition(";")[2]: int(size) for path, _, size in lines}
    assert found == PEAK
    assert all(path.startswith("main;") for path, _, _ in lines)


def test_collapsed_stacks_of_another_measure(plain: Heap) -> None:
    done = plain.command("-q", "--by", "total", "--collapsed", "-", plain.programs["ways"], "ways")
    assert sum(int(line.rpartition(b" ")[2]) for line in done.out.splitlines()) == 62200
    assert done.err == ""


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message of protocol buffers."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2
            size = varint()
            yield key >> 3, data[at : at + size]
            at += size


def numbers(packed: bytes) -> list[int]:
    made, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            made.append(value)
            value = shift = 0
    return made


def test_pprof(files: dict[str, Path]) -> None:
    known: dict[int, list[Any]] = {}
    for number, value in fields(gzip.decompress(files["pprof"].read_bytes())):
        known.setdefault(number, []).append(value)
    strings = [text.decode() for text in known[6]]
    assert strings[0] == ""
    types = [{n: strings[v] for n, v in fields(each)} for each in known[1]]
    at = types.index({1: "peak_space", 2: "bytes"})
    assert len(types) == 8
    functions = {dict(fields(each))[1]: strings[dict(fields(each))[2]] for each in known[5]}
    places = {}
    for each in known[4]:
        location = dict(fields(each))
        places[location[1]] = functions[dict(fields(location[4]))[1]]
    found = {}
    for each in known[2]:
        sample = dict(fields(each))
        values = numbers(sample[2])
        assert len(values) == len(types)
        if values[at]:
            found[places[numbers(sample[1])[0]]] = values[at]
    assert found == PEAK
    assert strings[known[14][0]] == "peak_space"


def test_speedscope(files: dict[str, Path]) -> None:
    document = json.loads(files["speedscope"].read_text())
    frames = [each["name"] for each in document["shared"]["frames"]]
    profiles = {each["name"]: each for each in document["profiles"]}
    peak = profiles["Alive at the peak"]
    ends = {
        frames[sample[-1]]: weight for sample, weight in zip(peak["samples"], peak["weights"], strict=True)
    }
    assert ends == PEAK
    assert all(frames[sample[0]] == "main" for sample in peak["samples"])
    assert peak["endValue"] == sum(peak["weights"]) == 15010
    assert {each["type"] for each in document["profiles"]} == {"sampled"}


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def test_the_page_loads_nothing(files: dict[str, Path]) -> None:
    page = files["html"].read_text()
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert data and json.loads(data[1])["processes"][0]["peak"] == 15010


@pytest.mark.skipif(BROWSER is None, reason="no browser on this machine")
def test_the_page_in_a_browser(files: dict[str, Path], tmp_path: Path) -> None:
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    done = subprocess.run(
        [*command, "--dump-dom", f"file://{files['html']}"], capture_output=True, text=True, timeout=TIMEOUT
    )
    boxes = re.findall(r'role="treeitem"[^>]*>([^<]*)</div>', done.stdout)
    assert set(boxes) >= {"all", "main", "ways", "grow", "make"}
    assert "Peak: 15,010 bytes in 3 blocks" in done.stdout
    assert "5 call paths" in done.stdout


def test_differences(plain: Heap, tmp_path: Path) -> None:
    for name in ("ways", "kill"):
        plain.command("-q", "--json", tmp_path / f"{name}.json", plain.programs["ways"], name)
    done = plain.command("--diff", tmp_path / "kill.json", tmp_path / "ways.json")
    assert done.status == 0
    shown = done.out.decode()
    assert "Alive at the peak: 10,000 → 15,010 bytes (+5,010), 10 → 3 blocks (-7)" in shown
    assert re.search(r"\+10,000 +\+1  grow ← ways ← main \(new\)", shown)
    same = plain.command("--diff", tmp_path / "ways.json", tmp_path / "ways.json")
    assert "no call path allocates more or less than before" in same.out.decode()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--diff", "one.json"), "compares two profiles"),
        (("--diff", "none.json", "none.json"), "none.json: cannot be read: No such file"),
        (("--diff", "text", "text"), "text: this is not JSON"),
        (("--diff", "empty.json", "empty.json"), "it has no profile of a heap"),
        (("--diff", "other.json", "other.json"), "its schema is 7"),
        (("--diff", "torn.json", "torn.json"), "it has no profile of a heap"),
        (("--json", "none/x.json", "PROGRAM"), "none/x.json: cannot be written: No such file"),
        (("--json", "-", "--html", "-", "PROGRAM"), "only one report can go to standard output"),
        (("--no-such-option", "PROGRAM"), "unknown option '--no-such-option'"),
        (("./none",), "./none: no such file"),
        (("--by", "most", "PROGRAM"), "'most'"),
    ],
)
def test_mistakes_get_one_sentence(plain: Heap, words: tuple[str, ...], says: str) -> None:
    folder = plain.whence.directory
    (folder / "text").write_text("text")
    (folder / "empty.json").write_text('{"run": {}}')
    (folder / "other.json").write_text('{"run": {"heap": {"schema": 7}}}')
    (folder / "torn.json").write_text(
        '{"run": {"heap": {"schema": 1, "frames": [], "processes": [{"pid": 1}]}}}'
    )
    given = [str(plain.programs["ways"]) if word == "PROGRAM" else word for word in words]
    done = plain.command(*given)
    assert done.status == (127 if words == ("./none",) else 2)
    assert says in done.err
    assert is_one_sentence(done.err), done.err


def test_from_python(plain: Heap) -> None:
    import whence

    result = whence.heap(plain.programs["ways"], ["ways"], capture_output=True)
    profile = result.run.document(whence.findings.HeapProfile)
    assert result.ok
    assert profile is not None and profile.processes[0].peak.bytes == 15010
    assert whence.run(plain.programs["ways"], ["ways"]).run.document(whence.findings.HeapProfile) is None
