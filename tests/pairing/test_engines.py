"""The same counts on every engine, in blocks of any size, on any number of threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from llrcal import kernels
from llrcal.arrays import Array, Counts
from llrcal.errors import OptionError
from llrcal.pairing import tally as tallying
from llrcal.pairing.fixed_point import COARSE, PLACES, ZERO, fixed_point
from llrcal.pairing.regions import Labelled, Plan, Region, pairs_between, pairs_within
from llrcal.pairing.tally import Engine, Processor
from tests.conftest import real_scores
from tests.pairing import oracle


def simulated(count: int, dimensions: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(count)
    speakers = rng.integers(0, count // 12, count)
    centre = rng.normal(size=(count // 12, dimensions))
    return centre[speakers] + rng.normal(size=(count, dimensions)), speakers


def plans(speakers: Array) -> Iterator[Plan]:
    """All pairs, those of one speaker, and pairs of two sets, with seven groups."""
    every, group = np.arange(len(speakers)), speakers % 7
    for labels in (0 * speakers, speakers):
        yield pairs_within(Labelled(every, labels, group))
        first, last = every[: len(every) // 3], every[len(every) // 3 :]
        yield pairs_between(*(Labelled(some, labels[some], group[some]) for some in (first, last)))


def counts_of(engine: Engine, rows: Array, plan: Plan) -> Counts:
    done: list[int] = []
    found = engine.tally(rows, rows, plan, 7, done.append)
    assert sum(done) == plan.pairs == found[:PLACES].sum()
    return found


def brute_force(steps: Array, speakers: Array) -> Iterator[Counts]:
    """What the plans hold, with a mask over all pairs."""
    group, count = speakers % 7, len(speakers)
    third = np.arange(count) < count // 3
    for agree in (np.ones((count, count), bool), speakers[:, None] == speakers):
        for is_pair in (np.triu(agree, 1), agree & third[:, None] & ~third):
            at = np.bincount(steps[is_pair] + ZERO, minlength=PLACES)
            touching = [
                np.bincount(
                    (steps[is_pair & ((group == one)[:, None] | (group == one))] + ZERO) // COARSE,
                    minlength=PLACES // COARSE,
                )
                for one in range(7)
            ]
            yield np.concatenate([at, *touching])


@contextmanager
def threads(count: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("LLRCAL_THREADS", str(count))
        yield


def test_any_blocks_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, speakers = simulated(400, 10)
    rows = fixed_point(vectors, "cosine").rows
    want = list(brute_force(oracle.steps(*2 * [rows.astype(np.int64)]), speakers))
    for size, count, of in ((2, 2, 2), (13, 1, 1), (64, 3, 0), (1024, 2, 3)):
        with threads(count, monkeypatch):
            plan = [*plans(speakers)][of]
            assert np.array_equal(counts_of(Processor(size), rows, plan), want[of])


@pytest.mark.parametrize("compiled", [False, True])
def test_three_thousand_embeddings(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled and kernels.compiled is None:
        pytest.skip("there are no compiled passes")
    monkeypatch.setattr(
        tallying, "kernels_for_doubles", lambda: kernels.compiled if compiled else None
    )
    vectors, speakers = simulated(3000, 40)
    check_brute_force(vectors, speakers)


def test_three_thousand_real_embeddings() -> None:
    with np.load(real_scores("speech_commands", "emb_sc3_dev.npz")) as file:
        check_brute_force(file["emb"][:3000], np.unique(file["spk"][:3000], return_inverse=True)[1])


def check_brute_force(vectors: Array, speakers: Array) -> None:
    unit = vectors.astype(float)
    unit /= np.linalg.norm(unit, axis=1)[:, None]
    rows = fixed_point(vectors, "cosine").rows
    steps = np.rint(rows.astype(float) @ rows.T.astype(float) * 2.0**-31).astype(np.int64)
    assert np.abs(steps * 2.0**-21 - unit @ unit.T).max() < 2.0**-21
    for plan, want in zip(plans(speakers), brute_force(steps, speakers), strict=True):
        assert np.array_equal(counts_of(Processor(), rows, plan), want)


def test_counts_beyond_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are emptied before a count could overflow, in the middle of two groups as well."""
    monkeypatch.setattr(tallying, "MOST", 3000)
    vectors, speakers = simulated(200, 5)
    rows = fixed_point(vectors, "cosine").rows
    want = brute_force(oracle.steps(*2 * [rows.astype(np.int64)]), speakers)
    for plan, tally in [*zip(plans(speakers), want, strict=True)][:2]:
        assert np.array_equal(counts_of(Processor(32), rows, plan), tally)


