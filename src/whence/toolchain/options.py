"""Tables of driver options: those with an argument, those of gcc only, those that IR compilations omit.

Sources: the option tables of clang's driver and of gcc 12, and the answers of
clang 16 to 21 to every option that ``gcc --help`` lists. Each table is data;
`whence.toolchain.driver` gives it meaning.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """A table written as words between blanks."""
    return frozenset(text.split())


SEPARATE = words("""
    -o -x -I -D -U -L -l -F -T -u -e -z -B -G -A -h -arch -target -include -imacros -isystem -iquote
    -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot -imultilib -ivfsoverlay -iframework
    -iframeworkwithsysroot -isystem-after -cxx-isystem -c-isystem -include-pch -Xclang -Xlinker
    -Xassembler -Xpreprocessor -Xanalyzer -Xopenmp-target -Xcuda-ptxas -Xcuda-fatbinary -mllvm -MF -MT
    -MQ -MJ -gcc-toolchain --param -aux-info -dumpbase -dumpdir -dumpbase-ext -wrapper
    -working-directory -resource-dir -serialize-diagnostics --serialize-diagnostics -Tbss -Tdata -Ttext
    -undefined -framework -rpath -soname -mthread-model -ccc-gcc-name -ccc-install-dir -meabi
    -fmodule-file-home-is-cwd -dependency-file -index-store-path -plugin -add-plugin -install_name
    --sysroot --include --imacros --output --language --define-macro --undefine-macro
    --include-directory --include-directory-after --include-prefix --include-with-prefix
    --include-with-prefix-before --include-with-prefix-after --library-directory --assert --prefix
    --for-linker --for-assembler --dyld-prefix --config --system-header-prefix --no-system-header-prefix
    --entry --force-link -R
    """)
"""Options that, spelled exactly so, take the next word as their argument."""

ELSEWHERE = words("""
    -E -S -M -MM -fsyntax-only -### --version -dumpversion -dumpmachine -dumpspecs -dumpfullversion
    --help --help-hidden -help --target-help --precompile --analyze -emit-llvm -emit-ast -cc1 -cc1as
    -cc1gen-reproducer -verify-pch -extract-api -m32 -mx32 -m16 -module-file-info
    -fdriver-only -emit-interface-stubs -rewrite-objc -rewrite-legacy-objc -save-stats
    --preprocess --assemble --dependencies --user-dependencies --supported-extensions
    """)
"""A command with one of these makes no object, so it goes to clang unchanged."""

ELSEWHERE_PREFIXES = (
    "-print-",
    "--print-",
    "--help=",
    "-ccc-print",
    "--autocomplete=",
    "--cuda-",
    "-save-stats=",
)

UNLINKED = words("""
    -c --compile -E --preprocess -S --assemble -M --dependencies -MM --user-dependencies -fsyntax-only
    """)
"""A command with one of these links nothing."""

OF_LINKS = words("""
    -s -shared -static-pie -pie -no-pie -nopie -rdynamic -r -nostartfiles -static-libgcc -static-libstdc++
    """)
OF_LINKS_PREFIXES = ("-l", "-L", "-Wl,", "-fuse-ld=", "--ld-path=")
OF_LINKS_SEPARATE = words("-l -L -T -u -e -z -Xlinker --library-directory")
"""What a link alone reads: options, beginnings of options, and options with a separate argument. gcc passes
over it without a word where nothing is linked; clang warns of it, and with ``-Werror`` refuses it."""


def is_of_links(group: tuple[str, ...]) -> bool:
    """Whether a link alone reads this option."""
    if len(group) == 2 and group[0] in OF_LINKS_SEPARATE:
        return True
    return group[0] in OF_LINKS or group[0].startswith(OF_LINKS_PREFIXES)


# ---- gcc options that change no meaning and that clang refuses or warns about ----------------------

GCC_F = words("""
    aggressive-loop-optimizations align-jumps align-labels allocation-dce allow-store-data-races
    argument-alias argument-noalias auto-inc-dec bit-tests branch-count-reg branch-probabilities
    branch-target-load-optimize branch-target-load-optimize2 caller-saves canonical-system-headers
    check-data-deps checking code-hoisting combine-stack-adjustments compare-elim
    concepts concepts-diagnostics-depth
    concepts-ts conserve-space delete-dead-exceptions emit-class-debug-always emit-struct-debug-baseonly
    emit-struct-debug-detailed emit-struct-debug-reduced force-addr fp-int-builtin-inexact
    inhibit-size-directive loop-interchange max-errors optional-diags pch-preprocess
    use-cxa-get-exception-ptr
    conserve-stack constexpr-cache-depth constexpr-loop-limit constexpr-ops-limit cprop-registers
    crossjumping cse-follow-jumps cse-skip-blocks dce debug-cpp declone-ctor-dtor deduce-init-list
    default-inline defer-pop delayed-branch devirtualize devirtualize-at-ltrans devirtualize-speculatively
    dse early-inlining eliminate-dwarf2-dups expensive-optimizations ext-numeric-literals fat-lto-objects
    float-store fold-simple-inlines forward-propagate function-cse gcse gcse-after-reload gcse-las gcse-lm
    gcse-sm gnu-unique graphite graphite-identity guess-branch-probability harden-compares
    harden-conditional-branches hoist-adjacent-loads if-conversion if-conversion2
    indirect-inlining inline-atomics inline-functions-called-once inline-limit inline-small-functions
    isolate-erroneous-paths-attribute isolate-erroneous-paths-dereference ivopts keep-gc-roots-live
    keep-static-functions large-source-files limit-function-alignment linker-output
    live-patching live-range-shrinkage loop-block loop-flatten loop-nest-optimize loop-optimize
    loop-parallelize-all loop-strip-mine loop-unroll-and-jam lra-remat lto lto-compression-level
    lto-odr-type-merging lto-partition lto-report lto-report-wpa max-include-depth mem-report
    mem-report-wpa merge-constants merge-debug-strings modulo-sched modulo-sched-allow-regmoves
    move-loop-invariants move-loop-stores nothrow-opt optimize-register-move optimize-strlen
    partial-inlining pch-deps peel-loops peephole peephole2 post-ipa-mem-report pre-ipa-mem-report
    predictive-commoning prefetch-loop-arrays pretty-templates printf-return-value profile-correction
    profile-partial-training profile-reorder-functions profile-report profile-reproducible profile-values
    ree regmove rename-registers reorder-blocks reorder-blocks-algorithm reorder-blocks-and-partition
    reorder-functions report-bug rerun-cse-after-loop rerun-loop-opt reschedule-modulo-scheduled-loops
    schedule-fusion schedule-insns schedule-insns2 section-anchors selective-scheduling
    selective-scheduling2 shrink-wrap shrink-wrap-separate signaling-nans simd-cost-model
    split-ivs-in-unroller split-loops split-paths split-wide-types
    split-wide-types-early ssa-backprop ssa-phiopt stack-check stack-limit stack-protector-explicit
    stack-reuse stats stdarg-opt store-merging strength-reduce strong-eval-order sync-libcalls
    thread-jumps time-report-details toplevel-reorder tracer track-macro-expansion trampolines
    unconstrained-commons unit-at-a-time unroll-all-loops unsafe-loop-optimizations unswitch-loops
    use-linker-plugin var-tracking variable-expansion-in-unroller vect-cost-model
    version-loops-for-strides vpt vtable-gc vtable-verify web whole-program
    working-directory zee
    """)
"""Options ``-fX`` and ``-fno-X`` of gcc only, without the prefix and without ``=value``."""

GCC_F_PREFIXES = (
    *(
        "abi-compat-version=",
        "abi-version=",
        "analyzer",
        "btr-",
        "callgraph-info",
        "compare-debug",
        "dbg-cnt",
    ),
    *("diagnostics-column-", "diagnostics-escape-", "diagnostics-generate-patch", "diagnostics-path-"),
    *("diagnostics-plain-", "diagnostics-show-caret", "diagnostics-show-cwe", "diagnostics-show-labels"),
    *("diagnostics-show-path", "diagnostics-urls", "disable-", "dump-", "enable-ipa", "enable-rtl"),
    *("enable-tree", "flto-", "ipa-", "ira-", "lifetime-dse", "opt-info", "sched-", "sched2-", "sel-sched"),
    *("stack-limit-", "tree-", "var-tracking-", "vtv-"),
)

CLANG_KNOWS_F = words("tree-vectorize tree-slp-vectorize")

GCC_ONLY_NEGATED = words("""
    cf-protection diagnostics-show-template-tree freestanding instrument-functions mudflap openacc
    random-seed stack-protector-all stack-protector-strong stack-usage time-report trapv working-directory
    """)
"""``-fno-X`` that clang does not know although it knows ``-fX``."""

GCC_M = words("""
    accumulate-outgoing-args align-data align-stringops avx256-split-unaligned-load
    avx256-split-unaligned-store branch-cost call-ms2sysv-xlogues cet-switch cld dispatch-scheduler
    force-drap force-indirect-call fused-madd indirect-branch indirect-branch-register
    inline-all-stringops inline-stringops-dynamically manual-endbr
    memcpy-strategy memset-strategy mitigate-rop move-max store-max prefer-avx128 push-args
    relax-cmpxchg-loop stringop-strategy stv tune-ctrl veclibabi vect8-ret-in-mem 8bit-idiv
    """)

GCC_NO_M = words("""
    abm avx5124fmaps avx5124vnniw avx512er avx512pf fancy-math-387 hle ieee-fp indirect-branch-cs-prefix
    mwait pcommit prefetchwt1 recip sse2avx sse5 align-double
    """)
"""``-mno-X``: turns off features that clang does not have."""

GCC_WORDS = words("""
    -pass-exit-codes -shared-libgcc -symbolic --symbolic --no-sysroot-suffix
    -static-libubsan -static-libtsan -static-liblsan -static-libhwasan
    -static-libgfortran -static-libgo -static-libphobos -shared-libphobos
    """)
"""Options without an effect in C and C++ on Linux (``-symbolic`` is for a few other systems)."""

GCC_SEPARATE = words("-h -R -dumpbase -dumpbase-ext")
GCC_JOINED = ("-R/", "-R.", "-R$")
GCC_NAME = "-h"
"""The same, with an argument: what only linkers of other systems are given, and names of auxiliary files."""

OF_CXX_LINKS = "-static-libstdc++"
"""Has no effect where the C++ library is not linked by itself; clang warns of it there."""

LTO = words("""
    -flto -fno-lto -fwhole-program -fuse-linker-plugin -fno-use-linker-plugin -ffat-lto-objects
    -fno-fat-lto-objects -fwhole-program-vtables -fno-whole-program-vtables -fvirtual-function-elimination
    -fno-virtual-function-elimination -fno-split-lto-unit -funified-lto -fno-unified-lto
    """)
GCC_LTO = ("-fwhole-program", "-fuse-linker-plugin", "-fno-use-linker-plugin")
GCC_LTO_PREFIXES = ("-flto-partition", "-flto-compression-level")
"""Those of gcc alone."""

LTO_PREFIXES = ("-flto=", "-flto-", "-fsplit-lto-unit", "-fthinlto")
FAT = "-ffat-lto-objects"
"""Has objects hold native code beside what is optimised at the link; so they can carry IR."""

GCC_PREFIXES = ("-specs=", "--specs=", "--param=")


def is_lto(option: str) -> bool:
    """Whether the option requests link-time optimisation, which would leave no native object to carry IR."""
    return option in LTO or option.startswith(LTO_PREFIXES)


def needs_lto(option: str) -> bool:
    """Whether a compiler does what the option says at the link alone, and that is no mere optimisation."""
    return option.startswith("-fsanitize=") and any(
        kind.startswith("cfi") for kind in option.partition("=")[2].split(",")
    )


def is_lto_of_gcc(option: str) -> bool:
    """Whether the option about link-time optimisation is gcc's alone."""
    return option in GCC_LTO or option.startswith(GCC_LTO_PREFIXES)


