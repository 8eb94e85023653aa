"""The library functions that are intercepted, and what the runtime calls them.

A reference of instrumented code to one of these functions becomes a reference
to the runtime's symbol, which checks what the function is about to read and
write, and then calls it. Code that is not instrumented is not affected, but
for allocation, which the runtime provides under its ordinary names as well.
The functions are in ``runtime/intercept/``; those that hand memory to the kernel
in ``runtime/intercept/kernel/``, which the preloaded allocator has under the
functions' own names. `whence.abi.library` is the table of them, but for those of libstdc++, which are here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from whence.abi import library

PREFIX = "__whence_"


def _names(text: str) -> list[str]:
    return text.split()


# iostream, as libstdc++ names it
_INTEGERS = {"s": "short", "i": "int", "l": "long", "x": "long long"}
_UNSIGNED = {"t": "short", "j": "int", "m": "long", "y": "long long"}
_OTHERS = {"b": "bool", "f": "float", "d": "double", "e": "long double", "Pv": "void*"}
_NUMBERS = _INTEGERS | {code: f"unsigned {type_}" for code, type_ in _UNSIGNED.items()} | _OTHERS
_NOT_IN_HEADERS = ("_ZNSi10_M_extractIsEERSiRT_", "_ZNSi10_M_extractIiEERSiRT_")
_INPUT = "std::istream::"
_STRING = "St11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE"
CXX_WRITERS: Mapping[str, str] = MappingProxyType(
    {
        f"_ZStrsIc{_STRING}": f"{_INPUT}operator>>(std::string&)",
        **dict.fromkeys(
            (f"_ZSt7getlineIc{_STRING}", f"_ZSt7getlineIc{_STRING}S4_"),
            "std::getline(std::istream&, std::string&)",
        ),
        "_ZNSi3getERc": f"{_INPUT}get(char&)",
        "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_": f"{_INPUT}operator>>(char&)",
        **dict.fromkeys(("_ZNSi3getEPcl", "_ZNSi3getEPclc"), f"{_INPUT}get"),
        **dict.fromkeys(("_ZNSi7getlineEPcl", "_ZNSi7getlineEPclc"), f"{_INPUT}getline"),
        "_ZNSi4readEPcl": f"{_INPUT}read",
        "_ZNSi8readsomeEPcl": f"{_INPUT}readsome",
        **{
            symbol: f"{_INPUT}operator>>({type_}&)"
            for code, type_ in _NUMBERS.items()
            for symbol in (f"_ZNSirsER{code}", f"_ZNSi10_M_extractI{code}EERSiRT_")
            if symbol not in _NOT_IN_HEADERS
        },
    }
)
"""Member functions that write to the program's memory, and what they are called in reports."""
CXX_READERS: Mapping[str, str] = MappingProxyType(
    {"_ZNSi3getEv": f"{_INPUT}get()", "_ZNSi4peekEv": f"{_INPUT}peek()"}
)
"""Member functions that return a byte of a stream, and what they are called in reports."""
_STRING_CLASS = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
_OUTPUT = "std::ostream::operator<<"
_INSERTED = {
    **{code: type_ for code, type_ in _NUMBERS.items() if code in "lxmydeb"},
    "PKv": "const void*",
}
CXX_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        f"{_STRING_CLASS}9_M_appendEPKcm": "std::string::append",
        f"{_STRING_CLASS}9_M_assignERKS4_": "std::string::assign",
        f"{_STRING_CLASS}10_M_replaceEmmPKcm": "std::string::replace",
        f"{_STRING_CLASS}14_M_replace_auxEmmmc": "std::string::replace",
        f"{_STRING_CLASS}9_M_mutateEmmPKcm": "std::string::insert",
        f"{_STRING_CLASS}12_M_constructEmc": "std::string::string",
        f"{_STRING_CLASS}8_M_eraseEmm": "std::string::erase",
        f"{_STRING_CLASS}6resizeEmc": "std::string::resize",
        f"{_STRING_CLASS}7reserveEm": "std::string::reserve",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4copyEPcmm": "std::string::copy",
        "_ZNSolsEi": f"{_OUTPUT}(int)",
        "_ZNSolsEs": f"{_OUTPUT}(short)",
        "_ZNSo3putEc": "std::ostream::put",
        **{f"_ZNSo9_M_insertI{code}EERSoT_": f"{_OUTPUT}({type_})" for code, type_ in _INSERTED.items()},
        "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE"
        "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode": "std::istringstream",
        "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE"
        "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode": "std::stringstream",
    }
)
"""Functions that copy or make texts in memory of the library's, and what they are called in reports. Most are
what functions in headers call."""
CXX_STREAMS: Mapping[str, str] = MappingProxyType(
    {
        "_ZNSo5writeEPKcl": "std::ostream::write",
        "_ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE": f"{_OUTPUT}(std::streambuf*)",
        "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l": "operator<<",
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc": "operator<<",
        "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_"
        "RKNSt7__cxx1112basic_stringIS4_S5_T1_EE": "operator<<",
    }
)
"""Functions that put texts into streams, and what they are called in reports."""

# std::condition_variable
CXX_CONDITIONS = _names(
    """
    _ZNSt18condition_variable10notify_allEv
    _ZNSt18condition_variable10notify_oneEv
    """
)

# nodes of std::map, std::set and std::list, which libstdc++ links and steps through
CXX_NODES = _names(
    """
    _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_
    _ZNSt8__detail15_List_node_base7_M_hookEPS0_
    _ZNSt8__detail15_List_node_base9_M_unhookEv
    _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base
    _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base
    _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_
    _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
    """
)

_GROUPS = (
    library.WRAPPED,
    CXX_WRITERS,
    CXX_READERS,
    CXX_TEXTS,
    CXX_STREAMS,
    CXX_CONDITIONS,
    CXX_NODES,
)

# __whence_access is the check of an access.
_EXCEPTIONS = {"access": PREFIX + "access_path"}

RUNTIME_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {name: _EXCEPTIONS.get(name, PREFIX + name) for group in _GROUPS for name in group}
)
"""Library function -> symbol of the runtime."""


def called(names: Iterable[str]) -> frozenset[str]:
    """The names by which code calls library functions: their own, and those of the runtime's."""
    return frozenset(each for name in names for each in (name, RUNTIME_SYMBOLS.get(name, name)))


STORES: Mapping[str, Mapping[int, int]] = MappingProxyType(library.sizes("stores"))
"""Functions of the mathematical library -> the arguments that say where they store, and how many bytes.

The runtime is not linked to that library: instrumented code itself makes the checks, before the call.
"""

LIBRARY = frozenset(RUNTIME_SYMBOLS) | frozenset(STORES)
"""Functions that are taken for the C library's unless the program defines them."""
