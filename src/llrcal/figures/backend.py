"""Imports matplotlib, whatever backend the environment asks for.

Jupyter sets ``MPLBACKEND`` for the programs that it starts, too. Where that backend is not
installed, ``import matplotlib`` fails, although no file needs a backend. A backend that is
installed stays the one that pyplot uses.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

if "matplotlib" not in sys.modules and (backend := os.environ.pop("MPLBACKEND", "")):
    import matplotlib as mpl

    os.environ["MPLBACKEND"] = backend
    with suppress(ValueError):
        mpl.rcParams["backend"] = backend
