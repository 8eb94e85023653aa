"""The command line: finds the command, shows an error as one sentence, sets the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from whence.abi import variables
from whence.cli.output import leave, say
from whence.errors import ExitCode, WhenceError

if TYPE_CHECKING:
    import click


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of ``whence``."""
    words = list(sys.argv[1:] if argv is None else argv)
    if variables.START in os.environ or variables.STARTED in os.environ:
        from whence.engines.start import take

        take(os.environ)
    if variables.STACK in os.environ:
        from whence.engines.process import stack

        stack.take(os.environ)
    if words[:1] in (["cc"], ["c++"]):
        from whence.cli import cc

        leave(cc.run(words[1:], cxx=words[0] == "c++"))
    leave(_guarded(words))


def _guarded(words: list[str]) -> int:
    from whence.cli.commands import whence

    try:
        status = whence.main(words, prog_name="whence", standalone_mode=False)
        return status if isinstance(status, int) else ExitCode.OK
    except WhenceError as error:
        say(f"whence: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except Exception as error:
        return _click_error(error)


def _click_error(error: Exception) -> int:
    """Usage errors of click keep their status, shortages are one sentence; anything else is our bug."""
    import click

    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.Abort):
        return 130
    if isinstance(error, click.ClickException):
        say(f"whence: {_sentence(error)}\n")
        return error.exit_code
    if os.environ.get(variables.TRACEBACK):
        raise error
    from whence.errors.shortage import shortage

    sentence = shortage(error)
    if sentence:
        say(f"whence: {sentence}\n")
        return ExitCode.LIMIT
    say(
        f"whence: internal error: {type(error).__name__}: {error}; "
        f"please report it with the output of the same command under {variables.TRACEBACK}=1\n"
    )
    return ExitCode.LIMIT


def _sentence(error: click.ClickException) -> str:
    import click

    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from whence.cli.unknown import hint_for

        return f"unknown option '{error.option_name}'{hint_for(error.option_name, error.ctx)}"
    words = error.format_message()
    return words[:1].lower() + words[1:].rstrip(".")


if __name__ == "__main__":
    main()
