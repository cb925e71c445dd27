"""Counts of all pairs, against pairs one by one with their labels looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.pairing.labels import groups_of
from tests.pairing import oracle


class Set:
    """Embeddings with labels of many kinds."""

    def __init__(self, count: int, seed: int, dimensions: int = 12) -> None:
        rng = np.random.default_rng(seed)
        self.speaker = rng.integers(0, 15, count)
        self.session = self.speaker * 10 + rng.integers(0, 4, count)
        self.room = rng.integers(0, 30, count)  # which speakers share
        self.sex = np.array(["f", "m"])[self.speaker % 2]
        self.channel = np.array(["mic", "phone", "web"])[rng.integers(0, 3, count)]
        centre = np.random.default_rng(0).normal(size=(15, dimensions))
        self.vectors = centre[self.speaker] + rng.normal(size=(count, dimensions))
        self.steps = oracle.integers(self.vectors)


A, B = Set(120, 1), Set(90, 2)
WITHIN = oracle.steps(A.steps, A.steps)
BETWEEN = oracle.steps(A.steps, B.steps)


def test_all_pairs_within_a_set() -> None:
    got = llrcal.pairs(A.vectors, A.speaker)
    want = oracle.counted(WITHIN, lambda i, j: i < j, lambda i, j: A.speaker[i] == A.speaker[j])
    assert oracle.of(got) == want
    assert len(got) == 120 * 119 // 2


def test_all_pairs_between_sets() -> None:
    got = llrcal.pairs(A.vectors, (A.speaker, B.speaker), test=B.vectors)
    want = oracle.counted(BETWEEN, lambda i, j: True, lambda i, j: A.speaker[i] == B.speaker[j])
    assert oracle.of(got) == want


@pytest.mark.parametrize("two_sets", [False, True])
def test_what_trials_must_and_must_not_share(two_sets: bool) -> None:
    one, other = (A, B) if two_sets else (A, A)

    def both(name: str) -> Any:
        return (getattr(A, name), getattr(B, name)) if two_sets else getattr(A, name)

    got = llrcal.pairs(
        A.vectors,
        both("speaker"),
        test=B.vectors if two_sets else None,
        exclude={"session": both("session"), "room": both("room")},
        within=both("sex"),
    )

    def is_trial(i: int, j: int) -> bool:
        return bool(
            (two_sets or i < j)
            and one.sex[i] == other.sex[j]
            and one.session[i] != other.session[j]
            and one.room[i] != other.room[j]
        )

    found = BETWEEN if two_sets else WITHIN
    want = oracle.counted(found, is_trial, lambda i, j: one.speaker[i] == other.speaker[j])
    assert oracle.of(got) == want
    assert min(got.counts) > 0


@pytest.mark.parametrize("two_sets", [False, True])
def test_counts_by_condition_add_up(two_sets: bool) -> None:
    one, other = (A, B) if two_sets else (A, A)
    labels: dict[str, Any] = {"speakers": A.speaker, "by": A.channel, "exclude": A.room}
    if two_sets:
        labels = {
            "speakers": (A.speaker, B.speaker),
            "by": (A.channel, B.channel),
            "exclude": (A.room, B.room),
        }
    got = llrcal.pairs(A.vectors, test=B.vectors if two_sets else None, **labels)
    assert len(got) == (9 if two_sets else 6)
    for name, counts in got.items():
        first, _, last = name.partition("/")
        wanted = (first, last or first)

        def is_trial(i: int, j: int, wanted: tuple[str, str] = wanted) -> bool:
            kinds = one.channel[i], other.channel[j]
            if not two_sets:
                kinds, wanted = tuple(sorted(kinds)), tuple(sorted(wanted))  # type: ignore[assignment]
            is_pair = two_sets or i < j
            return bool(is_pair and kinds == wanted and one.room[i] != other.room[j])

        found = BETWEEN if two_sets else WITHIN
        want = oracle.counted(found, is_trial, lambda i, j: one.speaker[i] == other.speaker[j])
        assert oracle.of(counts) == want, name


def test_enrolment_by_several_utterances() -> None:
    model = A.speaker * 3 + np.arange(120) % 3  # a few models of each speaker
    names = np.unique(model)
    means = np.array([A.vectors[model == name].mean(axis=0) for name in names])
    got = llrcal.pairs(
        A.vectors,
        (A.speaker, B.speaker),
        test=B.vectors,
        models=model,
        exclude={"room": (A.room, B.room), "session": (A.session, B.session)},
    )
    rooms = [{*A.room[model == name]} for name in names]
    sessions = [{*A.session[model == name]} for name in names]
    want = oracle.counted(
        oracle.steps(oracle.integers(means), B.steps),
        lambda i, j: B.room[j] not in rooms[i] and B.session[j] not in sessions[i],
        lambda i, j: names[i] // 3 == B.speaker[j],
    )
    assert oracle.of(got) == want


@pytest.mark.parametrize("two_sets", [False, True])
def test_counts_without_each_group_of_speakers(two_sets: bool) -> None:
    one, other = (A, B) if two_sets else (A, A)
    both: Any = (A.speaker, B.speaker) if two_sets else A.speaker
    rooms: Any = (A.room, B.room) if two_sets else A.room
    test = B.vectors if two_sets else None
    got = llrcal.pairs(A.vectors, both, test=test, exclude=rooms, groups=4)
    sides = [A.speaker, B.speaker] if two_sets else [A.speaker]
    group = groups_of(sides, 4)
    assert len(got.without) == 4
    for number, left in enumerate(got.without):

        def is_trial(i: int, j: int, number: int = number) -> bool:
            touched = number in (group[one.speaker[i]], group[other.speaker[j]])
            return bool((two_sets or i < j) and one.room[i] != other.room[j] and not touched)

        found = BETWEEN if two_sets else WITHIN
        want = oracle.counted(found, is_trial, lambda i, j: one.speaker[i] == other.speaker[j])
        assert oracle.of(left) == oracle.coarse(want)


def test_groups_are_of_about_the_same_size() -> None:
    speakers = np.repeat(np.arange(50), np.random.default_rng(3).integers(1, 40, 50))
    group = groups_of([speakers], 10)
    sizes = np.bincount(group[speakers])
    assert len(sizes) == 10
    assert sizes.max() < 1.2 * sizes.min()
    assert llrcal.pairs(A.vectors, A.speaker, groups=0).without == ()
    assert len(llrcal.pairs(A.vectors, A.speaker, groups=2).without) == 2
    some = np.array([0, 3, 4])  # of five, the others of whom have no embedding
    group = groups_of([some], 10)
    assert (sorted(group[some]), group.max()) == ([0, 1, 2], 2)


def test_order_and_labels_do_not_matter() -> None:
    order = np.random.default_rng(4).permutation(120)
    names = np.array([f"speaker {one:02}" for one in A.speaker])
    first = llrcal.pairs(A.vectors, A.speaker, exclude=A.session)
    second = llrcal.pairs(A.vectors[order], names[order], exclude=A.session[order].astype(float))
    for one, other in zip((first, *first.without), (second, *second.without), strict=True):
        assert oracle.of(one) == oracle.of(other)


def test_dot_products() -> None:
    rng = np.random.default_rng(5)
    enrol, test = (
        rng.normal(size=(count, 9)) * 10.0 ** rng.uniform(-1, 2, (count, 1)) for count in (40, 30)
    )
    test[3] = 0
    speakers = np.arange(40) % 7, np.arange(30) % 7
    got = llrcal.pairs(enrol, speakers, test=test, similarity="dot")
    unit = np.linalg.norm(enrol, axis=1).max() * np.linalg.norm(test, axis=1).max()
    written = np.repeat(got.scores, got.targets + got.nontargets)
    assert len(written) == 1200
    np.testing.assert_allclose(written, np.sort((enrol @ test.T).ravel()), atol=unit * 2.0**-21)


def test_counts_without_a_group_are_in_the_unit_of_the_scores() -> None:
    """Of dot products, which are no cosines: their coarse places are half a step to the left."""
    got = llrcal.pairs(A.vectors, A.speaker, similarity="dot", groups=2)
    unit = float((A.vectors**2).sum(axis=1).max())
    for left in got.without:
        steps = left.scores / (unit * 2.0**-21)
        np.testing.assert_allclose(steps, np.rint(steps / 512) * 512, rtol=0, atol=1.0)
        assert got.scores.min() - unit / 2000 < left.scores.min()
        assert left.scores.max() < got.scores.max() + unit / 2000


def test_progress_comes_to_its_end() -> None:
    seen: list[tuple[str, int, int]] = []
    llrcal.pairs(A.vectors, A.speaker, exclude=A.room, progress=lambda *one: seen.append(one))
    done = [one[1] for one in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1][2] > 120 * 119 // 2


def written_out(counts: llrcal.Counts) -> tuple[Array, Array]:
    return np.repeat(counts.scores, counts.targets), np.repeat(counts.scores, counts.nontargets)


def test_fits_and_evaluations_are_those_of_the_scores_written_out() -> None:
    counts = llrcal.pairs(A.vectors, A.speaker)
    tar, non = written_out(counts)
    for method in ("logistic", "nig"):
        cal, want = llrcal.fit(counts, method=method), llrcal.fit(tar, non, method=method)
        assert cal.params == want.params
    got, written = llrcal.evaluate(counts.mapped(cal)), llrcal.evaluate(cal(tar), cal(non))
    assert (got.cllr, got.eer) == (written.cllr, written.eer)
