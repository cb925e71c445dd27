"""Curves without the points that nobody could see: lighter files, the same picture."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Bools, Floats

CELLS = 4000  # across the frame: finer than a printer's dots in one column


def visible_corners(x: Floats, y: Floats, *, frame: tuple[float, float]) -> Bools:
    """Which points of a curve to keep: the first and the last of each run in one small cell.

    Coordinates are even on paper; the frame is the least and the greatest that is shown of both.
    """
    low, high = frame
    size = (high - low) / CELLS
    cell = np.array([np.floor((np.clip(axis, low, high) - low) / size) for axis in (x, y)])
    moves = (np.diff(cell, axis=1) != 0).any(axis=0)
    keep = np.ones(len(x), bool)
    keep[1:-1] = moves[:-1] | moves[1:]
    return keep
