"""``llrcal validate``: the numbers of Python, an exit status, and files that are never lost."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from llrcal import read_trials, validate
from tests.cli.running import answer, done, llrcal, refused
from tests.validation.tables import write_table

FAST = "--method logistic --replicates 99 --date today"


@pytest.fixture
def table(here: Path) -> Path:
    return write_table(here / "cases.csv")


@pytest.mark.usefixtures("table")
def test_exit_statuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    met = done("validate cases.csv -o case.html --require cllr<0.9", FAST)
    assert met.stdout.endswith("The criterion is met, also by the ends of the intervals.\n")
    assert met.stderr.endswith("Page: case.html\n")
    failed = llrcal("validate cases.csv -o case.html --force --require cllr<1e-3", FAST)
    assert failed.exit_code == 3
    assert failed.stdout.endswith("The criterion is not met: Cllr < 0.001.\n")
    assert "< 0.001: not met" in failed.stdout


def test_the_terminal_has_the_numbers_of_python(table: Path) -> None:
    result = done("validate cases.csv -o case.html", FAST)
    found = validate(read_trials(table), method="logistic", replicates=99)
    for one in found.measures.values():
        row = [one.words, *map(one.written, (one.value, *one.interval))]
        assert re.search(" +".join(map(re.escape, row)), result.stdout), row
    assert "120 targets, 276 non-targets, 24 speakers" in result.stdout
    assert f"{hashlib.sha256(table.read_bytes()).hexdigest()}  cases.csv" in result.stdout
    assert found.model_sha256 in result.stdout


def test_the_page_is_that_of_python(table: Path, here: Path) -> None:
    state = ("--state", Path("population=all of them"))  # one word, as in quotes
    quiet = done("validate cases.csv -o case.html --author Me --quiet", FAST, *state)
    assert quiet.stdout == ""
    found = validate(
        read_trials("cases.csv"),
        method="logistic",
        replicates=99,
        date="today",
        author="Me",
        stated={"population": "all of them"},
    )
    assert (here / "case.html").read_text("utf-8") == found.page()


def test_a_test_set_a_model_and_a_document(table: Path, here: Path) -> None:
    write_table(here / "other.csv", people="t")
    words = "validate cases.csv --test other.csv -o case.html --model m.json --bounds elub"
    found = answer(words, FAST, "--require eer<50%")
    assert [one["role"] for one in found["data"]] == ["training", "test"]
    assert found["folds"] is None
    assert found["model"] == "m.json"
    assert found["system"]["bounds"] == "elub"
    assert found["criteria"][0]["met"] is True
    done("fit cases.csv -o fitted.json --method logistic --bounds elub --quiet")
    assert (here / "m.json").read_bytes() == (here / "fitted.json").read_bytes()
    digest = hashlib.sha256((here / "m.json").read_bytes()).hexdigest()
    assert found["system"]["model_sha256"] == digest


@pytest.mark.usefixtures("table")
def test_leaving_out_two_speakers_at_a_time() -> None:
    found = answer("validate cases.csv -o case.html --folds all", FAST)
    assert found["folds"] == {"count": 24, "by": "speaker", "seed": None}


def test_what_was_left_out_is_told_once_and_on_the_page(table: Path, here: Path) -> None:
    table.write_text(f"{table.read_text()}x,y,s00,s00,nan,SS\n")
    found = done("validate cases.csv -o case.html --on-nan drop --quiet", FAST)
    said = "1 of 397 trials left out because their score is NaN"
    assert found.stderr.count(said) == 1
    assert said in (here / "case.html").read_text("utf-8")


def test_existing_files_are_kept_unless_forced(table: Path, here: Path) -> None:
    for name in ("case.html", "m.json"):
        (here / name).write_text("mine")
        refused(f"{name} exists already", "validate cases.csv -o case.html --model m.json", FAST)
        assert (here / name).read_text() == "mine"
        (here / name).unlink()
    refused("cases.csv is also an input", "validate cases.csv -o cases.csv --force", FAST)
    assert len(read_trials(table)) == 396


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--require cllr=1", "--require is 'cllr=1'; give a measure"),
        ("--require speed<1", "'speed' is not one of"),
        ("--state population", "give NAME=TEXT"),
        ("--state colour=red", "--state has 'colour'; it may have purpose"),
        ("--state purpose=a --state purpose=b", "'purpose' is given twice"),
        ("--folds some", "--folds is 'some'; give a whole number from 2 on, or all"),
        ("--folds 1", "--folds is '1'"),
        ("--folds 999", "999 folds by speaker are too many"),
        ("--test-key k.txt", "--test-key is for --test"),
        ("--test-nontargets n.txt", "--test-nontargets is for --test"),
        ("--test cases.csv --folds 3", "--folds is for one set of trials"),
        ("--test cases.csv", "have the ids of a training trial"),
        ("--test none.csv", "none.csv"),
        ("--model case.html", "cannot be both the page and the model"),
        ("--level 1.5", "level is 1.5"),
        ("--replicates 3", "3 replicates"),
    ],
)
def test_wrong_use(words: str, said: str) -> None:
    refused(said, "validate cases.csv -o case.html --quiet", words)
    assert not Path("case.html").exists()


@pytest.mark.usefixtures("here")
def test_places_that_cannot_be_written() -> None:
    write_table(Path("cases.csv"))
    refused("is not a folder", "validate cases.csv -o none/case.html", FAST)
    refused("plain file", "validate cases.csv -o -", FAST)
    refused("plain file", "validate cases.csv -o case.html.gz", FAST)
    refused("a validation", "validate . -o case.html", FAST)