def is_gcc_only(option: str) -> bool:
    """Whether only gcc has the option, and the meaning of a program does not depend on it."""
    if option in GCC_WORDS or option.startswith(GCC_PREFIXES):
        return True
    if option.startswith(GCC_JOINED) or (option.startswith(GCC_NAME) and not option.startswith("-help")):
        return True
    family, negated, name = _split(option)
    if family == "f":
        base = name.partition("=")[0]
        if negated and base in GCC_ONLY_NEGATED:
            return True
        return base in GCC_F or (name.startswith(GCC_F_PREFIXES) and base not in CLANG_KNOWS_F)
    if family == "m":
        base = name.partition("=")[0]
        return base in GCC_M or (negated and base in GCC_NO_M)
    return False


def _split(option: str) -> tuple[str, bool, str]:
    """``-fno-x`` as ``("f", True, "x")``; an option of another family has family ''."""
    family = option[1:2]
    if option[:1] != "-" or family not in ("f", "m"):
        return "", False, ""
    if option.startswith("no-", 2):
        return family, True, option[5:]
    return family, False, option[2:]


# ---- options of links in gcc's spelling -------------------------------------------------------------

SPELLINGS = {
    "--shared": "-shared",
    "--static": "-static",
    "--static-pie": "-static-pie",
    "--pie": "-pie",
    "--no-standard-libraries": "-nostdlib",
    "--profile": "-pg",
    "-p": "-pg",
    "-export-dynamic": "-rdynamic",
    "-n": "-Wl,-n",
    "-N": "-Wl,-N",
    "--entry": "-e",
    "--force-link": "-u",
}
"""Options as gcc takes them, and as clang, or the record of a link, knows them."""

