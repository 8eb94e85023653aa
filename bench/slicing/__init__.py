"""Dynamic slices of native programs: executed step by step, with the dependences of each instruction."""
