"""Chains of leaks: where the last pointer to the block was lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
struct node { struct node *next; char *name; };
static char *global;
static struct node *kept;
"""


class Leak(NamedTuple):
    """A program that loses a block where a line says LOST, unless `mend` stands before that line.

    kind, name: of the newest hop. pointer: as the heading calls it. holder: bytes of the block where it lay.
    """

    text: str
    mend: str
    kind: str
    name: str | None
    pointer: str
    holder: int | None = None


LEAKS = {
    "field": Leak(
        """
        static void lose(void) {
            struct node *list = malloc(16);
            list->next = malloc(24);
            MEND
            list->next = NULL; // LOST
            free(list);
        }
        """,
        "free(list->next);",
        "overwritten",
        "list->next",
        "list->next",
        16,
    ),
    "union": Leak(
        """
        static union word { char *text; long number; } first, second;
        static void lose(void) {
            first.text = malloc(5);
            second.number = 7;
            MEND
            first = second; // LOST
        }
        """,
        "free(first.text);",
        "overwritten",
        None,
        "first.text",
    ),
    "global": Leak(
        """
        static void lose(void) {
            global = malloc(3);
            MEND
            global = NULL; // LOST
        }
        """,
        "free(global);",
        "overwritten",
        "global",
        "global",
    ),
    "variable": Leak(
        """
        static void lose(void) {
            char *p = malloc(3);
            MEND
            p = malloc(5); // LOST
            free(p);
        }
        """,
        "free(p);",
        "overwritten",
        "p",
        "p",
    ),
    "scope": Leak(
        """
        static int lose(void) {
            char *p = malloc(3);
            p[0] = 1;
            int said = p[0];
            MEND
            return said; } // LOST
        """,
        "free(p);",
        "left",
        "p",
        "p",
    ),
    "parameter": Leak(
        """
        static void take(char *p) { p[0] = 1; MEND
        } // LOST
        static void lose(void) { take(malloc(3)); }
        """,
        "free(p);",
        "left",
        "p",
        "p",
    ),
    "struct": Leak(
        """
        static void lose(void) {
            struct node n;
            n.name = malloc(3);
            memset(n.name, 0, 3);
            MEND
            } // LOST
        """,
        "free(n.name);",
        "left",
        "n",
        "n.name",
    ),
    "freed": Leak(
        """
        static void lose(void) {
            struct node *n = malloc(16);
            n->name = malloc(3);
            MEND
            free(n); // LOST
        }
        """,
        "free(n->name);",
        "freed",
        "free",
        "n->name",
        16,
    ),
    "memset": Leak(
        """
        static void lose(void) {
            struct node *n = malloc(16);
            n->name = malloc(3);
            MEND
            memset(n, 0, 16); // LOST
            free(n);
        }
        """,
        "free(n->name);",
        "overwritten",
        None,
        "n->name",
        16,
    ),
    "assignment": Leak(
        """
        static void lose(void) {
            struct node other = {0, 0}, *n = malloc(16);
            n->name = malloc(3);
            MEND
            *n = other; // LOST
            free(n);
        }
        """,
        "free(n->name);",
        "overwritten",
        None,
        "n->name",
        16,
    ),
    "dropped": Leak(
        """
        char *make(void) { char *made = malloc(3); return made; }
        static void lose(void) {
            MEND
            make(); // LOST
        }
        """,
        "if (0)",
        "dropped",
        "make",
        "the result of make",
    ),
    "thread": Leak(
        """
        static void *run(void *unused) {
            global = NULL; // LOST
            return unused;
        }
        static void lose(void) {
            pthread_t thread;
            global = malloc(3);
            MEND
            pthread_create(&thread, NULL, run, NULL);
            pthread_join(thread, NULL);
        }
        """,
        "free(global);",
        "overwritten",
        "global",
        "global",
    ),
    "list": Leak(
        """
        static void lose(void) {
            for (int i = 0; i < 5; i++) {
                struct node *fresh = malloc(16);
                fresh->next = kept;
                kept = fresh;
            }
            MEND
            kept = NULL; // LOST
        }
        """,
        "for (struct node *n = kept, *next; n; n = next) next = n->next, free(n);",
        "overwritten",
        "kept",
        "kept",
    ),
    "moved": Leak(
        """
        static void lose(void) {
            struct node **all = malloc(8);
            all[0] = malloc(16);
            all = realloc(all, 4000);
            struct node *mine = all[0];
            free(all);
            MEND
            mine = NULL; // LOST
        }
        """,
        "free(mine);",
        "overwritten",
        "mine",
        "mine",
    ),
}


def program(leak: Leak, mend: str) -> tuple[str, int]:
    """The source, and the line where the block is lost."""
    text = HEAD + leak.text.replace("MEND", mend) + "int main(void) { lose(); return 0; }\n"
    return text, 1 + next(at for at, line in enumerate(text.splitlines()) if "// LOST" in line)


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def located(whence: Whence, made: Path, *words: str) -> tuple[str, list[dict[str, Any]]]:
    done, found = whence.findings("--locate", "always", made, *words)
    return done.err, found


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", LEAKS)
def test_the_last_pointer_is_named_where_it_was_lost(whence: Whence, name: str, level: str) -> None:
    leak = LEAKS[name]
    text, line = program(leak, "")
    said, (found,) = located(whence, whence.build(text, "prog", level, "-pthread"))
    assert found["rule"] == "definite-leak"
    (chain,) = found["chains"]
    first = chain["hops"][0]
    assert (chain["term"], chain["cut"]) == ("the last pointer", False)
    assert (first["kind"], first["name"], first["line"]) == (leak.kind, leak.name, line)
    assert chain["hops"][-1]["kind"] == "allocation"
    assert first.get("holder", {}).get("size") == leak.holder
    holder = f" (in {leak.holder} bytes of prog.c:" if leak.holder else ","
    assert f"the last pointer to it, {leak.pointer}{holder}" in said


