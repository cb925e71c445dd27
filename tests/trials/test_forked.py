"""A process forked from one that had read files refuses to read, rather than to hang."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

READ_IN_A_FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")  # of Python 3.12 and later, on forks of processes with threads
import llrcal
scores = llrcal.Accumulator()
scores.update(tar=[2, 3], non=[1])
if sys.argv[1] == "after":
    llrcal.read_trials("trials.csv")
if sys.argv[1] == "used":
    scores.fit("pav")
child = os.fork()
if not child:
    try:
        scores.fit("pav")
        llrcal.read_trials("trials.csv"), llrcal.open_trials("trials.csv", in_pieces=True)
    except llrcal.TrialFileError as problem:
        print(problem, flush=True)
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("reads", "says"), [("after", "by spawn"), ("used", "by spawn"), ("before", "")]
)
def test_reading_in_a_fork(tmp_path: Path, reads: str, says: str) -> None:
    (tmp_path / "trials.csv").write_text("score,label\n2,target\n1,nontarget\n3,target\n")
    done = subprocess.run(
        [sys.executable, "-c", READ_IN_A_FORK, reads],
        cwd=tmp_path,
        timeout=60,
        capture_output=True,
        text=True,
        check=True,
    )
    assert says in done.stdout
    assert bool(done.stdout) == bool(says), done.stdout
