"""docs/formats.md: every example on the page is read, or refused, as the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from llrcal.cli.verbs import verb
from llrcal.errors import TrialFileError
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.trials.conventions import CONVENTIONS, PEOPLE, ROLE_OF_NAME, SIDE_WORDS
from llrcal.trials.request import ReadOptions
from llrcal.trials.table_reading import read_table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
OPTIONS = {
    "--columns": "columns",
    "--format": "convention",
    "--labels": "labels",
    "--decimal": "decimal",
}


UNSPOKEN = """
--force --quiet --json --intervals --level --replicates --formats --quality --scores --figures
--preset --method --bounds --p-target --c-miss --c-fa --alpha --rule --out -o --in-pieces --workers
--scheduler --train --train-key --test --test-key --data --data-key --folds --llrs --learning-curve
--criterion --paper --error-rates --plain --adapt --rising --no-rising --forensic --bayes
--no-in-pieces --worst --llrs --labelled --factor
"""  # options that have nothing to do with files


@dataclass(frozen=True)
class Claim:
    """What the page says of an example: how it is read, or why it is not."""

    line: int
    contents: str
    text: str
    options: tuple[str, ...]
    refused: bool
    words: str


def claims() -> Iterator[Claim]:
    page = PAGE.read_text("utf-8")
    for block in re.finditer(r"^```text (\w+)\n(.*?)^```\n\n((?:>[^\n]*\n)+)", page, re.M | re.S):
        contents, text, quote = block.groups()
        line = page.count("\n", 0, block.start()) + 1
        for said in re.split(r"^>\n", quote, flags=re.M):
            flat = " ".join(part.removeprefix(">").strip() for part in said.splitlines())
            found = re.fullmatch(r"(refused: )?(?:with `([^`]*)`: )?`([^`]*)`", flat)
            assert found, f"line {line}: {flat}"
            refused, options, words = found.groups()
            told = tuple((options or "").split())
            yield Claim(line, contents, text, told, bool(refused), words)


CLAIMS = list(claims())


def reading(claim: Claim, path: Path) -> str:
    path.write_text(claim.text, "utf-8")
    pairs = zip(claim.options[::2], claim.options[1::2], strict=True)
    told = {OPTIONS[name]: value for name, value in pairs}
    return read_table(path, ReadOptions(**told).request(claim.contents)).reading  # type: ignore[arg-type]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"line {claim.line}")
def test_examples_are_read_as_the_page_says(claim: Claim, tmp_path: Path) -> None:
    if claim.refused:
        with pytest.raises(TrialFileError) as caught:
            reading(claim, tmp_path / "file")
        assert claim.words in caught.value.on_command_line
    else:
        assert reading(claim, tmp_path / "file") == claim.words


def test_every_example_says_something() -> None:
    page = PAGE.read_text("utf-8")
    blocks = page.count("```text ") + page.count("```python\n")
    assert len({claim.line for claim in CLAIMS}) == page.count("```text ")
    assert blocks == page.count("```") / 2
    assert sum(claim.refused for claim in CLAIMS) >= 8


def test_python_on_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(programs) == 3
    exec("\n".join(programs), {})  # noqa: S102, its own assertions are the test


def test_every_convention_has_an_example() -> None:
    shown = {claim.words.split(", separated")[0] for claim in CLAIMS if not claim.refused}
    for convention in CONVENTIONS:
        assert str(convention) in shown
        assert re.search(rf"^### .*\b{convention.name}\b", PAGE.read_text("utf-8"), re.M)


def words_of(item: str, indent: str = "") -> list[str]:
    """The words in code of an item in a list."""
    pattern = rf"^{indent}- {re.escape(item)}: ((?:.+\n)(?:{indent}  .+\n)*)"
    [found] = re.findall(pattern, PAGE.read_text("utf-8"), re.M)
    return re.findall(r"`([^`]+)`", found)


def test_every_name_of_a_column_is_on_the_page() -> None:
    roles = dict.fromkeys(ROLE_OF_NAME.values())
    found = {name: role for role in roles for name in words_of(f"`{role}`")}
    assert found == ROLE_OF_NAME


def test_every_word_for_a_person_is_on_the_page() -> None:
    assert tuple(words_of("people", indent="   ")) == PEOPLE
    sides = [tuple(words_of(f"{side} side", indent="   ")) for side in ("first", "second")]
    assert sides == [*SIDE_WORDS.values()]


def test_every_word_for_a_label_is_on_the_page() -> None:
    rows = {"target": Label.TARGET, "non-target": Label.NONTARGET, "spoof": Label.SPOOF}
    found: dict[str, Label] = {}
    for row, label in rows.items():
        words = [word.replace("-", joint) for word in words_of(row) for joint in "-_ "]
        words = [word for word in words if word[-1].islower() or word in words_of(row)]
        found |= dict.fromkeys(words, label)
        small = [word for word in words if word.islower()]
        forms = (str.capitalize, str.title, str.upper)
        found |= {form(word): label for word in small for form in forms}
    assert found == LABEL_OF_WORD


def test_every_option_on_the_page_exists() -> None:
    verbs = ("fit", "apply", "evaluate", "convert", "compare", "adapt", "watch")
    known = {
        option
        for name in verbs
        for param in verb(name).params
        if isinstance(param, click.Option)
        for option in (*param.opts, *param.secondary_opts)
    }
    named = set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", PAGE.read_text("utf-8")))
    assert named <= known
    assert named == known - set(UNSPOKEN.split())
