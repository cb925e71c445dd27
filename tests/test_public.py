"""The surface that users see: names, imports, the command, and what every calibration does."""

from __future__ import annotations

import ast
import dataclasses
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.kernels import in_use
from llrcal.method_table import MethodName
from tests.notes import FAR_SCORES
from tests.processes import python
from tests.trial_sets import normal

pytestmark = FAR_SCORES

TAR, NON = normal(120, 1.5, 1.2), normal(300, -1.5, 1.0)
EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)
LINEAR = pytest.mark.parametrize("method", ["linear-gaussian", "logistic"])


@cache
def fitted(method: MethodName) -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method)


# ----------------------------------------------------------------------------------- names

MODULES = ("figures", "sklearn")
NAMES = {
    "__version__",
    "Accumulator",
    "export",
    "ByCondition",
    "Calibration",
    "Comparison",
    "Conditioned",
    "Counts",
    "ClusterError",
    "DegenerateError",
    "Evaluation",
    "Fused",
    "fuse",
    "fuse_files",
    "apply_files",
    "LlrcalError",
    "LlrcalWarning",
    "METHODS",
    "ModelFileError",
    "OperatingPoint",
    "OptionError",
    "PAPER",
    "Report",
    "ScoreError",
    "TrialFileError",
    "Trials",
    "LearningCurve",
    "compare",
    "cross_validated",
    "learning_curve",
    "evaluate",
    "Watched",
    "adapt",
    "watch",
    "fit",
    "fit_all",
    "load",
    "open_trials",
    "open_scores",
    "optimal_llrs",
    "pairs",
    "read_trials",
    "write_trials",
    "simulate",
    "split",
    "Validation",
    "validate",
}


def test_the_exported_names_are_these() -> None:
    assert sorted(llrcal.__all__) == sorted(NAMES)
    assert dir(llrcal) == sorted([*llrcal.__all__, *MODULES])


def test_every_exported_name_resolves_to_what_it_names() -> None:
    for name in llrcal.__all__:
        value = getattr(llrcal, name)
        if isinstance(value, type) or callable(value):
            assert value.__name__ == name


def test_type_checkers_see_the_same_names() -> None:
    """The imports for type checkers and the table of lazy names list the same."""
    tree = ast.parse(Path(str(llrcal.__file__)).read_text("utf-8"))
    typed = {
        (node.module, alias.asname)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    lazy = {(module, name) for module, names in llrcal._HOME.items() for name in names}
    assert typed == lazy | {("llrcal", name) for name in MODULES}


def test_editors_that_read_the_code_see_the_same_names() -> None:
    """Jedi skips what follows ``if False``, whatever the name of the False."""
    tree = ast.parse(Path(str(llrcal.__file__)).read_text("utf-8"))
    [value] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TYPE_CHECKING"
    ]
    assert not isinstance(value, ast.Constant)
    assert not llrcal.TYPE_CHECKING


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'calibrate'"):
        llrcal.calibrate  # noqa: B018
    assert not hasattr(llrcal, "_nothing")


def test_errors_have_one_base() -> None:
    for name in ("ScoreError", "OptionError", "ModelFileError", "TrialFileError"):
        assert issubclass(getattr(llrcal, name), llrcal.LlrcalError)
    assert issubclass(llrcal.DegenerateError, llrcal.ScoreError)
    assert issubclass(llrcal.ScoreError, ValueError)
    assert issubclass(llrcal.OptionError, ValueError)


# --------------------------------------------------------------------------------- imports


def loaded_after(code: str, modules: tuple[str, ...]) -> list[str]:
    return python(f"import sys\n{code}\nprint(*[m for m in {modules} if m in sys.modules])")


HEAVY = ("matplotlib", "polars", "sklearn", "pandas", "scipy.stats")


@pytest.mark.slow
def test_import_alone_loads_nothing_heavy() -> None:
    modules = (*HEAVY, "numpy", "scipy", "click")
    assert loaded_after("import llrcal", modules) == []
    assert loaded_after("import llrcal; llrcal.__version__; dir(llrcal)", modules) == []
    # A fit loads what it needs: of SciPy neither optimizers nor sparse matrices.
    code = "import llrcal; llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9])(1.5)"
    others = (*modules, "scipy.optimize", "scipy.sparse", "scipy.spatial")
    assert loaded_after(code, others) == loaded_after("import scipy.special", others)


