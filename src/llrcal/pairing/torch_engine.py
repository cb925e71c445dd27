"""Counting pairs by torch: on a GPU, or wherever it has double precision.

Where there is Triton, one kernel computes a tile of products in registers, rounds and counts them:
nothing but counts is ever written. Elsewhere torch does one after the other.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from llrcal.arrays import Array, Counts
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.pairing.fixed_point import COARSE, PER_STEP, PLACES, ZERO
from llrcal.pairing.regions import Plan, Region
from llrcal.pairing.tally import Counter, Done, Tally

_TILED = 2**15, 2**16  # rows and columns of a block whose products are never written
_WRITTEN = {"cpu": (2**10, 2**11), "cuda": (2**13, 2**14)}  # and of one whose products are


class Torch:
    """A device of torch."""

    def __init__(self, device: str = "cuda", *, tiles: bool | None = None) -> None:
        try:
            import torch
        except ImportError as problem:
            raise OptionError(
                Setting("device", device), ' needs torch: pip install "llrcal[gpu]"'
            ) from problem
        try:
            self._device = torch.device(device)
            torch.zeros(1, dtype=torch.int32, device=self._device)
        except Exception as problem:  # torch raises almost anything
            reason = str(problem).partition("\n")[0][:200]
            raise OptionError(
                Setting("device", device), f" cannot be used by torch here: {reason}"
            ) from problem
        try:
            torch.zeros(1, dtype=torch.float64, device=self._device)
        except Exception as problem:
            raise OptionError(
                Setting("device", device),
                " has no double precision, which exact scores need; "
                "leave it out to use the processor",
            ) from problem
        self._tiles = tiles
        if tiles is None:
            self._tiles = self._device.type == "cuda" and find_spec("triton") is not None
        self._sent: list[tuple[Array, Any]] = []

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Tally:
        rows = self._ordered(enrol, plan.rows)
        same = enrol is test and plan.rows is plan.cols
        cols = rows if same else self._ordered(test, plan.cols)
        shape = _WRITTEN.get(self._device.type, _WRITTEN["cuda"])
        table = _Table(rows, cols)
        if self._tiles:
            table, shape = _Tiles(rows, cols), _TILED
        counter = Counter(table, groups)
        for share in plan.shares(1, *shape):
            done(counter.add(share))
        return counter.value()

    def _ordered(self, integers: Array, order: Array) -> Any:
        """Rows in order as doubles on the device, with room for a tile at the edge."""
        import torch

        sent = next((held for given, held in self._sent if given is integers), None)
        if sent is None:
            sent = torch.from_numpy(integers).to(self._device)
            self._sent = [*self._sent[-1:], (integers, sent)]
        count, dimensions = len(order), integers.shape[1]
        shape = (count + 64, -(-dimensions // 16) * 16) if self._tiles else (count, dimensions)
        found = torch.zeros(shape, dtype=torch.float64, device=self._device)
        numbers = torch.from_numpy(order).to(self._device)
        for start in range(0, count, 2**18):
            some = numbers[start : start + 2**18]
            found[start : start + len(some), :dimensions] = sent[some]
        return found


class _Table:
    """Counts on the device. Products, places and counts come one after the other."""

    def __init__(self, rows: Any, cols: Any) -> None:
        import torch

        self._rows, self._cols = rows, cols
        self._table = torch.zeros(PLACES, dtype=torch.int32, device=rows.device)

    def add(self, block: Region) -> None:
        import torch

        rows = self._rows[block.row : block.row + block.count * block.rows]
        cols = self._cols[block.col : block.col + block.count * block.cols]
        shape = (block.count, -1, rows.shape[1])
        products = rows.view(shape) @ cols.view(shape).transpose(1, 2)
        places = products.mul_(PER_STEP).round_().to(torch.int64).add_(ZERO)
        if block.upper:
            above = torch.ones(block.rows, block.cols, dtype=torch.bool, device=rows.device)
            places = places[:, above.triu_(1)]
        one = torch.ones(1, dtype=torch.int32, device=rows.device)
        self._table.scatter_add_(0, places.view(-1), one.expand(places.numel()))

    def coarse(self) -> Array:
        found: Array = self._table.view(-1, COARSE).sum(1).cpu().numpy()
        return found.astype(np.uint32)

    def take(self) -> Counts:
        found: Counts = self._table.cpu().numpy().view(np.uint32).astype(np.int64)
        self._table.zero_()
        return found


class _Tiles(_Table):
    """Tiles of products, counted where they are computed."""

    def add(self, block: Region) -> None:
        from llrcal.pairing.tiles import count_tiles

        count_tiles(self._rows, self._cols, block, self._table)
