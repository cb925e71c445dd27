"""Maximum likelihood: certified optima, and the best that many other searches find."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import llrcal
from llrcal.arrays import Floats
from llrcal.densities.density import Density, Evaluated
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.optimizer import minimise
from llrcal.method_table import MethodName
from llrcal.onepass.summary import Summary
from tests.examples import NIGHTLY
from tests.reference import certified
from tests.score_sets import KINDS, SIZES, score_set

FAMILIES: dict[str, type[Density]] = {"gaussian": Gaussian, "student_t": StudentT, "nig": NIG}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", certified.NAMES)
def test_certified_optimum(name: str, family: str) -> None:
    scores, optimum = certified.values(name), certified.optima(name)[family]
    density, report = maximum_likelihood(FAMILIES[family], Summary.of(scores))
    assert report.converged
    assert report.positive_definite
    assert density.loglik * len(scores) == pytest.approx(float(optimum["loglik"]), rel=1e-11)
    boundary = optimum.get("boundary", False)
    assert bool(report.notes) == boundary
    if boundary:
        return
    names = {"gaussian": ("mean", "variance_ml"), "student_t": ("mu", "sigma", "nu")}
    keys = names.get(family, ("mu", "delta", "alpha", "beta"))
    expected = [float(optimum[key]) for key in keys]
    assert list(density.params.values()) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("method", "family"), [("gaussian", "gaussian"), ("student-t", "student_t"), ("nig", "nig")]
)
@pytest.mark.parametrize("name", certified.NAMES)
def test_calibrations_are_certified_optima(name: str, method: MethodName, family: str) -> None:
    """Whatever the number of distinct values."""
    scores, optimum = certified.values(name), certified.optima(name)[family]
    report = llrcal.fit(scores, scores - np.ptp(scores), method=method).report
    assert report.converged
    assert -report.objective * len(scores) == pytest.approx(float(optimum["loglik"]), rel=1e-11)


CROWDED: dict[str, tuple[list[float], tuple[float, float, float]]] = {
    # Eight scores, three of which are close by chance.
    "eight": (
        [0.23323622, 0.44537496, 0.74258103, 1.02176068, 1.0245577, 1.02605931, 1.2956, 1.55692546],
        (1 / 4.5748, 1.0245577, 0.002),
    ),
    "six": (
        [-1.42305224, -1.27669621, -0.92247018, -0.92198822, -0.32530495, 0.02853441],
        (1 / 4, -0.92222, 0.0005),
    ),
}


@pytest.mark.filterwarnings("ignore:student-t:llrcal.LlrcalWarning")
@pytest.mark.parametrize("name", CROWDED)
def test_a_peak_where_few_scores_crowd_is_found(name: str) -> None:
    scores, (dof, location, scale) = CROWDED[name]
    values = np.array(scores)
    found = llrcal.fit(values, values - 1, method="student-t")
    at_least = scipy.stats.t.logpdf(values, dof, location, scale).mean()
    assert -found.report.objective > at_least
    assert found.report.converged


def test_scores_that_differ_by_rounding_alone_are_tied() -> None:
    """The likelihood is all but unbounded there, and no search ends."""
    tied = np.array([0.1, 0.3, 0.3, 0.3, 0.5, 0.8, 1.1, 1.3])
    nearly = np.array([0.1, 0.3, 0.1 + 0.2, 0.30000000000000001, 0.5, 0.8, 1.1, 1.3])
    nearly[3] += 1e-9
    each = [llrcal.fit(x, x - 1, method="student-t").report for x in (tied, nearly)]
    assert all(report.converged for report in each)
    assert each[1].objective == pytest.approx(each[0].objective, abs=1e-6)


def random_starts(family: type[Density], values: Floats, rng: np.random.Generator) -> list[Floats]:
    places = np.quantile(values, [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98])
    log_sd = np.log(values.std())
    starts = []
    for _ in range(5):
        start = [rng.choice(places), log_sd - rng.uniform(-0.5, 3)]
        shape = [rng.normal(), rng.exponential() + 0.01] if family is NIG else [rng.uniform(0, 2)]
        starts.append(np.array(start + shape))
    return starts


def best_of_random_starts(family: type[Density], scores: Summary, seed: int) -> float:
    """Mean log-likelihood of the best of many searches, each on the whole set."""
    points = scores.points()
    low, high = family.bounds(points.tie_share)

    def cost(theta: Floats) -> Evaluated:
        return -family.mean_loglik(theta, points.values, points.weights)

    rng = np.random.default_rng(seed)
    starts = random_starts(family, points.values, rng)
    found = [minimise(cost, np.clip(s, low, high), lower=low, upper=high).value for s in starts]
    return float(-min(found) - np.log(scores.grid.unit))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_search_finds_better(kind: str) -> None:
    for seed, n in enumerate(SIZES):
        if not NIGHTLY and (seed + sorted(KINDS).index(kind)) % 3:
            continue  # by day each size with every third kind, so that searching takes no minute
        scores = score_set(kind, n, seed)
        summary = Summary.of(scores)
        gaussian, _ = maximum_likelihood(Gaussian, summary)
        for family in (StudentT, NIG):
            density, report = maximum_likelihood(family, summary)
            where = (kind, n, seed, family.family)
            assert report.converged, where
            assert report.positive_definite, where
            assert report.gradient_norm < 1e-10, where
            assert density.loglik == pytest.approx(density.logpdf(scores).mean(), abs=1e-9), where
            best = best_of_random_starts(family, summary, seed)
            assert density.loglik > best - 1e-7, where
            assert density.loglik > gaussian.loglik - 1e-11, where
            assert np.isfinite(density.logpdf(np.linspace(-1e6, 1e6, 99))).all(), where


@pytest.mark.parametrize(("family", "most"), [(StudentT, 100), (NIG, 80)])
def test_a_fit_takes_few_evaluations(
    family: type[Density], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, whole = [], family.mean_loglik

    def counted(theta: Floats, values: Floats, weights: Floats) -> Evaluated:
        sizes.append(len(values))
        return whole(theta, values, weights)

    monkeypatch.setattr(family, "mean_loglik", staticmethod(counted))
    maximum_likelihood(family, Summary.of(score_set("skewed", 5_000, 1)))
    assert len(sizes) <= most
    assert sizes.count(5_000) <= 8  # all others on a few hundred points


@pytest.mark.parametrize("kind", ["skewed", "heavy-tailed", "uniform", "bimodal", "rounded"])
def test_nig_mean_is_the_sample_mean(kind: str) -> None:
    # Holds at every NIG maximum, inside and on the edge: a certificate of optimality.
    scores = score_set(kind, 400, 5)
    nig, _ = maximum_likelihood(NIG, Summary.of(scores))
    mean = nig.origin + nig.location + nig.scale * np.tanh(nig.asymmetry)
    assert abs(mean - scores.mean()) < 1e-8 * scores.std()


@pytest.mark.parametrize("seed", [0, 2])
def test_many_scores_at_the_edge_of_the_support(seed: int) -> None:
    # The edge is found on a coarse set of points, and no score lies outside it.
    scores = np.random.default_rng(seed).wald(1, 0.1, 5_000)
    density, report = maximum_likelihood(NIG, Summary.of(scores))
    assert report.converged
    assert "edge kappa = 0" in report.notes[0].text
    assert density.loglik == pytest.approx(density.logpdf(scores).mean(), rel=1e-13)


def test_symmetric_light_tails_end_at_the_gaussian() -> None:
    half = np.linspace(0.01, 1, 200)
    summary = Summary.of(np.concatenate([-half, half]))
    gaussian, _ = maximum_likelihood(Gaussian, summary)
    for family in (StudentT, NIG):
        density, report = maximum_likelihood(family, summary)
        assert density.loglik == pytest.approx(gaussian.loglik, abs=1e-13)
        assert report.notes


@pytest.mark.parametrize("family", [Gaussian, StudentT, NIG])
def test_degenerate_scores_are_refused(family: type[Density]) -> None:
    with pytest.raises(DegenerateError, match="all 30 scores equal 2"):
        maximum_likelihood(family, Summary.of(np.full(30, 2.0)))
    if family is not Gaussian:
        mostly_one = np.concatenate([np.zeros(60), np.linspace(1, 2, 40)])
        with pytest.raises(DegenerateError, match="60% of the 100 scores share one value"):
            maximum_likelihood(family, Summary.of(mostly_one))
        with pytest.raises(DegenerateError, match="too few"):
            maximum_likelihood(family, Summary.of(np.array([1.0, 2.0])))
