"""Real programs with real bugs: fetched, built by their own build systems, run under whence.

`fetch` and `debian` bring sources from the machine's own package registries,
`bugs` lists publicly known bugs with the input that triggers each, `build`
runs build systems with `CC=whence-cc`. The demonstration (`python -m
whence.demo`), the benchmark and the acceptance tests share them.
"""
