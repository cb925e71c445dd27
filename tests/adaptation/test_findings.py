"""What an adaptation has found, in numbers and in words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import optimize

import llrcal
from llrcal.adaptation import findings as module
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.field import Field, places_of
from llrcal.adaptation.findings import findings, notes_on, notes_on_scores
from llrcal.adaptation.prediction import Bins
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted, Estimate
from llrcal.notes import Note, Severity
from tests.adaptation.worlds import NON, TAR, field_scores, found, given, source_of
from tests.notes import codes
from tests.trial_sets import normal

CAL = llrcal.fit(TAR, NON, method="gaussian")
NOWHERE = Estimate(0.0, 0.0, 0.0)


def warnings_of(cal: llrcal.Calibration) -> dict[str, str]:
    """Texts by codes."""
    return {one.code: one.text for one in cal.report.notes if one.severity is Severity.WARNING}


def adapted(
    scores: Floats | None = None, p_target: float | None = 0.1, **other: object
) -> dict[str, str]:
    return warnings_of(adaptation(CAL, scores, p_target=p_target, **other))  # type: ignore[arg-type]


def what(**other: object) -> Adapted:
    """Findings without any doubt, but for some."""
    return Adapted(
        **{  # type: ignore[arg-type]
            "applied": True,
            "p_target": 0.1,
            "factor": 2.0,
            "unlabelled": 1000,
            "tar": 0,
            "non": 0,
            "trust": 300.0,
            "unmoved": 0.0,
            "misfit": 0.0,
            "share": Estimate(0.1, 0.05, 0.15),
            "tar_shift": NOWHERE,
            "tar_widening": NOWHERE,
            "non_shift": NOWHERE,
            "non_widening": NOWHERE,
            "cllr_before": Estimate(0.512, 0.4, 0.6),
            "cllr": Estimate(0.3456, 0.3, 0.4),
            "eer": NOWHERE,
            "dcf": NOWHERE,
            **other,
        }
    )


@cache
def field() -> Field:
    return Field.of(CAL, source_of(TAR, NON), given(field_scores(0.1, shift=0.3)), 0.1, 2.0)


# Numbers.


def test_findings_are_those_of_the_field() -> None:
    one = field()
    out = findings(one, one.llrs, 0.1)
    assert out["trust"] == one.data.trust
    assert out["unmoved"] == pytest.approx(one.unmoved)
    for lie in ("wrong share", "only targets", "only non-targets", "other scores", "reversed"):
        name = lie.replace(" ", "_").replace("-", "_")
        assert out[name] == pytest.approx(one.probability(lie))
    assert out["share"].value == pytest.approx(one.importance @ one.shares)
    assert out["cllr"].value < out["cllr_before"].value
    assert abs(out["misfit"]) < 0.01
    old = findings(one, one.old_llrs, 0.1)
    assert old["cllr"] == old["cllr_before"] == out["cllr_before"]
    assert old["eer"] == pytest.approx(out["eer"], abs=0.01)
    unknown = findings(one, one.llrs, None)
    at_share = findings(one, one.llrs, out["share"].value)
    assert unknown["dcf"] == pytest.approx(at_share["dcf"])
    assert unknown["dcf"] != pytest.approx(findings(one, one.llrs, 0.4)["dcf"], rel=0.01)


@pytest.mark.parametrize("end", [-1, 1])
def test_shares_of_nothing_and_of_all(end: int) -> None:
    """Costs are those at a share that is next to it, so that the rarer class counts for nothing."""
    draws = field().draws.copy()
    draws[:, -1] = end * 800.0
    one = replace(field(), draws=draws)
    out = findings(one, one.llrs, None)
    assert out["share"].value == pytest.approx((1 + end) / 2)
    assert out["dcf"] == findings(one, one.llrs, 1 - 1e-9 if end > 0 else 1e-9)["dcf"]


def test_misfit_is_that_of_the_mixture_that_was_found() -> None:
    """Scores beside the masses of both classes, in the share that was found."""
    one = field()
    size = len(one.nodes)
    tar, non = np.where(np.arange(size) % 2, 1.0, 0.0), np.where(np.arange(size) % 2, 0.0, 1.0)
    odd = replace(one, known=(tar, non))
    share = float(one.importance @ one.shares)
    bins = Bins.of(odd, share * tar + (1 - share) * non)
    expected = bins.divergence(one.data.pool.count)
    assert expected > 0.1
    assert findings(odd, one.llrs, 0.1)["misfit"] == pytest.approx(expected)


def test_moves_in_score_units_and_as_factors() -> None:
    one = field()
    out = findings(one, one.llrs, 0.1)
    before, after = (
        places_of(one.source, one.source.still[None, :]),
        places_of(one.source, one.draws),
    )
    assert out["tar_shift"].value == pytest.approx(one.importance @ (after[0] - before[0]))
    assert out["tar_widening"].value == pytest.approx(one.importance @ np.exp(after[1] - before[1]))
    assert out["non_shift"].value == pytest.approx(one.importance @ (after[2] - before[2]))
    assert out["non_widening"].value == pytest.approx(one.importance @ np.exp(after[3] - before[3]))
    assert out["non_shift"].value == pytest.approx(0.3, abs=0.1)
    assert out["tar_widening"].value == pytest.approx(1.0, abs=0.1)


# Words, on data that are made for them.


def test_honest_scores_have_no_warning() -> None:
    assert adapted(field_scores(0.1)) == {}
    assert adapted(field_scores(0.1), None) == {}
    assert adapted(field_scores(0.1, shift=0.6, wider=1.1)) == {}
    notes = adaptation(CAL, field_scores(0.1), p_target=0.1).report.notes
    assert "nothing moved" in codes(notes)


@pytest.mark.parametrize(
    ("scores", "name", "p_target"),
    [(TAR, "targets", 0.1), (TAR, "targets", None), (NON, "non-targets", None)],
)
def test_one_class_alone(scores: Floats, name: str, p_target: float | None) -> None:
    told = adapted(scores, p_target)
    text = told["one class"]
    assert f"scores look like {name} alone" in text
    assert f"the {len(scores):,} unlabelled" in text
    assert "% sure" in text
    assert "Expected Cllr" in text
    assert "share" not in told


def test_no_targets_where_some_were_told_are_a_wrong_share() -> None:
    assert "are targets, 1/" in adapted(NON)["share"]


def test_other_scores() -> None:
    text = adapted(50 * field_scores(0.1))["other scores"]
    assert "same recognizer" in text
    assert "(99 % sure.)" in text
    assert "Expected Cllr" in text
    left = adaptation(CAL, 50 * field_scores(0.1), p_target=0.1)
    assert not found(left).applied
    assert "does not fit" not in warnings_of(left)


def test_reversed_scores() -> None:
    rng = np.random.default_rng(2)
    tar, non = 6 + 0.8 * rng.gumbel(size=1000), 1.2 * rng.exponential(size=4000)
    cal = llrcal.fit(tar, non)
    pool = 8 - np.concatenate([tar[:100], non[:900]])
    told = warnings_of(adaptation(cal, pool, p_target=0.1))
    assert "ran the other way" in told["reversed"]
    assert "Expected Cllr" in told["reversed"]


@pytest.mark.parametrize(("share", "said", "text"), [(0.3, 0.03, " times"), (0.05, 0.5, "1/")])
def test_a_wrong_share(share: float, said: float, text: str) -> None:
    words = adapted(field_scores(share), said)["share"]
    assert text in words
    assert f"{100 * share:.0f}" in words
    assert "check p_target" in words
    assert "Expected Cllr" in words


def test_few_scores() -> None:
    text = adapted(field_scores(0.5, count=40), 0.5)["few scores"]
    assert text.startswith("40 unlabelled scores and 0 labelled")
    assert "few scores" not in adapted(field_scores(0.5, count=100), 0.5)
    assert "few scores" not in adapted(field_scores(0.5, count=40), 0.5, tar=TAR[:5], non=NON[:5])
    assert "few scores" in adapted(tar=TAR[:4], non=NON[:9])


def test_a_far_move() -> None:
    text = adapted(field_scores(0.1, shift=4.0))["far"]
    harm = Field.of(CAL, source_of(TAR, NON), given(field_scores(0.1, shift=4.0)), 0.1, 2.0).harm
    assert harm > 0.5
    assert f"would cost {harm:.2f} bits more" in text
    assert "of the same recognizer" in text
    labelled = adapted(field_scores(0.1, shift=4.0), tar=TAR[:30] + 4, non=NON[:30] + 4)
    assert "far" not in labelled


def test_wild_labelled_scores() -> None:
    tar, non = np.append(TAR[:20], -999.0), NON[:20]
    text = adapted(field_scores(0.1), tar=tar, non=non)["wild"]
    assert text.startswith("1 of the labelled target scores, such as -999, does not fit")
    assert "was hardly used" in text
    text = adapted(field_scores(0.1), tar=TAR[:20], non=np.append(non, [500.0, 700.0]))["wild"]
    assert text.startswith("2 of the labelled non-target scores, such as 500, do not fit")
    assert "were hardly used" in text
    assert "wild" not in adapted(field_scores(0.1), tar=TAR[:20], non=non)


def test_scores_that_do_not_fit() -> None:
    """Two heaps in place of each class."""
    odd = np.concatenate([normal(1500, -2.2, 0.1), normal(1500, 0.2, 0.1), normal(300, 3.0, 1.4)])
    told = adapted(odd)
    assert "does not fit" in told or "other scores" in told


# Words, on numbers that are made for them.


def doubts(**other: object) -> dict[str, str]:
    return {note.code: note.text for note in module._doubts(what(**other))}


def test_doubts_begin_with_a_suspicion() -> None:
    assert doubts() == {}
    for name, code in (
        ("only_targets", "one class"),
        ("only_non_targets", "one class"),
        ("other_scores", "other scores"),
        ("reversed", "reversed"),
    ):
        assert doubts(**{name: 0.049}) == {}
        text = doubts(**{name: 0.07}, choice="moved")[code]
        assert "(7 % sure.)" in text
        assert "Expected Cllr: 0.512 as it was, 0.346 as it is returned" in text
        assert "(99 % sure.)" in doubts(**{name: 1.0})[code]
    both = doubts(only_targets=0.03, only_non_targets=0.04)["one class"]
    assert "like non-targets alone" in both
    assert "(7 % sure.)" in both
    assert "like targets alone" in doubts(only_targets=0.04, only_non_targets=0.03)["one class"]


def test_when_a_share_is_doubted() -> None:
    def share(value: float) -> Estimate:
        return Estimate(value, value, value)

    assert doubts(share=share(0.2)) == {}
    assert "6 times" in doubts(share=share(0.6))["share"]
    assert "1/10 of" in doubts(share=share(0.01))["share"]
    assert "60 % of them" in doubts(share=share(0.6))["share"]
    assert "share" not in doubts(share=share(0.6), factor=5.0)
    assert "share" not in doubts(share=share(0.6), p_target=None)
    assert "share" not in doubts(share=share(0.6), unlabelled=0)
    assert "share" not in doubts(share=share(1.0), only_targets=0.3, only_non_targets=0.3)
    assert "share" in doubts(share=share(0.6), only_targets=0.2, only_non_targets=0.2)
    assert "share" in doubts(share=share(0.35), wrong_share=0.9)
    # None is taken to be smaller than the least that can be told, nor larger than the most.
    for seen, least in ((1e-15, 1e-9), (1.0, 1 - 1e-9)):
        assert doubts(share=share(seen), p_target=least, factor=1.2) == {}
        other = least + 2e-9 if least < 0.5 else least - 2e-9
        assert "share" in doubts(share=share(seen), p_target=other, factor=1.35)
    (note,) = module._doubts(what(share=share(0.6)))
    assert "--p-target" in note.on_command_line


def oddities(**other: object) -> dict[str, str]:
    return {note.code: note.text for note in module._oddities(what(**other), field())}


def test_when_oddities_are_told() -> None:
    assert oddities() == {}
    assert "few scores" in oddities(unlabelled=99)
    assert oddities(unlabelled=100) == {}
    assert oddities(unlabelled=99, tar=5, non=5) == {}
    assert "4 labelled" in oddities(unlabelled=99, tar=9, non=4)["few scores"]
    assert "0.06 nats" in oddities(misfit=0.06)["does not fit"]
    assert oddities(misfit=0.049) == {}
    assert oddities(misfit=0.06, other_scores=0.06) == {}


def test_a_move_is_far_if_it_would_be_costly_should_nothing_have_moved() -> None:
    one = field()
    for bits, told in ((0.2, False), (0.3, True)):
        # LLRs that cost so much more: as if the targets had sunk.
        harmful = replace(one, known=_sunk(one, bits), doubt=0.0)
        assert harmful.harm == pytest.approx(bits, abs=1e-3)
        notes = list(module._oddities(what(), harmful))
        assert codes(notes) == (["far"] if told else [])
        assert not list(module._oddities(what(tar=9, non=9), harmful))
        assert not list(module._oddities(what(applied=False), harmful))
        if told:
            assert f"would cost {harmful.harm:.2f} bits more" in notes[0].text


def _sunk(one: Field, bits: float) -> tuple[Floats, Floats]:
    """Masses whose log-ratio is lower than it was, so that it costs so many bits."""

    def masses(by: float) -> tuple[Floats, Floats]:
        return one.still[0] * np.exp(-by), one.still[1]

    def excess(by: float) -> float:
        return replace(one, known=masses(by), doubt=0.0).harm - bits

    return masses(optimize.brentq(excess, 0.0, 20.0))


def test_a_move_is_far_if_it_hardly_ever_occurs() -> None:
    for at, amount, told in (
        (0, 2 * 1.3, True),
        (0, -2 * 1.3, True),
        (1, 0.7 * 1.3, True),
        (1, 0.7 * 1.1, False),
        (2, 0.6 * 2.1, True),
        (2, 0.6 * 1.9, False),
        (5, 1.5 * 2.1, True),
        (7, 1.0 * 2.1, True),
        (8, 9.0, False),
    ):
        draws = np.zeros_like(field().draws)
        draws[:, at] = amount
        moved = replace(field(), draws=draws)
        assert codes(list(module._oddities(what(), moved))) == (["far"] if told else []), at
        assert not list(module._oddities(what(tar=9, non=9), moved))
        if told:  # nothing that is not returned can cost anything
            (note,) = module._oddities(what(applied=False), moved)
            assert "would cost 0.00 bits" in note.text


def test_notes_on_everything() -> None:
    def some(**other: object) -> list[Note]:
        return list(notes_on(what(**other), field()))

    assert codes(some()) == []
    assert codes(some(unmoved=0.6)) == ["nothing moved"]
    assert codes(some(unmoved=0.5)) == []
    assert codes(some(unmoved=0.6, misfit=1.0, reversed=0.2)) == [
        "reversed",
        "does not fit",
        "nothing moved",
    ]
    first = field().hypotheses[0]
    lost = replace(first, solution=replace(first.solution, converged=False))
    notes = list(notes_on(what(), replace(field(), hypotheses=(lost, *field().hypotheses[1:]))))
    assert codes(notes) == ["not converged"]
    assert notes[0].severity is Severity.WARNING


def test_notes_on_scores_that_are_watched() -> None:
    """Doubts alone, with the calibration as it is."""
    assert list(notes_on_scores(field(), 0.1, 2.0)) == []
    alone = Field.of(CAL, source_of(TAR, NON), given(TAR), 0.1, 2.0)
    (note,) = notes_on_scores(alone, 0.1, 2.0)
    assert note.code == "one class"
    assert f"{len(TAR):,} unlabelled" in note.text
    before = findings(alone, alone.old_llrs, 0.1)["cllr_before"].value
    assert note.text.endswith(f"Expected Cllr: {before:.3f} as it was")
