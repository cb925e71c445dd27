"""What intervals say of how they came about."""

from __future__ import annotations

from typing import Any

from tests.evaluation.drawn_sets import bootstrap_intervals


def test_what_was_drawn_and_how_often() -> None:
    speakers: dict[str, Any] = {"tar_speakers": [[1, 1], [2, 2]], "non_speakers": [[1, 2]]}
    by_trial = bootstrap_intervals([1.0, 2.0], [0.0], prior_log_odds=[0.0], replicates=3)
    by_speaker = bootstrap_intervals(
        [1.0, 2.0], [0.0], prior_log_odds=[0.0], replicates=4, **speakers
    )
    assert (by_trial.by, by_trial.replicates) == ("trial", 3)
    assert (by_speaker.by, by_speaker.replicates) == ("speaker", 4)
    assert bootstrap_intervals([1.0], [0.0], prior_log_odds=[]).replicates == 200
