"""C programs that are built by their own build systems and tested by their own test suites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.demo.build import Builder
from whence.demo.debian import DebianSource, fetch_debian_binaries
from whence.demo.fetch import Sdist, cache_dir, unpack
from whence.demo.programs import Executables, Program, Recipe

AUTOMAKE = re.compile(rb"^PASS: (.+)$", re.MULTILINE)
AUTOTEST = re.compile(rb"^ *\d+: (.+?) +ok$", re.MULTILINE)
PROVE = re.compile(rb"^(\S+\.(?:t|sh)) \.+ ok$", re.MULTILINE)


@dataclass(frozen=True)
class Suite:
    """The tests that come with a program, or a part of them.

    - `checked`: executables that the tests run
    - `command`: what runs the tests, in `folder` below the folder of the first executable
    - `passed`: matches each passed test in what the command prints, its name in the first group
    - `tests`: at least so many pass without whence
    - `leaks`: real leaks (`docs/real-programs.md`), told by a function or by a file and line in the stack of
      the allocation
    - `aborts`: functions that call `abort` on purpose
    - `beyond`: tests that cannot pass under whence
    """

    program: Program
    checked: tuple[str, ...]
    command: str
    passed: re.Pattern[bytes]
    tests: int
    folder: str = "."
    leaks: frozenset[str] = frozenset()
    aborts: frozenset[str] = frozenset()
    beyond: frozenset[bytes] = frozenset()

    def __str__(self) -> str:
        return self.program.name


def _made(
    executables: str, *, options: Sequence[str] = (), variables: Sequence[str] = (), inner: str = ""
) -> Recipe:
    """`./configure OPTIONS` (if there is such a script) and `make VARIABLES`.

    `executables` are their paths in the source; `inner` is an archive in the
    source that holds the real one.
    """

    def recipe(builder: Builder, archive: Path) -> Executables:
        source = unpack(archive, builder.root / "source")
        if inner:
            source = unpack(source / inner, builder.root / "inner")
        if (source / "configure").exists():
            builder.configure(source, *options)
        builder.make(source, "MAKEINFO=true", *variables)
        return {Path(name).name: source / name for name in executables.split()}

    return recipe


def _gawk(builder: Builder, archive: Path) -> Executables:
    """The archive lacks the sources of the manual, which the makefile's first target wants."""
    source = unpack(archive, builder.root / "source")
    builder.configure(source)
    for folder in ("support", ".", "extension"):
        builder.make(source / folder, *(["gawk"] if folder == "." else []))
    return {"gawk": source / "gawk"}


