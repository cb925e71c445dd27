"""The optional kernels in C; everything else about the package is in pyproject.toml.

Where there is no compiler, or LLRCAL_PURE=1, they are left out, and NumPy does their work.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

HERE = Path("src/llrcal/kernels")
# Both paths must agree to the last bit: no product may be fused with a sum.
# Symbols for debuggers, which Python's own flags ask for, would be three quarters of the module.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off"]

kernels = Extension(
    "llrcal.kernels._compiled",
    sources=sorted(map(str, HERE.glob("*.c"))),
    depends=sorted(map(str, HERE.glob("*.h"))),
    extra_compile_args=FLAGS,
    py_limited_api=True,
    optional=True,  # a failure is a warning
)

if os.environ.get("LLRCAL_PURE", "0") in {"", "0"}:
    setup(ext_modules=[kernels], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
