"""The functions that rules name, compared with those of the checked code.

Entries of the cache: ``functions/<digest>`` names of the functions that a module defines or speaks of, each
behind a line break; nothing if that is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from whence.errors.hints import did_you_mean
from whence.rules import RuleSet
from whence.rules import model as m
from whence.rules.expand import expand
from whence.toolchain import bitcode
from whence.toolchain.cache import Cache
from whence.toolchain.carry import CarriedModule, dynamic_symbols

_LOOKS_UP = "dlsym"


def functions_named(rules: RuleSet) -> dict[tuple[str, str], m.FunctionName]:
    """The functions that the rules that are on name, by rule and name, but for `main`."""
    found: dict[tuple[str, str], m.FunctionName] = {}
    for rule in rules.active:
        for each in _names(rule, rules):
            if each.name != "main":
                found.setdefault((rule.name, each.name), each)
    return found


def _names(rule: m.Rule, rules: RuleSet) -> Iterator[m.FunctionName]:
    places = [rule.condition, *(each.body for each in rules.predicates_used([rule]))]
    terms = [*rule.point.args, *(term for each in places for term in m.walk_terms(each))]
    written = {term.name: term for term in reversed(terms) if isinstance(term, m.FunctionName)}
    used = [*rule.point.args, *m.walk_terms(expand(rule, rules).formula)]
    yield from (written[each.name] for each in used if isinstance(each, m.FunctionName))


def keep_names(modules: Iterable[CarriedModule], rules: RuleSet, cache: Cache) -> None:
    """Adds the names of the functions of some modules to the cache, if rules name any."""
    if not functions_named(rules):
        return
    for module in modules:
        if cache.read("functions", module.digest) is None:
            names = names_of(module)
            cache.add("functions", module.digest, b"" if names is None else "\n".join(["", *names]).encode())


def names_of(module: CarriedModule) -> list[str] | None:
    """The functions that a module defines or speaks of; None if no table says so."""
    return bitcode.named_functions(module.bitcode())


def kept_names(digests: Iterable[str], cache: Cache) -> set[str] | None:
    """The names of the functions of some modules; None if those of some are not known."""
    found: set[str] = set()
    for digest in digests:
        names = cache.read("functions", digest)
        if not names:
            return None
        found.update(names.decode().split("\n"))
    return found


_VARIANTS = ("__isoc99_{}", "__isoc23_{}", "{}64", "__{}_chk", "__{}", "__xpg_{}", "_{}")
"""Names under which headers of the C library call a function instead."""


def unknown(
    rules: RuleSet, known: Collection[str], libraries: Iterable[str], what: str
) -> Iterator[tuple[m.FunctionName, str]]:
    """The functions that rules name and that no code has, with a sentence each.

    known: what the checked code defines or speaks of, `what` it is. libraries: the paths of those that the
    program is linked to. A function of one of these that the program does not call is in order, unless the
    program calls it by another name.
    """
    looks_up = _LOOKS_UP in known
    for (rule, name), place in functions_named(rules).items():
        if name in known:
            continue
        others = [each for form in _VARIANTS if (each := form.format(name)) in known]
        if others:
            yield place, f"rule '{rule}': {what} calls '{others[0]}', and not '{name}': name that in the rule"
        elif not is_exported(name, libraries):
            otherwise = f", unless {_LOOKS_UP} finds it" if looks_up else ""
            hint = _symbol_of(name, known) or did_you_mean(name, known)
            yield place, f"rule '{rule}': {what} has no function '{name}' and calls none{otherwise}{hint}"


_MOST = 3
"""Symbols that a hint names."""


def _symbol_of(name: str, known: Iterable[str]) -> str:
    """A hint for the name of a function in C++, whose symbol has the same words in it."""
    words = "".join(f"{len(word)}{word}" for word in name.partition("(")[0].split("::"))
    found = sorted(each for each in known if each.startswith("_Z") and words in each)[:_MOST]
    return f" (did you mean {' or '.join(map(repr, found))}?)" if found else ""


def is_exported(name: str, libraries: Iterable[str]) -> bool:
    """Whether one of some shared libraries has a function or an object of this name."""
    return any(name in dynamic_symbols(path, defined=True) for path in libraries)
