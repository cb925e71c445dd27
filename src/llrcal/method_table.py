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
class Look:
    """How one calibration is drawn, in figures and in the report alike."""

    light: str
    """Colour on a light page, as ``#rrggbb``, with a contrast to white of at least 3 : 1."""
    dark: str
    """Colour on the dark page of the report."""
    marker: str
    """One of matplotlib's filled markers: ``o s ^ v < > D d P X * p h 8``."""
    dashes: tuple[float, ...] = ()
    """Lengths on and off, in line widths; a solid line if empty."""


@dataclass(frozen=True)
class Entry:
    """One method."""

    home: str
    """Module and class, as ``module:Class``; the ``method`` of the class is the name."""
    description: str
    """What its LLR is and how it is trained, for the report: a phrase without a full stop."""
    group: str
    """Methods of a group share one figure of Bayes errors, which is named after the group."""
    looks: tuple[Look, ...]
    """One look; or three, from dark to light, if it takes a weight: one for each of ``ALPHAS``."""
    options: tuple[str, ...] = ()
    """Names of the options that ``fit`` takes."""
    in_paper: bool = False
    """Whether it is one of the paper's."""
    bayes: str = ""
    """Module and class of the calibration that integrates its parameters out, if there is one."""
    parameters: int | None = None
    """How many numbers are learned; None if more trials mean more of them. Of methods that do
    equally well, the verdict of a comparison prefers the one with the fewest."""

    @property
    def every_option(self) -> tuple[str, ...]:
        """Its options, and ``bayes`` if its parameters can be integrated out."""
        return (*self.options, "bayes") if self.bayes else self.options


TABLE: dict[str, Entry] = {
    "smooth": Entry(
        "llrcal.calibrations.methods.smooth:Smooth",
        "a rising spline, averaged over its stiffness",
        group="smooth",
        looks=(Look("#300048", "#a84890", "p", (20, 2)),),
    ),
    "linear-gaussian": Entry(
        "llrcal.calibrations.methods.gaussian:LinearGaussian",
        "a straight line, from two Gaussian densities that share one variance",
        group="linear-gaussian",
        looks=(
            Look("#124a83", "#4b7fdf", "o", (7, 2)),
            Look("#286ec1", "#8aadf3", "s", (4, 1.5)),
            Look("#4499de", "#c3d5ff", "^", (1.2, 1.2)),
        ),
        options=("alpha",),
        in_paper=True,
        bayes="llrcal.calibrations.methods.gaussian:LinearGaussianBayes",
        parameters=2,
    ),
    "logistic": Entry(
        "llrcal.calibrations.methods.logistic:Logistic",
        "a straight line, by logistic regression",
        group="logistic",
        looks=(
            Look("#592101", "#c1672b", "D", (7, 1.5, 1.2, 1.5)),
            Look("#85400b", "#e59738", "v", (4, 1.2, 1.2, 1.2, 1.2, 1.2)),
            Look("#ce7d40", "#fcc689", "P", (1.2, 2.5)),
        ),
        options=("alpha", "rule"),
        in_paper=True,
        bayes="llrcal.calibrations.methods.logistic_bayes:LogisticBayes",
        parameters=2,
    ),
    "pav": Entry(
        "llrcal.calibrations.methods.pav:PAV",
        "rising steps, by pool-adjacent-violators",
        group="pav",
        looks=(Look("#003927", "#40f2ca", "X"),),
        in_paper=True,
    ),
    "gaussian": Entry(
        "llrcal.calibrations.methods.gaussian:GaussianCalibration",
        "log-ratio of two Gaussian densities",
        group="generative",
        looks=(Look("#b29000", "#feea19", "<", (2.5, 1)),),
        in_paper=True,
        bayes="llrcal.calibrations.methods.gaussian:GaussianBayes",
        parameters=4,
    ),
    "student-t": Entry(
        "llrcal.calibrations.methods.densities:StudentTCalibration",
        "log-ratio of two Student-T densities",
        group="generative",
        looks=(Look("#d60872", "#ff5b72", "*", (5, 1.2, 1.2, 1.2)),),
        in_paper=True,
        bayes="llrcal.calibrations.methods.sampled:StudentTBayes",
        parameters=6,
    ),
    "nig": Entry(
        "llrcal.calibrations.methods.densities:NIGCalibration",
        "log-ratio of two normal-inverse-Gaussian densities",
        group="generative",
        looks=(Look("#5802c5", "#844cea", ">", (10, 1.5)),),
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
    return [
        (name, {**options, "bayes": True})
        for name, options in pairs
        if TABLE[name].bayes and "rule" not in options
    ]
