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

# Exit codes as shells use them: for the last two, 128 plus the number of the signal.
BUG, BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; if None, those of the process.

    Returns
    -------
    int
        The exit code: 0 for success, 2 for bad input, 1 for a bug in pugraph, 130 after Ctrl-C,
        and 141 if the reader of the output has closed it.

    Raises
    ------
    SystemExit
        For invalid arguments (2), and after --help and --version (0).

    Examples
    --------
    Without a file, an example network is used.

    >>> from pugraph.cli import main
    >>> main(["predict", "--top", "1"])  # doctest: +ELLIPSIS
    source   target     score
    Eponine  Gavroche  0.9...
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
        # or Python would try to flush the buffer to the closed pipe at exit
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
