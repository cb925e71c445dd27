"""The check for vulnerable pins, on pins that are."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

AUDIT = Path(__file__).parents[1] / ".ci" / "audit.py"

pytestmark = pytest.mark.skipif(not AUDIT.exists(), reason="not in a source distribution")


def audit() -> dict[str, Any]:
    return runpy.run_path(str(AUDIT))


def test_our_pins_are_read_and_not_known_to_be_vulnerable() -> None:
    names = audit()
    assert names["pins"]()["numpy"] >= Version("2")
    assert names["audited_here"]() == []


def test_a_vulnerable_pin_is_found(tmp_path: Path) -> None:
    names = audit()
    pins = tmp_path / "constraints.txt"
    pins.write_text("# versions\nPillow==10.2.0\nnumpy==2.4.0\nscikit_learn==1.4.2  # old\n")
    names["audited_here"].__globals__["PINS"] = pins
    found = names["audited_here"]()
    assert [line.split(":")[0] for line in found] == ["pillow 10.2.0", "scikit-learn 1.4.2"]
