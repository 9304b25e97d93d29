"""`python -m pugraph` as a process of its own."""

from __future__ import annotations

import subprocess
import sys

COMMAND = [sys.executable, "-m", "pugraph"]


def test_a_network_goes_in_and_links_come_out(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("a b\nb c\nc d\n")
    done = subprocess.run(
        [*COMMAND, "predict", str(path), "--method", "common-neighbors", "--as", "csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "source,target,score\na,c,1.0\nb,d,1.0\na,d,0.0\n"
    assert done.stderr == ""


def test_a_bad_file_is_one_line_and_exit_code_2(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("a b\nc d 3\n")
    done = subprocess.run([*COMMAND, "info", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    where = f"pugraph: error: {path}: line 2: "
    assert done.stderr == f"{where}3 columns, where line 1 has 2\n"


def test_a_closed_pipe_ends_quietly(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(50)))
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("0 1\n" * 50_000)  # more than a pipe holds
    process = subprocess.Popen(
        [*COMMAND, "predict", str(path), "--pairs", str(pairs)]
        + ["--method", "common-neighbors", "--as", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "source,target,score\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 141