_LONG = ("--entry", "--force-link")
"""Those that take an argument, behind ``=`` as well."""
_JOINED = ("-e", "-z")
"""Options whose argument gcc takes in the same word, too."""
_NO_ENTRY = ("-emit", "-enable", "-export", "-extract", "-z=")
SECTIONS = ("-Ttext", "-Tdata", "-Tbss", "-Trodata-segment", "-Tldata-segment")
"""Addresses of sections, which clang takes for linker scripts."""

SPELLED_BEGINNINGS = (*(f"{word}=" for word in _LONG), *_JOINED, *SECTIONS, GCC_NAME)


def spelled(group: tuple[str, ...]) -> tuple[str, ...]:
    """An option with its argument in the spelling that clang has, too."""
    option, argument = group[0], group[1:]
    if option.startswith(SECTIONS):
        return (f"-Wl,{','.join(group)}",)
    if option in SPELLINGS and len(argument) == (option in _LONG):
        return (SPELLINGS[option], *argument)
    name, equals, value = option.partition("=")
    if equals and name in _LONG:
        return SPELLINGS[name], value
    if option.startswith(_JOINED) and len(option) > 2 and not option.startswith(_NO_ENTRY):
        return option[:2], option[2:]
    return group


# ---- options that the IR compilation omits ----------------------------------------------------------

