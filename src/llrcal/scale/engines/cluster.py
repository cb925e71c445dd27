"""Whether a Dask cluster can do the work, and what is said if it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pydoc import locate
from typing import Any

from llrcal.errors import ClusterError, LlrcalError

PATIENCE = 10
"""Seconds to wait for a scheduler, and for the first of its workers."""


def check_answers(address: str) -> None:
    """Refuse an address where no Dask scheduler answers, or one that no worker has connected to.

    Raises
    ------
    ClusterError
        If so. A client would wait for ever, in either case.
    """
    try:
        count = asyncio.run(_workers(address))
    except (OSError, ValueError, TimeoutError) as problem:
        reason = str(problem) or f"it has not spoken for {PATIENCE} seconds"
        raise ClusterError(f"no Dask scheduler answers at {address}: {reason}") from problem
    if not count:
        raise ClusterError(
            f"no worker has connected to the Dask scheduler at {address} within {PATIENCE} "
            "seconds; start some"
        )


async def _workers(address: str) -> int:
    """How many workers a scheduler has, once it has some."""
    from distributed import Security
    from distributed.core import rpc

    secured = Security().get_connection_args("client")
    async with rpc(address, timeout=PATIENCE / 2, connection_args=secured) as scheduler:
        found = await asyncio.wait_for(scheduler.identity(), PATIENCE)
        for _ in range(10 * PATIENCE):
            if found["workers"]:
                break
            await asyncio.sleep(0.1)
            found = await asyncio.wait_for(scheduler.identity(), PATIENCE)
    return len(found["workers"])


def check_versions(client: Any) -> None:
    """Refuse workers with other versions than those here, whose numbers may be others, too.

    Raises
    ------
    ClusterError
        If there are any.
    """
    for name in ("llrcal.version.__version__", "numpy.__version__", "polars.__version__"):
        package, here = name.partition(".")[0], locate(name)
        with cluster_errors():
            others = client.run(locate, name)  # a function that every worker has
        for worker, version in sorted(others.items()):
            if version != here:
                has = f"has {package} {version}" if version else f"does not have {package}"
                raise ClusterError(
                    f"the Dask worker {worker} {has}, and here is {package} {here}; "
                    "install the same version"
                )


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Turn errors that Dask raises over a cluster into ours."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except LlrcalError:
        raise
    except KilledWorker as problem:
        raise ClusterError(
            "workers were killed again and again over the same piece, perhaps for want of memory: "
            f"{problem.task}"
        ) from problem
    except (CommClosedError, CancelledError, asyncio.CancelledError, TimeoutError) as problem:
        raise ClusterError(
            f"the Dask scheduler does not answer any more ({type(problem).__name__}); start again"
        ) from problem
