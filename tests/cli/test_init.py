"""main: exit codes, one line for an error, and a traceback for a bug."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
import warnings

import pytest

from pugraph.cli import commands
from pugraph.errors import InputError, NotEnoughMemoryError


def failing(error):
    """Return a command that ends with an error."""

    def command(args):
        raise error

    return command


@pytest.mark.parametrize("error", [InputError("no\n  good"), NotEnoughMemoryError("no good")])
def test_an_error_of_the_library_is_one_line_and_exit_code_2(run, monkeypatch, error):
    monkeypatch.setattr(commands, "info", failing(error))
    assert run("info") == (2, "", "pugraph: error: no good\n")


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("by zero"), ValueError("of numpy"), MemoryError("of the system")]
)
def test_any_other_error_is_a_bug_with_its_traceback_and_exit_code_1(run, monkeypatch, error):
    monkeypatch.setattr(commands, "info", failing(error))
    done = run("info")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Traceback (most recent call last):\n")
    *_, named, last = done.err.splitlines()
    assert named == f"{type(error).__name__}: {error}"
    assert last.startswith("pugraph: this is a bug (pugraph ")


def test_ctrl_c_is_one_line_and_a_shells_exit_code(run, monkeypatch):
    monkeypatch.setattr(commands, "info", failing(KeyboardInterrupt()))
    assert run("info") == (130, "", "pugraph: interrupted\n")


def test_a_closed_pipe_is_quiet_and_the_rest_of_the_output_goes_nowhere(run, monkeypatch):
    class Pipe(io.StringIO):
        def fileno(self):
            return 7

    closed = []
    monkeypatch.setattr(commands, "info", failing(BrokenPipeError()))
    monkeypatch.setattr(os, "dup2", lambda old, new: closed.append((old, new)))
    monkeypatch.setattr(sys, "stdout", Pipe())
    done = run("info")
    assert (done.code, done.err) == (141, "")
    ((devnull, end),) = closed
    os.close(devnull)
    assert end == 7


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(run, monkeypatch):
    monkeypatch.setattr(commands, "info", lambda args: warnings.warn("not\nyet", stacklevel=1))
    done = run("info")
    assert (done.code, done.err) == (0, "pugraph: warning: not yet\n")


def test_sigterm_ends_a_command_in_order_and_means_what_it_did_afterwards(run, monkeypatch):
    done = []

    def command(args):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            done.append("removed what was not complete")

    monkeypatch.setattr(commands, "info", command)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert run("info").code == 143
    assert done
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_whose_exception_was_lost_is_repeated(run, monkeypatch, number, code):
    lost = []

    def command(args):
        try:
            signal.raise_signal(number)
        except BaseException as error:
            lost.append(error)
        for _ in range(300):
            time.sleep(0.1)

    monkeypatch.setattr(commands, "info", command)
    begin = time.monotonic()
    assert run("info").code == code
    assert len(lost) == 1
    assert time.monotonic() - begin < 20


def test_a_program_with_its_own_way_to_end_keeps_it(run, monkeypatch):
    seen = []
    monkeypatch.setattr(commands, "info", lambda args: signal.raise_signal(signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("mine"))
    try:
        assert run("info").code == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == ["mine"]
