"""Every calibration that there is gives the LLRs of its one curve, to the last bit, everywhere.

In Python, in pieces, and on a cluster; test_promises.py has other languages.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.curve import Curve
from llrcal.method_table import TABLE, MethodName
from tests.calibrations.model_files import DIGESTS, KEPT
from tests.cli.running import llrcal as run
from tests.cli.running import only_line
from tests.trial_sets import normal

TAR, NON = normal(100, 2.0, 1.0), np.random.default_rng(0).standard_t(3, 500) - 1.0
EVERY = list(llrcal.METHODS)
BAYES = [method for method in EVERY if TABLE[method].bayes]
FORMS: dict[str, tuple[list[MethodName], dict[str, Any]]] = {
    "counts": (EVERY, {}),
    "range": (EVERY, {"bounds": "range"}),
    "elub": (EVERY, {"bounds": "elub"}),
    "none": (EVERY, {"bounds": "none"}),
    "plain": (EVERY, {"rising": False}),
    "alpha": (["logistic", "linear-gaussian"], {"alpha": 0.01}),
    "rule": (["logistic"], {"rule": "brier"}),
    "bayes": (BAYES, {"bayes": True}),
    "bayes_none": (["nig"], {"bayes": True, "bounds": "none"}),
}
DISTANCES = {"distances": (EVERY, {"lower_is_better": True})}
ADAPTED = [
    *(f"{method}_counts" for method in EVERY),
    *(f"{method}_bayes" for method in BAYES),
    *("smooth_none", "smooth_plain", "pav_elub", "nig_range", "smooth_distances", "nig_distances"),
]


@cache
def calibrations() -> dict[str, llrcal.Calibration]:
    """Methods, options, Bayes, distances, adapted ones, those of files, and odd scores."""
    every: dict[str, llrcal.Calibration] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", llrcal.LlrcalWarning)
        for sign, forms in ((1, FORMS), (-1, DISTANCES)):
            for form, (methods, options) in forms.items():
                for method in methods:
                    fitted = llrcal.fit(sign * TAR, sign * NON, method=method, **options)
                    every[f"{method}_{form}"] = fitted
        for name in ADAPTED:
            field = np.append(NON, TAR) * (-1 if every[name].lower_is_better else 1)
            every[f"moved_{name}"] = llrcal.adapt(every[name], field + 1, p_target=0.17)
            every[f"unmoved_{name}"] = llrcal.adapt(every[name], field, p_target=0.17)
        every["far"] = llrcal.fit(1e9 + TAR / 1024, 1e9 + NON / 1024)
        every["same"] = llrcal.fit(np.ones(5), np.ones(7), rising=False)
        every["infinite"] = llrcal.fit([1.0, np.inf], [-np.inf, 0.0, 2.0], method="pav")
    every |= {f"kept_{name}": llrcal.load(KEPT / f"{name}.json") for name in DIGESTS}
    return {name.replace("-", "_"): one for name, one in every.items()}


def scores_for(calibration: llrcal.Calibration) -> Floats:
    low, high = np.clip(calibration.training_range, -1e300, 1e300)
    beyond = (high - low) / 2 or 1.0
    return np.append(np.linspace(low - beyond, high + beyond, 200), [-1e300, low, high, 1e300])


def by_the_curve(curve: Curve, scores: Floats) -> Floats:
    """As the docstring of its rows says, score by score."""
    z = np.clip((scores - curve.origin) * curve.per_unit, curve.knots[0], curve.knots[-1])
    llrs = []
    for one in z.tolist():
        piece = int(np.searchsorted(curve.knots[1:-1], one, "right"))
        p, y, a, b = curve.rows[piece].tolist()
        llrs.append(y + (one - p) * (a + b * abs(one - p)))
    return np.array(llrs)


# ------------------------------------------------------------------------ where scores may be

Answers = dict[str, Floats]


def each(answer: Callable[[llrcal.Calibration, Floats], Any]) -> Callable[[Path], Answers]:
    def answers(_: Path) -> Answers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", llrcal.LlrcalWarning)
            return {
                name: np.asarray(answer(one, scores_for(one)))
                for name, one in calibrations().items()
            }

    return answers


def from_a_file(folder: Path) -> Answers:
    def saved(calibration: llrcal.Calibration, scores: Floats) -> Floats:
        calibration.save(folder / "model.json")
        return llrcal.load(folder / "model.json")(scores)

    return each(saved)(folder)


def in_pieces(folder: Path) -> Answers:
    def applied(calibration: llrcal.Calibration, scores: Floats) -> list[float]:
        lines = (f"a b{i} {score!r}\n" for i, score in enumerate(scores.tolist()))
        (folder / "scores.txt").write_text("".join(lines))
        (folder / "llrs.txt").unlink(missing_ok=True)
        llrcal.apply_files(calibration, folder / "scores.txt", folder / "llrs.txt")
        return [float(line.split()[-1]) for line in (folder / "llrs.txt").read_text().splitlines()]

    return each(applied)(folder)


def on_a_cluster(folder: Path) -> Answers:
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")

    def applied(calibration: llrcal.Calibration, scores: Floats) -> Floats:
        frame = frames.from_pandas(pandas.DataFrame({"score": scores}), npartitions=2)
        return np.asarray(frame["score"].map_partitions(calibration).compute())

    return each(applied)(folder)


def by_scikit_learn(folder: Path) -> Answers:
    estimator = llrcal.sklearn.LLRCalibrator().fit([[0.0], [1.0], [2.0]], [0, 1, 1])

    def applied(calibration: llrcal.Calibration, scores: Floats) -> Floats:
        estimator.calibration_ = calibration
        return np.asarray(estimator.transform(scores[:, None])[:, 0])

    return each(applied)(folder)


def program(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"needs {name}")


WAYS: list[Callable[[Path], Answers]] = [
    each(lambda calibration, scores: calibration(scores)),
    each(lambda calibration, scores: calibration.without_warnings(scores[::-1])[::-1]),
    each(lambda calibration, scores: [calibration(score) for score in scores.tolist()]),
    from_a_file,
    in_pieces,
    on_a_cluster,
    by_scikit_learn,
]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_bits_of_the_curve(way: Callable[[Path], Answers], tmp_path: Path) -> None:
    for name, found in way(tmp_path).items():
        calibration = calibrations()[name]
        expected = by_the_curve(calibration.curve, scores_for(calibration))
        np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.mark.slow
def test_adapted_calibrations_are_moved_or_as_they_were() -> None:
    for name in ADAPTED:
        moved, unmoved = (
            calibrations()[f"{state}_{name}".replace("-", "_")].adapted
            for state in ("moved", "unmoved")
        )
        assert moved is not None
        assert unmoved is not None
        assert (moved.choice, unmoved.choice) == ("moved", "as it was"), name


# --------------------------------------------------------------------------------- exporting


@pytest.mark.slow
def test_curves_are_close_to_their_formulas(tmp_path: Path) -> None:
    """Without bounds, formulas are followed far beyond the training scores, less closely."""
    for name, calibration in calibrations().items():
        error = llrcal.export(calibration, tmp_path / f"{name}.c").largest_error
        assert error < (1e-6 if calibration.bounds.policy == "none" else 1e-9), name


def test_command_line(tmp_path: Path) -> None:
    result = run("export", KEPT / "nig.json", "-o", tmp_path / "llr.c", "--name", "evidence")
    assert result.exit_code == 0
    assert "nats from the formula" in result.stderr
    assert "double evidence(double score);" in (tmp_path / "llr.c").read_text()
    assert result.stdout == ""
    quiet = run(
        "export", KEPT / "nig.json", "-o", tmp_path / "llr.c", "--force", "--json", "--quiet"
    )
    assert quiet.stderr == ""
    found = json.loads(quiet.stdout)
    assert f"{found['pieces']:,} pieces, at most {found['largest_error']:.1e} " in result.stderr
    assert (found["name"], found["to"]) == ("llr", "c")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-o", "llr.py"], "does not say what to write; choose --to c"),
        (["-o", "llr.c", "--name", "2x"], "name is '2x'; give letters and digits"),
        (["-o", "-", "--to", "c"], "plain file"),
    ],
)
def test_wrong_use(options: list[str], words: str, tmp_path: Path) -> None:
    options[1] = options[1] if options[1] == "-" else str(tmp_path / options[1])
    result = run("export", KEPT / "nig.json", *options)
    only_line(result, words)
