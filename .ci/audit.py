"""Whether any of the pinned versions is known to be vulnerable.

Asks the advisory service by way of pip-audit. Where that cannot be reached, the pins are held
against the advisories in ``advisories.json``, which name the packages that we depend on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

HERE = Path(__file__).parent
PINS = HERE.parent / "constraints.txt"


def main() -> int:
    """Print what was found, and how; the number of vulnerable pins."""
    online = audited_online()
    found = audited_here() if online is None else online
    how = "advisories.json" if online is None else "pip-audit"
    for line in found:
        print(line)
    print(f"{how}: {len(found)} vulnerable among {len(pins())} pinned packages")
    return min(len(found), 1)


def pins() -> dict[str, Version]:
    """Pinned versions by name."""
    lines = (line.split("#")[0].strip() for line in PINS.read_text().splitlines())
    pairs = (line.split("==") for line in lines if "==" in line)
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def audited_online() -> list[str] | None:
    """What pip-audit has found; None where it could not look up every package."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(PINS), "--no-deps"]
    command += ["--disable-pip", "--progress-spinner", "off", "--format", "json", "--timeout", "10"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    if any("skip_reason" in package for package in packages):
        return None
    return [
        f"{package['name']} {package['version']}: {flaw['id']}"
        for package in packages
        for flaw in package["vulns"]
    ]


def audited_here() -> list[str]:
    """What the advisories at hand say."""
    advisories = json.loads((HERE / "advisories.json").read_text())["advisories"]
    return [
        f"{entry['package']} {version}: {entry['id']} ({entry['affected']})"
        for entry in advisories
        if (version := pins().get(canonicalize_name(entry["package"])))
        and version in SpecifierSet(entry["affected"])
    ]


if __name__ == "__main__":
    sys.exit(main())
