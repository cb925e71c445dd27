"""``--json``: every verb prints one document of the documented form, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

from llrcal import LlrcalWarning, fit, open_trials, read_trials
from llrcal.cli import VERBS
from llrcal.cli.verbs import verb
from llrcal.cli.watch import STATUS
from llrcal.notes import Note, Severity
from tests.cli.running import SCHEMA, document, llrcal, only_line, text_of
from tests.trial_sets import normal

# All but compare, of which test_compare.py has a document, and demo, which runs it.
COMMANDS = {
    "pairs": "pairs e.npz -o new.csv",
    "fit": "fit a.txt -o new.json --method gaussian",
    "apply": "apply g.json a.txt -o new.txt --units log10",
    "watch": "watch g.json a.txt",
    "adapt": "adapt g.json a.txt -o new.json --p-target 0.2",
    "fuse": "fuse a.txt b.txt -o new.json",
    "evaluate": "evaluate a.txt --units nats --forensic --error-rates",
    "validate": "validate a.txt -o case.html --force --method gaussian --replicates 39 --quiet",
    "decide": "decide --model g.json --p-target 0.01 --score 1 --score inf",
    "weigh": "weigh g.json -99 1 inf",
    "export": "export g.json -o new.c",
    "convert": "convert a.txt -o new.csv",
    "sign": "sign g.json",
    "simulate": "simulate --out new --trials 20",
}
OTHER_FORMS = {
    "decide by a rate": "decide a.txt --fmr 1e-9 --inverted --distance",
    "apply a fusion": "apply f.json a.txt b.txt -o new.txt --decision --p-target 0.01",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("json")
    for name, shift in (("a", 0.0), ("b", 0.3)):
        text = text_of(normal(60, 1.5 + shift, 1.0), normal(200, -1.0, 1.0))
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    trials = read_trials(str(folder / "a.txt"))
    fit(trials, method="gaussian").save(folder / "g.json")
    who = np.arange(40) // 4
    vectors = np.random.default_rng(0).normal(size=(10, 6))[who] + np.arange(40)[:, None] / 99
    np.savez(folder / "e.npz", embeddings=vectors, speakers=who)
    made = ("fuse", folder / "a.txt", folder / "b.txt", "-o", folder / "f.json", "--quiet")
    assert llrcal(*made).exit_code == 0
    return folder


def test_every_verb_is_tried() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with_json = {name for name in VERBS if any(p.name == "json" for p in verb(name).params)}
    assert with_json == {*VERBS} - {"completion"} == {*COMMANDS, "compare", "demo"}


@pytest.mark.parametrize("case", COMMANDS | OTHER_FORMS)
def test_one_document_alone(case: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the verb prints otherwise; and wrong use leaves standard output empty."""
    monkeypatch.chdir(folder)
    words = (COMMANDS | OTHER_FORMS)[case].split()
    for path in Path().glob("new.*"):  # of another verb
        path.unlink()
    result = llrcal(*words, "--json")
    found = document(result.stdout)
    assert found["verb"] == words[0]
    assert result.exit_code == (STATUS[found["verdict"]] if case == "watch" else 0), result.stderr
    for path in Path().glob("new.*"):
        path.unlink()
    wrong = [re.sub("^[aefg](?=[.](txt|json|npz)$)", "none", word) for word in words]
    if wrong != words:
        only_line(llrcal(*wrong, "--json"), "none.")


@pytest.mark.parametrize("words", ["apply g.json a.txt -o -", "convert a.txt -o - --to csv"])
def test_two_outputs_do_not_mix(words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    only_line(llrcal(*words.split(), "--json"), "-o - and --json would both write to standard")


def test_a_note_as_plain_values() -> None:
    note = Note.of("gap", "mind it", severity=Severity.WARNING).about("tar")
    values = {"code": "gap", "severity": "warning", "place": "tar", "text": "tar: mind it"}
    assert note.to_dict() == values


# ------------------------------------------------------------------------------- notes in it

MIXED = "mixed columns"
DROPPING = [
    "fit nan.txt -o new.json --method gaussian",
    "evaluate nan.txt --units nats",
    "adapt g.json nan.txt -o new.json",
    "watch g.json nan.txt",
    "apply g.json nan.txt -o new.txt",
    "convert nan.txt -o new.csv",
]


@pytest.mark.parametrize("command", [*DROPPING, *(f"{one} --in-pieces" for one in DROPPING[:4])])
def test_scores_that_do_not_count_are_told_everywhere(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, even if quiet, and in the document."""
    monkeypatch.chdir(folder)
    for path in Path().glob("new.*"):
        path.unlink()
    Path("nan.txt").write_text(Path("a.txt").read_text() + "m t nan target\n")
    result = llrcal(command, "--on-nan drop --quiet --json")
    said = "nan.txt: 1 of 261 trials left out because their score is NaN"
    if "--in-pieces" in command:
        said = "1 trials were left out, as requested"
    assert result.stderr.splitlines().count(f"warning: {said}") == 1, result.stderr
    found = document(result.stdout)
    assert [note["text"] for note in found["notes"]].count(said) == 1
    assert found.get("unlabelled", 260) == 260  # of adapt: only these were used


def test_files_with_other_columns_are_told_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(f"t{i}", score, i < 40) for i, score in enumerate(normal(120, 0.0, 1.0).tolist())]
    trials = pl.DataFrame(rows, ["test", "score", "label"], orient="row")
    Path("d").mkdir()
    trials[::2].write_parquet("d/a.parquet")
    for other, words in (
        (trials[1::2].rename({"score": "llr"}), "'score' in d/a.parquet and 'llr' in d/b.parquet"),
        (trials[1::2].drop("test"), "d/a.parquet has ids, and d/b.parquet has none"),
    ):
        other.write_parquet("d/b.parquet")
        result = llrcal("fit d -o new.json --force --inverted --method gaussian --quiet --json")
        [text] = [n["text"] for n in document(result.stdout)["notes"] if n["code"] == MIXED]
        assert words in text
        assert result.stderr.splitlines().count(f"warning: {text}") == 1
        with pytest.warns(LlrcalWarning, match=re.escape(words)) as warned:
            opened = open_trials("d")
        assert [one.message.note.code for one in warned] == [MIXED]  # type: ignore[union-attr]
        assert MIXED in [note.code for note in opened.notes]
