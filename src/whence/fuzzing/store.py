"""The directories of a fuzzer: inputs, findings with theirs, and inputs that take too long.

Each file is written beside its place and then moved there, so that whoever is killed leaves none that is half
written. A name says what is in a file, so an input that two fuzzers find is one file.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.errors import ToolLimit, UserMistake

INPUT, FACTS, REPORT = "input", "finding.json", "report.txt"
SCHEMA = 1
_PARTIAL = ".partial-"
_MOST_CUT = 16
"""Inputs that were cut that are kept."""


@dataclass
class Kept:
    """A finding in the directory. key: that of the finding; raw: that of the process. doubt: why no ordinary
    run shows it, else empty."""

    place: Path
    rule: str
    key: str
    raw: int
    size: int
    doubt: str = ""

    @property
    def input(self) -> Path:
        return self.place / INPUT


class Store:
    """Those of one fuzzer. corpus: the directory of inputs; by default that in `directory`."""

    def __init__(self, directory: Path, corpus: Path | None) -> None:
        self.directory = directory
        self.corpus = directory / "corpus" if corpus is None else corpus
        self._findings, self._cut = directory / "findings", directory / "cut"
        for place in (self.directory, self.corpus, self._findings):
            _make(place)

    # ---- inputs ----

    def inputs(self, largest: int) -> tuple[list[bytes], list[str]]:
        """All inputs of the corpus, short ones first; and sentences about those that are left out."""
        found, notes = [], []
        for path in _files(self.corpus):
            try:
                data = path.read_bytes()
            except OSError as error:
                notes.append(f"{path}: it cannot be read: {error.strerror}")
                continue
            if len(data) > largest:
                notes.append(f"{path}: left out, as it has more than {largest} bytes (--max-size)")
            else:
                found.append(data)
        return sorted(set(found), key=lambda data: (len(data), data)), notes

    def add_input(self, data: bytes) -> None:
        _write(self.corpus / name_of(data), data)

    def add_cut(self, data: bytes) -> Path | None:
        """An input whose execution was killed; None if there are enough of them."""
        _make(self._cut)
        place = self._cut / name_of(data)
        if not place.exists() and len(list(_files(self._cut))) >= _MOST_CUT:
            return None
        _write(place, data)
        return place

    # ---- findings ----

    def findings(self) -> list[Kept]:
        """Those that are there, in the order of their names."""
        found = []
        for place in sorted(self._findings.iterdir()):
            if place.name.startswith(_PARTIAL) or not place.is_dir():
                continue
            try:
                facts = json.loads((place / FACTS).read_text())
                size = (place / INPUT).stat().st_size
                rule, key, doubt = str(facts["rule"]), str(facts["key"]), str(facts["doubt"] or "")
                found.append(Kept(place, rule, key, int(facts["raw"]), size, doubt))
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise UserMistake(f"{place}: it is no finding of whence fuzz: {error}") from error
        return found

    def add_finding(
        self, rule: str, key: str, raw: int, data: bytes, facts: Mapping[str, Any], report: str
    ) -> Kept:
        """A new finding, at once with all of its files."""
        place = self._findings / f"{rule}-{key}"
        partial = self._findings / f"{_PARTIAL}{secrets.token_hex(6)}"
        _make(partial)
        kept = Kept(partial, rule, key, raw, len(data))
        self.update(kept, data, facts, report)
        try:
            partial.rename(place)
        except OSError as error:
            raise ToolLimit(f"{place}: it cannot be made: {error.strerror}") from error
        kept.place = place
        return kept

    def update(self, kept: Kept, data: bytes, facts: Mapping[str, Any], report: str) -> None:
        """What is known of a finding now."""
        kept.size = len(data)
        _write(kept.place / INPUT, data)
        whole = {"schema": SCHEMA, "rule": kept.rule, "key": kept.key, "raw": kept.raw, **facts}
        _write(kept.place / FACTS, (json.dumps(whole, indent=2) + "\n").encode())
        _write(kept.place / REPORT, report.encode("utf-8", "surrogateescape"))


def name_of(data: bytes) -> str:
    """The name of an input's file."""
    return hashlib.sha256(data).hexdigest()[:16]


def _files(place: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(place))
    except OSError as error:
        raise UserMistake(f"{place}: it cannot be read: {error.strerror}") from error
    for name in names:
        if not name.startswith(".") and (place / name).is_file():
            yield place / name


def _make(place: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserMistake(f"{place}: the directory cannot be made: {error.strerror}") from error


def _write(path: Path, data: bytes) -> None:
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ToolLimit(f"{path}: it cannot be written: {error.strerror}") from error
