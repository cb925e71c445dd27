"""Fusion of 42 million trials of four systems in float32, beside one product of the matrices.

    python -m studies.fusion_scale [--trials 42000000]

On one thread; seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from threadpoolctl import threadpool_limits

import llrcal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=42_000_000)
    count = parser.parse_args().trials
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(4, 4)).astype(np.float32) / 3 + np.eye(4, dtype=np.float32)
    tar = (rng.normal(size=(count // 100, 4)).astype(np.float32) + 1) @ mixed
    non = rng.standard_normal(size=(count - len(tar), 4), dtype=np.float32) @ mixed
    start = time.process_time()
    non.T @ non
    once = time.process_time() - start
    start = time.process_time()
    llrcal.fuse(tar, non)
    whole = time.process_time() - start
    print("| | |\n|---|---|")
    for what, value in {
        "trials": f"{count:,}",
        "processor time, s": f"{whole:.2f}",
        "times one `X.T @ X`": f"{whole / once:.0f}",
    }.items():
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    os.environ["LLRCAL_THREADS"] = "1"
    with threadpool_limits(1):
        main()
