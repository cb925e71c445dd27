"""``--json``: every verb prints one document of the documented form, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from llrcal import fit, read_trials
from llrcal.cli import VERBS
from llrcal.cli.verbs import verb
from llrcal.notes import Note, Severity
from tests.cli.running import SCHEMA, document, llrcal, only_line, text_of
from tests.trial_sets import normal

# All but compare, of which test_compare.py has a document, and demo, which runs it.
COMMANDS = {
    "fit": "fit a.txt -o new.json --method gaussian",
    "apply": "apply g.json a.txt -o new.txt --units log10",
    "watch": "watch g.json a.txt",
    "adapt": "adapt g.json a.txt -o new.json --p-target 0.2",
    "fuse": "fuse a.txt b.txt -o new.json --contributions",
    "evaluate": "evaluate a.txt --units nats --forensic --error-rates",
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
    result = llrcal(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert document(result.stdout)["verb"] == words[0]
    wrong = [re.sub("^[afg](?=[.](txt|json)$)", "none", word) for word in words]
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
