"""The published schemas follow from the declarations, loading holds to them, and the page says it.

The files are written by docs/schemas.py.
"""

from __future__ import annotations

import json
import math
import re
import runpy
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import METHODS
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.model_file import FORMAT
from llrcal.declaration import is_signed
from tests.calibrations.model_files import (
    CASES,
    EVERY_CASE,
    EVERY_KEPT,
    KEPT,
    at,
    calibration,
    field,
    parent,
    places,
    refusal,
)
from tests.examples import NIGHTLY

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "model.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# What is refused beyond the schema; docs/model-files.md lists it.
BEYOND = re.compile(
    r"must be in strictly rising order"
    r"|has \d+ values; there must be \d+"
    r"|below the lowest"
    r"|'meeting' is \S+, not between"
    r"|must be a whole number, not a number"  # such as 1.0
    r"|without unpaired surrogates"
    r"|times the scale"
    r"|do not go together"
)
# A field at fault may come to light in another: a method decides on the fields of its model.
RELATED = {
    "checksum": ("was changed since",),
    "policy": ("least_llr", "greatest_llr"),
    "method": ("model: ",),
    "scores": ("llrs", "slopes", "below", "above", "counts"),
    "lowest_score": ("highest_score", "meeting"),
    "highest_score": ("meeting",),
}


@cache
def saved(case: str, folder: Path) -> dict[str, Any]:
    path = folder / "saved.json"
    calibration(case).save(path)
    document = json.loads(path.read_bytes())
    assert isinstance(document, dict)
    return document


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def is_valid(text: str) -> bool:
    """Whether a text is JSON of the schema; JSON has no NaN."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    try:
        document = json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return bool(VALIDATOR.is_valid(document))


def test_the_published_schemas_are_those_of_the_code() -> None:
    for path, text in runpy.run_path(str(DOCS / "schemas.py"))["texts"]().items():
        assert path.read_text("utf-8") == text, f"run docs/schemas.py: {path.name} is stale"
        jsonschema.Draft202012Validator.check_schema(json.loads(text))


def names(schema: Any) -> Iterator[str]:
    """The name of every field that a schema describes, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inside in schema.values():
            yield from names(inside)


def test_every_field_is_on_the_page() -> None:
    page = (DOCS / "model-files.md").read_text("utf-8")
    for word in {*names(SCHEMA), *METHODS, *POLICIES}:
        assert f"`{word}`" in page, word


def test_the_example_on_the_page_is_valid() -> None:
    page = (DOCS / "model-files.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert is_valid(example)
    assert is_signed(json.loads(example))


@EVERY_CASE
def test_whatever_is_saved_is_valid(case: str, folder: Path) -> None:
    VALIDATOR.validate(saved(case, folder))


# ----------------------------------------------------------------- agreement, on anything at all

NUMBERS = st.floats() | st.integers(-(10**20), 10**20) | st.integers(-3, 3)
WORDS = st.text(max_size=5) | st.sampled_from([*METHODS, *POLICIES, "empirical", FORMAT])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(WORDS, inside, max_size=3),
    max_leaves=8,
)
SORTED = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=4, unique=True).map(sorted)


@given(data=st.data(), case=st.sampled_from(list(CASES)))
def test_loading_and_the_schema_agree(data: st.DataObject, case: str, folder: Path) -> None:
    """They accept the same, but for what the page lists, and the field at fault is named."""
    whole = deepcopy(saved(case, folder))
    touched: list[str] = []
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(whole))))
        touched.append(field(path))
        what = data.draw(st.sampled_from(["replace", "replace", "remove", "add", "swap"]))
        if what == "replace":
            parent(whole, path)[path[-1]] = data.draw(VALUES | SORTED)
        elif what == "remove":
            del parent(whole, path)[path[-1]]
        elif what == "add" and isinstance(at(whole, path), dict):
            name = data.draw(WORDS)
            at(whole, path)[name] = data.draw(VALUES)
            touched.append(repr(name)[1:-1])
        elif what == "swap" and isinstance(at(whole, path), list):
            at(whole, path).reverse()
    text = json.dumps(whole)
    message, valid = refusal(text, folder), is_valid(text)
    if message is None:
        assert valid, f"loaded, against the schema: {text[:500]}"
        return
    assert not valid or BEYOND.search(message), f"refused, though valid: {message}"
    expected = {other for name in touched for other in (name, *RELATED.get(name, ()))}
    assert any(name in message for name in expected), f"{expected} not named in: {message}"


@given(text=st.text(max_size=30) | VALUES.map(json.dumps))
def test_what_is_no_model_is_neither_loaded_nor_valid(text: str, folder: Path) -> None:
    assert not is_valid(text)
    assert refusal(text.encode("utf-8", "surrogatepass"), folder)


# ------------------------------------------------------- the page is enough to work out LLRs


