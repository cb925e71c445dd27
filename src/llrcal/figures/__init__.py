"""Figures for papers and notebooks: each is a function of what it draws, and of axes.

>>> import llrcal
>>> from llrcal import figures
>>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
>>> with figures.column_style():
...     figure, ax = figures.column_figure()
...     ax = figures.bayes_error({"raw scores": ev}, ax=ax)
...     figures.save(figure, "figures", "bayes-error")

Each returns the axes. Without ``ax``, it draws where pyplot would, in the style of the moment:
``figures.bayes_error(ev)`` is enough in a notebook. For a paper, draw and save in ``column_style``
as above: it sets everything, so that files do not depend on a ``matplotlibrc``. This package alone
imports matplotlib, and pyplot only where no axes are given; ``import llrcal`` imports neither.
"""

# Before all that imports matplotlib; and figures in the order of pages.
# isort: off
import llrcal.figures.backend  # noqa: F401
from llrcal.figures.tippett import tippett
from llrcal.figures.costs import bayes_error, ece
from llrcal.figures.reliability import reliability
from llrcal.figures.det import det
from llrcal.figures.zoo import zoo
from llrcal.figures.transforms import transforms
from llrcal.figures.densities import adaptation, densities
from llrcal.figures.watching import watch
from llrcal.figures.learning_curve import learning_curve
from llrcal.figures.looks import Look, looks
from llrcal.figures.style import column_figure, column_style, save
# isort: on

__all__ = [
    "Look",
    "adaptation",
    "bayes_error",
    "column_figure",
    "column_style",
    "densities",
    "det",
    "ece",
    "learning_curve",
    "looks",
    "reliability",
    "save",
    "tippett",
    "transforms",
    "watch",
    "zoo",
]
