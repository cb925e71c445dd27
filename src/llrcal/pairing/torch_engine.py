"""Counting pairs by torch: on a GPU, or wherever it has double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from llrcal.arrays import Array, Counts
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.pairing.fixed_point import COARSE, PER_STEP, PLACES, ZERO
from llrcal.pairing.regions import Plan, Region
from llrcal.pairing.tally import Counter, Done

_ROWS = {"cpu": 2**10, "cuda": 2**13}  # of a block, at most; there are twice as many columns
_AT_ONCE = 2**18  # rows


class Torch:
    """A device of torch."""

    def __init__(self, device: str = "cuda") -> None:
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

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Counts:
        rows = self._ordered(enrol, plan.rows)
        same = enrol is test and plan.rows is plan.cols
        counter = _OnDevice(rows, rows if same else self._ordered(test, plan.cols), groups)
        most = _ROWS.get(self._device.type, _ROWS["cuda"])
        for share in plan.shares(1, most, 2 * most):
            done(counter.add(share))
        return counter.value

    def _ordered(self, integers: Array, order: Array) -> Any:
        """Rows in order as doubles on the device."""
        import torch

        shape = len(order), integers.shape[1]
        found = torch.empty(shape, dtype=torch.float64, device=self._device)
        for start in range(0, len(order), _AT_ONCE):
            some = torch.from_numpy(integers[order[start : start + _AT_ONCE]])
            found[start : start + len(some)] = some.to(self._device)
        return found


class _OnDevice(Counter):
    """Counts on the device."""

    def __init__(self, rows: Any, cols: Any, groups: int) -> None:
        import torch

        super().__init__(groups)
        self._rows, self._cols = rows, cols
        self._table = torch.zeros(PLACES, dtype=torch.int32, device=rows.device)

    def count(self, block: Region) -> None:
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
