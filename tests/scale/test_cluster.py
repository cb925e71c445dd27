"""Clusters that cannot do the work: a line that says so, and never a wait without end."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
from llrcal import ClusterError  # noqa: E402
from llrcal.scale import dask_engine as cluster  # noqa: E402
from tests.processes import python  # noqa: E402


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)


@pytest.fixture
def mute() -> Iterator[str]:
    """Someone who accepts connections, and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_a_scheduler_that_never_answers(mute: str) -> None:
    with pytest.raises(ClusterError, match=f"no Dask scheduler answers at {mute}: "):
        cluster.check_answers(mute)


@pytest.mark.slow
def test_a_scheduler_without_workers() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address=":0"
        ) as machines,
        pytest.raises(ClusterError, match="no worker has connected to the Dask scheduler"),
    ):
        cluster.check_answers(machines.scheduler_address)


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_starts(tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with (
        dask.config.set({"distributed.worker.preload": [str(tmp_path / "deadly.py")]}),
        pytest.raises(ClusterError, match=r"failed, while it started .* with fewer: workers"),
        cluster.local_cluster(1),
    ):
        pass


def test_a_scheduler_that_is_gone() -> None:
    with (
        pytest.raises(ClusterError, match="does not answer any more"),
        cluster.cluster_errors(),
    ):
        raise CancelledError


def test_dask_that_is_not_installed() -> None:
    code = (
        "import sys; sys.modules['dask'] = None\n"
        "sys.modules['distributed'] = None\n"
        "import llrcal\n"
        "try: llrcal.open_trials('s3://scores/a.parquet')\n"
        "except llrcal.OptionError as problem: print(problem)"
    )
    told = 'clusters and URLs need Dask, which is not installed: pip install "llrcal[dask]"'
    assert " ".join(python(code)) == told
    assert "dask" in sys.modules  # here it is