@pytest.mark.parametrize("name", LEAKS)
def test_the_clean_twin_has_no_findings(whence: Whence, name: str) -> None:
    text, _ = program(LEAKS[name], LEAKS[name].mend)
    assert located(whence, whence.build(text, "prog", "-O1", "-pthread"))[1] == []


HANDED = """
#include <cstdlib>
#include <vector>
struct item { char *name; struct item *next; };
static struct item *list;
static char *make(int n) { char *made = (char *)malloc(n); made[0] = 0; return made; }
static void keep(struct item *one, char *name) {
    one->name = name; // 1
}
static void copy(struct item *second, char *name) {
    struct item first = {name, NULL};
    *second = first; // 4
}
static void add(struct item *one) {
    struct item *fresh = one;
    fresh->next = list;
    list = fresh; // 3
}
static void lose(int n) {
    if (n == 1 || n == 4) {
        struct item *one = (struct item *)malloc(sizeof *one);
        (n == 1 ? keep : copy)(one, make(5));
        MEND(free(one->name))
        free(one);
    } else if (n == 2) {
        char *name = make(6); // returned
        char *other = name;
        MEND(free(other))
    } else if (n == 3) {
        add((struct item *)malloc(sizeof(struct item)));
        struct item *taken = list;
        list = taken->next;
        MEND(free(taken))
    } else if (n == 5) {
        std::vector<char *> all;
        all.push_back(make(8));
        MEND(free(all[0]))
    } else if (n == 6) {
        char *name = (char *)malloc(9);
        char *other = name;
        MEND(free(other))
    } else {
        struct item *one = (struct item *)malloc(sizeof *one);
        one->name = (char *)malloc(10);
        MEND(free(one->name))
        free(one);
    }
}
int main(int argc, char **argv) { lose(atoi(argv[1])); }
"""
TAKEN = {1: "one->name", 2: "make", 3: "list", 4: "*second", 5: "*__p", 6: "", 7: ""}
"""Of each way, what took the block over; empty where nothing did."""


@pytest.fixture(scope="module")
def handing(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    whence = Whence(tmp_path_factory.mktemp("handed"), whence_env)
    for name, mend in (("prog", ""), ("clean", "text;")):
        path = whence.directory / f"{name}.cpp"
        path.write_text(f"#define MEND(text) {mend}\n{HANDED}")
        done = whence.process("whence.cli.cc", "c++", "-g", path, "-o", whence.directory / name)
        assert done.status == 0, done.err
    return whence


@pytest.mark.parametrize("way", TAKEN)
def test_the_hop_is_marked_where_another_took_the_block_over(handing: Whence, way: int) -> None:
    said, (found,) = located(handing, handing.directory / "prog", str(way))
    (chain,) = found["chains"]
    marked = [hop for hop in chain["hops"] if hop.get("handed_over")]
    if not TAKEN[way]:
        assert not marked and "handed over" not in said
        return
    (hop,) = marked
    assert TAKEN[way] in (hop["name"] or "")
    if hop["file"].endswith("prog.cpp"):
        text = (handing.directory / "prog.cpp").read_text().splitlines()[hop["line"] - 1]
        assert f"// {way}" in text or "return made" in text
    assert "^ the block was handed over here" in said


def test_where_it_is_freed_nothing_is_marked(handing: Whence) -> None:
    for way in TAKEN:
        assert located(handing, handing.directory / "clean", str(way))[1] == []


CXX = """
#include <map>
#include <stdexcept>
static void erase() {
    std::map<int, int *> m;
    m[3] = new int(3);
    MEND
    m.erase(3);
}
static void fail(int n) {
    int *p = new int(n);
    MEND2
    if (n) throw std::runtime_error("no"); // LOST
    delete p;
}
int main() {
    erase();
    try { fail(3); } catch (const std::exception &) {}
}
"""


def test_containers_and_exceptions(whence: Whence) -> None:
    path = whence.directory / "prog.cpp"

    def build(mend: str, second: str) -> Path:
        path.write_text(CXX.replace("MEND2", second).replace("MEND", mend))
        assert whence.process("whence.cli.cc", "c++", "-g", path, "-o", whence.directory / "prog").status == 0
        return whence.directory / "prog"

    _, found = located(whence, build("", ""))
    assert len(found) == 2
    first = [each["chains"][0]["hops"][0] for each in found]
    assert sorted(each["kind"] for each in first) == ["freed", "left"]
    freed = next(each for each in first if each["kind"] == "freed")
    assert freed["holder"]["file"].endswith("prog.cpp")
    left = next(each for each in first if each["kind"] == "left")
    line = 1 + next(at for at, text in enumerate(path.read_text().splitlines()) if "LOST" in text)
    assert (left["name"], left["line"]) == ("p", line)
    assert located(whence, build("delete m[3];", "delete p; p = nullptr;"))[1] == []
