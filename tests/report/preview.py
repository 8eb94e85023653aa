"""Prints every kind of report from hand-made findings: `python tests/report/preview.py [NAME...]`."""

from __future__ import annotations

import sys

from samples import HERE, RUN, SAMPLES

from whence.report import TextRenderer


def main() -> None:
    renderer = TextRenderer.for_stream(sys.stdout)
    renderer.directory = str(HERE)
    for name in sys.argv[1:] or SAMPLES:
        print(f"\n######## {name}\n")
        sys.stdout.write(renderer.render([SAMPLES[name]], RUN))


if __name__ == "__main__":
    main()
