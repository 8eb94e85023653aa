"""C++ names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.symbols.demangle import demangle, function_name, strip_signature


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("_start", "_start"),
        ("_Zzz", "_Zzz"),
        ("", ""),
        ("_ZNK3app4RingIiE2atEi", "app::Ring<int>::at"),
        ("_ZN3app12_GLOBAL__N_16hiddenERKNS_4RingIiEEi", "app::(anonymous namespace)::hidden"),
        ("_ZZ4mainENK3$_0clEi", "main::$_0::operator()"),
        ("_Z5applyIZ4mainEUliE_EiT_", "apply<main::{lambda(int)#1}>"),
        ("_ZNSt6vectorIiSaIiEEixEm", "std::vector<int, std::allocator<int> >::operator[]"),
        ("_ZN3app5PointcvbEv", "app::Point::operator bool"),
        ("_ZlsRSoRK3app", "operator<<"),
        ("_ZN3appD1Ev", "app::~app"),
        ("_Znwm", "operator new"),
        ("_ZdaPv", "operator delete[]"),
        ("_ZN1AC2Ev.cold", "A::A"),
        ("_ZN1nW3mod4_W3xEi", "n::_W3x"),
    ],
)
def test_function_name(symbol: str, name: str) -> None:
    assert function_name(symbol) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZW3mod3bugi", "bug"),
        ("_ZN1nW3mod3bugEi", "n::bug"),
        ("_ZW3modW3sub3bugi", "bug"),
        ("_ZW3modWP4part3bugi", "bug"),
        ("_ZNW3mod1S3getEv", "S::get"),
    ],
)
def test_functions_of_modules(symbol: str, name: str) -> None:
    """Newer libraries know modules, and name them."""
    assert re.sub(r"@[\w.:]*?(?=::|$)", "", function_name(symbol)) == name


def test_full_declaration() -> None:
    assert demangle("_ZNK3app4RingIiE2atEi") == "app::Ring<int>::at(int) const"


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ("int apply<main::$_0>(main::$_0)", "apply<main::$_0>"),
        ("void f(int (*)(char))", "f"),
        ("std::enable_if<(1 > 0), int>::type g<int>(int)", "g<int>"),
        ("app::Point::operator unsigned long() const", "app::Point::operator unsigned long"),
        ("bool operator< <int>(int, int)", "operator< <int>"),
        ("cooperator::run(int)", "cooperator::run"),
        ("app::variable", "app::variable"),
    ],
)
def test_strip_signature(declaration: str, name: str) -> None:
    assert strip_signature(declaration) == name


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    strip_signature(text)
    function_name("_Z" + text)
