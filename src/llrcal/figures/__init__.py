"""Figures for papers: each is a function that draws on axes it is given.

>>> import llrcal
>>> from llrcal import figures
>>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
>>> with figures.column_style():
...     figure, ax = figures.column_figure()
...     figures.bayes_error(ax, {"raw scores": ev})

``figures.save(figure, folder, name)`` then writes it as PNG, PDF and SVG. This package alone
imports matplotlib; ``import llrcal`` does not.
"""

from llrcal.figures.bayes_error import bayes_error
from llrcal.figures.densities import densities
from llrcal.figures.det import det
from llrcal.figures.ece import ece
from llrcal.figures.looks import Look, looks
from llrcal.figures.reliability import reliability
from llrcal.figures.save import save
from llrcal.figures.style import column_figure, column_style
from llrcal.figures.tippett import tippett
from llrcal.figures.transforms import transforms

__all__ = [
    "Look",
    "bayes_error",
    "column_figure",
    "column_style",
    "densities",
    "det",
    "ece",
    "looks",
    "reliability",
    "save",
    "tippett",
    "transforms",
]