def test_blas_has_one_thread_while_pairs_are_counted_and_then_its_own_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def blas_threads() -> int:
        return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

    def tally_products(products: Array, upper: int, table: Array) -> None:
        seen.add(blas_threads())
        really(products, upper, table)

    seen, really = set[int](), tallying.tally_products
    monkeypatch.setattr(tallying, "tally_products", tally_products)
    vectors, speakers = simulated(200, 5)
    rows = fixed_point(vectors, "cosine").rows
    with threadpool_limits(2, "blas"):
        for plan in [*plans(speakers)][:2]:
            counts_of(Processor(32), rows, plan)
        assert seen == {1}
        assert blas_threads() == 2


def test_blas_keeps_its_threads_without_threadpoolctl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "find_spec", lambda _: None)
    test_any_blocks_and_threads(monkeypatch)


def test_an_error_while_counting_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is told of progress, which ends the work."""

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    vectors, speakers = simulated(200, 5)
    rows = fixed_point(vectors, "cosine").rows
    plan = next(iter(plans(speakers)))
    with pytest.raises(KeyboardInterrupt):
        Processor(32).tally(rows, rows, plan, 7, stop)
    assert np.array_equal(counts_of(Processor(32), rows, plan), counts_of(Processor(), rows, plan))


def test_blocks_of_a_region_are_its_pairs() -> None:
    for region in (
        Region(3, 50, 3, 50, upper=True),
        Region(3, 50, 60, 21),
        Region(0, 4, 0, 4, upper=True, count=9),
        Region(0, 30, 0, 30, upper=True, count=2),
    ):
        for rows, cols in ((7, 7), (8, 16), (100, 200)):
            seen = []
            for block in region.blocks(rows, cols):
                assert block.count * block.rows * block.cols <= rows * cols
                for number in range(block.count):
                    row, col = block.row + number * block.rows, block.col + number * block.cols
                    seen += [
                        (i, j)
                        for i in range(row, row + block.rows)
                        for j in range(col, col + block.cols)
                        if not block.upper or i < j
                    ]
            assert len(seen) == len({*seen}) == region.pairs


def test_shares_have_the_pairs_asked_for_and_no_block_more() -> None:
    """And no pair is left out."""
    _, speakers = simulated(200, 5)
    for plan in plans(speakers):
        shares = [[one.pairs for _, one in share] for share in plan.shares(500, 16, 32)]
        assert sum(map(sum, shares)) == plan.pairs
        assert all(sum(share) >= 500 for share in shares[:-1])
        assert all(sum(share[:-1]) < 500 for share in shares)


# ------------------------------------------------------------------------------- torch


def test_torch_on_processors() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    from llrcal.pairing.torch_engine import Torch

    vectors, speakers = simulated(300, 33)
    rows = fixed_point(vectors, "cosine").rows
    engine = Torch("cpu")
    for plan in plans(speakers):
        assert np.array_equal(counts_of(engine, rows, plan), counts_of(Processor(), rows, plan))
    with pytest.raises(OptionError, match="device='nowhere' cannot be used by torch here"):
        Torch("nowhere")


def test_without_torch_a_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from llrcal.pairing.torch_engine import Torch

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        OptionError, match=r"device='cuda' needs torch: pip install \"llrcal\[gpu\]"
    ):
        Torch("cuda")


# ------------------------------------------------------------------------------- Dask


def test_two_workers_of_dask() -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    from llrcal.pairing.cluster import Cluster
    from llrcal.scale.dask_engine import local_cluster

    vectors, speakers = simulated(600, 16)
    rows = fixed_point(vectors, "cosine").rows
    with local_cluster(2) as cluster, distributed.Client(cluster) as client:
        for plan in [*plans(speakers)][:3]:
            got = counts_of(Cluster(client), rows, plan)
            assert np.array_equal(got, counts_of(Processor(), rows, plan))
