"""Criteria: what is read from a text, what is refused, and when they are met."""

from __future__ import annotations

import math

import pytest

from llrcal import OptionError
from llrcal.evaluation.measures import Number, measure_named
from llrcal.validation.requirements import NAMES, Criterion, Requirement, requirements


@pytest.mark.parametrize(
    ("text", "name", "sign", "bound"),
    [
        ("cllr<0.3", "cllr", "<", 0.3),
        ("  devPAV <= .1 ", "dev_pav", "<=", 0.1),
        ("minCllr>=1e-3", "min_cllr", ">=", 0.001),
        ("EER<5%", "eer", "<", 0.05),
        ("eer < 0.05", "eer", "<", 0.05),
        ("Misleading-non_100 <= 0.1 %", "misleading_non_100", "<=", 0.001),
        ("log10_lr_non<-1.5", "log10_lr_non", "<", -1.5),
    ],
)
def test_what_a_text_says(text: str, name: str, sign: str, bound: float) -> None:
    assert Requirement.parsed(text) == Requirement(name, sign, bound)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "give a measure"),
        ("cllr", "give a measure"),
        ("cllr=0.3", "one of < <= > >="),
        ("cllr<<0.3", "give a measure"),
        ("cllr<", "give a measure"),
        ("cllr<0.3<0.4", "give a measure"),
        ("cllr<nan", "give a measure"),
        ("cllr<inf", "give a measure"),
        ("cllr<0,3", "give a measure"),
        ("0.3>cllr", "give a measure"),
        ("accuracy<0.3", "'accuracy' is not one of "),
        ("misleading_tar_50<1%", "is not one of"),
        ("eer<5", "always holds: eer is between 0 and 0.5; for per cent, add a % sign"),
        ("eer<=100%", "always holds: eer is between 0 and 0.5"),
        ("eer<=50%", "always holds"),
        ("eer>50%", "never holds"),
        ("eer<-1%", "never holds: eer is between 0 and 0.5"),
        ("misleading_tar<=100%", "always holds: misleading_tar is between 0 and 1"),
        ("cllr>=0", "always holds: cllr is between 0 and inf"),
        ("cllr<0", "never holds"),
        ("cllr<=0", "never holds: cllr is between 0 and inf"),
        ("cllr>0", "always holds"),
        ("minCllr<=1", "always holds: min_cllr is between 0 and 1"),
        ("dev_pav>-1", "always holds"),
        ("cllr<30%", "cllr is not a share; leave out the % sign"),
        (0.3, "give a measure"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError) as refused:
        requirements([text])
    assert words in str(refused.value)
    assert str(refused.value).startswith("require is ")
    assert refused.value.on_command_line.startswith("--require is ")


def test_every_measure_can_be_required_once() -> None:
    texts = [f"{name}<0.5" for name in NAMES]
    assert [one.name for one in requirements([*texts, *texts])] == list(NAMES)
    assert requirements("cllr<1") == (Requirement("cllr", "<", 1.0),)


@pytest.mark.parametrize(
    ("text", "met", "interval_met", "verdict"),
    [
        ("cllr<0.5", True, True, "met"),
        ("cllr<0.25", True, False, "met, but not by all of the interval"),
        ("cllr<0.2", False, False, "not met"),
        ("cllr<=0.2", True, False, "met, but not by all of the interval"),
        ("cllr>0.05", True, True, "met"),
        ("cllr>=0.1", True, True, "met"),
        ("cllr>0.1", True, False, "met, but not by all of the interval"),
    ],
)
def test_met_by_the_number_and_by_its_interval(
    text: str, met: bool, interval_met: bool, verdict: str
) -> None:
    one = Criterion(Requirement.parsed(text), Number(measure_named("cllr"), "", 0.2, (0.1, 0.3)))
    assert (one.met, one.interval_met, one.verdict) == (met, interval_met, verdict)


def test_a_measure_that_is_not_defined_meets_nothing() -> None:
    for sign in ("<", ">"):
        none = Number(measure_named("dev_pav"), "", math.nan)
        one = Criterion(Requirement.parsed(f"dev_pav{sign}1"), none)
        assert not one.met
        assert not one.interval_met
        assert "classes do not overlap" in one.verdict
