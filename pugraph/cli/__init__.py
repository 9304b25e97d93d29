"""The command line: `pugraph`, or `python -m pugraph`."""

from __future__ import annotations

import os
import platform
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from pugraph import __version__
from pugraph.cli.parser import make_parser
from pugraph.errors import PugraphError

__all__ = ["main"]

# as shells count: 128 and the number of the signal for the last two
BUG, BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if None.

    Returns
    -------
    int
        0, or 2 for bad input, 1 for a bug, 130 after Ctrl-C and 141 if nobody reads the output.

    Raises
    ------
    SystemExit
        By arguments that are not understood (2), and by --help and --version (0).

    Examples
    --------
    Without a file, a network that comes with the install is read.

    >>> from pugraph.cli import main
    >>> main(["predict", "--top", "1"])  # doctest: +ELLIPSIS
    source    target       score
    Gavroche  Claquesous  0.8...
    0
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            _run(args)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("pugraph: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # what is left in the buffer has nowhere to go when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except PugraphError as error:
        print("pugraph: error:", " ".join(str(error).split()), file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        versions = f"pugraph {__version__}, Python {platform.python_version()}"
        print(f"pugraph: this is a bug ({versions}); please report it", file=sys.stderr)
        return BUG
    return 0


def _run(args: Any) -> None:
    if args.command is None:
        from pugraph.cli.demo import demonstrate

        demonstrate()
    else:
        from pugraph.cli import commands

        getattr(commands, args.command)(args)


def _warn(message: Any, *_: Any, **__: Any) -> None:
    print("pugraph: warning:", " ".join(str(message).split()), file=sys.stderr)
