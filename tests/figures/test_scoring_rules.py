"""Figures of scoring rules show their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from llrcal import OptionError
from llrcal.figures import scoring_rules
from llrcal.scoring_rule import ScoringRule
from tests.figures.drawing import axes, data, legend_names, lines


def test_curves_are_the_weights() -> None:
    ax = scoring_rules(["log", (0.5, -0.5)], ax=axes(), alpha=0.1)
    for rule in (ScoringRule(0, 0), ScoringRule(0.5, -0.5)):
        x, y = data(lines(ax)[rule.name])
        np.testing.assert_array_equal(y, rule.weights(x, alpha=0.1))
        assert x.mean() == pytest.approx(np.log(0.1 / 0.9))
    assert legend_names(ax) == ["log", "0.5,-0.5"]


def test_priors_of_the_callers_choice() -> None:
    ax = scoring_rules(ax=axes(), x=[-3.0, 0.0, 1.0], legend=False)
    assert list(lines(ax)) == ["log", "brier", "boosting"]
    assert data(lines(ax)["brier"])[0].tolist() == [-3, 0, 1]
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rules": []}, "give a list of rules"),
        ({"rules": "log"}, "give a list of rules"),
        ({"rules": ["loq"]}, "rule is 'loq'"),
        ({"alpha": 1}, "strictly between 0 and 1"),
        ({"x": [1.0, 0.0]}, "rising"),
    ],
)
def test_nothing_to_draw(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        scoring_rules(**arguments, ax=axes())
