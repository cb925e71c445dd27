"""Counting pairs on a cluster, through Dask: blocks as tasks, whose counts are added up there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llrcal.arrays import Array, Counts
from llrcal.onepass.chunks import use_one_thread
from llrcal.pairing.regions import Plan, Share
from llrcal.pairing.tally import Done, Processor
from llrcal.scale.dask_engine import check_versions, cluster_errors

_TASKS = 8  # for each thread of a cluster: enough to balance slow and fast ones
_FAN_IN = 4  # counts that one task adds up
_ROWS = 2**14  # of a block, at most: so tasks can be of about the same size


@dataclass(frozen=True)
class Cluster:
    """The workers of a client."""

    client: Any

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Counts:
        from distributed import as_completed

        check_versions(self.client)
        with cluster_errors():
            # Every worker needs most of the rows, and hands them on to others.
            arrays = [enrol, plan.rows, plan.cols, *([] if enrol is test else [test])]
            rows, *orders = self.client.scatter(arrays, broadcast=True, hash=False)
            cols = rows if enrol is test else orders.pop()
            threads = sum(self.client.nthreads().values()) or 1
            shares = [*plan.shares(plan.pairs // (_TASKS * threads) + 1, _ROWS, _ROWS)] or [[]]
            leaves = [
                self.client.submit(_tally, rows, cols, *orders, share, groups, pure=False)
                for share in shares
            ]
            values = leaves
            while len(values) > 1:
                values = [
                    self.client.submit(sum, values[i : i + _FAN_IN], pure=False)
                    for i in range(0, len(values), _FAN_IN)
                ]
            sizes = {
                leaf.key: sum(block.pairs for _, block in share)
                for leaf, share in zip(leaves, shares, strict=True)
            }
            for leaf in as_completed(leaves, loop=self.client.loop):
                if leaf.status == "error":
                    break  # which the result raises
                done(sizes[leaf.key])
            found: Counts = values[0].result()
        return found


def _tally(
    enrol: Array, test: Array, rows: Array, cols: Array, share: Share, groups: int
) -> Counts:
    """A task: counts of some blocks, in one thread."""
    use_one_thread()
    return Processor().tally(enrol, test, Plan(rows, cols, share), groups, lambda _: None)
