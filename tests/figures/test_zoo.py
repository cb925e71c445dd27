"""Zoo plots: every speaker at its means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.collections import PathCollection

from llrcal import Evaluation, Trials
from llrcal.errors import OptionError
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.figures import zoo
from tests.figures.drawing import axes


def with_goats(speakers: int = 40) -> Evaluation:
    rng = np.random.default_rng(0)
    same = np.resize(np.arange(speakers), 10 * speakers)
    pairs = rng.integers(speakers, size=(2_000, 2))
    tar = rng.normal(4, 1.5, len(same)) - 5 * (same < speakers // 8)
    non = rng.normal(-4, 1.5, len(pairs))
    names = np.array([f"person {i}" for i in range(speakers)], dtype=object)
    who = np.column_stack([same, same]), pairs
    return evaluate_quietly(Trials(tar, non, "drawn", *who, speaker_names=names))


def test_every_speaker_is_where_its_means_are() -> None:
    ev = with_goats()
    ax = zoo(ev, ax=axes(), units="log10")
    (drawn,) = ax.collections
    assert isinstance(drawn, PathCollection)
    table = ev.speakers()
    means = table.select("llr_tar", "llr_non").to_numpy()
    assert np.asarray(drawn.get_offsets()) * math.log(10) == pytest.approx(means)
    assert (np.diff(drawn.get_sizes()) <= 0).all()
    assert ax.yaxis_inverted()
    assert {text.get_text() for text in ax.texts} & {*table["speaker"].head(5)}


@pytest.mark.parametrize("speakers", [1, 2, 3])
def test_few_speakers_and_infinite_means_can_be_drawn(speakers: int) -> None:
    same = np.arange(speakers)[:, None] * [1, 1]
    pairs = np.column_stack([same[:, 0], same[::-1, 0]])
    for value in (1.0, math.inf):
        tar, non = np.full(speakers, value), np.full(speakers, -value)
        ev = evaluate_quietly(Trials(tar, non, "few", same, pairs, allow_infinite=True))
        ax = zoo(ev, ax=axes())
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.draw_without_rendering()
        assert len(np.asarray(ax.collections[0].get_offsets())) == (speakers if value == 1 else 0)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match="a dict cannot be drawn here"):
        zoo({"a": with_goats()}, ax=axes())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="speakers are not known"):
        zoo(evaluate_quietly([1.0], [0.0]), ax=axes())
