"""The command line: `pugraph`, or `python -m pugraph`."""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from pugraph import __version__
from pugraph.cli.parser import make_parser
from pugraph.errors import PugraphError

__all__ = ["main"]

# Exit codes as shells use them: for the last three, 128 plus the number of the signal.
BUG, BAD_INPUT, INTERRUPTED, CLOSED_PIPE, TERMINATED = 1, 2, 130, 141, 143

# Seconds until a signal is repeated that has not ended the work; chosen by hand: to remove files
# takes less.
_AGAIN = 1.0


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
        For invalid arguments (2), after --help and --version (0), and after SIGTERM (143).

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
        with warnings.catch_warnings(), _ends_at_signals():
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


def command() -> NoReturn:
    """Run the command line, and end the process with its exit code."""
    code = main()
    # what is left needs no cleaning up: to look through numba's objects takes a fifth of a second
    gc.freeze()
    sys.exit(code)


def _run(args: Any) -> None:
    if args.command is None:
        from pugraph.cli.demo import demonstrate

        demonstrate()
    elif args.command == "compile":
        from pugraph.cli.compiling import compile_all

        compile_all(args)
    else:
        from pugraph.cli import commands

        getattr(commands, args.command)(args)


@contextlib.contextmanager
def _ends_at_signals() -> Iterator[None]:
    """Let SIGTERM, like Ctrl-C, raise an exception, so that files that are not complete go.

    An exception may be lost: libraries in C call Python, the compiler of kernels most of all, and
    some of them drop errors. So the signal is repeated until the block has ended.
    """
    # a program that calls this may have its own way, and only its main thread has signals
    usual: dict[signal.Signals, Any]
    usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    ours = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    if threading.current_thread() is not threading.main_thread() or not ours:
        yield
        return
    ended = threading.Event()

    def end(number: int, _: Any) -> None:
        threading.Thread(target=repeat, args=[number], daemon=True).start()
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(TERMINATED)

    def repeat(number: int) -> None:
        if not ended.wait(_AGAIN):
            signal.raise_signal(number)

    try:
        for number in ours:
            signal.signal(number, end)
        yield
    finally:
        ended.set()
        for number in ours:
            signal.signal(number, usual[number])


def _warn(message: Any, *_: Any, **__: Any) -> None:
    print("pugraph: warning:", " ".join(str(message).split()), file=sys.stderr)
