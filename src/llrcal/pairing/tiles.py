# mypy: ignore-errors
"""A kernel in Triton: products, rounded and counted in registers.

A tile of 64 x 64 products was best on an H200: 78 G pairs of 256 dimensions a second, where double
precision allows 109 and counting alone 96 (studies/pairs_gpu.py).
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from llrcal.pairing.fixed_point import PER_STEP, ZERO
from llrcal.pairing.regions import Region

_SIDE, _DEPTH, _TALL = 64, 16, 16
_ROUNDING = 1.5 * 2.0**52  # adding it leaves the nearest integer, ties to even, in the low bits


def count_tiles(rows: Any, cols: Any, block: Region, table: Any) -> None:
    """Count the pairs of a block in a table of 32-bit integers."""
    tiles = triton.cdiv(block.rows, _SIDE) * triton.cdiv(block.cols, _SIDE)
    _count[(tiles * block.count,)](
        rows,
        cols,
        table,
        block.row,
        block.rows,
        block.col,
        block.cols,
        tiles,
        upper=block.upper,
        dimensions=rows.shape[1],
        per_step=PER_STEP,
        zero=_ROUNDING + ZERO,
        side=_SIDE,
        depth=_DEPTH,
        tall=_TALL,
        num_warps=4,
        num_stages=3,
    )


@triton.jit(do_not_specialize=["row", "height", "col", "width", "tiles"])
def _count(
    rows,
    cols,
    table,
    row,
    height,
    col,
    width,
    tiles,
    upper: tl.constexpr,
    dimensions: tl.constexpr,
    per_step: tl.constexpr,
    zero: tl.constexpr,
    side: tl.constexpr,
    depth: tl.constexpr,
    tall: tl.constexpr,
):
    number = tl.program_id(0) // tiles  # of blocks of the same shape
    row += number * height
    col += number * width
    # Tiles in columns of some, so that what they read stays in the cache.
    tile = tl.program_id(0) % tiles
    across = tl.cdiv(width, side)
    first = tile // (tall * across) * tall
    some = tl.minimum(tl.cdiv(height, side) - first, tall)
    inside = tile % (tall * across)
    top = (first + inside % some) * side
    left = inside // some * side
    if upper and left + side <= top + 1:
        return
    i = top + tl.arange(0, side)
    j = left + tl.arange(0, side)
    k = tl.arange(0, depth)
    # Tiles at the edge read what is beyond it, and do not count it.
    x = rows + (row + i)[:, None].to(tl.int64) * dimensions + k[None, :]
    y = cols + (col + j)[None, :].to(tl.int64) * dimensions + k[:, None]
    products = tl.zeros((side, side), dtype=tl.float64)
    for _ in range(0, dimensions, depth):
        products = tl.dot(tl.load(x), tl.load(y), products, out_dtype=tl.float64)
        x += depth
        y += depth
    place = (products * per_step + zero).to(tl.int64, bitcast=True).to(tl.int32)
    counts = (i < height)[:, None] & (j < width)[None, :]
    if upper:
        counts = counts & (i[:, None] < j[None, :])
    tl.atomic_add(table + place, 1, mask=counts, sem="relaxed")
