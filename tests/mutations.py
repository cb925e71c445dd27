"""Files that were damaged on the way: bytes that changed, were lost, came in, or changed places."""

from __future__ import annotations

import random
from collections.abc import Iterator


def mutations(whole: bytes, count: int, *, seed: int) -> Iterator[bytes]:
    """So many contents that differ from the whole in one place or two, or end too early."""
    rng, found = random.Random(seed), 0
    while found < count:
        start, end = sorted(rng.randrange(len(whole)) for _ in range(2))
        before, here, after = whole[:start], whole[start : start + 1], whole[start + 1 :]
        some = bytes([rng.randrange(256)]), bytes([rng.choice(b"0123456789.-e")])
        swapped = whole[end : end + 1] + whole[start + 1 : end] + here if start < end else here
        changed = rng.choice(
            (
                before + bytes([here[0] ^ 1 << rng.randrange(8)]) + after,
                before + rng.choice(some) + after,
                before + rng.choice(some) + here + after,
                before + here + here + after,
                before + swapped + whole[end + 1 :],
                before + after,
                before + after[rng.randrange(40) :],
                before,
            )
        )
        if changed != whole:
            found += 1
            yield changed
