"""Tables of speakers and their animals, against counting by hand and simulated zoos."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.random import Generator
from scipy import stats

from llrcal import Trials, evaluate
from llrcal.arrays import Array
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation import zoo as module
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.llrs import Names, WholeLLRs
from llrcal.evaluation.zoo import CORNERS, KINDS, Zoo, _counted, _deviations, _quarters
from llrcal.out_of_core import open_trials

NAMES = np.array([f"person {i}" for i in range(40)], dtype=object)


def people(
    rng: Generator,
    speakers: int = 40,
    *,
    goats: float = 0.0,
    lambs: float = 0.0,
    pairs: float = 0.0,
    uneven: bool = False,
    heavy: bool = False,
) -> tuple[Array, Array, Array, Array]:
    """LLRs of targets and non-targets, and who speaks; the first eighth of them are goats."""
    weights = rng.lognormal(0, 1.2 if uneven else 0, speakers) if uneven else np.ones(speakers)
    weights /= weights.sum()
    same = rng.choice(speakers, 400, p=weights)
    both = rng.choice(speakers, (2_500, 2), p=weights)
    both = both[both[:, 0] != both[:, 1]]

    def noise(count: int) -> Array:
        return rng.standard_t(2.5, count) if heavy else rng.standard_normal(count)

    is_odd = np.arange(speakers) < speakers // 8
    between = pairs * rng.standard_normal((speakers, speakers))
    tar = 3 + noise(len(same)) - goats * is_odd[same]
    non = noise(len(both)) - 3 + lambs * is_odd[both[:, 0]]
    non += between[both.min(axis=1), both.max(axis=1)]
    return tar, non, np.column_stack([same, same]), both


def zoo_of(tar: Array, non: Array, same: Array, both: Array) -> Zoo:
    return Zoo.of(WholeLLRs(tar, non, (same, both)))


# ------------------------------------------------------------------------------- the table


def counted(trials: Trials) -> dict[Any, dict[str, list[float]]]:
    """Costs and LLRs of each speaker, trial by trial."""
    found: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    assert trials.speakers is not None
    sides = zip((trials.tar, trials.non), trials.speakers, ("tar", "non"), (-1, 1), strict=True)
    for llrs, speakers, name, sign in sides:
        for llr, pair in zip(llrs.tolist(), speakers.tolist(), strict=True):
            cost = math.log1p(math.exp(sign * llr)) / len(llrs)
            for who in {*pair}:
                found[who][name].append(llr)
                found[who]["cost"].append(cost / len({*pair}))
    return found


def test_the_table_is_that_of_counting() -> None:
    tar, non, same, both = people(np.random.default_rng(0), goats=2)
    both[0, 1] = both[0, 0]  # a non-target trial of one speaker
    trials = Trials(tar, non, "drawn", same, both, speaker_names=NAMES)
    table = evaluate_quietly(trials).speakers()
    by_hand = counted(trials)
    total = sum(sum(one["cost"]) for one in by_hand.values())
    assert table.height == len(by_hand)
    assert table["share"].is_sorted(descending=True)
    assert table["share"].sum() == pytest.approx(1)
    for row in table.to_dicts():
        one = by_hand[NAMES.tolist().index(row["speaker"])]
        assert (row["tar_count"], row["non_count"]) == (len(one["tar"]), len(one["non"]))
        assert row["llr_tar"] == pytest.approx(np.mean(one["tar"]))
        assert row["llr_non"] == pytest.approx(np.mean(one["non"]))
        assert row["share"] == pytest.approx(sum(one["cost"]) / total)


def test_quarters_and_their_corners() -> None:
    table = zoo_of(*people(np.random.default_rng(1))).speakers
    for side in ("tar", "non"):
        ordered = table.sort(f"llr_{side}")
        assert ordered[f"quarter_{side}"].to_list() == [1 + i // 10 for i in range(40)]
    for row in table.to_dicts():
        corner = {kind for kind in row["animals"].split(", ") if kind in CORNERS}
        quarters = row["quarter_tar"], row["quarter_non"]
        assert corner == {kind for kind, both in CORNERS.items() if both == quarters}


def test_equal_means_are_in_the_same_quarter() -> None:
    means = np.random.default_rng(8).integers(0, 6, (5, 14)).astype(float)
    for row, found in zip(means, _quarters(means), strict=True):
        for one, quarter in zip(row.tolist(), found.tolist(), strict=True):
            rank = (row < one).sum() + ((row == one).sum() - 1) / 2
            assert quarter == 1 + (4 * rank + 2) // 14


def test_speakers_of_one_class_and_infinite_llrs() -> None:
    same = np.repeat([[0, 0], [1, 1], [2, 2], [3, 3]], 2, axis=0)
    both = np.array([[0, 1], [1, 2], [2, 9], [9, 0], [3, 0]])
    tar = np.array([1.0, 2.0, -math.inf, 3.0, math.inf, -math.inf, 2.0, 2.5])
    non = np.array([-1.0, -2.0, -math.inf, 0.5, -4.0])
    zoo = zoo_of(tar, non, same, both)
    rows = {row["speaker"]: row for row in zoo.speakers.to_dicts()}
    assert (rows[9]["tar_count"], rows[9]["llr_tar"], rows[9]["quarter_tar"]) == (0, None, None)
    assert rows[1]["llr_tar"] == -math.inf
    assert rows[2]["llr_tar"] is None  # infinite on both sides
    # Beside two infinite costs, others are nothing.
    assert [rows[who]["share"] for who in (0, 1, 2, 3, 9)] == [0, 0.5, 0.5, 0, 0]
    # Infinite LLRs count as -4 and 3, so that two speakers have equal means.
    assert [rows[who]["quarter_tar"] for who in (0, 1, 2, 3)] == [3, 2, 2, 4]


def test_neither_order_nor_kind_of_name_matters() -> None:
    tar, non, same, both = people(np.random.default_rng(2), goats=2)
    zoo = zoo_of(tar, non, same, both)
    rng = np.random.default_rng(3)
    first, second = rng.permutation(len(tar)), rng.permutation(len(non))
    again = zoo_of(tar[first], non[second], same[first], both[second])
    assert again.speakers.equals(zoo.speakers)
    assert again.animals == zoo.animals


def test_what_cannot_be_told(tmp_path: Any) -> None:
    with pytest.raises(OptionError, match="speakers are not known"):
        evaluate_quietly([1.0, 2.0], [-1.0, 0.0]).speakers()
    two = Trials(np.ones(1), -np.ones(1), "two", np.array([[0, 1]]), np.array([[0, 1]]))
    with pytest.raises(ScoreError, match="1 target trials have two speakers"):
        evaluate(two).speakers()
    pl.DataFrame({"llr": [1.0, -1.0], "label": [1, 0]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(OptionError, match="tables of speakers need all LLRs in memory"):
        evaluate_quietly(open_trials(tmp_path / "a.parquet")).speakers()


# ----------------------------------------------------------------------------- the animals


def test_p_values_are_shares_of_sets() -> None:
    """Adjusted for seven kinds as Westfall and Young do, written down."""
    counts = np.random.default_rng(4).integers(0, 4, (len(KINDS), 20))
    found = _counted(counts)
    shares = [[sum(other >= one for other in row) / 20 for one in row] for row in counts.tolist()]
    least = [min(column) for column in zip(*shares, strict=True)]
    for animal, row, share in zip(found, counts, shares, strict=True):
        assert animal.count == row[0]
        assert animal.expected == pytest.approx(row[1:].mean())
        assert animal.p_value == sum(one <= share[0] for one in least) / 20


@pytest.mark.parametrize(
    "kind",
    [{}, {"uneven": True, "heavy": True}, {"uneven": True, "pairs": 1.0}],
    ids=["even", "uneven, heavy tails", "uneven, pairs"],
)
def test_where_there_are_no_animals_few_are_found(kind: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    alarms = sum(bool(zoo_of(*people(rng, **kind)).found) for _ in range(30))
    assert alarms <= 5  # at 5 %, more are rarer than 1 in 300


@pytest.mark.parametrize("sizes", [[4, 4, 4, 4, 4], [2, 9, 1, 5, 3, 3]])
def test_how_much_means_of_pairs_vary(sizes: list[int]) -> None:
    """By SciPy's F; with as many trials each, that is the deviation of the means."""
    rng = np.random.default_rng(4)
    groups = [rng.normal(rng.normal(0, 3), 1, size) for size in sizes]
    values, count = np.concatenate(groups), np.array(sizes)
    means = np.array([group.mean() for group in groups])
    found = _deviations(values, np.repeat(means, sizes), count, means)
    squares = sum(float(np.square(group - group.mean()).sum()) for group in groups)
    within = squares / (len(values) - len(sizes))
    typical = (len(values) - np.square(count).sum() / len(values)) / (len(sizes) - 1)
    own = (stats.f_oneway(*groups).statistic - 1) * within / typical
    assert own > 0
    assert found == pytest.approx(np.sqrt(own + within / count))
    if len({*sizes}) == 1:
        assert found == pytest.approx(means.std(ddof=1))


