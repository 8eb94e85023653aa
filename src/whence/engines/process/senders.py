"""Chains that go on in another process: the one that sent an input."""

from __future__ import annotations

from dataclasses import replace

from whence.engines.process.chains import chain_of
from whence.engines.process.sent import Part, Sender, Sent
from whence.findings.chains import Chain, Hop, Input

_MOST_PROCESSES = 16
"""One chain goes through no more."""


def followed(chain: Chain, sent: Sent, reader: int) -> Chain:
    """The chain with the hops in the processes that sent what it begins with, as far as these are known.

    reader: the number of the finding's process, whose own hops stay as they are.
    """
    own = [each for each in sent.senders if each.pid == reader][-1:]
    for _ in range(_MOST_PROCESSES):
        given = chain.hops[-1].input if chain.hops else None
        earlier = _earlier(given, sent) if given is not None else None
        if earlier is None:
            break
        sender, found = earlier
        pid, name, hops = sender.pid, sender.program, found.hops
        if not hops:
            break
        if sender not in own:
            hops = tuple(replace(each, thread=None, process=pid, program=name) for each in hops)
        chain = replace(chain, hops=chain.hops + hops, cut=found.cut)
    return chain


def _earlier(given: Input, sent: Sent) -> tuple[Sender, Chain] | None:
    """The one process that sent the bytes, and the chain there."""
    content, offset = given.content, given.offset
    if content is None or offset is None or not given.size:
        return None
    file = (content.device, content.inode)
    senders = [each for each in sent.senders if each.has_sent(content)]
    if len(senders) != 1:
        return None
    (sender,) = senders
    found = sender.part_at(file, offset)
    if found is None or found[1].node not in sender.chains:
        return None
    piece, part = found
    chain = chain_of(sender.chains[part.node], "")
    return sender, _narrowed(chain, part, offset - piece.offset - part.begin, given.size)


def _narrowed(chain: Chain, part: Part, behind: int, size: int) -> Chain:
    """The chain of some bytes of a part: where it is an input as a whole, of its bytes there."""
    last: Hop | None = chain.hops[-1] if chain.hops else None
    given = last.input if last is not None else None
    if last is None or given is None or given.offset is None or given.size != part.size:
        return chain
    size = min(size, part.size - behind)
    narrow = replace(last, input=replace(given, offset=given.offset + behind, size=size))
    return replace(chain, hops=(*chain.hops[:-1], narrow))
