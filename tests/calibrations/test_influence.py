"""What one more trial does to LLRs, of either class."""

from __future__ import annotations

import numpy as np

from llrcal.calibrations.uncertainty import from_draws


def test_a_non_target_does_the_opposite_of_a_target() -> None:
    """Where draws of both classes are the same: so what one speaker does in both cancels out."""
    rng = np.random.default_rng(1)
    scores, logs, weights = np.arange(5.0), rng.normal(size=(40, 5)), rng.uniform(1, 2, 40)
    found = from_draws(scores, (logs, weights), (logs, weights), eer_score=None)
    tar, non = found.influence()
    np.testing.assert_array_equal(tar, -non)
    expected = np.cov(logs.T, aweights=weights, ddof=0)
    np.testing.assert_allclose(tar, expected, rtol=1e-12)