@pytest.mark.slow
def test_a_fit_of_every_method_loads_no_plotting_and_no_learning() -> None:
    code = """
import llrcal
tar, non = [float(i) ** 1.1 for i in range(30)], [-float(i) ** 0.9 + 9 for i in range(40)]
llrcal.fit, llrcal.evaluate
for calibration in llrcal.fit_all(tar, non).values():
    llrcal.evaluate(calibration(tar), calibration(non)).min_cllr
llrcal.optimal_llrs(tar, non)
assert "numpy" in sys.modules
"""
    assert loaded_after(code, HEAVY) == []


def test_the_command_line_loads_no_numbers() -> None:
    assert loaded_after("import llrcal.cli", (*HEAVY, "numpy", "scipy")) == []


def test_version_of_the_command() -> None:
    def said(**env: str) -> str:
        command = [sys.executable, "-m", "llrcal", "--version"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=os.environ | env
        )
        assert done.stderr == ""
        return done.stdout

    assert said() == f"llrcal {llrcal.__version__} ({in_use()})\n"
    assert said(LLRCAL_PURE="1") == f"llrcal {llrcal.__version__} (NumPy passes)\n"


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert llrcal.__version__ == version("llrcal")


# ------------------------------------------------------------------------------------- fit


def test_methods_are_those_of_the_paper_and_smooth() -> None:
    names = ["smooth", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig"]
    assert {*names} <= {*llrcal.METHODS}
    assert len(llrcal.PAPER) == 10
    with pytest.raises(TypeError):
        llrcal.METHODS["mine"] = llrcal.Calibration  # type: ignore[index]


@pytest.mark.slow
def test_fit_all_is_fit_of_each() -> None:
    every = llrcal.fit_all(TAR, NON)
    assert list(every) == [
        "linear-gaussian-empirical",
        "linear-gaussian-0.5",
        "linear-gaussian-0.92",
        "logistic-empirical",
        "logistic-0.5",
        "logistic-0.92",
        "pav",
        "gaussian",
        "student-t",
        "nig",
    ]
    for entry, calibration in zip(llrcal.PAPER, every.values(), strict=True):
        method: Any
        method, options = (entry, {}) if isinstance(entry, str) else entry
        assert calibration == llrcal.fit(TAR, NON, method=method, **options)


def test_fit_is_smooth_and_logistic_has_even_weights_unless_told() -> None:
    assert llrcal.fit(TAR, NON) == llrcal.fit(TAR, NON, method="smooth")
    even = llrcal.fit(TAR, NON, method="logistic", alpha=0.5)
    assert llrcal.fit(TAR, NON, method="logistic") == even


@pytest.mark.parametrize("method", ["platt", "", "Logistic", "PAV"])
def test_unknown_methods_are_named_beside_the_known(method: Any) -> None:
    with pytest.raises(llrcal.OptionError, match=f"'{method}'.*smooth, linear-gaussian, logistic"):
        llrcal.fit(TAR, NON, method=method)
    with pytest.raises(llrcal.OptionError, match=f"'{method}'"):
        llrcal.fit_all(TAR, NON, methods=["pav", method])


@pytest.mark.parametrize(
    ("methods", "twice"),
    [
        (["nig", "pav", "nig"], "nig"),
        (["gaussian", ("gaussian", {"bayes": False})], "gaussian"),
        ([("logistic", {"alpha": 0.9}), ("logistic", {"alpha": np.float64(0.9)})], "logistic-0.9"),
    ],
)
def test_calibrations_of_one_name_are_refused(methods: Any, twice: str) -> None:
    trials = llrcal.Trials(TAR, NON, "trials"), llrcal.Trials(TAR + 1, NON + 1, "others")
    words = f"'{twice}' is there more than once"
    for ask in (llrcal.fit_all, llrcal.compare, llrcal.learning_curve):
        sets: Any = (TAR, NON) if ask is llrcal.fit_all else trials
        with pytest.raises(llrcal.OptionError, match=words):
            ask(*sets, methods=methods)


@EVERY_METHOD
def test_options_that_a_method_does_not_take_are_named(method: MethodName) -> None:
    name = "beta" if method.startswith("l") else "alpha"
    options: dict[str, Any] = {name: 0.5}
    with pytest.raises(llrcal.OptionError, match=f"{method} has no option '{name}'"):
        llrcal.fit(TAR, NON, method=method, **options)


@LINEAR
@pytest.mark.parametrize(
    "alpha",
    [0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "auto", "0.5", True, False, [0.5]],
)
def test_bad_weights(method: MethodName, alpha: Any) -> None:
    with pytest.raises(llrcal.OptionError, match=r"alpha is .*between 0 and 1"):
        llrcal.fit(TAR, NON, method=method, alpha=alpha)


@LINEAR
def test_weights_matter_and_the_empirical_one_is_the_share_of_targets(method: MethodName) -> None:
    def params(alpha: Any) -> dict[str, Any]:
        return llrcal.fit(TAR, NON, method=method, alpha=alpha).params

    assert params("empirical") == params(120 / 420)
    assert params(np.float64(0.5)) == params(0.5)
    assert params(0.1)["slope"] != params(0.9)["slope"]


@EVERY_METHOD
def test_bad_scores_are_refused_by_class(method: MethodName) -> None:
    for bad in ([], [math.nan, 1.0], [[1.0, 2.0]], [True, False], ["1", "2"], [1j, 2j], None):
        with pytest.raises(llrcal.ScoreError, match=r"^(?!.*non-target).*target scores"):
            llrcal.fit(bad, NON, method=method)  # type: ignore[arg-type]
        with pytest.raises(llrcal.ScoreError, match="non-target scores"):
            llrcal.fit(TAR, bad, method=method)


# ------------------------------------------------------------------------- calibrations


@EVERY_METHOD
def test_a_calibration_is_frozen(method: MethodName) -> None:
    calibration = fitted(method)
    for field in dataclasses.fields(calibration):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(calibration, field.name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        calibration.report.converged = False  # type: ignore[misc]


@EVERY_METHOD
def test_changing_params_changes_no_calibration(method: MethodName) -> None:
    before = fitted(method)([0.5])
    params = fitted(method).params
    for value in params.values():
        if isinstance(value, list | dict):
            value.clear()
    params.clear()
    assert fitted(method).params
    assert fitted(method)([0.5]) == before


def plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and plain(inside) for key, inside in value.items())
    if isinstance(value, list):
        return all(plain(inside) for inside in value)
    return type(value) is float


PARAMS: dict[str, Any] = {
    "smooth": ["scores", "llrs", "slopes"],
    "linear-gaussian": ["mean_tar", "mean_non", "variance", "slope", "offset"],
    "logistic": ["slope", "offset"],
    "pav": ["scores", "llrs"],
    "gaussian": ["mean", "variance"],
    "student-t": ["location", "scale", "dof"],
    "nig": ["mu", "delta", "alpha", "beta"],
}


@EVERY_METHOD
def test_params_are_plain_numbers_by_their_names(method: MethodName) -> None:
    params = fitted(method).params
    assert plain(params)
    if method not in PARAMS:
        assert params
    elif method in ("gaussian", "student-t", "nig"):
        assert list(params) == ["tar", "non"]
        assert list(params["tar"]) == list(params["non"]) == PARAMS[method]
    else:
        assert list(params) == PARAMS[method]


@EVERY_METHOD
def test_the_report_reads_as_attributes_and_as_a_mapping(method: MethodName) -> None:
    report = fitted(method).report
    mapping = dict(report)
    assert list(mapping) == [field.name for field in dataclasses.fields(report)]
    for name, value in mapping.items():
        attribute = getattr(report, name)
        assert value == (tuple(map(str, attribute)) if name == "notes" else attribute)
        assert report[name] == value
    assert {**report} == mapping
    assert {"converged", "reason", "iterations", "objective", "gradient_norm"} <= set(mapping)
    assert "saddles_escaped" in mapping
    with pytest.raises(KeyError):
        report["nothing"]


@EVERY_METHOD
def test_words_about_a_calibration(method: MethodName) -> None:
    calibration = fitted(method)
    assert repr(calibration) == (
        f"<{method} calibration of 120 target and 300 non-target scores: "
        f"{calibration.report.reason}>"
    )
    assert (calibration.tar_count, calibration.non_count) == (120, 300)


@EVERY_METHOD
def test_scores_that_are_no_numbers_are_refused(method: MethodName) -> None:
    calibration = fitted(method)
    with pytest.raises(llrcal.ScoreError, match=r"1 of 3 .* NaN; the first is nan at index 1"):
        calibration([0.0, math.nan, 1.0])
    with pytest.raises(llrcal.ScoreError, match=r"3 of 4 .* at index 1"):
        calibration([[0.0, math.nan], [math.nan, math.nan]])
    with pytest.raises(llrcal.ScoreError, match="NaN"):
        calibration(math.nan)
    for bad in (["a"], [True], [1j], None):
        with pytest.raises(llrcal.ScoreError, match="scores"):
            calibration(bad)  # type: ignore[arg-type]
