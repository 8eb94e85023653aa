"""LLVM textual IR as Python objects: parse, walk, rewrite, print.

`parse` reads what LLVM 22 prints (``str(llvmlite.binding.parse_bitcode(…))``).
Unchanged parts are printed byte for byte as they were. Parsing is lazy: a body
is split into instructions at the first access to its blocks, an instruction is
parsed at the first access to its operands::

    module = parse(text, "foo.c")
    for function in module.definitions:
        for instruction in function.instructions():
            if isinstance(instruction, Load):
                instruction.insert_before(f"call void @seen(ptr {instruction.pointer})")
    module.add_declaration("declare void @seen(ptr)")
    print(module)

A module has many small objects with references to each other: a short process
that handles one module saves a third of its time with ``gc.disable()``.

The names of local values and labels are those of operands (``%5``,
``%"a b"``); symbols have a plain name (``malloc``), and ``.ref`` for operands.
"""

from __future__ import annotations

from whence.ir.attributes import AttributeGroup, Attributes, attribute_name
from whence.ir.block import Block
from whence.ir.calls import Argument, Call, CallBr, Invoke
from whence.ir.control import (
    Br,
    CatchSwitch,
    CleanupRet,
    FuncletPad,
    IndirectBr,
    LandingPad,
    Resume,
    Ret,
    Switch,
    Terminator,
    Unreachable,
)
from whence.ir.datalayout import DataLayout, Offset
from whence.ir.errors import IRSyntaxError
from whence.ir.function import Function
from whence.ir.globals import Alias, GlobalValue, GlobalVariable, IFunc
from whence.ir.header import Header, Parameter
from whence.ir.instruction import Comment, DebugRecord, Instruction, Item
from whence.ir.lexer import Operand, encode_string, quote, unquote
from whence.ir.memory import (
    Alloca,
    AtomicRMW,
    CmpXchg,
    Fence,
    GetElementPtr,
    Load,
    MemoryAccess,
    Store,
)
from whence.ir.metadata import Metadata
from whence.ir.module import Module
from whence.ir.parser import check, parse
from whence.ir.types import (
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    VectorType,
    parse_type,
)
from whence.ir.values import (
    Binary,
    Cast,
    Compare,
    ExtractElement,
    ExtractValue,
    InsertElement,
    InsertValue,
    Phi,
    Select,
    ShuffleVector,
    Unary,
    VAArg,
)

__all__ = [
    "Alias",
    "Alloca",
    "Argument",
    "ArrayType",
    "AtomicRMW",
    "AttributeGroup",
    "Attributes",
    "Binary",
    "Block",
    "Br",
    "Call",
    "CallBr",
    "Cast",
    "CatchSwitch",
    "CleanupRet",
    "CmpXchg",
    "Comment",
    "Compare",
    "DataLayout",
    "DebugRecord",
    "ExtractElement",
    "ExtractValue",
    "Fence",
    "FloatType",
    "FuncletPad",
    "Function",
    "FunctionType",
    "GetElementPtr",
    "GlobalValue",
    "GlobalVariable",
    "Header",
    "IFunc",
    "IRSyntaxError",
    "IndirectBr",
    "InsertElement",
    "InsertValue",
    "Instruction",
    "IntType",
    "Invoke",
    "Item",
    "LandingPad",
    "Load",
    "MemoryAccess",
    "Metadata",
    "Module",
    "NamedType",
    "Offset",
    "Operand",
    "OtherType",
    "Parameter",
    "Phi",
    "PointerType",
    "Resume",
    "Ret",
    "Select",
    "ShuffleVector",
    "Store",
    "StructType",
    "Switch",
    "Terminator",
    "Type",
    "Unary",
    "Unreachable",
    "VAArg",
    "VectorType",
    "attribute_name",
    "check",
    "encode_string",
    "parse",
    "parse_type",
    "quote",
    "unquote",
]
