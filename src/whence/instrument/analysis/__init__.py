"""What a function shows of its values and its flow: whence pointers are derived, which variables must be
blocks, which facts hold where. Analyses read the IR, and the markers that passes have inserted.
"""
