"""``llrcal sign``: a model file that was edited, signed again."""

from __future__ import annotations

import json
from pathlib import Path

import llrcal
from tests.calibrations.model_files import KEPT
from tests.cli.running import answer, done, only_line
from tests.cli.running import llrcal as run
from tests.trial_sets import normal


def edited(folder: Path, new: str) -> Path:
    """A model file in which the height of a line was replaced."""
    path = folder / "m.json"
    llrcal.fit(normal(30, 1.0, 1.0), normal(60, -1.0, 0.8), method="logistic").save(path)
    before, after = path.read_text("utf-8").split('"height": ')
    _, _, rest = after.partition("\n")
    path.write_text(f'{before}"height": {new}\n{rest}')
    return path


def test_an_edited_file_is_refused_until_it_is_signed(tmp_path: Path) -> None:
    path = edited(tmp_path, "0.25")
    for verb in (f"weigh {path} 1", f"export {path} -o {tmp_path / 'm.c'}"):
        only_line(run(verb), f"llrcal: {path}: was changed since it was saved")
    said = done("sign", path).stderr
    assert said.startswith(f"{path}: signed: logistic calibration of 30 target and 60 non-target")
    assert llrcal.load(path).height == 0.25
    assert done("sign", path, "--quiet").output == ""
    assert len(answer("sign", path)["checksum"]) == 64


def test_what_is_signed_is_checked(tmp_path: Path) -> None:
    path = edited(tmp_path, '"high"')
    content = path.read_bytes()
    only_line(run("sign", path), "field 'height' must be a number, not text")
    assert path.read_bytes() == content
    only_line(run("sign", tmp_path / "none.json"), "cannot be read: No such file")


def test_a_file_without_a_checksum_can_be_signed(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    before = llrcal.load(KEPT / "nig.json")
    path.write_text((KEPT / "nig.json").read_text().replace('"checksum"', '"checksum_"', 1))
    document = json.loads(path.read_text())
    del document["checksum_"]
    path.write_text(json.dumps(document))
    assert answer("sign", path)["model"] == str(path)
    assert llrcal.load(path) == before
