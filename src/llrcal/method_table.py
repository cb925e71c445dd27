"""The table of methods: what the package, command line, figures and report know about each.

A new method is a class in a file of its own, and an entry here. The entry names the class, which is
imported when it is first used: the command line lists the methods before it loads any numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

MethodName = Literal["smooth", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig"]
"""The names in the table, for type checkers."""

DEFAULT: MethodName = "smooth"
"""The method that is trained if none is named."""

ALPHAS: tuple[float | str, ...] = ("empirical", 0.5, 0.92)
"""Target weights at which methods that take a weight are compared; 0.5 is the default."""


@dataclass(frozen=True)
class Entry:
    """One method."""

    home: str
    """Module and class, as ``module:Class``; the ``method`` of the class is the name."""
    description: str
    """What its LLR is and how it is trained, for the report: a phrase without a full stop."""
    group: str
    """Methods of a group share one figure of Bayes errors, which is named after the group."""
    options: tuple[str, ...] = ()
    """Names of the options that ``fit`` takes."""
    in_paper: bool = False
    """Whether it is one of the paper's."""
    bayes: str = ""
    """Module and class of the calibration that integrates its parameters out, if there is one."""
    parameters: int | None = None
    """How many numbers are learned; None if more trials mean more of them. Of methods that do
    equally well, the verdict of a comparison prefers the one with the fewest."""


TABLE: dict[str, Entry] = {
    "smooth": Entry(
        "llrcal.calibrations.methods.smooth:Smooth",
        "a rising spline, averaged over its stiffness",
        group="smooth",
    ),
    "linear-gaussian": Entry(
        "llrcal.calibrations.methods.gaussian:LinearGaussian",
        "a straight line, from two Gaussian densities that share one variance",
        group="linear-gaussian",
        options=("alpha",),
        in_paper=True,
        parameters=2,
    ),
    "logistic": Entry(
        "llrcal.calibrations.methods.logistic:Logistic",
        "a straight line, by logistic regression",
        group="logistic",
        options=("alpha", "rule"),
        in_paper=True,
        parameters=2,
    ),
    "pav": Entry(
        "llrcal.calibrations.methods.pav:PAV",
        "rising steps, by pool-adjacent-violators",
        group="pav",
        in_paper=True,
    ),
    "gaussian": Entry(
        "llrcal.calibrations.methods.gaussian:GaussianCalibration",
        "log-ratio of two Gaussian densities",
        group="generative",
        in_paper=True,
        bayes="llrcal.calibrations.methods.gaussian:GaussianBayes",
        parameters=4,
    ),
    "student-t": Entry(
        "llrcal.calibrations.methods.densities:StudentTCalibration",
        "log-ratio of two Student-T densities",
        group="generative",
        in_paper=True,
        bayes="llrcal.calibrations.methods.sampled:StudentTBayes",
        parameters=6,
    ),
    "nig": Entry(
        "llrcal.calibrations.methods.densities:NIGCalibration",
        "log-ratio of two normal-inverse-Gaussian densities",
        group="generative",
        in_paper=True,
        bayes="llrcal.calibrations.methods.sampled:NIGBayes",
        parameters=8,
    ),
}


def methods_to_compare(
    alphas: Sequence[float | str] = ALPHAS, rules: Sequence[str] = ("log",)
) -> list[str | tuple[str, Mapping[str, Any]]]:
    """Every method by name; methods that take a weight are listed once per weight, with it.

    Methods that take a scoring rule are listed for each of ``rules``; the logarithmic one, which is
    their default, is not named.
    """
    out: list[str | tuple[str, Mapping[str, Any]]] = []
    for name, entry in TABLE.items():
        if "alpha" not in entry.options:
            out.append(name)
            continue
        for rule in rules if "rule" in entry.options else ("log",):
            named = {} if rule == "log" else {"rule": rule}
            out += [(name, {"alpha": alpha, **named}) for alpha in alphas]
    return out


def integrated_out(
    methods: Sequence[str | tuple[str, Mapping[str, Any]]],
) -> list[tuple[str, Mapping[str, Any]]]:
    """The same with their parameters integrated out, of those methods for which it can be done."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in methods]
    return [(name, {**options, "bayes": True}) for name, options in pairs if TABLE[name].bayes]
