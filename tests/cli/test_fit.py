"""``llrcal fit``: the model of the arrays, from any file; one line where there can be none."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import fit, load
from llrcal.arrays import Array
from llrcal.calibrations import METHODS
from llrcal.cli.terminal import print_notes
from llrcal.cli.verbs import verb
from llrcal.messages import Setting
from llrcal.method_table import MethodName
from llrcal.notes import Note
from tests.cli.running import done, refused, text_of
from tests.trial_sets import normal

TAR, NON = normal(120, 2.5, 1.5), normal(380, -1.5, 1.2)


@pytest.fixture(autouse=True)
def _scores(here: Path) -> None:
    Path("scores.txt").write_text(text_of(TAR, NON))


def same_model(**options: Any) -> bool:
    """Whether a file holds, byte for byte, what training on the arrays gives."""
    fit(in_order(TAR), in_order(NON), **options).save("expected.json")
    return Path("model.json").read_bytes() == Path("expected.json").read_bytes()


def in_order(scores: Array) -> Array:
    """Scores of one class in the order of the file. No sum may depend on it, and none does."""
    return np.asarray(np.random.default_rng(4).permutation(scores))


# -------------------------------------------------------------------------- the right model


@pytest.mark.parametrize("method", METHODS)
def test_the_model_is_that_of_the_arrays(method: MethodName) -> None:
    assert done("fit scores.txt -o model.json --method", method).stdout == ""
    assert same_model(method=method)
    assert load("model.json").params == fit(TAR, NON, method=method).params


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("", {"method": "smooth", "bounds": "counts", "rising": True}),
        ("--method gaussian --rising", {"method": "gaussian", "rising": True}),
        ("--method gaussian --no-rising", {"method": "gaussian", "rising": False}),
        ("--method logistic --alpha 0.92", {"method": "logistic", "alpha": 0.92}),
        ("--method logistic --alpha 1e-3", {"method": "logistic", "alpha": 1e-3}),
        (
            "--method linear-gaussian --alpha empirical",
            {"method": "linear-gaussian", "alpha": "empirical"},
        ),
        ("--method logistic --rule log", {"method": "logistic"}),
        (
            "--method logistic --alpha 0.1 --rule brier",
            {"method": "logistic", "alpha": 0.1, "rule": "brier"},
        ),
        ("--method gaussian --bounds range", {"method": "gaussian", "bounds": "range"}),
        ("--method gaussian --bounds none", {"method": "gaussian", "bounds": "none"}),
    ],
)
def test_options_are_those_of_python(asked: str, options: dict[str, Any]) -> None:
    done("fit scores.txt -o model.json", asked)
    assert same_model(**options)
    if "rising" in options:
        assert not same_model(**options | {"method": "gaussian", "rising": not options["rising"]})


@pytest.mark.slow
def test_distances_stay_distances() -> None:
    Path("distances.txt").write_text(text_of(-TAR, -NON))
    command = "fit distances.txt --method nig -o model.json"
    refused("If these are distances, give --distance", command, "--quiet")
    assert not Path("model.json").exists()
    done(command, "--distance")
    model = load("model.json")
    assert model.lower_is_better
    assert model(-TAR).tolist() == fit(TAR, NON, method="nig")(TAR).tolist()


def test_likenesses_are_no_distances() -> None:
    command = "fit scores.txt -o model.json --distance --quiet"
    refused("If these are similarities, leave out --distance", command)
    done(command, "--inverted")


@pytest.mark.parametrize("flag", ["", "--distance"])
def test_scores_that_run_no_way_are_no_mistake(flag: str) -> None:
    """The middle of both classes is the same, which is neither lower nor higher."""
    Path("even.txt").write_text(text_of(np.arange(-5.0, 6), np.arange(-7.0, 8)))
    done("fit even.txt -o model.json", flag)


# -------------------------------------------------------------------------- from any source


def test_every_way_to_hand_over_the_same_trials() -> None:
    np.savez("two.npz", tar=TAR, non=NON)
    labels = np.arange(len(TAR) + len(NON)) < len(TAR)
    np.savez("one.npz", scores=np.concatenate([TAR, NON]), labels=labels)
    np.save("tar.npy", TAR)
    np.save("non.npy", NON)
    text = Path("scores.txt").read_text()
    Path("packed").write_bytes(gzip.compress(text.encode()))
    lines = [line.split() for line in text.splitlines()]
    Path("scores").write_text("".join(f"{m} {t} {s}\n" for m, t, s, _ in lines))
    Path("key").write_text("".join(f"{m} {t} {k}\n" for m, t, _, k in reversed(lines)))
    for source in (
        "two.npz",
        "one.npz",
        "tar.npy --nontargets non.npy",
        "packed",
        "scores --key key",
    ):
        done("fit", source, "-o model.json --force")
        assert same_model(), source
    result = done("fit - -o model.json --force", stdin=text.encode())
    assert "standard input: 500 trials" in result.stderr
    assert same_model()


# ------------------------------------------------------------------------------ what is said


def test_what_is_said_goes_to_standard_error() -> None:
    result = done("fit scores.txt -o model.json")
    said = result.stderr.splitlines()
    assert (result.stdout, len(said)) == ("", 3)
    assert said[0].startswith("scores.txt: 500 trials; wespeaker scores with labels")
    assert said[1].startswith("smooth: 120 targets, 380 non-targets; ")
    assert said[2] == "Model: model.json"
    assert done("fit scores.txt -o model.json --quiet --force").output == ""


def test_doubts_are_said_even_if_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    notes = (Note.of("gap", "mind the gap, say ", Setting("bounds", "counts")),)
    poor = replace(fit(TAR, NON).report, converged=False, reason="out of steps", notes=notes)
    warning = (
        "warning: the fit did not converge: out of steps. A better one may exist; scores that "
        "nearly coincide are a usual cause. Compare with another method before you use it\n"
    )
    for quiet, more in ((True, ""), (False, "note: mind the gap, say --bounds counts\n")):
        print_notes(poor.all_notes, quiet=quiet, lead="note: ")
        assert capsys.readouterr() == ("", warning + more)


def test_the_choice_of_methods_is_that_of_the_package() -> None:
    [method] = [param for param in verb("fit").params if param.name == "method"]
    assert list(method.type.choices) == list(METHODS)  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("scores.txt --key none.txt", "none.txt: cannot be read"),
        ("scores.txt --method logistic --alpha 1.5", "alpha is 1.5"),
        ("scores.txt --method logistic --alpha half", "alpha is 'half'"),
        ("scores.txt --alpha 0.5", "option: linear-gaussian, logistic"),
        ("scores.txt --format htk", "cannot be 'htk'; choose kaldi"),
        ("scores.txt --columns enrol,test,likeness", "there is no role 'likeness'"),
        ("scores.txt --columns enrol,score", "has 4 columns, but 2 were named"),
        ("scores.txt --labels target", "give the words for target and non-target"),
        ("infinite.txt", "line 3: the score 'inf' is infinite"),
        ("nan.txt", "line 3: the score is not a number (NaN)"),
        ("ragged.txt", "line 3: has 3 columns where most have 4"),
        ("one.txt", "one.txt: no non-target scores"),
        ("few.txt --method nig", "a nig density needs scores that differ"),
        ("twice.txt", "1 repeated trials, such as (a b)"),
    ],
)
def test_one_line_and_nothing_else(here: Path, arguments: str, words: str) -> None:
    few = "a b 1.5 target\nc d -1.5 nontarget\n"
    files = {
        "infinite.txt": f"{few}e f inf target\n",
        "nan.txt": f"{few}e f nan target\n",
        "ragged.txt": f"{few}e f 1.5\n{few}",
        "one.txt": "a b 1.5 target\nc d 2.5 target\n",
        "few.txt": few,
        "twice.txt": f"{few}a b 2.5 target\n",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    refused(words, "fit", arguments, "-o model.json --quiet")
    assert {path.name for path in here.iterdir()} == {*files, "scores.txt"}


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("no/model.json", "no/model.json cannot be written: no is not a folder"),
        (".", "'.' is not a name for a file or folder"),
        ("model.json.gz", "model.json.gz: this can only be written to a plain file"),
    ],
)
def test_a_bad_place_is_refused_before_anything_is_read(out: str, words: str) -> None:
    refused(words, "fit none.txt -o", out)
