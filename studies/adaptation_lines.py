"""The lines that docs/studies/adaptation.md holds adaptation to, from what it printed.

    python -m studies.adaptation SCORES > printed.txt
    python -m studies.adaptation_lines printed.txt

Cuts of the loss over the ordered pairs of SRE 2008: the least and the median; from the default
calibration, and from the plain formula; over all pairs, and over those that are really shifted:
where the default calibration loses at least half as much again as one with labels of the place,
trained on one half of it and tested on the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

Numbers = dict[str, float]
LINES = ("right", "half", "double", "10 right", "30 right", "30 half", "30 double", "100 right")
SHIFTED = 1.5


def printed(text: str, kind: str) -> dict[str, Numbers]:
    """The numbers of every pair of a kind, by its name."""
    out = {}
    for line in text.splitlines():
        name, its_kind, words = line.split(" | ")
        if its_kind == kind:
            pairs = (word.rsplit(" ", 1) for word in words.split("; "))
            out[name] = {key: float(value) for key, value in pairs}
    return out


def main() -> None:
    text = Path(sys.argv[1]).read_text()
    every = printed(text, "sre08")
    shifted = {
        name: one for name, one in every.items() if one["as it is"] >= SHIFTED * one["own labels"]
    }
    print("not really shifted:", *sorted(set(every) - set(shifted)))
    for line in LINES:
        words = [f"{line:10}"]
        for some in (every, shifted):
            for before in ("as it is", "plain"):
                cuts = [1 - one[line] / one[before] for one in some.values()]
                least, median = min(cuts), np.median(cuts)
                words.append(f"{len(cuts)} pairs, {before}: {least:.3f}, {median:.3f}")
        print("; ".join(words), f"; mean {np.mean([one[line] for one in every.values()]):.2f}")
    for line in LINES:
        for kind in ("sre08", "unshifted"):
            found = printed(text, kind).items()
            worse = {name: one[line] - one["as it is"] for name, one in found if line in one}
            if worse:
                worst = max(worse, key=lambda name: worse[name])
                print(f"{line}, {kind}: at worst {worse[worst]:+.1f} ({worst})")


if __name__ == "__main__":
    main()
