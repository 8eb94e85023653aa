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

from whence.ir.attributes import AttributeGroup as AttributeGroup
from whence.ir.attributes import Attributes as Attributes
from whence.ir.attributes import attribute_name as attribute_name
from whence.ir.block import Block as Block
from whence.ir.calls import Argument as Argument
from whence.ir.calls import Call as Call
from whence.ir.calls import CallBr as CallBr
from whence.ir.calls import Invoke as Invoke
from whence.ir.control import Br as Br
from whence.ir.control import CatchSwitch as CatchSwitch
from whence.ir.control import CleanupRet as CleanupRet
from whence.ir.control import FuncletPad as FuncletPad
from whence.ir.control import IndirectBr as IndirectBr
from whence.ir.control import LandingPad as LandingPad
from whence.ir.control import Resume as Resume
from whence.ir.control import Ret as Ret
from whence.ir.control import Switch as Switch
from whence.ir.control import Terminator as Terminator
from whence.ir.control import Unreachable as Unreachable
from whence.ir.datalayout import DataLayout as DataLayout
from whence.ir.datalayout import Offset as Offset
from whence.ir.errors import IRSyntaxError as IRSyntaxError
from whence.ir.function import Function as Function
from whence.ir.globals import Alias as Alias
from whence.ir.globals import GlobalValue as GlobalValue
from whence.ir.globals import GlobalVariable as GlobalVariable
from whence.ir.globals import IFunc as IFunc
from whence.ir.header import Header as Header
from whence.ir.header import Parameter as Parameter
from whence.ir.instruction import Comment as Comment
from whence.ir.instruction import DebugRecord as DebugRecord
from whence.ir.instruction import Instruction as Instruction
from whence.ir.instruction import Item as Item
from whence.ir.lexer import Operand as Operand
from whence.ir.lexer import encode_string as encode_string
from whence.ir.lexer import quote as quote
from whence.ir.lexer import unquote as unquote
from whence.ir.memory import Alloca as Alloca
from whence.ir.memory import AtomicRMW as AtomicRMW
from whence.ir.memory import CmpXchg as CmpXchg
from whence.ir.memory import Fence as Fence
from whence.ir.memory import GetElementPtr as GetElementPtr
from whence.ir.memory import Load as Load
from whence.ir.memory import MemoryAccess as MemoryAccess
from whence.ir.memory import Store as Store
from whence.ir.metadata import Metadata as Metadata
from whence.ir.module import Module as Module
from whence.ir.parser import check as check
from whence.ir.parser import parse as parse
from whence.ir.types import ArrayType as ArrayType
from whence.ir.types import FloatType as FloatType
from whence.ir.types import FunctionType as FunctionType
from whence.ir.types import IntType as IntType
from whence.ir.types import NamedType as NamedType
from whence.ir.types import OtherType as OtherType
from whence.ir.types import PointerType as PointerType
from whence.ir.types import StructType as StructType
from whence.ir.types import Type as Type
from whence.ir.types import VectorType as VectorType
from whence.ir.types import parse_type as parse_type
from whence.ir.values import Binary as Binary
from whence.ir.values import Cast as Cast
from whence.ir.values import Compare as Compare
from whence.ir.values import ExtractElement as ExtractElement
from whence.ir.values import ExtractValue as ExtractValue
from whence.ir.values import InsertElement as InsertElement
from whence.ir.values import InsertValue as InsertValue
from whence.ir.values import Phi as Phi
from whence.ir.values import Select as Select
from whence.ir.values import ShuffleVector as ShuffleVector
from whence.ir.values import Unary as Unary
from whence.ir.values import VAArg as VAArg
