"""A module: its entities in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from whence.ir.attributes import AttributeGroup
from whence.ir.datalayout import DataLayout
from whence.ir.errors import IRSyntaxError
from whence.ir.function import Function
from whence.ir.globals import Alias, GlobalValue, GlobalVariable, IFunc, make_global
from whence.ir.lexer import decode_string, quote
from whence.ir.metadata import Metadata
from whence.ir.rename import renamer

_TARGET = re.compile(r'target (datalayout|triple) = "([^"]*)"')
_SOURCE = re.compile(r'source_filename = "([^"]*)"')

Entity = str | Function | GlobalValue | AttributeGroup
"""A line that stays unchanged, or an object that prints its lines."""


class Module:
    """One LLVM module; made by `whence.ir.parse`.

    `name` is only for messages. Entities are found by plain name in
    `functions`, `globals` (variables, aliases, ifuncs) and `comdats`; types by
    token (``%struct.x``) in `types`; attribute groups by number.
    """

    def __init__(self, name: str = "<module>") -> None:
        self.name = name
        self.entities: list[Entity] = []
        """In the order of the text; change it with the methods only."""
        self.functions: dict[str, Function] = {}
        self.globals: dict[str, GlobalValue] = {}
        self.comdats: dict[str, str] = {}
        """Plain name to selection kind (``any``, …)."""
        self.types: dict[str, str] = {}
        """Token to the text of the body (``{ i32, ptr }`` or ``opaque``)."""
        self.attribute_groups: dict[int, AttributeGroup] = {}
        self.metadata = Metadata(name)
        self.uses_fresh_names = False
        """Whether the text may have names like those of `Function.fresh_name`."""
        self.source_filename = ""
        self.triple = ""
        self.trailing_newline = True
        self._layout: DataLayout | None = None
        self._layout_text = ""
        self._groups: dict[tuple[str, ...], AttributeGroup] = {}
        self._declared: dict[str, str] = {}
        self._insert_at = 0

    def __repr__(self) -> str:
        return f"<Module {self.name}>"

    def forget(self) -> None:
        """Lets go of all entities, which must not be used any more (`Function.forget_blocks`)."""
        for function in self.functions.values():
            function.forget_blocks()
        self.entities.clear()
        self.functions.clear()
        self.globals.clear()

    # Reading.

    @property
    def layout(self) -> DataLayout:
        """Sizes of this module's types."""
        if self._layout is None:
            self._layout = DataLayout(self._layout_text, self.types)
        return self._layout

    @property
    def data_layout(self) -> str:
        """The data layout string."""
        return self._layout_text

    @property
    def definitions(self) -> list[Function]:
        """Functions with a body, in order."""
        return [f for f in self.functions.values() if f.is_definition]

    @property
    def declarations(self) -> list[Function]:
        """Functions without a body, in order."""
        return [f for f in self.functions.values() if not f.is_definition]

    @property
    def variables(self) -> list[GlobalVariable]:
        return [g for g in self.globals.values() if isinstance(g, GlobalVariable)]

    @property
    def aliases(self) -> list[Alias]:
        """Aliases without ifuncs."""
        return [g for g in self.globals.values() if isinstance(g, Alias) and not isinstance(g, IFunc)]

    @property
    def ifuncs(self) -> list[IFunc]:
        return [g for g in self.globals.values() if isinstance(g, IFunc)]

    def instruction_count(self) -> int:
        """Number of instructions in all definitions."""
        return sum(len(block.instructions) for f in self.definitions for block in f.blocks)

    # Text.

    def pieces(self) -> Iterator[str]:
        """The pieces of the module's text, which newlines separate."""
        for entity in self.entities:
            if isinstance(entity, str):
                yield entity
            elif isinstance(entity, Function):
                yield from entity.lines()
            else:
                yield entity.text
        yield from self.metadata.lines

    def print(self) -> str:
        """The module as text; unchanged parts are byte for byte those of the parsed text."""
        return "\n".join(self.pieces()) + ("\n" if self.trailing_newline else "")

    __str__ = print

    # Adding entities, for the parser and for the methods below.

    def note_line(self, text: str) -> None:
        """Record a property of the whole module from a plain line."""
        if match := _TARGET.match(text):
            if match[1] == "triple":
                self.triple = match[2]
            else:
                self._layout_text, self._layout = match[2], None
        elif match := _SOURCE.match(text):
            self.source_filename = decode_string(match[1])

    def take(self, entity: Entity) -> None:
        """Append a parsed entity."""
        self.entities.append(entity)
        if isinstance(entity, AttributeGroup):
            self.attribute_groups[entity.number] = entity
            return
        if isinstance(entity, Function | GlobalValue):
            self._register(entity)
        if not isinstance(entity, str) or entity.strip():
            self._insert_at = len(self.entities)

    def _register(self, entity: Function | GlobalValue) -> None:
        if entity.name in self.functions or entity.name in self.globals:
            raise IRSyntaxError("a symbol that is not there yet", entity.ref, self.name, entity.line)
        if isinstance(entity, Function):
            self.functions[entity.name] = entity
        else:
            self.globals[entity.name] = entity

    # Adding.

    def _insert(self, *entities: Entity) -> None:
        self.entities[self._insert_at : self._insert_at] = entities
        self._insert_at += len(entities)

    def add_global(self, text: str) -> GlobalValue:
        """Add ``@x = global …`` (constant, alias, ifunc); `IRSyntaxError` also if the name is taken."""
        new = make_global(self, text)
        self._register(new)
        self._insert(new)
        return new

    def add_assembly(self, text: str) -> None:
        """Add one line of assembly of the module; it has no quotes and no control characters."""
        self.entities.insert(self._insert_at, f'module asm "{text}"')
        self._insert_at += 1

    def add_declaration(self, text: str) -> Function:
        """Add ``declare …``; returns the existing function if there is one of this name."""
        known = self.functions.get(self._declared.get(text, ""))
        if known is not None:
            return known
        new = Function(self, text.strip(), None)
        self._declared[text] = new.name
        if new.name in self.functions:
            return self.functions[new.name]
        _ = new.header
        self._register(new)
        self._insert("", new)
        return new

    def add_definition(self, text: str, before: Function | None = None) -> Function:
        """Add ``define … {``, the lines of the body and ``}``, at the end or in front of a function."""
        header, *body = text.strip().splitlines()
        new = Function(self, header, body[:-1])
        self._register(new)
        self.uses_fresh_names = True
        if before is None:
            self._insert("", new)
        else:
            place = self.entities.index(before)
            self.entities[place:place] = [new, ""]
            self._insert_at += 2 * (place < self._insert_at)
        return new

    def attribute_group(self, attributes: Iterable[str]) -> AttributeGroup:
        """The group with exactly these attributes in any order; adds it if it is missing."""
        key = tuple(sorted(attributes))
        group = self._groups.get(key) or self._find_group(key) or self._new_group(key)
        self._groups[key] = group
        return group

    def _find_group(self, key: tuple[str, ...]) -> AttributeGroup | None:
        groups = self.attribute_groups.values()
        return next((group for group in groups if tuple(sorted(group.attributes)) == key), None)

    def _new_group(self, key: tuple[str, ...]) -> AttributeGroup:
        group = AttributeGroup.make(max(self.attribute_groups, default=-1) + 1, key)
        self.attribute_groups[group.number] = group
        self.entities.insert(self._insert_at, group)
        return group

    # Removing and renaming.

    def remove(self, entity: Function | GlobalValue) -> None:
        """Remove a function or a global; the caller must handle references to it."""
        table: dict[str, Function] | dict[str, GlobalValue] = (
            self.functions if isinstance(entity, Function) else self.globals
        )
        if table.pop(entity.name, None) is not entity:
            raise ValueError(f"{entity.ref} is not in module {self.name}")
        place = next(i for i, other in enumerate(self.entities) if other is entity)
        del self.entities[place]
        self._insert_at -= place < self._insert_at

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename symbols everywhere, in one pass over the text.

        `names` maps old to new plain names and may swap names; names that are
        not in the module and numbers (``@0``) are ignored. Symbols that get the
        same name become one: at most one of them may be a definition, else
        `ValueError`. Comdats keep their names.
        """
        present = {old: new for old, new in names.items() if old != new and self._is_named(old)}
        if not present:
            return
        self._merge(present)
        for old in present:
            symbol = self._symbol(old)
            if symbol is not None and (not isinstance(symbol, Function) or symbol.is_definition):
                symbol.keep_comdat()
        self._rewrite(present)

    def _symbol(self, name: str) -> Function | GlobalValue | None:
        return self.functions.get(name) or self.globals.get(name)

    def _is_named(self, name: str) -> bool:
        """Whether the module has a symbol of this name; ``@0`` has a number and no name."""
        symbol = self._symbol(name)
        return symbol is not None and not symbol.ref[1].isdigit()

    def _symbols(self) -> list[Function | GlobalValue]:
        return [*self.functions.values(), *self.globals.values()]

    def _merge(self, names: dict[str, str]) -> None:
        """Remove declarations of symbols that will have the name of another symbol."""
        owners: dict[str, Function | GlobalValue] = {}
        for symbol in self._symbols():
            new = names.get(symbol.name, symbol.name)
            other = owners.setdefault(new, symbol)
            if other is symbol:
                continue
            if _is_definition(other) and _is_definition(symbol):
                raise ValueError(f"both {other.ref} and {symbol.ref} would be called @{quote(new)}")
            if _is_definition(symbol):
                owners[new], other = symbol, owners[new]
                self.remove(other)
            else:
                self.remove(symbol)

    def _rewrite(self, names: dict[str, str]) -> None:
        change = renamer(names)
        symbols = self._symbols()
        self.functions.clear()
        self.globals.clear()
        for place, entity in enumerate(self.entities):
            if isinstance(entity, str):
                self.entities[place] = change(entity)
            elif isinstance(entity, Function):
                entity.rewrite_text(change)
            elif isinstance(entity, GlobalValue) and "@" in entity.text:
                entity.text = change(entity.text)
        for symbol in symbols:
            self._register(symbol)
        lines = self.metadata.lines
        for place, text in enumerate(lines):
            if " @" in text or "(@" in text:
                lines[place] = change(text)


def _is_definition(symbol: Function | GlobalValue) -> bool:
    return not isinstance(symbol, Function | GlobalVariable) or symbol.is_definition
