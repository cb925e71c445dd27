"""Learning curves: what is drawn, and that the numbers are those of evaluate."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.calibrations.fit import fit_methods
from llrcal.comparison import LearningCurve, compare, learning_curve
from llrcal.comparison.learning_curve import METRICS, Band, Point, Pool, banded, error_view
from llrcal.comparison.ranking import Criterion
from llrcal.comparison.tables import as_csv
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.trials import Trials
from tests.beyond_memory import open_trials
from tests.comparison.test_folds import anonymous, crossed, people
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES


def simulated(condition: str = "train") -> Trials:
    return llrcal.simulate(targets=400, nontargets=16_000, condition=condition)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def curve() -> LearningCurve:
    return learning_curve(simulated(), simulated("test"), methods=["logistic", "pav"], draws=4)


# ------------------------------------------------------------------------------ draws


def test_a_draw_has_all_trials_among_some_speakers_or_keeps_the_proportion() -> None:
    trials, rng = crossed(speakers=20), np.random.default_rng(1)  # 400 targets, 760 non-targets
    drawn = Pool.of(trials).drawn(6, rng)
    assert drawn is not None
    assert len(people(drawn)) == 6
    assert drawn.counts == (6 * 20, 15 * 4)
    drawn = Pool.of(anonymous(trials)).drawn(100, rng)
    assert drawn is not None
    assert drawn.counts == (100, 190)
    assert len({*drawn.tar} & {*trials.tar}) == 100  # without replacement


def test_a_draw_without_a_class_is_none() -> None:
    two = np.array([[0, 1]] * 5)
    same = np.repeat(np.arange(30), 2).reshape(-1, 1) * np.ones((1, 2), int)
    trials = Trials(np.arange(60.0), np.arange(5.0), "", same, two)
    found = [Pool.of(trials).drawn(3, np.random.default_rng(i)) for i in range(20)]
    assert None in found


# ------------------------------------------------------------------------ what it says


@pytest.mark.slow
def test_sizes_rise_geometrically_to_all(curve: LearningCurve) -> None:
    sizes = curve.sizes
    assert curve.by == "speaker"
    assert sizes[-1][:4] == (400, 16_000, len(people(simulated())), 1)
    assert all(size.draws == 4 for size in sizes[:-1])
    tar, non, speakers = np.array([size[:3] for size in sizes], float).T
    assert (speakers[1:] / speakers[:-1] > 1.7).all()
    assert tar[0] >= 8
    # A share of the speakers has this share of the targets, and its square of the non-targets.
    share = speakers / speakers[-1]
    np.testing.assert_allclose(tar, 400 * share, rtol=0.2)
    np.testing.assert_allclose(non[1:], 16_000 * share[1:] ** 2, rtol=0.35)


def test_with_all_trials_the_numbers_are_those_of_compare(curve: LearningCurve) -> None:
    found = compare(simulated(), simulated("test"), methods=["logistic", "pav"], replicates=0)
    assert curve.range == found.range
    least = Criterion.over_range(found.raw).least(found.raw)
    assert curve.minimum["mean_error"] == least
    assert curve.minimum["cllr"] == found.raw.min_cllr
    for label, candidate in found.candidates.items():
        ev = candidate.evaluation
        numbers = (found.mean_errors[label], ev.cllr, ev.calibration_loss)
        for metric, number in zip(METRICS, numbers, strict=True):
            assert getattr(curve.points[label][-1], metric) == Band(number, number, number)


@pytest.mark.slow
def test_the_draws_are_those_that_anybody_would_evaluate() -> None:
    """One size by hand: draw, fit, evaluate, sort."""
    train, test = simulated(), simulated("test")
    found = learning_curve(train, test, methods=["logistic"], draws=10, seed=5)
    size = found.sizes[1]
    assert size.speakers is not None
    pool = Pool.of(train)
    cllr = []
    for number in range(10):
        drawn = pool.drawn(size.speakers, np.random.default_rng([5, size.speakers, number]))
        assert drawn is not None
        (cal,) = fit_methods(drawn, methods=["logistic"]).values()
        cllr.append(evaluate_quietly(cal(test.tar), cal(test.non)).cllr)
    ordered = sorted(cllr)
    expected = Band(ordered[1], (ordered[4] + ordered[5]) / 2, ordered[8])  # 8 of 10 within
    assert found.points["logistic"][1].cllr == expected


def test_folds_of_one_set() -> None:
    trials = crossed(speakers=30)
    found = learning_curve(trials, folds=3, methods=["logistic"], draws=2)
    whole = compare(trials, folds=3, methods=["logistic"], replicates=0)
    # 20 of 30 speakers are strangers to the trials within a fold, 10 to those between two.
    assert found.sizes[-1].speakers == 15
    assert found.sizes[-1].targets == 300
    assert found.tested == (600, 15 * 29 * 4)
    cllr = found.points["logistic"][-1].cllr
    assert cllr.median == whole.candidates["logistic"].evaluation.cllr


def test_table_and_plain_values(curve: LearningCurve) -> None:
    rows = curve.table()
    assert len(rows) == 2 * len(curve.sizes)
    assert rows[0]["calibration"] == "logistic"
    assert rows[-1]["cllr"] == curve.points["pav"][-1].cllr.median
    assert rows[0]["mean_error_low"] == curve.points["logistic"][0].mean_error.low
    assert as_csv(rows).startswith("calibration,targets,non_targets,speakers,draws,mean_error,")
    plain = json.loads(json.dumps(curve.to_dict()))
    assert (plain["by"], plain["table"]) == ("speaker", rows)


def hand_made(**errors: list[float]) -> LearningCurve:
    """A curve of given median errors, with as many sizes, each double the one before."""
    points = {
        label: tuple(
            Point(10 * 2**i, 100 * 4**i, 5 * 2**i, 10, *[Band(e - 0.01, e, e + 0.01)] * 3)
            for i, e in enumerate(medians)
        )
        for label, medians in errors.items()
    }
    minimum = {"mean_error": 0.2, "cllr": 0.15, "calibration_loss": 0.0}
    return LearningCurve(points, minimum, (-5.0, 3.0), (50, 500), 0)


def test_words() -> None:
    found = hand_made(nig=[0.9, 0.21, 0.205, 0.2], linear=[0.4, 0.31, 0.3, 0.3])
    assert found.enough == {"nig": 20, "linear": 20}
    assert (found.best(0), found.best()) == ("linear", "nig")
    assert found.verdict == (
        "With 80 targets, nig has the least mean Bayes error over prior log-odds -5.0 to 3.0, "
        "0.2000; from 20 on it stays within 5% of that. With 10, linear is best with 0.4000, and "
        "nig has 0.9000."
    )
    rising = hand_made(nig=[0.9, 0.7, 0.5, 0.3])
    assert rising.enough == {"nig": 80}
    assert rising.verdict.endswith("0.3000; more trials would still help it.")
    assert hand_made(nig=[0.2]).verdict.endswith("too few trials to draw smaller sets from.")
    assert "10 to 80 targets" in repr(found)
    shown = found._repr_html_()
    assert "0.9000 with 10; 0.2050 with 40; 0.2000 with 80" in shown


def test_few_bands_and_a_view_that_no_outlier_stretches() -> None:
    few = hand_made(a=[0.5, 0.3], b=[0.4, 0.35], c=[9.0, 0.25])
    assert banded(few) == {"a", "b", "c"}
    many = hand_made(a=[0.5, 0.3], b=[0.4, 0.35], c=[9.0, 0.25], d=[0.6, 0.5])
    assert banded(many) == {"b", "c"}
    low, high = error_view(many, "mean_error")
    assert low < 0.2
    assert high == pytest.approx(0.2 + 2 * 0.3)
    level = hand_made(a=[0.5, 0.21], b=[9.0, 0.21])
    assert error_view(level, "mean_error")[1] == pytest.approx(0.4)


# ---------------------------------------------------------------------------- edges


def test_too_few_trials_for_smaller_sets() -> None:
    trials = Trials(np.array([1.0, 2.5, 2.0, 0.2]), np.array([-1.0, 0.5, 1.2, -2.0, 0.1]))
    found = learning_curve(trials, trials.mapped(lambda x: x + 0.1), methods=["logistic"])
    assert [size.targets for size in found.sizes] == [4]


def test_scores_of_few_values() -> None:
    """Draws on which no density can be fitted are drawn again, or given up."""
    rng = np.random.default_rng(0)
    sets = [
        Trials(rng.binomial(1, 0.02, 400) * 1.0 + 5, rng.normal(size=4000), "nearly all the same")
        for _ in range(2)
    ]
    found = learning_curve(*sets, methods=["gaussian"], draws=5)
    assert found.sizes[-1].targets == 400
    assert all(size.draws <= 5 for size in found.sizes)


@pytest.mark.slow
def test_in_compare(curve: LearningCurve) -> None:
    said: list[str] = []
    trials, test = simulated(), simulated("test")
    found = compare(
        trials, test, methods=["pav"], replicates=0, learning_curve=True, progress=said.append
    )
    assert found.learning_curve == learning_curve(trials, test, methods=["pav"])
    assert said[4:] == [
        f"learning from {size.speakers:,} speakers" for size in found.learning_curve.sizes
    ]
    assert compare(trials, test, methods=["pav"], replicates=0).learning_curve is None


@pytest.mark.parametrize("options", [{"draws": 0}, {"draws": 2.5}, {"seed": -1}, {"methods": []}])
def test_bad_options(options: dict[str, Array]) -> None:
    with pytest.raises(llrcal.OptionError):
        learning_curve(crossed(), crossed(1), **options)  # type: ignore[arg-type]


def test_trials_in_pieces_are_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("pieces") / "all.npz"
    np.savez(path, tar=crossed().tar, non=crossed().non)
    with pytest.raises(llrcal.OptionError, match="learning_curve needs all trials in memory"):
        learning_curve(crossed(), open_trials(path))
    known = replace(crossed(), tar_speakers=None)
    assert learning_curve(known, simulated(), methods=["pav"], draws=1).by == "trial"
