"""What a pass is, and what passes share: the policy, the context of a module, twins. No pass stands here.

`whence.instrument.pipeline.compiling.table` has all passes in their order.
"""