def _cmake(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    build = builder.root / "build"
    compiler = builder.compiler
    builder.run(
        ["cmake", "-S", str(source), "-B", str(build), "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
        builder.root,
        {"CC": compiler.cc, "CFLAGS": compiler.flags},
    )
    builder.make(build)
    return {"tidy": build / "tidy"}


def _packaged(library: str, *packages: str) -> tuple[Path, Path]:
    """A library that the machine may not have, from Debian's packages: their `usr`, the library's folder."""
    top = fetch_debian_binaries(list(packages), cache_dir().parent / library) / "usr"
    return top, next(top.glob(f"lib/*/{library}.so")).parent


def _memcached(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    event, libraries = _packaged("libevent", "libevent-dev", "libevent-2.1-7")
    builder.configure(source, f"CPPFLAGS=-I{event}/include", f"LDFLAGS=-L{libraries} -Wl,-rpath,{libraries}")
    builder.make(source, "all", "memcached-debug", "timedrun")
    return {"memcached-debug": source / "memcached-debug"}


def _lighttpd(builder: Builder, archive: Path) -> Executables:
    """Its modules are shared libraries that it loads by `dlopen`."""
    source = unpack(archive, builder.root / "source")
    pcre, libraries = _packaged("libpcre2-8", "libpcre2-dev", "libpcre2-8-0")
    flags = f"LDFLAGS=-L{libraries} -Wl,-rpath,{libraries}"
    builder.configure(source, f"--with-pcre2={pcre}", "--without-bzip2", "--without-zlib", flags)
    builder.make(source)
    builder.make(source / "tests", "fcgi-responder", "scgi-responder")
    return {"lighttpd": source / "src" / "lighttpd"}


def _debian(package: str, upstream: str, sha256: str, recipe: Recipe) -> Program:
    return Program(f"{package}-{upstream.partition('+')[0]}", DebianSource(package, upstream, sha256), recipe)


_COREUTILS = """
    sort cut expr head tr wc uniq tac fmt csplit shuf md5sum stat date split ls cp tail dd
"""
_COREUTILS_TESTS = """
    misc/cut.pl misc/expr.pl misc/csplit.sh misc/shuf.sh misc/md5sum-parallel.sh misc/md5sum-bsd.sh
    misc/stat-fmt.sh split/b-chunk.sh split/l-chunk.sh split/r-chunk.sh split/lines.sh split/filter.sh
    misc/sort-compress.sh misc/sort-rand.sh misc/sort-version.sh misc/cut-huge-range.sh ls/abmon-align.sh
    ls/dired.sh ls/file-type.sh ls/follow-slink.sh ls/infloop.sh ls/inode.sh ls/m-option.sh
    ls/multihardlink.sh ls/readdir-mountpoint-inode.sh ls/recursive.sh ls/rt-1.sh ls/stat-free-color.sh
    ls/symlink-slash.sh ls/time-style-diag.sh ls/x-option.sh cp/abuse.sh cp/backup-1.sh cp/cp-HL.sh
    cp/cp-deref.sh cp/cp-i.sh cp/cp-parents.sh cp/deref-slink.sh cp/dir-rm-dest.sh cp/dir-slash.sh
    cp/existing-perm-dir.sh cp/fiemap-empty.sh cp/into-self.sh cp/link.sh cp/no-deref-link1.sh
    cp/parent-perm.sh cp/preserve-2.sh cp/r-vs-symlink.sh cp/same-file.sh cp/slink-2-slink.sh cp/sparse.sh
    cp/symlink-slash.sh cp/thru-dangling.sh tail-2/follow-stdin.sh tail-2/append-only.sh tail-2/assert.sh
    tail-2/tail-n0f.sh dd/misc.sh dd/reblock.sh
"""
_GIT_WITHOUT = ("NO_CURL=1", "NO_GETTEXT=1", "NO_TCLTK=1", "NO_EXPAT=1", "NO_OPENSSL=1", "NO_PYTHON=1")
_GIT_TESTS = """
    t0001-init t0002-gitfile t0003-attributes t0005-signals t0006-date t0007-git-var t0010-racy-git
    t0013-sha1dc t0020-crlf t0024-crlf-archive t0033-safe-directory t0040-parse-options t0061-run-command
    t0062-revision-walking t0070-fundamental t0091-bugreport t0100-previous t0101-at-syntax
    t1003-read-tree-prefix t1008-read-tree-overlay t1009-read-tree-new-index t1010-mktree t1020-subdirectory
    t1100-commit-tree-options t1303-wacky-config t1307-config-blob t1402-check-ref-format t1403-show-ref
    t1420-lost-found t1502-rev-parse-parseopt t3000-ls-files-others t3004-ls-files-basic
    t3010-ls-files-killed-modified t3100-ls-tree-restrict t3101-ls-tree-dirname t3202-show-branch
    t3210-pack-refs t3300-funny-names t3502-cherry-pick-merge t4000-diff-format t4003-diff-rename-1
    t4009-diff-rename-4 t4010-diff-pathspec t4016-diff-quote t4025-hunk-header t4100-apply-stat
    t4103-apply-binary t4115-apply-symlink t4200-rerere t4204-patch-id t5001-archive-attr t5302-pack-index
    t5305-include-tag t5306-pack-nobase t5307-pack-missing-commit t5507-remote-environment
    t5522-pull-symlink t5600-clone-fail-cleanup t5701-git-serve t6005-rev-list-count t6101-rev-parse-parents
    t6110-rev-list-sparse t9301-fast-import-notes
"""

BC = _debian(
    "bc", "1.07.1", "62adfca89b0a1c0164c2cdca59ca210c1d44c3ffc46daf9931cf4942664cb02a", _made("bc/bc")
)
TIDY = _debian(
    "tidy-html5", "5.6.0", "08a63bba3d9e7618d1570b4ecd6a7daa83c8e18a41c82455b6308bc11fe34958", _cmake
)
XZ = _debian(
    "xz-utils", "5.4.1", "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5",
    _made("src/xz/xz", options=["--disable-shared"]),
)  # fmt: skip

DIFFUTILS = Suite(
    _debian(
        "diffutils", "3.8", "a6bdd7d1b31266d11c4f4de6c1b748d4607ab0231af5188fc2533d0ae2438fec",
        _made("src/cmp src/diff src/diff3 src/sdiff"),
    ),
    checked=("cmp", "diff", "diff3", "sdiff"),
    command="make check",
    folder="../tests",
    passed=AUTOMAKE,
    tests=19,
    leaks=frozenset({"add_regexp", "process_diff"}),
)  # fmt: skip
GREP = Suite(
    _debian(
        "grep", "3.8", "498d7cc1b4fb081904d87343febb73475cf771e424fb7e6141aff66013abc382", _made("src/grep")
    ),
    checked=("grep",),
    command="make check",
    folder="../tests",
    passed=AUTOMAKE,
    tests=60,
)
SED = Suite(
    _debian(
        "sed", "4.9", "6e226b732e1cd739464ad6862bd1a1aba42d7982922da7a53519631d24975181", _made("sed/sed")
    ),
    checked=("sed",),
    command="make check SUBDIRS=.",
    folder="..",
    passed=AUTOMAKE,
    tests=40,
    leaks=frozenset({"setup_replacement"}),
)
TAR = Suite(
    _debian(
        "tar", "1.34+dfsg", "7d57029540cb928394defb3b377b3531237c947e795b51aa8acac0c5ba0e4844",
        _made("src/tar"),
    ),
    checked=("tar",),
    command="make check",
    folder="../tests",
    passed=AUTOTEST,
    tests=150,
    leaks=frozenset(
        ("decode_options", "handle_option", "name_gather", "name_elt_alloc", "map_read", "read_incr_db_2",
         "try_new_volume", "add_chunk_header", "update_archive")
    ),
)  # fmt: skip
JQ = Suite(
    Program(
        "jq-1.8.2",
        Sdist("jq", "1.13.0", "e62bdddeab3b8a0a404581a7bb6f1e8c4cc6082280870031f746074f4cac52c0"),
        _made(
            "jq",
            options=["--disable-docs", "--disable-maintainer-mode", "--disable-shared",
                     "--with-oniguruma=builtin"],
            inner="deps/jq-1.8.2.tar.gz",
        ),
    ),
    checked=("jq",),
    command="sh -c 'for t in mantest jqtest shtest utf8test base64test uritest optionaltest onigtest "
    "manonigtest; do sh tests/$t && echo PASS: $t; done'",
    passed=AUTOMAKE,
    tests=9,
)  # fmt: skip
GAWK = Suite(
    _debian("gawk", "5.2.1", "2337a0283b180ec1b9c727973a34781c6478b3ae9bcbdcca0a4dc49861d75a65", _gawk),
    checked=("gawk",),
    command='sh -c \'rm -f _*; make -k basic unix-tests gawk-extensions | grep -xE "[[:alnum:]_]+" | '
    "while read t; do test -e _$t || echo PASS: $t; done'",
    folder="test",
    passed=AUTOMAKE,
    tests=400,
)
COREUTILS = Suite(
    _debian(
        "coreutils", "9.1", "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423",
        _made(" ".join(f"src/{name}" for name in _COREUTILS.split())),
    ),
    checked=tuple(_COREUTILS.split()),
    command=f"make check SUBDIRS=. TESTS='{' '.join(f'tests/{name}' for name in _COREUTILS_TESTS.split())}'",
    folder="..",
    passed=AUTOMAKE,
    tests=55,
    leaks=frozenset(
        ("sort.c:4393", "sort.c:4795", "sort.c:4830", "split.c:1590", "stat.c:1962", "stat.c:1963",
         "tail.c:2408", "shuf.c:525", "shuf.c:539", "shuf.c:563", "tr.c:1779", "tr.c:1780",
         "tr.c:1785", "tr.c:1786",
         "str_value", "int_value", "docolon", "toarith", "eval4", "dest_info_init", "src_info_init",
         "record_file", "lines_rr", "append_repeated_char", "date.c:562", "df.c:1784", "mktemp.c:296",
         "mktemp.c:304")
    ),
    beyond=frozenset({b"tests/misc/cut-huge-range.sh"}),  # 50 MB of address space at most
)  # fmt: skip
GIT = Suite(
    _debian(
        "git", "2.39.5", "c58da92c378df4a986ca33266897a7397e86c22ee266a284d8c2432c39066b59",
        _made("git", variables=_GIT_WITHOUT),
    ),
    checked=("git",),
    command=f"prove --exec sh {' '.join(f'{name}.sh' for name in _GIT_TESTS.split())}",
    folder="t",
    passed=PROVE,
    leaks=frozenset({"run_builtin"}),  # git leaves much to the end of the process
    tests=60,
)  # fmt: skip
MEMCACHED = Suite(
    _debian(
        "memcached", "1.6.18", "35872bd25f8d29d7cc2072d23e74344530891bfd0aa4f4f64184a8ae7291164b",
        _memcached,
    ),
    checked=("memcached-debug",),
    command="prove t",
    passed=PROVE,
    tests=65,
    aborts=frozenset({"restart_check"}),  # a damaged file: t/restart.t makes one
    leaks=frozenset({"storage_init_config", "storage_conf_parse", "restart_get_kv", "memcached.c:4757"}),
)  # fmt: skip
LIGHTTPD = Suite(
    _debian(
        "lighttpd", "1.4.69", "16ac8db95e719629ba61949b99f8a26feba946a81d185215b28379bb4116b0b4", _lighttpd
    ),
    checked=("lighttpd", "fcgi-responder", "scgi-responder", "test_common", "test_configfile", "test_mod"),
    command="sh -c './prepare.sh; PERL_HASH_SEED=0 prove -I. --verbose *.t; "
    "for t in common configfile mod; do ../src/t/test_$t && echo PASS: $t; done'",
    folder="../tests",
    passed=re.compile(rb"^(?:PASS: |ok (?=\d+ - ))(.+)$", re.MULTILINE),
    tests=200,
    leaks=frozenset({"cgi_pid_add"}),
)
SUITES = (DIFFUTILS, GREP, SED, TAR, JQ, GAWK, COREUTILS, GIT, MEMCACHED, LIGHTTPD)
