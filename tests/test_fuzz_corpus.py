"""Every file that fuzzing has kept, tried again; and the fuzzing itself, which must find things."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from fuzz import harness
from fuzz.harness import TARGETS, Finding, answer, check_of, require, watched
from fuzz.outcome import FINDING, PEAK, Outcome, table
from fuzz.shrink import shrunk

from llrcal import TrialFileError

pytestmark = pytest.mark.slow

FUZZ = Path(harness.__file__).parent
CORPUS = {target: sorted((FUZZ / "corpus" / target).iterdir()) for target in TARGETS}


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_kept_is_read_right_or_refused(target: str) -> None:
    """Whole, and with its last byte cut off; beside nothing at all, and noise."""
    check = check_of(target)
    noise = np.random.default_rng(0).bytes(2000)
    kept = {path.name: path.read_bytes() for path in CORPUS[target]}
    cut = {f"{name} without its last byte": data[:-1] for name, data in kept.items()}
    none = {"nothing": b"", "an end of line": b"\n", "a NUL byte": b"\0", "noise": noise}
    for name, data in (none | kept | cut).items():
        try:
            check(data)
        except BaseException as problem:
            problem.add_note(f"input: {name}")
            raise


def test_the_corpus_is_small_and_leaves_no_target_out() -> None:
    assert {path.name for path in (FUZZ / "corpus").iterdir()} == set(TARGETS)
    for target, paths in CORPUS.items():
        assert 1 <= len(paths) <= 80, target
        assert all(path.stat().st_size <= 2**14 for path in paths), target


# ---------------------------------------------------------------- what counts as a finding


def fails(problem: BaseException) -> None:
    raise problem


def test_only_errors_of_llrcal_that_say_something_are_answers() -> None:
    assert answer(lambda: 3) == 3
    assert answer(fails, TrialFileError("line 3: no number")) is None
    with pytest.raises(Finding, match="TrialFileError without a word"):
        answer(fails, TrialFileError(""))
    with pytest.raises(KeyError):
        answer(fails, KeyError("score"))
    require(1, "is so")
    with pytest.raises(Finding, match="is not so"):
        require(0, "is not so")


def test_warnings_are_findings() -> None:
    with pytest.raises(UserWarning, match="odd"):
        watched(lambda data: warnings.warn("odd", stacklevel=1))(b"")


def test_too_much_memory_is_a_finding() -> None:
    """In a process of its own: this one may give memory of other tests back at any time."""
    code = """
import numpy as np
from fuzz import harness

harness.SECONDS = np.inf
for megabytes in (harness.MEGABYTES / 2, harness.MEGABYTES + 50):
    harness.watched(lambda _: np.ones(int(megabytes * 2**17)))(b"")
    print("passed")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=FUZZ.parent, capture_output=True, text=True, check=False
    )
    assert done.stdout == "passed\n"
    assert re.search(r"Finding: 0 bytes took \d+ MB", done.stderr)


def test_too_much_time_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS", 0.0)
    with pytest.raises(Finding, match=r"^3 bytes took \d+\.\d s"):
        watched(lambda data: None)(b"abc")


def test_longer_inputs_are_not_tried() -> None:
    tried: list[int] = []
    check = watched(lambda data: tried.append(len(data)))
    check(bytes(harness.LONGEST))
    check(bytes(harness.LONGEST + 1))
    assert tried == [harness.LONGEST]


# ---------------------------------------------------------------- what is told of it

LOG = f"""
{PEAK} 100
#2	INITED cov: 305 ft: 306 corp: 1/1b exec/s: 0 rss: 100Mb
{FINDING} finding-0123 KeyError: 'score'
{PEAK} 131
#900	NEW    cov: 592 ft: 1442 corp: 119/2688b lim: 51 exec/s: 760 rss: 128Mb
stat::number_of_executed_units: 900
stat::new_units_added:          209
{PEAK} 110
{FINDING} finding-0123 KeyError: 'label'
#7	DONE   cov: 480 ft: 500 corp: 9/88b lim: 51 exec/s: 760 rss: 128Mb
stat::number_of_executed_units: 7
stat::new_units_added:          1
"""


def test_an_outcome_counts_what_every_start_has_said() -> None:
    """The target was killed once, and started again; then it found the same once more."""
    found = Outcome.of(LOG, target="npy", seconds=9.6, deaths=1)
    assert found == Outcome("npy", 10, 907, 592, 210, findings=2, peak_megabytes=131)
    silent = Outcome.of("", target="npy", seconds=0.1, deaths=1)
    assert silent == Outcome("npy", 0, 0, 0, 0, findings=1, peak_megabytes=0)
    heading, *rows = [line.split() for line in table([found, silent])]
    assert " ".join(heading) == "target seconds runs coverage new inputs findings peak megabytes"
    assert rows == [
        ["npy", "10", "907", "592", "210", "2", "131"],
        ["npy", "0", "0", "0", "0", "1", "0"],
    ]


def test_a_finding_shrinks_to_what_it_needs() -> None:
    small = shrunk(b"some scores: 1, 2, # and 3\n" * 40, lambda data: data.count(b"#") > 2)
    assert small == b"###"
    assert shrunk(b"abc", lambda data: data == b"abc") == b"abc"
    paired = shrunk(b"(x)(y)(z)", lambda data: data.count(b"(") == data.count(b")") > 0)
    assert sorted(paired) == sorted(b"()")
