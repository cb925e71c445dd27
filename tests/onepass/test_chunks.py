"""Arrays that threads share out among themselves."""

from __future__ import annotations

from typing import Self

import numpy as np
import pytest

from llrcal.arrays import Array
from llrcal.onepass.chunks import CHUNK, fold_array

PLACES = np.arange(11 * CHUNK + 5)


class Seen:
    """Which places were added, to how many values; some are refused."""

    def __init__(self, refused: tuple[int, ...] = ()) -> None:
        self.refused, self.parts = refused, list[Array]()
        self.values = 1

    def add(self, part: Array, _counts: Array | None = None) -> None:
        for one in self.refused:
            if part[0] <= one <= part[-1]:
                raise ValueError(f"{one} is refused")
        self.parts.append(part)

    @property
    def value(self) -> Self:
        return self

    def merge(self, other: Self) -> Self:
        self.parts += other.parts
        self.values += other.values
        return self


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_every_score_is_added_once(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", str(threads))
    seen = fold_array(Seen, PLACES)
    in_order = sorted(seen.parts, key=lambda part: int(part[0]))
    assert np.array_equal(np.concatenate(in_order), PLACES)
    assert 1 <= seen.values <= min(threads, 3)  # one a thread, of which so few are worth three
    assert all(part[0] % CHUNK == 0 for part in in_order)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_error_counts(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", str(threads))
    refused = (5 * CHUNK, 8 * CHUNK, 11 * CHUNK)
    for _ in range(20):
        with pytest.raises(ValueError, match=f"^{5 * CHUNK} is refused"):
            fold_array(lambda: Seen(refused), PLACES)
