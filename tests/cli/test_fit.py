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
from llrcal.notes import Note
from tests.cli.running import llrcal, only_line, run, text_of
from tests.trial_sets import normal

TAR, NON = normal(120, 2.5, 1.5), normal(380, -1.5, 1.2)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fit") / "scores.txt"
    path.write_text(text_of(TAR, NON))
    return path


def same_model(path: Path, tmp_path: Path, **options: Any) -> bool:
    """Whether a file holds, byte for byte, what training on the arrays gives."""
    tar, non = in_order(TAR), in_order(NON)
    fit(tar, non, **options).save(tmp_path / "expected.json")
    return path.read_bytes() == (tmp_path / "expected.json").read_bytes()


def in_order(scores: Array) -> Array:
    """Scores of one class in the order of the file. No sum may depend on it, and none does."""
    return np.asarray(np.random.default_rng(4).permutation(scores))


# -------------------------------------------------------------------------- the right model


@pytest.mark.parametrize("method", METHODS)
def test_the_model_is_that_of_the_arrays(scores: Path, tmp_path: Path, method: str) -> None:
    out = tmp_path / "model.json"
    result = llrcal("fit", scores, "--method", method, "-o", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert same_model(out, tmp_path, method=method)
    assert load(out).params == fit(TAR, NON, method=method).params


def test_what_nobody_has_to_ask_for(scores: Path, tmp_path: Path) -> None:
    assert llrcal("fit", scores, "-o", tmp_path / "model.json").exit_code == 0
    settings = {"method": "smooth", "bounds": "counts", "rising": True}
    assert same_model(tmp_path / "model.json", tmp_path, **settings)


@pytest.mark.parametrize(("option", "rising"), [("--rising", True), ("--no-rising", False)])
def test_rising_or_not(scores: Path, tmp_path: Path, option: str, rising: bool) -> None:
    out = tmp_path / "model.json"
    assert llrcal("fit", scores, "--method", "gaussian", option, "-o", out).exit_code == 0
    assert same_model(out, tmp_path, method="gaussian", rising=rising)
    assert not same_model(out, tmp_path, method="gaussian", rising=not rising)


@pytest.mark.parametrize("method", ["logistic", "linear-gaussian"])
@pytest.mark.parametrize("alpha", ["0.92", "1e-3", "empirical"])
def test_weights(scores: Path, tmp_path: Path, method: str, alpha: str) -> None:
    out = tmp_path / "model.json"
    assert llrcal("fit", scores, "--method", method, "--alpha", alpha, "-o", out).exit_code == 0
    weight = alpha if alpha == "empirical" else float(alpha)
    assert same_model(out, tmp_path, method=method, alpha=weight)


LOGISTIC = ("--method", "logistic")


@pytest.mark.parametrize(("text", "rule"), [("brier", "brier"), ("0.5,-0.5", (0.5, -0.5))])
def test_rules(scores: Path, tmp_path: Path, text: str, rule: Any) -> None:
    out = tmp_path / "model.json"
    assert (
        llrcal("fit", scores, *LOGISTIC, "--alpha", "0.1", "--rule", text, "-o", out).exit_code == 0
    )
    assert same_model(out, tmp_path, method="logistic", alpha=0.1, rule=rule)
    assert llrcal("fit", scores, *LOGISTIC, "--rule", "log", "-o", out).exit_code == 0
    assert same_model(out, tmp_path, method="logistic")


@pytest.mark.parametrize("bounds", ["range", "counts", "none"])
def test_bounds(scores: Path, tmp_path: Path, bounds: str) -> None:
    out = tmp_path / "model.json"
    arguments = ("--method", "gaussian", "--bounds", bounds, "-o", out)
    assert llrcal("fit", scores, *arguments).exit_code == 0
    assert same_model(out, tmp_path, method="gaussian", bounds=bounds)


@pytest.mark.slow
def test_distances_stay_distances(tmp_path: Path) -> None:
    (tmp_path / "distances.txt").write_text(text_of(-TAR, -NON))
    out = tmp_path / "model.json"
    arguments = ("fit", tmp_path / "distances.txt", "--method", "nig", "-o", out)
    only_line(llrcal(*arguments, "--quiet"), "If these are distances, give --distance")
    assert not out.exists()
    assert llrcal(*arguments, "--distance").exit_code == 0
    model = load(out)
    assert model.lower_is_better
    assert model(-TAR).tolist() == fit(TAR, NON, method="nig")(TAR).tolist()


def test_likenesses_are_no_distances(scores: Path, tmp_path: Path) -> None:
    arguments = ("fit", scores, "-o", tmp_path / "model.json", "--distance", "--quiet")
    only_line(llrcal(*arguments), "If these are similarities, leave out --distance")
    assert llrcal(*arguments, "--inverted").exit_code == 0


@pytest.mark.parametrize("distance", [False, True])
def test_scores_that_run_no_way_are_no_mistake(tmp_path: Path, distance: bool) -> None:
    """The middle of both classes is the same, which is neither lower nor higher."""
    (tmp_path / "even.txt").write_text(text_of(np.arange(-5.0, 6), np.arange(-7.0, 8)))
    flag = ["--distance"] if distance else []
    assert llrcal("fit", tmp_path / "even.txt", "-o", tmp_path / "m", *flag).exit_code == 0


# -------------------------------------------------------------------------- from any source


def test_every_way_to_hand_over_the_same_trials(scores: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", tar=TAR, non=NON)
    labels = np.arange(len(TAR) + len(NON)) < len(TAR)
    np.savez(tmp_path / "one.npz", scores=np.concatenate([TAR, NON]), labels=labels)
    np.save(tmp_path / "tar.npy", TAR)
    np.save(tmp_path / "non.npy", NON)
    (tmp_path / "packed").write_bytes(gzip.compress(scores.read_bytes()))
    lines = [line.split() for line in scores.read_text().splitlines()]
    (tmp_path / "scores").write_text("".join(f"{m} {t} {s}\n" for m, t, s, _ in lines))
    (tmp_path / "key").write_text("".join(f"{m} {t} {k}\n" for m, t, _, k in reversed(lines)))
    sources: dict[str, tuple[object, ...]] = {
        "two classes": (tmp_path / "two.npz",),
        "labels": (tmp_path / "one.npz",),
        "pair": (tmp_path / "tar.npy", "--nontargets", tmp_path / "non.npy"),
        "packed": (tmp_path / "packed",),
        "key": (tmp_path / "scores", "--key", tmp_path / "key"),
    }
    for name, source in sources.items():
        out = tmp_path / "model.json"
        assert llrcal("fit", *source, "-o", out).exit_code == 0, name
        assert same_model(out, tmp_path), name


def test_from_standard_input(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    result = llrcal("fit", "-", "-o", out, stdin=scores.read_bytes())
    assert result.exit_code == 0
    assert "standard input: 500 trials" in result.stderr
    assert same_model(out, tmp_path)


# ------------------------------------------------------------------------------ what is said


@pytest.mark.slow
def test_what_is_said_goes_to_standard_error(scores: Path, tmp_path: Path) -> None:
    ran = run("fit", scores, "-o", "model.json", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "")
    said = ran.stderr.splitlines()
    assert len(said) == 3
    assert said[0].startswith(f"{scores}: 500 trials; wespeaker scores with labels")
    assert said[1].startswith("smooth: 120 targets, 380 non-targets; ")
    assert said[2] == "Model: model.json"


def test_quiet(scores: Path, tmp_path: Path) -> None:
    result = llrcal("fit", scores, "-o", tmp_path / "model.json", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_doubts_are_said_even_if_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    report = fit(TAR, NON).report
    notes = (Note.of("gap", "mind the gap, say ", Setting("bounds", "counts")),)
    poor = replace(report, converged=False, reason="out of steps", notes=notes)
    said = []
    for quiet in (True, False):
        print_notes(poor.all_notes, quiet=quiet, lead="note: ")
        captured = capsys.readouterr()
        assert captured.out == ""
        said.append(captured.err.splitlines())
    warning = "warning: the fit did not converge: out of steps"
    assert said == [[warning], [warning, "note: mind the gap, say --bounds counts"]]


def test_the_choice_of_methods_is_that_of_the_package() -> None:
    [method] = [param for param in verb("fit").params if param.name == "method"]
    assert list(method.type.choices) == list(METHODS)  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.txt"], "none.txt: cannot be read: No such file or directory"),
        (["scores.txt", "--key", "none.txt"], "none.txt: cannot be read"),
        (["scores.txt", "--method", "logistic", "--alpha", "1.5"], "alpha is 1.5"),
        (["scores.txt", "--method", "logistic", "--alpha", "half"], "alpha is 'half'"),
        (["scores.txt", "--method", "logistic", "--alpha", "nan"], "alpha is nan"),
        (["scores.txt", "--alpha", "0.5", "--method", "nig"], "nig has no option 'alpha'"),
        (["scores.txt", "--alpha", "0.5"], "option: linear-gaussian, logistic"),
        (["scores.txt", "--format", "htk"], "cannot be 'htk'; choose kaldi"),
        (["scores.txt", "--columns", "enrol,test,likeness"], "there is no role 'likeness'"),
        (["scores.txt", "--columns", "enrol,score"], "has 4 columns, but 2 were named"),
        (["scores.txt", "--labels", "target"], "give the words for target and non-target"),
        (["infinite.txt"], "line 3: the score 'inf' is infinite"),
        (["nan.txt"], "line 3: the score is not a number (NaN)"),
        (["ragged.txt"], "line 3: has 3 columns where most have 4"),
        (["one.txt"], "one.txt: no non-target scores"),
        (["few.txt", "--method", "nig"], "a nig density needs scores that differ"),
        (["twice.txt"], "1 repeated trials, such as (a b)"),
    ],
)
def test_one_line_and_nothing_else(
    scores: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    few = "a b 1.5 target\nc d -1.5 nontarget\n"
    files = {
        "scores.txt": scores.read_text(),
        "infinite.txt": f"{few}e f inf target\n",
        "nan.txt": f"{few}e f nan target\n",
        "ragged.txt": f"{few}e f 1.5\n{few}",
        "one.txt": "a b 1.5 target\nc d 2.5 target\n",
        "few.txt": few,
        "twice.txt": f"{few}a b 2.5 target\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.json").write_text("precious")
    only_line(llrcal("fit", *arguments, "-o", "model.json", "--quiet"), words)
    assert (tmp_path / "model.json").read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {*files, "model.json"}


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("no/model.json", "no/model.json cannot be written: no is not a folder"),
        (".", ". is a folder; name a file in it"),
        ("-", "-: this can only be written to a plain file"),
        ("model.json.gz", "model.json.gz: this can only be written to a plain file"),
    ],
)
def test_a_bad_place_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    only_line(llrcal("fit", "none.txt", "-o", out), words)
    assert not any(tmp_path.iterdir())
