"""Tables of comparisons by people with names, some of whom are hard to recognize."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write_table(path: Path, *, people: str = "s", speakers: int = 24, named: bool = True) -> Path:
    """Five comparisons with oneself for each speaker, and one with everybody else."""
    rng = np.random.default_rng(len(people) + ord(people[0]))
    own = rng.normal(0, 0.6, speakers)
    names = [f"{people}{i:02d}" for i in range(speakers)]
    rows = [(a, a, own[a] + 1.8 + rng.normal()) for a in range(speakers) for _ in range(5)]
    rows += [
        (a, b, 0.3 * (own[a] + own[b]) - 1.5 + rng.normal())
        for a in range(speakers)
        for b in range(a)
    ]
    who = "enrol_speaker,test_speaker," if named else ""
    lines = [f"enrol,test,{who}score,truth"]
    for i, (a, b, score) in enumerate(rows):
        speaker = f"{names[a]},{names[b]}," if named else ""
        lines.append(f"a{i},{people}{speakers}x{i},{speaker}{score:.6f},{'SS' if a == b else 'DS'}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
