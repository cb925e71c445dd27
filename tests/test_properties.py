"""Promises that hold whatever is given: of every calibration, and of readers."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from polars.testing.parametric import series

import llrcal
from llrcal import METHODS, Calibration, DegenerateError, LlrcalError, evaluate, load, read_trials
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.methods.linear import Linear
from llrcal.method_table import MethodName
from llrcal.trials.request import Contents, Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.table_reading import read_table
from tests.score_sets import KINDS, score_set
from tests.trial_sets import FINITE

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

MONOTONE = ("smooth", "linear-gaussian", "logistic", "pav")
SHAPED = st.builds(score_set, st.sampled_from(sorted(KINDS)), st.integers(3, 40), st.integers(0))
CLASSES = (FINITE | st.tuples(SHAPED, SHAPED)).map(lambda sets: tuple(map(np.array, sets)))
OPTIONS = st.fixed_dictionaries(
    {"bounds": st.sampled_from(POLICIES), "lower_is_better": st.booleans()}
)
SCORES = st.lists(st.floats(allow_nan=False) | st.floats(-20, 20), min_size=1, max_size=20)

Classes = tuple[Floats, Floats]
Options = Mapping[str, Any]


def methods(names: Any = tuple(METHODS)) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


def fitted(classes: Classes, method: MethodName, options: Options) -> Calibration:
    """A calibration, or another example where there is none."""
    try:
        return llrcal.fit(*classes, method=method, **options)
    except DegenerateError:
        reject()


def asked(calibration: Calibration, classes: Classes, scores: list[float]) -> Floats:
    """Some scores, those of the training among them, and both sides of each place of interest."""
    places = np.concatenate([*classes, scores, calibration.training_range, [-np.inf, np.inf]])
    with np.errstate(over="ignore"):  # beyond the largest double
        sides = [np.nextafter(places, side) for side in (-np.inf, np.inf)]
    return np.concatenate([places, *sides])


# --------------------------------------------------------------------------- every method


@pytest.mark.slow
@given(
    classes=CLASSES,
    method=methods(),
    options=OPTIONS,
    scores=SCORES,
    llr=st.floats(-10, 10),
    level=st.floats(0.01, 0.99),
    seed=st.integers(0),
)
def test_every_calibration_keeps_its_promises(
    tmp_path_factory: pytest.TempPathFactory,
    classes: Classes,
    method: MethodName,
    options: Options,
    scores: list[float],
    llr: float,
    level: float,
    seed: int,
) -> None:
    given_scores = *classes, np.array(scores)
    before = [array.tobytes() for array in given_scores]
    for array in given_scores:
        array.flags.writeable = False  # so that an attempt is noticed as well
    calibration = fitted(classes, method, options)
    new = asked(calibration, classes, scores)
    llrs = calibration(new)
    assert [array.tobytes() for array in given_scores] == before
    is_loaded_as_saved(calibration, new, llrs, tmp_path_factory.getbasetemp() / "model.json")
    has_the_shape_of_scores(calibration, scores)
    stays_within_bounds(calibration, llrs)
    has_regions(calibration, llr, new, llrs)
    has_intervals(calibration, level, new, llrs)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(classes[0]), rng.permutation(classes[1])
    assert fitted(shuffled, method, options) == calibration


def is_loaded_as_saved(calibration: Calibration, new: Floats, llrs: Floats, path: Path) -> None:
    calibration.save(path)
    loaded, content = load(path), path.read_bytes()
    assert loaded == calibration
    assert loaded.report == calibration.report
    assert loaded(new).tobytes() == llrs.tobytes()
    loaded.save(path)
    assert path.read_bytes() == content


def has_the_shape_of_scores(calibration: Calibration, scores: list[float]) -> None:
    llrs = calibration(scores)
    assert llrs.shape == (len(scores),)
    assert llrs.flags.writeable
    table = np.array([scores, scores[::-1], scores])
    assert calibration(table).tobytes() == np.array([llrs, llrs[::-1], llrs]).tobytes()
    assert calibration(np.asfortranarray(table)).tolist() == calibration(table).tolist()
    assert [calibration(score) for score in scores] == llrs.tolist()
    assert calibration(np.empty((0, 3))).shape == (0, 3)


def stays_within_bounds(calibration: Calibration, llrs: Floats) -> None:
    assert not np.isnan(llrs).any()
    low, high = calibration.llr_range
    if calibration.bounds.policy != "none":
        slack = 1e-9 * max(1, abs(low), abs(high))
        assert ((low - slack <= llrs) & (llrs <= high + slack)).all()
        assert math.isfinite(low)
        assert math.isfinite(high)
    stays_within_counts(calibration, llrs)


def stays_within_counts(calibration: Calibration, llrs: Floats) -> None:
    if calibration.bounds.policy == "counts":
        least, greatest = calibration.supported_llrs
        assert ((least <= llrs) & (llrs <= greatest)).all()


def has_regions(calibration: Calibration, llr: float, new: Floats, llrs: Floats) -> None:
    """Regions hold the scores whose LLRs are large enough, and no others."""
    regions = calibration.regions(llr)
    within = np.array([any(score in region for region in regions) for score in new])
    # Elsewhere scores whose LLR is that one but for rounding may be on either side.
    near = np.abs(llrs - llr) <= 1e-9 * max(1, abs(llr))
    sure = ~near if calibration.method not in MONOTONE else np.ones(new.shape, bool)
    assert (within[sure] == (llrs >= llr)[sure]).all()


def has_intervals(calibration: Calibration, level: float, new: Floats, llrs: Floats) -> None:
    """Intervals lie around LLRs, within the bounds, and beyond the training scores at its ends."""
    low, high = calibration.interval(new, level=level)
    # With densities, the best fit may be at the edge of what draws find possible.
    if calibration.method in MONOTONE:
        assert ((low <= llrs) & (llrs <= high)).all()
    stays_within_counts(calibration, low)
    stays_within_counts(calibration, high)
    if calibration.bounds.policy != "none":
        at_ends = np.array(calibration.interval(np.array(calibration.training_range), level=level))
        far = np.array(calibration.interval([-np.inf, np.inf], level=level))
        assert far.tobytes() == at_ends.tobytes()


@pytest.mark.slow
@given(
    classes=CLASSES,
    method=methods(),
    bounds=st.sampled_from(POLICIES),
    scores=SCORES,
    power=st.integers(-60, 60),
)
def test_neither_the_sign_nor_the_unit_of_scores_matters(
    classes: Classes, method: MethodName, bounds: str, scores: list[float], power: int
) -> None:
    """A power of two, so that nothing is rounded."""
    calibration = fitted(classes, method, {"bounds": bounds})
    negated = -classes[0], -classes[1]
    of_distances = fitted(negated, method, {"bounds": bounds, "lower_is_better": True})
    told = dataclasses.replace(of_distances.report, notes=calibration.report.notes)
    expected = dataclasses.replace(calibration, lower_is_better=True)
    assert dataclasses.replace(of_distances, report=told) == expected
    new = asked(calibration, classes, scores)
    assert of_distances(-new).tobytes() == calibration(new).tobytes()
    unit, own = 2.0**power, np.concatenate(classes)
    scaled = fitted((unit * classes[0], unit * classes[1]), method, {"bounds": bounds})
    np.testing.assert_allclose(scaled(unit * own), calibration(own), rtol=1e-8, atol=1e-8)


# --------------------------------------------------------- those that keep scores in order


@given(classes=CLASSES, method=methods(MONOTONE), options=OPTIONS, scores=SCORES)
def test_smooth_curves_lines_and_pav_never_turn(
    classes: Classes, method: MethodName, options: Options, scores: list[float]
) -> None:
    calibration = fitted(classes, method, options)
    llrs = calibration(np.sort(asked(calibration, classes, scores)))
    rising = llrs[::-1] if falls(calibration) else llrs
    assert (rising[1:] >= rising[:-1]).all()


@given(classes=CLASSES, method=methods(MONOTONE), options=OPTIONS, new=CLASSES)
def test_no_rising_calibration_tells_classes_apart_better(
    classes: Classes, method: MethodName, options: Options, new: Classes
) -> None:
    calibration = fitted(classes, method, options)
    rising = new if not falls(calibration) else (-new[0], -new[1])
    before = evaluate(*rising)
    after = evaluate(*(calibration(scores) for scores in new))
    assert after.min_cllr >= before.min_cllr - 1e-13
    assert after.eer >= before.eer - 1e-13
    priors = np.linspace(-8, 8, 9)
    assert (after.min_bayes_error(priors) >= before.min_bayes_error(priors) - 1e-13).all()


@given(classes=CLASSES)
def test_pav_pays_for_its_dummies_and_for_nothing_else(classes: Classes) -> None:
    """On its own training scores: with both dummies counted, it cannot be improved upon."""
    calibration = fitted(classes, "pav", {})
    tar, non = np.append(classes[0], -np.inf), np.append(classes[1], np.inf)
    with_dummies = evaluate(calibration(tar), calibration(non))
    assert with_dummies.cllr == pytest.approx(with_dummies.min_cllr, rel=1e-12, abs=1e-13)
    assert with_dummies.cllr == pytest.approx(evaluate(tar, non).min_cllr, rel=1e-12, abs=1e-13)


def falls(calibration: Calibration) -> bool:
    """Whether higher scores get lower LLRs."""
    is_turned = isinstance(calibration, Linear) and calibration.slope < 0
    return calibration.lower_is_better is not is_turned


# ------------------------------------------------------------------- files of other libraries

TYPES = ["f8", "f4", "f2", "i8", "i1", "u1", "?", "c16", "M8[s]", "S3", "U3"]
SHAPES = st.sampled_from([(4,), (2, 2), (3, 2), (2, 3), (1,), (0,), ()])
ARRAYS = st.sampled_from(TYPES).flatmap(lambda dtype: hnp.arrays(dtype, SHAPES))
NUMBERS = hnp.arrays("f8", 4, elements=st.floats(-9, 9))
COLUMN_TYPES: list[Any] = [
    *(pl.String, pl.Categorical, pl.Binary, pl.Float32, pl.Float64, pl.Int8, pl.UInt64),
    *(pl.Boolean, pl.Decimal(10, 2), pl.Date, pl.Null, pl.List(pl.Float64), pl.Enum(["target"])),
]
ROLES = {
    "enrol": st.sampled_from("abc"),
    "test": st.text(max_size=3),
    "score": st.floats(-9, 9),
    "label": st.sampled_from(["target", "nontarget", "spoof"]),
}
MARKS = st.sampled_from([-1, 0, 1])
SOME_OF_THEM = st.integers(0, 12)
"""Of a few columns or matrices, the number of one of them; more often of none."""


def read_or_refused(path: Path, llrs_path: Path) -> None:
    """Read a file as whatever it could be: nothing but errors of llrcal, and no warning."""
    for contents in get_args(Contents):
        with contextlib.suppress(LlrcalError):
            read_table(str(path), Request(contents))
    with contextlib.suppress(LlrcalError):
        trials = read_trials(str(path), spoof="nontarget", duplicates="first")
        assert not np.isnan(trials.scores).any()
    with contextlib.suppress(LlrcalError):
        rewrite(str(path), str(llrs_path), lambda scores: {"llr": scores}, Request("scores"))


@given(
    arrays=st.dictionaries(
        st.sampled_from(["tar", "non", "scores", "labels", "tar_speakers"]), ARRAYS | NUMBERS
    )
)
def test_archives_of_any_arrays_are_read_or_refused(
    arrays: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    np.savez(folder / "any.npz", **arrays)
    read_or_refused(folder / "any.npz", folder / "llrs")
    for array in arrays.values():
        np.save(folder / "any.npy", array)
        read_or_refused(folder / "any.npy", folder / "llrs")


@st.composite
def matrices(draw: st.DrawFn) -> dict[str, Any]:
    """What BOSARIS would write, but for something here and there."""
    rows, columns = draw(st.sampled_from([(2, 3), (2, 2), (1, 1), (0, 2)]))
    marks = hnp.arrays(st.sampled_from(["f8", "i8", "i1"]), (rows, columns), elements=MARKS)
    side = {n: st.just(np.array(["a", "b", "é"][:n], object)) for n in (rows, columns)}
    ids = {"ID/row_ids": side[rows], "ID/column_ids": side[columns]}
    key = {"trial_mask": marks}
    scores = {
        "scores": hnp.arrays("f8", (rows, columns), elements=st.floats(-9, 9)),
        "score_mask": marks.map(np.abs),
    }
    likely = ids | draw(st.sampled_from([scores, key, scores | key]))
    odd, missing = draw(SOME_OF_THEM), draw(SOME_OF_THEM)
    return {
        name: draw(ARRAYS if k == odd else values)
        for k, (name, values) in enumerate(likely.items())
        if k != missing
    }


@given(sheets=matrices(), packed=st.booleans())
def test_any_matrices_in_hdf5_are_read_or_refused(
    sheets: dict[str, Any], packed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    h5py = pytest.importorskip("h5py")
    folder = tmp_path_factory.getbasetemp()
    with h5py.File(folder / "any.h5", "w") as file:
        for name, array in sheets.items():
            options = {"compression": "gzip"} if packed and array.size and array.ndim == 2 else {}
            kind = h5py.string_dtype() if array.dtype.kind in "OU" else None
            if array.dtype.kind != "M":  # of which HDF5 knows nothing
                file.create_dataset(name, data=array.astype(kind or array.dtype), **options)
    read_or_refused(folder / "any.h5", folder / "llrs")


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """What trials may look like, but for a column here and there."""
    count, odd, missing = draw(st.integers(1, 4)), draw(SOME_OF_THEM), draw(SOME_OF_THEM)
    size: dict[str, Any] = {"min_size": count, "max_size": count}
    anything = st.sampled_from(COLUMN_TYPES).flatmap(lambda dtype: series(dtype=dtype, **size))
    columns = {
        role: draw(anything if k == odd else st.lists(values, **size).map(pl.Series))
        for k, (role, values) in enumerate(ROLES.items())
        if k != missing
    }
    return pl.DataFrame({role: column.alias(role) for role, column in columns.items()})


@pytest.mark.slow
@given(table=tables(), is_arrow=st.booleans())
def test_tables_of_any_columns_are_read_or_refused(
    table: pl.DataFrame, is_arrow: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    (table.write_ipc if is_arrow else table.write_parquet)(folder / "any.table")
    read_or_refused(folder / "any.table", folder / "llrs")
    with contextlib.suppress(LlrcalError):
        read_trials(table)