def test_many_trials_are_drawn_as_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = people(np.random.default_rng(9), uneven=True, pairs=1.0, lambs=0.5)
    permuted = zoo_of(*drawn)
    monkeypatch.setattr(module, "_MANY", 100)
    normal = zoo_of(*drawn)
    for one, other in zip(permuted.animals, normal.animals, strict=True):
        assert one.expected == pytest.approx(other.expected, abs=0.25)
        assert abs(one.count - other.count) <= 1
        assert one.p_value == pytest.approx(other.p_value, abs=0.15)


def test_goats_and_lambs_are_found() -> None:
    zoo = zoo_of(*people(np.random.default_rng(6), goats=2.0, lambs=1.5))
    assert [one.kind for one in zoo.found] == ["goat", "lamb"]
    goats = zoo.speakers.filter(pl.col("animals").str.contains("goat"))["speaker"]
    assert {*goats} >= {0, 1, 2, 3, 4}
    assert "5 goats" in zoo.text or "6 goats" in zoo.text
    assert "more animals than chance" in repr(zoo)
    assert [one["kind"] for one in zoo.to_dict()["animals"]] == list(KINDS)


def sessions(rng: Generator, *, known: bool) -> WholeLLRs:
    """All pairs of recordings, five of each speaker, which differ where speakers do not."""
    who = np.repeat(np.arange(30), 5)
    bad = rng.standard_normal(len(who))
    a, b = np.triu_indices(len(who), 1)
    is_target = who[a] == who[b]
    llrs = bad[a] + bad[b] + 0.3 * rng.standard_normal(len(a)) + np.where(is_target, 5, -5)
    ids = pl.DataFrame({"enrol": a.astype(str), "test": b.astype(str)})
    names = Names(ids=ids, is_target=is_target) if known else Names()
    pairs = np.column_stack([who[a], who[b]])
    sides = (llrs[is_target], llrs[~is_target]), (pairs[is_target], pairs[~is_target])
    return WholeLLRs(*sides[0], sides[1], names=names)


def test_a_bad_recording_makes_no_goat() -> None:
    rng = np.random.default_rng(7)
    known, unknown = (
        sum(
            any(one.found for one in Zoo.of(sessions(rng, known=told)).animals[:3])
            for _ in range(10)
        )
        for told in (True, False)
    )
    assert known <= 2 < 8 <= unknown
