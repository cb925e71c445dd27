"""Counting pairs on a cluster, through Dask: blocks as tasks, whose counts are added up there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from llrcal.arrays import Array
from llrcal.onepass.chunks import merged, use_one_thread
from llrcal.pairing.regions import Groups, Plan, Region, Share
from llrcal.pairing.tally import Done, Processor, Tally
from llrcal.scale.dask_engine import check_versions, cluster_errors

_TASKS = 8  # for each thread of a cluster: enough to balance slow and fast ones
_FAN_IN = 4  # counts that one task adds up
_ROWS = 2**14  # of a block, at most: so tasks can be of about the same size


@dataclass(frozen=True)
class Cluster:
    """The workers of a client."""

    client: Any

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Tally:
        from distributed import as_completed

        check_versions(self.client)
        with cluster_errors():
            # Every worker needs most of the rows, and hands them on to others.
            sent = self.client.scatter([enrol], broadcast=True, hash=False)
            sent += (
                [sent[0]]
                if enrol is test
                else self.client.scatter([test], broadcast=True, hash=False)
            )
            orders = self.client.scatter([plan.rows, plan.cols], broadcast=True, hash=False)
            threads = sum(self.client.nthreads().values()) or 1
            shares = [*plan.shares(plan.pairs // (_TASKS * threads) + 1, _ROWS, _ROWS)] or [[]]
            leaves = [
                self.client.submit(_tally, *sent, *orders, share, groups, pure=False)
                for share in shares
            ]
            values = leaves
            while len(values) > 1:
                values = [
                    self.client.submit(_sum, values[i : i + _FAN_IN], pure=False)
                    for i in range(0, len(values), _FAN_IN)
                ]
            size = {
                leaf.key: sum(one.pairs for _, one in share)
                for leaf, share in zip(leaves, shares, strict=True)
            }
            for leaf in as_completed(leaves, loop=self.client.loop):
                if leaf.status == "error":
                    break  # which the result raises
                done(size[leaf.key])
            found: Tally = values[0].result()
        return found


def _tally(enrol: Array, test: Array, rows: Array, cols: Array, share: Share, groups: int) -> Tally:
    """A task: counts of some blocks, in one thread."""
    use_one_thread()
    regions: defaultdict[Groups, list[Region]] = defaultdict(list)
    for at, region in share:
        regions[at].append(region)
    plan = Plan(rows, cols, {at: tuple(some) for at, some in regions.items()})
    return Processor().tally(enrol, test, plan, groups, lambda _: None)


def _sum(tallies: Sequence[Tally]) -> Tally:
    """A task: counts of several tasks together."""
    found: Tally = reduce(merged, tallies)
    return found
