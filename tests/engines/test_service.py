"""What the launcher answers: libraries by name, interpreters of scripts, environments."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from whence.abi import runs, variables
from whence.engines.process import service
from whence.engines.process.building import Built
from whence.engines.process.environment import Folder, changes, users_own
from whence.engines.process.interpreter import interpreter_words, resolve
from whence.engines.process.service import find_library
from whence.errors import CannotExecute

# ---- libraries --------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/libx.so", "b/libx.so", "b/liby.so", "here/plug.so"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_library_by_path(tree: Path) -> None:
    assert find_library("./plug.so", tree / "here", Path(), ()) == tree / "here/plug.so"
    assert find_library("../b/liby.so", tree / "a", Path(), ()) == tree / "b/liby.so"
    assert find_library(str(tree / "a/libx.so"), Path("/"), Path(), ()) == tree / "a/libx.so"
    assert find_library("./libx.so", tree, Path(), (str(tree / "a"),)) is None


def test_library_by_name_in_the_first_folder(tree: Path) -> None:
    folders = (str(tree / "none"), str(tree / "b"), str(tree / "a"))
    assert find_library("libx.so", tree, Path(), folders) == tree / "b/libx.so"
    assert find_library("liby.so", tree, Path(), ("a", "b")) == tree / "b/liby.so"
    assert find_library("plug.so", tree / "here", Path(), folders) is None


def test_library_beside_its_caller(tree: Path) -> None:
    for origin in ("$ORIGIN", "${ORIGIN}"):
        assert find_library(f"{origin}/libx.so", Path("/"), tree / "a/host", ()) == tree / "a/libx.so"


def test_library_of_the_system() -> None:
    """The dynamic linker's cache is asked at last; every system has a C library in it."""
    found = find_library("libc.so.6", Path("/"), Path(), ())
    assert found is not None and found.name == "libc.so.6"
    assert find_library("libc", Path("/"), Path(), ()) is None


# ---- programs ---------------------------------------------------------------------------------------


def test_a_program_that_is_executed_again_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def refuse(path: Path) -> None:
        read.append(path)
        raise CannotExecute("not for us")

    monkeypatch.setattr(service, "read_image", refuse)
    settings = SimpleNamespace(instances=SimpleNamespace(hold=lambda: None), given_up=lambda: False)
    folder = SimpleNamespace(holds=lambda path: False)
    run = SimpleNamespace(settings=settings, built=SimpleNamespace(checking=(), by_path={}), folder=folder)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    answering = service.Service(run, None, ours.detach())  # type: ignore[arg-type]
    program = tmp_path / "program"
    request = [runs.EXECUTE.word, str(program), "/", "", *("" for _ in variables.LINKER)]
    assert answering.answer(request) == ("",) and not read  # there is none
    for times, text in enumerate(["one", "two, and longer"], 1):
        program.write_text(text)
        assert [answering.answer(request) for _ in range(3)] == [("",)] * 3
        assert read == [program] * times
    assert answering.notes == []
    theirs.close()
    answering._socket.close()


# ---- scripts ----------------------------------------------------------------------------------------


def script(path: Path, first: str) -> Path:
    path.write_text(f"{first}\nexit\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("#!/bin/sh", ["/bin/sh"]),
        ("#! /bin/sh -e ", ["/bin/sh", "-e"]),
        ("#!/bin/sh -e -u\t", ["/bin/sh", "-e -u"]),
        ("# !/bin/sh", []),
        ("", []),
    ],
)
def test_first_line(tmp_path: Path, first: str, words: list[str]) -> None:
    """One argument at most, as Linux does it."""
    assert interpreter_words(script(tmp_path / "s", first)) == words


def test_interpreter_and_arguments(tmp_path: Path) -> None:
    path = script(tmp_path / "s", "#!/bin/sh -e")
    assert resolve(path, ["s", "1", "2"], {}) == (Path("/bin/sh"), ["/bin/sh", "-e", str(path), "1", "2"])
    assert resolve(Path("/bin/sh"), ["sh", "1"], {}) == (Path("/bin/sh"), ["sh", "1"])


@pytest.mark.parametrize(
    "first", ["#!/usr/bin/env tool", "#!/usr/bin/env -S tool", "#!/usr/bin/env  -S   tool  "]
)
def test_env_searches_the_path(tmp_path: Path, first: str) -> None:
    """What env would execute runs itself: the checks begin with it."""
    tool = tmp_path / "tool"
    os.symlink("/bin/sh", tool)
    path = script(tmp_path / "s", first)
    assert resolve(path, ["s", "x"], {"PATH": str(tmp_path)}) == (tool, [str(tool), str(path), "x"])


