"""What real programs are given to do under the allocator: shell commands whose output is always the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

_GIT = (
    "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='1600000000 +0000'"
    " GIT_COMMITTER_DATE='1600000000 +0000'; commit='git -c user.name=a -c user.email=b commit -qm'"
)

PROGRAMS = {
    "bash": 'for i in 1 2 3; do x=$(echo $i | tr 1 2); a[$i]=$x; done; echo "${a[@]}" | cat; '
    "diff <(echo 1) <(echo 1); declare -A m; for i in {1..50}; do m[$i]=$((i * i)); done; "
    'printf "%s\\n" "${m[@]}" | sort -n | tail -1; trap "echo bye" EXIT',
    "git": f"{_GIT}; git init -q -b main one && cd one"
    " && for i in 1 2 3; do seq $i 40 > f$i && git add . && $commit c$i; done"
    " && echo more >> f1 && git diff && git status -s && git clone -q . ../two && cd ../two"
    " && git log --stat --format=%s && git gc -q && git fsck --no-progress && git blame -s f3 | tail -1",
    "sqlite3": "echo 'create table t(a); insert into t values(1),(2),(3); create index i on t(a);"
    " select sum(a), max(a) from t where a > 1; with recursive c(x) as (select 1 union all select x + 1"
    " from c where x < 50) insert into t select x * 7 % 11 from c; select count(distinct a) from t; vacuum;"
    " pragma integrity_check;' | sqlite3 new.db && sqlite3 new.db .dump",
    "gcc": "printf '#include <stdio.h>\\nint main(void) { puts(\"ran\"); return 0; }' > p.c"
    " && gcc -O2 p.c -o p && ./p",
    "python3": "python3 -c 'import json, re, sqlite3, threading; print(json.dumps(dict(a=[1.5, None])))'",
}


def need(name: str) -> None:
    """Skips the test where a program is not installed."""
    if not shutil.which(name):
        pytest.skip(f"{name} is not here")


def plain(command: str, folder: Path) -> str:
    """What a command writes without the allocator, in a new folder."""
    folder.mkdir()
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def python_with_tests() -> str:
    """A Python that has its own test suite; skips the test if there is none."""
    for python in (sys._base_executable, shutil.which("python3")):  # type: ignore[attr-defined]
        probe = [python or "false", "-c", "import test.test_list"]
        if subprocess.run(probe, capture_output=True).returncode == 0:
            return str(python)
    pytest.skip("no Python here has its own tests (libpython3-testsuite)")


def python_test(module: str) -> str:
    """The command that runs a module of that suite; left out is what aborts on purpose."""
    return f"{python_with_tests()} -m test -i test_run_abort {module}"
