"""Names of inputs: empty ones and URLs are refused, and what is hidden in a folder is not read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.errors import OptionError
from tests import beyond_memory
from tests.cli.running import done, refused
from tests.cli.running import llrcal as run

LABELLED = "".join(f"m t{i} {i % 7} {'non' * (i % 3 > 0)}target\n" for i in range(60))


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("lab.txt", "in/a.txt", "in/.ipynb_checkpoints/a.txt", "in/b/.hidden/_c/a.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(LABELLED)
    done("fit lab.txt --method gaussian --inverted -o m.json --quiet")


READERS: list[Callable[[str], Any]] = [
    llrcal.read_trials,
    llrcal.open_trials,
    llrcal.load,
    llrcal.pairs,
    lambda name: llrcal.open_trials(["lab.txt", name]),
    lambda name: llrcal.read_trials("lab.txt", name),
    lambda name: llrcal.open_trials("lab.txt", name, in_pieces=True),
    lambda name: llrcal.read_trials("lab.txt", nontargets=name),
    beyond_memory.fit,
    lambda name: llrcal.apply_files(llrcal.load("m.json"), name, "out"),
    lambda name: llrcal.apply_files(llrcal.load("m.json"), [name], "out"),
]


@pytest.mark.parametrize("read", READERS)
def test_an_empty_name_is_not_the_current_folder(read: Callable[[str], Any]) -> None:
    with pytest.raises(OptionError, match="the name of a file or folder is empty"):
        read("")


@pytest.mark.parametrize("read", [llrcal.read_trials, llrcal.load, llrcal.pairs])
@pytest.mark.parametrize("url", ["https://host.invalid/a.csv", "file:///tmp/a.csv"])
def test_a_url_is_not_a_file(read: Callable[[str], Any], url: str) -> None:
    with pytest.raises(OptionError, match="is a URL; download it first"):
        read(url)


def test_a_url_that_dask_cannot_read_is_an_error_of_ours() -> None:
    with pytest.raises(llrcal.TrialFileError, match=r"nope://a\.parquet: cannot be read: "):
        llrcal.open_trials("nope://a.parquet")


@pytest.mark.parametrize("verb", ["fit @ -o x", "apply m.json @ -o x", "apply @ lab.txt -o x",
    "evaluate @", "evaluate lab.txt --key @", "fuse @ lab.txt -o x", "watch m.json @",
    "compare --train lab.txt --test @ --out x", "pairs @ -o x.csv", "convert @ --to csv -o x",
    "validate lab.txt --test @ -o x", "export @ --to c -o x", "weigh @ 1", "sign @"])  # fmt: skip
def test_verbs_refuse_both(verb: str) -> None:
    for name, words in (("", "is ''; give a value"), ("http://host.invalid/x", "is a URL")):
        result = run(*(Path(word) if word != "@" else _Word(name) for word in verb.split()))
        assert result.exit_code == 2
        assert words in result.stderr, result.stderr
    assert not Path("x").exists()


class _Word:
    """A word of a command that may be empty."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __str__(self) -> str:
        return self.word


@pytest.mark.parametrize("option", ["--columns", "--condition", "--labels", "--speakers-from"])
def test_other_empty_values_are_refused(option: str) -> None:
    refused(f"{option} is ''; give a value", "fit lab.txt -o x.json", option, _Word(""))


def test_what_is_hidden_in_a_folder_is_not_read() -> None:
    """Checkpoints of notebooks would count every trial twice."""
    for source in ("in", "in/**/*.txt"):
        trials = llrcal.open_trials(source, duplicates="all")
        assert llrcal.fit(trials, method="gaussian").tar_count == 20
    llrcal.apply_files(llrcal.load("m.json"), "in", "out")
    assert [path.name for path in Path("out").rglob("*.txt")] == ["a.txt"]
    assert llrcal.open_trials("out", duplicates="all").llrs is not None  # nor is its list
    assert np.isfinite(beyond_memory.fit("out", duplicates="all")(0.0))
