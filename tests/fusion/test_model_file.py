"""Fusions in files: read back as they were, and refused if anything is off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import llrcal
import llrcal.calibrations
from llrcal.errors import ModelFileError
from tests.calibrations.model_files import resigned

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "fusion.schema.json").read_text("utf-8"))
RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def fused() -> llrcal.Fused:
    tar, non = RNG.normal(1, 1, (40, 2)), RNG.normal(-1, 1, (80, 2))
    tar[:5, 0] = np.nan
    quality = RNG.exponential(1, 40), RNG.exponential(1, 80)
    condition = RNG.choice(["a", "b, c"], 40), RNG.choice(["a", "b, c"], 80)
    return llrcal.fuse(tar, non, quality=quality, condition=condition, missing="patterns")


@pytest.fixture(scope="module")
def document(fused: llrcal.Fused, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("models") / "fused.json"
    fused.save(path)
    loaded = llrcal.load(path)
    assert loaded == fused
    new = np.array([[0.3, np.nan], [1.5, -0.25]])
    known: dict[str, Any] = {"quality": [0.5, 1.0], "condition": ["a", "b, c"]}
    assert (loaded(new, **known) == fused(new, **known)).all()
    with pytest.raises(ModelFileError, match="is a fusion of systems; give a calibration"):
        llrcal.calibrations.load(path)
    return dict(json.loads(path.read_text("utf-8")))


def test_a_fusion_without_its_checksum_or_of_a_newer_version(
    document: dict[str, Any], tmp_path: Path
) -> None:
    unsigned = {name: value for name, value in document.items() if name != "checksum"}
    (tmp_path / "m.json").write_text(json.dumps(unsigned))
    with pytest.raises(ModelFileError, match="was changed since it was saved"):
        llrcal.load(tmp_path / "m.json")
    newer = {**document, "version": 3}
    (tmp_path / "m.json").write_text(json.dumps(newer))
    with pytest.raises(ModelFileError, match="reads version 2: install a newer one"):
        llrcal.load(tmp_path / "m.json")


@pytest.mark.slow
def test_the_schema_describes_a_fusion(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def mutations(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a document, lists by their first item."""
    yield path
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value[:1])
    for name, one in inside:
        yield from mutations(one, (*path, name))


@pytest.mark.slow
def test_loading_and_the_schema_agree_on_every_mutation(
    document: dict[str, Any], tmp_path: Path
) -> None:
    """Every field in turn is replaced or left out; what the schema refuses is not loaded."""
    path, validator = tmp_path / "fused.json", jsonschema.Draft202012Validator(SCHEMA)

    def is_accepted(mutated: dict[str, Any]) -> bool:
        path.write_text(json.dumps(mutated))
        try:
            llrcal.load(path)
        except ModelFileError:
            return False
        return True

    for place in list(mutations(document))[1:]:
        values: tuple[Any, ...] = (None, "x", -1.5, [])
        for new in values:
            mutated = deepcopy(document)
            holder_of(mutated, place)[place[-1]] = new
            mutated = resigned(mutated)
            assert not is_accepted(mutated) or validator.is_valid(mutated), (place, new)
        if isinstance(place[-1], str) and place != ("conditions",):
            left_out = deepcopy(document)
            del holder_of(left_out, place)[place[-1]]
            left_out = resigned(left_out)
            assert not is_accepted(left_out), place
            assert not validator.is_valid(left_out), place


def holder_of(document: Any, place: tuple[Any, ...]) -> Any:
    """The object or list that a value is in."""
    for name in place[:-1]:
        document = document[name]
    return document
