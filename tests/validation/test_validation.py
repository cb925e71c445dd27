"""A validation has the numbers of ``evaluate`` and ``compare``, the model of ``fit``, and knows its
files.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import LlrcalWarning, OptionError, TrialFileError, Validation
from llrcal.validation.validation import STATED
from tests.validation.tables import write_table

FEW: dict[str, Any] = {"replicates": 99}
REQUIRED = ["cllr<0.9", "eer<50%", "dev_pav<1e-6"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("validation") / "cases.csv")


@pytest.fixture(scope="module")
def found(table: Path) -> Validation:
    trials = llrcal.read_trials(table)
    return llrcal.validate(
        trials, method="logistic", bounds="elub", require=REQUIRED, date="1 May", **FEW
    )


def test_numbers_are_those_of_cross_validated_llrs_evaluated(
    found: Validation, table: Path
) -> None:
    llrs = llrcal.cross_validated(llrcal.read_trials(table), method="logistic", bounds="elub")
    ev = llrcal.evaluate(llrs)
    ends = ev.intervals((), forensic=True, **FEW)
    assert ends.by == "speaker"
    figures = ev.forensic
    measures = {name: one.value for name, one in found.measures.items()}
    expected = {
        "cllr": ev.cllr,
        "min_cllr": ev.min_cllr,
        "eer": ev.eer,
        "calibration_loss": ev.calibration_loss,
        "dev_pav": figures.dev_pav,
        "misleading_tar": figures.misleading(1).tar,
        "misleading_non": figures.misleading(1).non,
        "misleading_tar_10": figures.misleading(10).tar,
        "misleading_non_10": figures.misleading(10).non,
        "misleading_tar_100": figures.misleading(100).tar,
        "misleading_non_100": figures.misleading(100).non,
        "misleading_tar_1000": figures.misleading(1000).tar,
        "misleading_non_1000": figures.misleading(1000).non,
        "log10_lr_tar": pytest.approx(figures.expected_lrs.llr_tar / 2.302585092994046),
        "log10_lr_non": pytest.approx(figures.expected_lrs.llr_non / 2.302585092994046),
    }
    assert {name: measures[name] for name in expected} == expected
    intervals = {name: one.interval for name, one in found.measures.items()}
    assert intervals == ends.numbers


def test_numbers_are_those_of_a_comparison(found: Validation, table: Path) -> None:
    trials = llrcal.read_trials(table)
    both = llrcal.compare(
        trials, folds=5, methods=["smooth", "logistic"], bounds="elub", replicates=0
    )
    other = both.candidates["logistic"].evaluation
    assert (found.evaluation.cllr, found.evaluation.eer) == (other.cllr, other.eer)
    (alone,) = found.comparison.candidates.values()
    assert alone.replicates is None  # its intervals are drawn once, and by speaker


def test_a_pair_of_sets(table: Path, tmp_path: Path) -> None:
    other = write_table(tmp_path / "other.csv", people="t")
    train, test = map(llrcal.read_trials, (table, other))
    one = llrcal.validate(train, test, **FEW)
    ev = llrcal.evaluate(test.mapped(llrcal.fit(train).without_warnings))
    assert one.measures["cllr"].value == ev.cllr
    assert [some.role for some in one.data] == ["training", "test"]
    assert one.shared_speakers == 0
    again = write_table(tmp_path / "again.csv", speakers=20)
    shared = llrcal.validate(train, llrcal.read_trials(again), method="gaussian", **FEW)
    assert shared.shared_speakers == 20
    assert "20 names of speakers are in training and in test" in str(shared.notes[0])


def test_data_are_known_by_their_bytes(found: Validation, table: Path) -> None:
    (data,) = found.data
    (file,) = data.files
    assert file.path == str(table)
    assert file.size == table.stat().st_size
    assert file.sha256 == hashlib.sha256(table.read_bytes()).hexdigest()
    assert (data.targets, data.nontargets, data.speakers) == (120, 276, 24)


def test_a_key_is_a_file_too(tmp_path: Path, table: Path) -> None:
    scores, key = tmp_path / "scores.txt", tmp_path / "key.txt"
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    scores.write_text("".join(f"{row[0]} {row[1]} {row[4]}\n" for row in rows))
    words = {"SS": "target", "DS": "nontarget"}
    key.write_text("".join(f"{row[0]} {row[1]} {words[row[5]]}\n" for row in rows))
    one = llrcal.validate(llrcal.read_trials(scores, key), method="gaussian", **FEW)
    assert [file.path for file in one.data[0].files] == [str(scores), str(key)]
    assert one.data[0].speakers is None
    assert one.intervals.by == "trial"
    assert {"by trial", "folds by trial"} <= {note.code for note in one.notes}


def test_a_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = write_table(tmp_path / "cases.csv")
    trials = llrcal.read_trials(path)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(TrialFileError, match="has changed"):
        llrcal.validate(trials, method="gaussian", **FEW)


def test_the_model_is_the_one_that_fit_writes(
    found: Validation, table: Path, tmp_path: Path
) -> None:
    llrcal.fit(llrcal.read_trials(table), method="logistic", bounds="elub").save(tmp_path / "m")
    assert found.model_sha256 == hashlib.sha256((tmp_path / "m").read_bytes()).hexdigest()
    found.model.save(tmp_path / "v")
    assert (tmp_path / "v").read_bytes() == (tmp_path / "m").read_bytes()


def test_distances(table: Path) -> None:
    trials = llrcal.read_trials(table)
    one = llrcal.validate(trials.negated(), method="logistic", lower_is_better=True, **FEW)
    other = llrcal.validate(trials, method="logistic", **FEW)
    assert one.measures == other.measures
    assert one.model.lower_is_better
    assert one.model.without_warnings([-2.0]) == other.model.without_warnings([2.0])


def test_criteria_and_verdict(found: Validation) -> None:
    assert [one.met for one in found.criteria] == [True, True, False]
    assert not found.met
    assert found.verdict == "1 of 3 criteria is not met: devPAV (log10) < 1e-06."
    assert repr(found) == f"<validation of logistic: {found.verdict}>"
    assert "devPAV" in found._repr_html_()


@pytest.mark.parametrize(
    ("require", "verdict"),
    [
        ((), "No criteria were given."),
        (("cllr<0.99",), "The criterion is met, also by the ends of the intervals."),
        (("cllr<0.001",), "The criterion is not met: Cllr < 0.001."),
        (
            ("cllr<0.001", "misleading_non<=0"),
            "2 of 2 criteria are not met: Cllr < 0.001; LR > 1, different sources: <= 0 %.",
        ),
        (("cllr<0.99", "eer<=49%"), "Both criteria are met, also by the ends of the intervals."),
    ],
)
def test_verdicts(table: Path, require: tuple[str, ...], verdict: str) -> None:
    trials = llrcal.read_trials(table)
    one = llrcal.validate(trials, method="gaussian", require=require, replicates=39)
    assert one.verdict == verdict
    assert one.met == ("not met" not in verdict)


def test_everything_as_plain_values(found: Validation) -> None:
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["date"] == "1 May"
    assert plain["folds"] == {"count": 5, "by": "speaker", "seed": 0}
    assert plain["system"]["method"] == "logistic"
    assert plain["evaluation"]["cllr"] == plain["criteria"][0]["value"]
    assert plain["evaluation"]["intervals"]["cllr"] == plain["criteria"][0]["interval"]
    assert plain["met"] is False
    (data,) = plain["data"]
    assert data["targets"] == found.data[0].targets
    assert data["scores"] == list(found.data[0].scores)
    assert data["files"][0]["sha256"] == found.data[0].files[0].sha256


def test_progress_is_told(table: Path) -> None:
    """That of the comparison, too."""
    steps: list[str] = []
    llrcal.validate(
        llrcal.read_trials(table),
        method="gaussian",
        replicates=39,
        progress=lambda step, *_: steps.append(step),
    )
    assert steps[0] == "checksums"
    assert steps.count("folds") >= 5


def test_what_is_stated(table: Path) -> None:
    trials = llrcal.read_trials(table)
    said = {"system": " two\nlines ", "purpose": "", "population": "all"}
    one = llrcal.validate(trials, method="gaussian", stated=said, replicates=39)
    assert dict(one.stated) == {"population": "all", "system": "two lines"}
    with pytest.raises(OptionError, match=f"has 'colour'; it may have {', '.join(STATED)}"):
        llrcal.validate(trials, stated={"colour": "red"})
    with pytest.raises(OptionError, match="title is a int; give a text"):
        llrcal.validate(trials, method="gaussian", title=3, replicates=39)  # type: ignore[arg-type]


def test_what_is_refused_before_any_work(table: Path) -> None:
    trials = llrcal.read_trials(table)
    pieces = llrcal.open_trials(table, in_pieces=True)
    with pytest.raises(OptionError, match="a validation needs single trials in memory"):
        llrcal.validate(pieces)
    with pytest.raises(OptionError, match="trials are expected, not a str"):
        llrcal.validate("cases.csv")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="folds is for one set"):
        llrcal.validate(trials, llrcal.simulate(targets=50, nontargets=200), folds=5)
    with pytest.raises(OptionError, match="level is 2"):
        llrcal.validate(trials, level=2.0)


def test_classes_that_do_not_overlap() -> None:
    """There is no devPAV, which is said, and meets no criterion."""
    trials = llrcal.Trials(np.arange(3.0, 9), np.arange(-9.0, -2))
    one = llrcal.validate(
        trials, folds=2, method="gaussian", require=["dev_pav<1", "cllr<1"], replicates=39
    )
    assert [each.met for each in one.criteria] == [False, True]
    assert "not defined, since the classes do not overlap" in one.page()


def test_nothing_is_warned_of_twice(table: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Notes are on the page, and not Python warnings as well."""
    llrcal.validate(llrcal.read_trials(table), method="gaussian", replicates=39)
    assert not [one for one in recwarn if issubclass(one.category, LlrcalWarning)]
