"""Exported functions are compiled and run, and compared with the calibrations they come from."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.method_table import TABLE
from tests.calibrations.model_files import KEPT
from tests.cli.running import llrcal as run
from tests.cli.running import only_line
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(2000, -1.0, 1.5)
WIDE = np.random.default_rng(0).standard_t(3, 2000) - 1.0
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
FORMS: dict[str, dict[str, Any]] = {
    "": {},
    "none": {"bounds": "none"},
    "elub": {"bounds": "elub"},
    "falling": {"rising": False},
    "distance": {"lower_is_better": True},
}


@cache
def calibrations() -> dict[str, llrcal.Calibration]:
    """Every method in one form, the forms among them, Bayes, adapted, and scores around 1e9."""
    every = llrcal.fit_all(TAR, NON, methods=list(TABLE))
    for form, options in FORMS.items():
        sign = -1 if form == "distance" else 1
        for method in ("pav", "nig", "smooth"):
            every[f"{method}-{form}"] = llrcal.fit(
                sign * TAR, sign * WIDE, method=method, **options
            )
    for method in ("logistic", "nig"):
        every[f"bayes-{method}"] = llrcal.fit(TAR, NON, method=method, bayes=True)
    every["adapted"] = llrcal.adapt(every["nig"], np.append(NON, TAR) + 1, p_target=0.13)
    every["far"] = llrcal.fit(1e9 + TAR / 1024, 1e9 + NON / 1024)
    with pytest.warns(llrcal.LlrcalWarning, match="all scores are equal"):
        every["same"] = llrcal.fit(np.ones(5), np.ones(7), rising=False)
    return {name.replace("-", "_").replace(".", "_"): one for name, one in every.items()}


def program(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"needs {name}")


def scores_for(calibration: llrcal.Calibration) -> Floats:
    low, high = calibration.training_range
    beyond = (high - low) / 2 or 1.0
    return np.append(np.linspace(low - beyond, high + beyond, 2000), [-np.inf, np.inf, low, high])


def exported(folder: Path, ending: str) -> dict[str, Path]:
    files = {name: folder / f"{name}.{ending}" for name in calibrations()}
    for name, path in files.items():
        done = llrcal.export(calibrations()[name], path, name=f"of_{name}")
        assert done.to == ending
        assert done.largest_error < 1e-9, name
    return files


def in_c(folder: Path) -> dict[str, Floats]:
    files = [str(path) for path in exported(folder, "c").values()]
    subprocess.run(
        [program("gcc"), "-std=c99", *STRICT, "-shared", "-fPIC", "-o", folder / "llr.so", *files],
        check=True,
    )
    library = ctypes.CDLL(str(folder / "llr.so"))
    found = {}
    for name, calibration in calibrations().items():
        function = library[f"of_{name}"]
        function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
        found[name] = np.array([function(score) for score in scores_for(calibration).tolist()])
        assert np.isnan(function(np.nan))
    return found


def in_javascript(folder: Path) -> dict[str, Floats]:
    scores = {
        str(path): [str(score) for score in scores_for(calibrations()[name])]
        for name, path in exported(folder, "js").items()
    }
    (folder / "scores.json").write_text(json.dumps(scores))
    script = """
      const files = JSON.parse(require("fs").readFileSync(process.argv[1]));
      const number = (text) => text === "inf" ? Infinity : text === "-inf" ? -Infinity : +text;
      console.log(JSON.stringify(Object.entries(files).map(([file, scores]) => {
        const [llr] = Object.values(require(file));
        if (!Number.isNaN(llr(NaN))) throw new Error(file);
        return scores.map((score) => llr(number(score)));
      })));"""
    done = subprocess.run(
        [program("node"), "-e", script, folder / "scores.json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(zip(calibrations(), map(np.array, json.loads(done.stdout)), strict=True))


def in_onnx(folder: Path) -> dict[str, Floats]:
    runtime = pytest.importorskip("onnxruntime")
    found = {}
    for name, path in exported(folder, "onnx").items():
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        scores = np.append(scores_for(calibrations()[name]), np.nan)
        (llrs,) = session.run(["llrs"], {"scores": scores})
        found[name] = llrs[:-1]
        assert np.isnan(llrs[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("run_all", [in_c, in_javascript, in_onnx])
def test_functions_agree_with_their_models(run_all: Any, tmp_path: Path) -> None:
    for name, found in run_all(tmp_path).items():
        calibration = calibrations()[name]
        llrs = calibration.without_warnings(scores_for(calibration))
        assert found.tobytes() == llrs.tobytes(), name


def test_c_is_also_cpp(tmp_path: Path) -> None:
    llrcal.export(calibrations()["smooth"], tmp_path / "llr.cpp")
    subprocess.run(
        [program("g++"), *STRICT, "-fsyntax-only", tmp_path / "llr.cpp"],
        check=True,
    )


def test_command_line(tmp_path: Path) -> None:
    result = run("export", KEPT / "nig.json", "-o", tmp_path / "llr.c", "--name", "evidence")
    assert result.exit_code == 0
    assert "nats from the formula" in result.stderr
    assert "double evidence(double score);" in (tmp_path / "llr.c").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-o", "llr.py"], "does not say what to write; choose --to c"),
        (["-o", "llr.c", "--name", "2x"], "name is '2x'; give letters, digits and underscores"),
        (["-o", "-", "--to", "c"], "plain file"),
    ],
)
def test_wrong_use(options: list[str], words: str, tmp_path: Path) -> None:
    options[1] = options[1] if options[1] == "-" else str(tmp_path / options[1])
    result = run("export", KEPT / "nig.json", *options)
    only_line(result, words)
