"""All pairs on a GPU: llrcal's engine, step by step, and the same counts by plain torch.

    python -m studies.pairs_gpu                              # on CUDA
    python -m studies.pairs_gpu 2048 --device cpu --dim 64   # without a GPU

It needs NumPy and torch alone. The sizes of speakers are about those of VoxCeleb. Counts are
compared with those of the engine for processors, bin by bin, on a part of the embeddings.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch

from llrcal.arrays import Array, Counts
from llrcal.pairing.fixed_point import PLACES, ZERO, fixed_point
from llrcal.pairing.regions import Labelled, Plan, pairs_within
from llrcal.pairing.tally import Processor
from llrcal.pairing.torch_engine import Torch

_SHIFT = 31  # of the 52 bits of a product, 21 are kept
_GROUPS = 10
_PROFILED = 200_000  # embeddings, at most

_Found = TypeVar("_Found")


def plain(rows: torch.Tensor, size: int, block: int = 8192, across: int = 131072) -> torch.Tensor:
    """Products, rounding and counting, each by torch, of all pairs."""
    total = torch.zeros(size, dtype=torch.int64, device=rows.device)
    count = partial(torch.bincount, minlength=size)
    for start in range(0, len(rows), block):
        some = rows[start : start + block]
        for other in range(start, len(rows), across):
            total += count(_places(some @ rows[other : other + across].T).view(-1))
        # The block on the diagonal was counted in both orders.
        places = _places(some @ some.T)
        total -= count(places[torch.tril(torch.ones_like(places, dtype=torch.bool))])
    return total


def _places(products: torch.Tensor) -> torch.Tensor:
    return torch.round(products.mul_(2.0**-_SHIFT)).to(torch.int32).add_(ZERO)


class Steps:
    """What is done, and how long it takes."""

    def __init__(self, n: int, device: str) -> None:
        self._n, self._device = n, device

    def __call__(self, name: str, work: Callable[[], _Found]) -> _Found:
        self._wait()
        start = time.perf_counter()
        found = work()
        self._wait()
        print(f"n = {self._n:,}: {name}: {time.perf_counter() - start:.3f} s", flush=True)
        return found

    def _wait(self) -> None:
        if self._device == "cuda":
            torch.cuda.synchronize()

    def shares(self, work: Callable[[], Any]) -> None:
        """Print what the time of the GPU goes to."""
        from torch.profiler import ProfilerActivity, profile

        if self._device != "cuda" or self._n > _PROFILED:
            return
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            work()
            self._wait()
        taken = {one.key: one.self_device_time_total for one in found.key_averages()}
        most = sorted(taken, key=lambda key: -taken[key])[:6]
        every = sum(taken.values()) or 1.0
        print("   ", "; ".join(f"{100 * taken[key] / every:.1f} % {key[:60]}" for key in most))


def run(n: int, dim: int, device: str, *, check: int) -> None:
    """Count all pairs, those of a speaker, and those of a session."""
    step, on_device = Steps(n, device), Torch(device)
    size = np.random.default_rng(0).integers(20, 280, n // 150 + 1)
    speaker = np.resize(np.repeat(np.arange(len(size)), size), n)
    session, group = np.arange(n) // 8 + n * speaker, speaker % _GROUPS
    vectors = _embeddings(speaker, dim, device)
    rows = step("embeddings as integers", lambda: fixed_point(vectors, "cosine").rows)
    numbers = np.arange(n)
    nobody = np.zeros_like(numbers)

    def counted(plan: Plan, groups: int, engine: Torch | Processor = on_device) -> Counts:
        return engine.tally(rows, rows, plan, groups, lambda _: None)

    for name, labels in {"all pairs": nobody, "targets": speaker, "sessions": session}.items():
        regions = partial(pairs_within, Labelled(numbers, labels, group))
        plan = step(f"{name}: regions", regions)
        for groups in (_GROUPS, 0):
            work = partial(counted, plan, groups)
            found = step(f"{name}: counted, {groups} groups", work)
            print(
                f"    {plan.pairs:,} pairs, all counted: {int(found[:PLACES].sum()) == plan.pairs}"
            )
            step.shares(work)
    given = torch.from_numpy(np.array(rows)).to(device, torch.float64)
    everything = step("all pairs by plain torch", lambda: plain(given, PLACES))
    plan = pairs_within(Labelled(numbers, nobody, group))
    print("    the same:", np.array_equal(everything.cpu().numpy(), counted(plan, 0)))
    for labels in (nobody, speaker):
        plan = pairs_within(Labelled(numbers[:check], labels[:check], group[:check]))
        same = np.array_equal(counted(plan, _GROUPS), counted(plan, _GROUPS, Processor()))
        print(f"    as on a processor, {check:,} embeddings, by groups as well: {same}", flush=True)


def _embeddings(speaker: Array, dim: int, device: str) -> Array:
    generator = torch.Generator(device=device).manual_seed(2)
    draw = partial(torch.randn, device=device, generator=generator, dtype=torch.float32)
    centre = draw(int(speaker.max()) + 1, dim)[torch.from_numpy(speaker).to(device)]
    return np.asarray((centre + 1.6 * draw(len(speaker), dim)).cpu().numpy())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[131072, 1048576])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dim", type=int, default=256)
    given = parser.parse_args()
    where = torch.cuda.get_device_name() if given.device == "cuda" else "processor"
    print(f"torch {torch.__version__}, {where}", flush=True)
    for n in (4096, *given.sizes):  # the first of them compiles
        run(n, given.dim, given.device, check=min(n, 8192))


if __name__ == "__main__":
    main()
