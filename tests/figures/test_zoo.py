"""Zoo plots: every speaker at its means, in the colour of its corner."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.colors import to_hex

from llrcal import Evaluation, Trials
from llrcal.errors import OptionError
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.figures import zoo
from llrcal.figures.curves import ZOO_COLOURS, ZOO_MARKERS, zoo_quarters, zoo_speakers
from tests.figures.drawing import axes, legend_names


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
    points = {}
    for drawn in ax.collections:
        corner, kind = str(drawn.get_label()).split(", ")
        for x, y in np.asarray(drawn.get_offsets()):
            points[round(x * math.log(10), 9), round(y * math.log(10), 9)] = corner, kind
        assert to_hex(tuple(np.asarray(drawn.get_facecolor())[0])) == ZOO_COLOURS[corner][0]
    table = ev.speakers().to_dicts()
    assert len(points) == len(table)
    for row in table:
        corner, kind = points[round(row["llr_tar"], 9), round(row["llr_non"], 9)]
        animals = row["animals"].split(", ")
        assert corner in animals or not {*animals} & {*ZOO_COLOURS}
        assert kind in animals or not {*animals} & {*ZOO_MARKERS}
    assert ax.yaxis_inverted()
    names = [row["speaker"] for row in table[:5]]
    assert {text.get_text() for text in ax.texts} & {*names}
    assert legend_names(ax)[0] == "goats: 5, chance 1.0 *"
    assert sum("chance" in text.get_text() for text in ax.texts) == 4


def test_lines_set_quarters_apart() -> None:
    ev = with_goats()
    table = ev.speakers()
    for side, (low, high) in zip(("tar", "non"), zoo_quarters(ev.zoo), strict=True):
        llrs = table[f"llr_{side}"].to_numpy()
        assert ((llrs < low).sum(), (llrs > high).sum()) == (10, 10)


@pytest.mark.parametrize("speakers", [1, 2, 3])
def test_few_speakers_and_infinite_means_can_be_drawn(speakers: int) -> None:
    same = np.arange(speakers)[:, None] * [1, 1]
    pairs = np.column_stack([same[:, 0], same[::-1, 0]])
    for value in (1.0, math.inf):
        tar, non = np.full(speakers, value), np.full(speakers, -value)
        ev = evaluate_quietly(Trials(tar, non, "few", same, pairs, allow_infinite=True))
        figure = zoo(ev, ax=axes()).get_figure(root=True)
        assert figure is not None
        figure.draw_without_rendering()
        assert len(zoo_speakers(ev.zoo)) == (1 if value == 1 else 0)
        assert not ev.zoo.found


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match="a dict cannot be drawn here"):
        zoo({"a": with_goats()}, ax=axes())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="speakers are not known"):
        zoo(evaluate_quietly([1.0], [0.0]), ax=axes())
