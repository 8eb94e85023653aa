"""Prints every kind of report from hand-made findings.

`python tests/report/preview.py [NAME...]` shows them as they look in this
terminal (`--color` and `--width N` even in a pipe); `--golden` writes the
expected texts of the tests anew, to be read with `git diff`.
"""

from __future__ import annotations

import argparse
import sys

from samples import GOLDEN, HERE, RUN, SAMPLES, VARIANTS

from whence.report import TextRenderer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(SAMPLES)}")
    parser.add_argument("--color", action="store_true")
    parser.add_argument("--width", type=int)
    parser.add_argument("--golden", action="store_true")
    options = parser.parse_args()
    if options.golden:
        write_golden()
        return
    layout = TextRenderer.for_stream(sys.stdout).layout
    renderer = TextRenderer(
        color=options.color or layout.color,
        width=options.width or (layout.width if layout.wrap else None),
        unicode=layout.unicode,
        directory=str(HERE),
    )
    for name in options.names or SAMPLES:
        print(f"\n######## {name}\n")
        sys.stdout.write(renderer.render([SAMPLES[name]], RUN))


def write_golden() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.txt"):
        old.unlink()
    for variant, (options, names) in VARIANTS.items():
        renderer = TextRenderer(directory=str(HERE), **options)
        for name in names:
            text = renderer.render([SAMPLES[name]], RUN)
            (GOLDEN / f"{name}.{variant}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
