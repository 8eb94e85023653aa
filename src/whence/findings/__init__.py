"""Findings: what whence says of a run, as typed data, and what compares, counts and names it.

A finding is one detected bug (`finding`): a head and facts (`facts`), among them leaks (`leaks`) and where
values came from (`chains`). A run (`run`) has documents beside findings (`coverage`).
"""

from __future__ import annotations

from whence.findings.fact import Fact as Fact
from whence.findings.facts import Block as Block
from whence.findings.facts import BlockKind as BlockKind
from whence.findings.facts import BlockState as BlockState
from whence.findings.facts import Described as Described
from whence.findings.facts import Descriptor as Descriptor
from whence.findings.facts import Earlier as Earlier
from whence.findings.facts import EarlierKind as EarlierKind
from whence.findings.facts import Event as Event
from whence.findings.facts import Family as Family
from whence.findings.facts import HitBlock as HitBlock
from whence.findings.facts import Message as Message
from whence.findings.facts import Origin as Origin
from whence.findings.facts import Pointer as Pointer
from whence.findings.facts import Relation as Relation
from whence.findings.facts import Signal as Signal
from whence.findings.facts import States as States
from whence.findings.facts import Types as Types
from whence.findings.facts import Undefined as Undefined
from whence.findings.facts import UndefinedRun as UndefinedRun
from whence.findings.facts import Use as Use
from whence.findings.facts import Value as Value
from whence.findings.facts import Variable as Variable
from whence.findings.facts import Where as Where
from whence.findings.finding import ACCESS_OF_POINT as ACCESS_OF_POINT
from whence.findings.finding import KEY_FRAMES as KEY_FRAMES
from whence.findings.finding import Access as Access
from whence.findings.finding import AccessKind as AccessKind
from whence.findings.finding import Finding as Finding
from whence.findings.finding import Point as Point
from whence.findings.finding import Process as Process
from whence.findings.finding import RuleInfo as RuleInfo
from whence.findings.finding import UseKind as UseKind
from whence.findings.finding import is_runtime as is_runtime
from whence.findings.finding import stable_key as stable_key
from whence.findings.finding import telling_stack as telling_stack
from whence.findings.finding import thread_name as thread_name
from whence.findings.frames import Frame as Frame
from whence.findings.heap import HeapProfile as HeapProfile
from whence.findings.leaks import Leak as Leak
from whence.findings.leaks import LeakCheck as LeakCheck
from whence.findings.leaks import LeakKind as LeakKind
from whence.findings.leaks import LeakMoment as LeakMoment
from whence.findings.leaks import Total as Total
from whence.findings.run import RunInfo as RunInfo
from whence.findings.run import SuppressionUse as SuppressionUse