IR_DROP = words("""
    -c -v -H -MD -MMD -MP -MG -MV -pg -p -P -C -CC -pipe --coverage -coverage -save-temps -w -s -t -r -Q
    -shared -static -static-pie -pie -no-pie -nopie -rdynamic -nostdlib -nostartfiles -nodefaultlibs -nolibc
    -nostdlib++ -static-libgcc -static-libstdc++ -static-libsan -time -ObjC -no-integrated-as -fintegrated-as
    -fno-integrated-as -fembed-bitcode -fembed-bitcode-marker -ftest-coverage -fpic -fPIC -fpie -fPIE
    -fno-pic -fno-PIC -fno-pie -fno-PIE -gz -ggdb -fcrash-diagnostics -fproc-stat-report -ftime-report
    -fomit-frame-pointer -momit-leaf-frame-pointer -fno-omit-frame-pointer
    -fxray-instrument -fstack-usage -fverbose-asm -print-stats -ftime-trace -fstack-clash-protection
    -fsave-optimization-record -foptimization-record -fmodule-output
    """)

IR_DROP_PREFIXES = (
    *("-g", "-l", "-L", "-Wl,", "-Wa,", "-W", "-R", "-MF", "-MT", "-MQ", "-MJ", "-save-temps=", "-dumpbase"),
    *("-fsanitize", "-fno-sanitize", "-fprofile", "-fno-profile", "-fcoverage", "-fno-coverage"),
    *("-fcs-profile", "-fmemory-profile", "-fxray", "-fpass-plugin=", "-fsave-optimization-record="),
    "-foptimization-record-",
    *("-fdiagnostics", "-fno-diagnostics", "-fcolor-diagnostics", "-fno-color-diagnostics", "-fcaret"),
    *("-fdebug-prefix-map=", "-fdebug-compilation-dir", "-ffile-compilation-dir=", "-ftime-trace"),
    *("-fuse-ld=", "--ld-path=", "-fcrash-diagnostics", "-fproc-stat-report", "-fembed-bitcode="),
    *("-fmodule-output=", "-fbasic-block", "-fsplit-machine", "-fauto-profile", "-fstack-usage"),
    *("-D_FORTIFY_SOURCE", "-fpatchable-function-entry", "-fzero-call-used-regs", "-dumpdir"),
)