def test_env_with_words(tmp_path: Path) -> None:
    path = script(tmp_path / "s", "#!/usr/bin/env -S sh -e 'a b'")
    _, words = resolve(path, ["s"], {"PATH": "/bin:/usr/bin"})
    assert words[1:] == ["-e", "a b", str(path)]


def test_script_of_a_script(tmp_path: Path) -> None:
    inner = script(tmp_path / "inner", "#!/bin/sh")
    outer = script(tmp_path / "outer", f"#!{inner}")
    assert resolve(outer, ["o", "1"], {}) == (Path("/bin/sh"), ["/bin/sh", str(inner), str(outer), "1"])


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("#!/nowhere/sh", "its interpreter /nowhere/sh is missing"),
        ("#!/usr/bin/env nowhere", "its interpreter nowhere is not found in PATH"),
    ],
)
def test_missing_interpreter(tmp_path: Path, first: str, message: str) -> None:
    with pytest.raises(CannotExecute, match=message):
        resolve(script(tmp_path / "s", first), ["s"], {"PATH": "/bin"})


def test_script_of_itself(tmp_path: Path) -> None:
    path = script(tmp_path / "s", f"#!{tmp_path / 's'}")
    with pytest.raises(CannotExecute, match="scripts"):
        resolve(path, ["s"], {})


# ---- environments -----------------------------------------------------------------------------------

CHECKING = (Path("/w/rt.so"), Path("/w/rules.so"))


def test_environment_of_a_program_with_ir(tmp_path: Path) -> None:
    built = Built(Path("/c/copy"), {}, CHECKING, {Path("/c/copy"): Path("/p")})
    own = changes({"LD_PRELOAD": ""}, built, Folder(tmp_path), {"halt": 1}, serving=False)
    assert own == {
        "WHENCE_RECORD": str(tmp_path / "record"),
        "WHENCE_RT": "halt=1",
        "WHENCE_PROGRAM": "/p",
    }


def test_environment_of_a_program_with_ir_and_preloaded_libraries(tmp_path: Path) -> None:
    """They may replace malloc: ours comes first."""
    built = Built(Path("/c/copy"), {}, CHECKING, {Path("/c/copy"): Path("/p")})
    own = changes({"LD_PRELOAD": "u.so"}, built, Folder(tmp_path), {"halt": 1}, serving=False)
    assert own == {
        "WHENCE_RECORD": str(tmp_path / "record"),
        "WHENCE_RT": "halt=1",
        "WHENCE_PROGRAM": "/p",
        "WHENCE_LD_PRELOAD": "u.so",
        "LD_PRELOAD": "/w/rt.so:/w/rules.so:u.so",
    }


def test_environment_of_a_program_without_ir(tmp_path: Path) -> None:
    """What we put in front can be told from the user's own."""
    built = Built(Path("/p"), {"libx.so": tmp_path / "copy"}, CHECKING)
    inherited = {"LD_PRELOAD": "u.so", "LD_LIBRARY_PATH": "/mine:"}
    own = changes(inherited, built, Folder(tmp_path), {}, serving=True)
    assert own["LD_PRELOAD"] == "/w/rt.so:/w/rules.so:u.so"
    first, later, rest = own["LD_LIBRARY_PATH"].split(":", 2)
    assert (Path(first) / "libx.so").readlink() == tmp_path / "copy"
    assert (later, rest) == (str(tmp_path / "lib"), "/mine:")
    assert own["WHENCE_LD_LIBRARY_PATH"] == "/mine:" and own["WHENCE_SERVICE"] == str(tmp_path / "service")
    for name, value in inherited.items():
        assert users_own(own[name], CHECKING, Folder(tmp_path)) == value


def test_environment_of_a_program_with_an_old_search_path(tmp_path: Path) -> None:
    """Its folders stand between ours and the user's, and are told from those as well."""
    built = Built(Path("/c/copy"), {}, CHECKING, {Path("/c/copy"): Path("/p")}, folders=("/opt/a", "/opt/b"))
    own = changes({"LD_LIBRARY_PATH": "/mine"}, built, Folder(tmp_path), {}, serving=True)
    value = own["LD_LIBRARY_PATH"]
    assert value == f"{tmp_path}/lib:/opt/a:/opt/b:{tmp_path}/end:/mine"
    assert users_own(f"/before:{value}", CHECKING, Folder(tmp_path)) == "/before:/mine"
