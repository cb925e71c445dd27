"""What a fit is where nothing is said, whichever way it is asked for."""

from __future__ import annotations

import llrcal
from llrcal.calibrations.methods import PAPER, label, method_and_options
from tests.trial_sets import normal

TAR, NON = normal(50, 2, 1.2), normal(200, -1, 1)


def test_a_spline_that_rises_within_what_the_counts_support() -> None:
    fitted = llrcal.fit(TAR, NON)
    assert fitted.method == "smooth"
    assert (fitted.bounds.policy, fitted.lower_is_better) == ("counts", False)
    assert fitted.bounds.meeting is not None
    assert fitted == llrcal.fit(
        TAR,
        NON,
        method="smooth",
        bounds="counts",
        rising=True,
        lower_is_better=False,
    )


def test_all_ten_of_the_paper() -> None:
    labels = [label(*method_and_options(entry)) for entry in PAPER]
    every = llrcal.fit_all(TAR, NON)
    assert list(every) == labels
    assert {one.bounds.policy for one in every.values()} == {"counts"}
    assert None not in {one.bounds.meeting for one in every.values()}
    assert not any(one.lower_is_better for one in every.values())


def test_options_reach_the_method() -> None:
    for alpha in (0.1, 0.9):
        (one,) = llrcal.fit_all(TAR, NON, methods=[("linear-gaussian", {"alpha": alpha})]).values()
        assert one == llrcal.fit(TAR, NON, method="linear-gaussian", alpha=alpha)
        expected = alpha * TAR.var() + (1 - alpha) * NON.var()
        assert abs(one.params["variance"] / expected - 1) < 1e-12
