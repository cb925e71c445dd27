"""Passes over scores in C, where they were built; NumPy does the same work everywhere else.

The NumPy code is the reference, and stands beside each call of a kernel. Both give the same bits,
which tests/kernels checks. ``LLRCAL_PURE=1`` in the environment leaves the kernels alone. What each
of them does is in kernels.h; arguments are checked in ``calls_for_*.c``.
"""

import os
from types import ModuleType

TYPE_CHECKING = False  # `llrcal --version` need not wait for the import of typing
if TYPE_CHECKING:
    from llrcal.arrays import Array


def _loaded() -> ModuleType | None:
    if os.environ.get("LLRCAL_PURE", "0") not in {"", "0"}:
        return None
    try:
        from llrcal.kernels import _compiled  # type: ignore[attr-defined]
    except ImportError:
        return None
    # A build of older sources, as there may be after a pull, is left alone.
    return _compiled if hasattr(_compiled, "count_products") else None


compiled = _loaded()
"""The module in C; None if NumPy is to do its work."""


def kernels_for_doubles() -> ModuleType | None:
    """The kernels, if they are there."""
    return compiled


def kernels_for(scores: "Array") -> ModuleType | None:
    """The kernels, if they are there and know scores of this kind; else None."""
    is_known = scores.ndim == 1 and scores.dtype.isnative and scores.dtype.char in "fd"
    return compiled if is_known else None


def in_use() -> str:
    """Which of both paths is in use, in a few words."""
    return "NumPy passes" if compiled is None else "compiled passes"