IR_DROP_SEPARATE = words("""
    -o -x -l -L -u -e -z -T -Xlinker -Xassembler -MF -MT -MQ -MJ -serialize-diagnostics
    --serialize-diagnostics -aux-info -dumpbase -dumpdir -dumpbase-ext -wrapper -rpath -soname -h
    -dependency-file -index-store-path -Tbss -Tdata -Ttext --library-directory -A -G
    """)

FORTIFY = "_FORTIFY_SOURCE"
"""The prefix of a macro that the IR is compiled without, and the options that define macros."""
DEFINING = ("-D", "--define-macro")

IR_KEPT_PREFIXES = ("-gcc-toolchain", "-gcc-install-dir", "-Wno-", "-fdebug-prefix-map=/proc/self/cwd=")
"""Prefixes of options that are not hidden, although they begin like hidden ones: where the compiler is,
which warnings, that would be errors, are none, and where sources are that Bazel has named by a path which is
another directory for each process."""


def hidden_from_ir(group: tuple[str, ...]) -> bool:
    """Whether the IR compilation omits this option.

    It omits outputs besides the IR, instrumentation of other tools, warnings
    (they come from the native compilation), debug information flags (the IR
    always has full debug information) and code generation choices that
    relinking makes anew (position independence, frame pointers).
    """
    option = group[0]
    if len(group) > 1 and option in IR_DROP_SEPARATE:
        return True
    if len(group) == 2 and option in DEFINING and group[1].startswith(FORTIFY):
        return True
    if option.startswith("-Wp,"):
        return False  # the driver module filters the words inside
    if option.startswith(IR_KEPT_PREFIXES):
        return False
    return option in IR_DROP or is_lto(option) or option.startswith(IR_DROP_PREFIXES)


MODULE, COMPILED_MODULE = "c++-module", "pcm"
"""The languages of the interface of a module, and of what the front end makes of it."""

LANGUAGE_OF_SUFFIX = {
    ".c": "c",
    ".i": "cpp-output",
    **dict.fromkeys((".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".CC", ".CXX", ".C++"), "c++"),
    ".ii": "c++-cpp-output",
    ".s": "assembler",
    ".S": "assembler-with-cpp",
    ".sx": "assembler-with-cpp",
    **dict.fromkeys((".h", ".H", ".hh", ".hp", ".hxx", ".hpp", ".h++", ".tcc"), "header"),
    **dict.fromkeys((".ll", ".bc"), "ir"),
    **dict.fromkeys((".m", ".mi", ".mm", ".mii", ".M", ".cu", ".hip", ".cl", ".f", ".f90"), "foreign"),
    **dict.fromkeys((".cppm", ".ccm", ".cxxm", ".c++m"), MODULE),
    ".iim": "c++-module-cpp-output",
    ".pcm": COMPILED_MODULE,
    **dict.fromkeys((".ast", ".gch", ".pch"), "header"),
}
"""Language of a file name's suffix; anything else is for the linker."""

MODULES = frozenset((MODULE, "c++-module-cpp-output", COMPILED_MODULE))
IR_LANGUAGES = frozenset(("c", "c++", "cpp-output", "c++-cpp-output")) | MODULES
"""Languages whose compilation yields carried IR."""