def by_the_page(model: dict[str, Any], score: float) -> mpmath.mpf:
    """The LLR of a score, from the fields of a model file and the formulas of the page alone."""
    x = mpmath.mpf(-score if model["lower_is_better"] else score)
    bounds, training = model["bounds"], model["training"]
    if bounds["policy"] != "none":
        x = min(max(x, bounds["lowest_score"]), bounds["highest_score"])
    meeting = bounds.get("meeting")
    llr = formula(model["method"], model["model"], x)
    if meeting is not None:
        llr = held(model, meeting, x)
    if bounds["policy"] == "elub":
        return min(max(llr, bounds["least_llr"]), bounds["greatest_llr"])
    if bounds["policy"] != "counts":
        return llr
    tar, non = training["tar"], training["non"]
    if "speakers" in training:
        s, u = training["speakers"]
        tar, non = min(tar, s), min(non, max(u, u * (u - 1) // 2))
    return min(max(llr, -mpmath.log(tar + 1)), mpmath.log(non + 1))


def held(model: dict[str, Any], meeting: float, x: mpmath.mpf) -> mpmath.mpf:
    """The greatest value from the meeting point to x, or the least: a grid, then its best cell."""
    sign = 1 if x >= meeting else -1

    def value(t: mpmath.mpf) -> mpmath.mpf:
        return sign * formula(model["method"], model["model"], t)

    cells = 24
    grid = [meeting + (x - meeting) * i / cells for i in range(cells + 1)]
    values = [value(t) for t in grid]
    best = max(range(cells + 1), key=values.__getitem__)
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, cells)]
    for _ in range(40):  # ternary search: the error of the place is squared in the value
        third = (high - low) / 3
        if value(low + third) < value(high - third):
            low += third
        else:
            high -= third
    return sign * max(values[best], value((low + high) / 2))


def formula(method: str, model: dict[str, Any], x: mpmath.mpf) -> mpmath.mpf:
    if method in ("logistic", "linear-gaussian"):
        return model["height"] + model["slope"] * (x - model["origin"])
    if method == "pav":
        below = [llr for at, llr in zip(model["scores"], model["llrs"], strict=True) if at <= x]
        return mpmath.mpf((below or model["llrs"][:1])[-1])
    if method == "smooth":
        return spline(x, **model)
    families: dict[str, Callable[..., Any]] = {
        "gaussian": gaussian,
        "student-t": student_t,
        "nig": nig,
    }
    log_density = families[method]
    return log_density(x, **model["tar"]) - log_density(x, **model["non"])


def spline(x: mpmath.mpf, *, scores: list[float], first: float, slopes: list[float]) -> Any:
    r, llr = 2 * (mpmath.mpf(scores[-1]) - scores[0]), mpmath.mpf(first)
    if x < scores[0]:
        return llr - slopes[0] * r * mpmath.log(1 + (scores[0] - x) / r)
    for i in range(len(scores) - 1):
        k, width = mpmath.mpf(scores[i]), mpmath.mpf(scores[i + 1]) - scores[i]
        d = min(max((x - k) / width, 0), 1)
        llr += d * width * (slopes[i] + (mpmath.mpf(slopes[i + 1]) - slopes[i]) * d / 2)
    if x > scores[-1]:
        llr += slopes[-1] * r * mpmath.log(1 + (x - scores[-1]) / r)
    return llr


def gaussian(x: mpmath.mpf, *, origin: float, location: float, scale: float, loglik: float) -> Any:
    y = (x - origin - location) / scale
    return -y * y / 2 - mpmath.log(scale) - mpmath.log(2 * mpmath.pi) / 2


def student_t(x: mpmath.mpf, *, inverse_dof: float, **common: float) -> Any:
    if inverse_dof == 0:
        return gaussian(x, **common)
    nu, scale = 1 / mpmath.mpf(inverse_dof), common["scale"]
    y = (x - common["origin"] - common["location"]) / scale
    return (
        mpmath.loggamma((nu + 1) / 2)
        - mpmath.loggamma(nu / 2)
        - mpmath.log(nu * mpmath.pi) / 2
        - mpmath.log(scale)
        - (nu + 1) / 2 * mpmath.log(1 + y * y / nu)
    )


def nig(x: mpmath.mpf, *, asymmetry: float, tail: float, **common: float) -> Any:
    v, k, scale = mpmath.mpf(asymmetry), mpmath.mpf(tail), common["scale"]
    kappa, eta = mpmath.expm1(k), mpmath.exp(k / 2) * mpmath.sinh(v)
    tau, s = kappa + eta * eta, scale * mpmath.exp(k / 2) * mpmath.cosh(v)
    alpha, beta = mpmath.sqrt(tau) / (kappa * s), eta / (kappa * s)
    delta = s * mpmath.sqrt(kappa) / tau
    mu = mpmath.mpf(common["origin"]) + common["location"] - scale * mpmath.tanh(v) / tau
    q = mpmath.sqrt(delta**2 + (x - mu) ** 2)
    return (
        mpmath.log(alpha * delta / mpmath.pi)
        + delta * mpmath.sqrt(alpha**2 - beta**2)
        + beta * (x - mu)
        - mpmath.log(q)
        + mpmath.log(mpmath.besselk(1, alpha * q))
    )


@pytest.mark.slow
@EVERY_KEPT
def test_the_page_is_enough_to_work_out_llrs(name: str) -> None:
    model = json.loads((KEPT / f"{name}.json").read_bytes())
    recorded = json.loads((KEPT / f"{name}.llrs.json").read_bytes())
    pairs = list(zip(recorded["scores"], recorded["llrs"], strict=True))
    if not NIGHTLY:  # to sixty digits, formulas are slow
        pairs = pairs[:: 12 if name.startswith("nig") else 3]
    with mpmath.workdps(60):
        for score, llr in pairs:
            if math.fabs(score) > 1e70:
                continue  # counts as if it were less far out, as the page says
            expected = float(by_the_page(model, score))
            assert llr == pytest.approx(expected, rel=1e-9, abs=1e-9), score


@EVERY_KEPT
def test_kept_models_are_valid(name: str) -> None:
    assert is_valid((KEPT / f"{name}.json").read_text("utf-8"))
