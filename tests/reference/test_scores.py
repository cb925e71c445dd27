"""The sets drawn here are those that the other programs were given."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from tests.reference.scores import SETS, scores

# Taken from the files that the programs read. In single precision, because the last bits of a
# normal variate depend on the machine's logarithm.
DIGESTS = {
    "small": "d2008727dad4a60a",
    "ties": "9e9e110e6fbeee1c",
    "big": "e816edb45f6d6d19",
    "nig": "6bb08536a0dc9ee1",
    "separable": "4da84ed5d42a6ac7",
    "synth": "8d2429f4fcbbd509",
    "tiny_ties": "55ce4c4fcd028df4",
}


@pytest.mark.parametrize("name", SETS)
def test_scores_are_those_of_the_files(name: str) -> None:
    digest = sha256(np.concatenate(scores(name)).astype("<f4").tobytes()).hexdigest()
    assert digest[:16] == DIGESTS[name], "this version of NumPy draws other scores from the seed"
