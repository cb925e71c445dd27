"""Labels of embeddings as numbers: who speaks, and what trials must and must not share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.pairing.embeddings import Embeddings
from llrcal.pairing.fixed_point import FixedPoint, Similarity, fixed_point

Labels = Any
"""One label for each embedding: see :func:`llrcal.pairs`."""
SPEAKER, BY = "speakers", "by"


@dataclass(frozen=True)
class Codes:
    """Labels as numbers: one array for each set, and what they stand for."""

    of: tuple[Array, ...]
    names: tuple[str, ...]

    @classmethod
    def of_labels(cls, name: str, given: Labels, sets: Sequence[Embeddings]) -> Codes:
        """The labels of all sets, with the same number for the same label."""
        setting = name.partition(" ")[0]
        if len(sets) == 1 or given is None or isinstance(given, str | PathLike):
            given = [given] * len(sets)
        if len(given) != len(sets):
            text = ": pass a pair, with the labels of both sets, or the name of a column"
            raise OptionError(Setting(setting), text)
        labels = [vectors.labels(some, setting) for vectors, some in zip(sets, given, strict=True)]
        if len({array.dtype.kind in "US" for array in labels}) > 1:
            labels = [array.astype(str) for array in labels]
        names, codes = np.unique(np.concatenate(labels), return_inverse=True)
        edges = np.cumsum([len(array) for array in labels])[:-1]
        parts = np.split(codes.astype(np.int64), edges)
        return cls(tuple(parts), tuple(map(str, names.tolist())))


def several_kinds(setting: str, given: Labels) -> dict[str, Labels]:
    """Several kinds of labels, by name."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {f"{setting} {name}": labels for name, labels in given.items()}
    return {setting: given}


@dataclass(frozen=True)
class LabelledRows:
    """Labels of rows, of which a model may have several: row numbers that rise, and labels."""

    row: Array
    label: Array

    @classmethod
    def of(cls, row: Array, label: Array) -> LabelledRows:
        """Each label of a row once."""
        pairs = np.unique(np.stack([row, label], axis=1), axis=0)
        return cls(pairs[:, 0], pairs[:, 1])

    def and_also(self, other: LabelledRows) -> LabelledRows:
        """Rows with every combination of their labels, as pairs of numbers in two columns."""
        first, count = np.searchsorted(other.row, self.row), np.bincount(other.row)[self.row]
        place = np.repeat(np.arange(len(self.row)), count)
        inside = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        label = np.stack([self.label[place], other.label[first[place] + inside]], axis=1)
        return LabelledRows(self.row[place], label)


def with_one_label(sides: Sequence[LabelledRows]) -> list[LabelledRows]:
    """One number for each pair of labels, the same on all sides."""
    labels = np.concatenate([side.label for side in sides])
    number = labels[:, 0] * (int(labels[:, 1].max(initial=0)) + 1) + labels[:, 1]
    _, number = np.unique(number, return_inverse=True)
    edges = np.cumsum([len(side.row) for side in sides])[:-1]
    parts = np.split(number.astype(np.int64), edges)
    return [LabelledRows(side.row, part) for side, part in zip(sides, parts, strict=True)]


@dataclass(frozen=True)
class Side:
    """One set: embeddings as integers, and the labels of each."""

    embeddings: FixedPoint
    labels: Mapping[str, LabelledRows]

    @classmethod
    def of(
        cls,
        given: Embeddings,
        number: int,
        labels: Mapping[str, Codes],
        similarity: Similarity,
        models: Labels = None,
    ) -> Side:
        """A set, by its number; embeddings of models are replaced by their means."""
        vectors, row = given.vectors, np.arange(len(given.vectors))
        if models is not None:
            vectors, row = _means(given, models)
        embeddings = fixed_point(vectors, similarity, given.name)
        rows = {name: LabelledRows.of(row, codes.of[number]) for name, codes in labels.items()}
        for name in {SPEAKER, BY} & {*rows}:
            if len(rows[name].row) > len(vectors):
                twice = np.flatnonzero(np.diff(rows[name].row) == 0)[0]
                names = (labels[name].names[k] for k in rows[name].label[twice : twice + 2])
                raise ScoreError(f"{given.name}: a model has two {name}: {' and '.join(names)}")
        return cls(embeddings, rows)


def _means(given: Embeddings, models: Labels) -> tuple[Array, Array]:
    """The mean of the embeddings of each model; and the model of each embedding, by number."""
    _, model = np.unique(given.labels(models, "models"), return_inverse=True)
    order = np.argsort(model, kind="stable")
    first = np.searchsorted(model[order], np.arange(int(model.max()) + 1))
    sums = np.add.reduceat(np.asarray(given.vectors, np.float64)[order], first, axis=0)
    return sums / np.bincount(model)[:, None], model


def groups_of(speakers: Sequence[Array], most: int) -> Array:
    """The group of each speaker: of about as many embeddings each, and otherwise at random."""
    size = np.bincount(np.concatenate(speakers))
    count = min(most, int((size > 0).sum()))
    if count < 2:
        return np.zeros(len(size), np.int64)
    shuffled = np.random.default_rng(0).permutation(len(size))
    order = shuffled[np.argsort(-size[shuffled], kind="stable")]
    there_and_back = np.concatenate([np.arange(count), np.arange(count)[::-1]])
    group = np.empty(len(size), np.int64)
    group[order] = np.resize(there_and_back, len(size))
    return group


def duplicates(sides: Sequence[Side]) -> Iterator[Note]:
    """Notes on embeddings that equal another one, by hashes of their integers."""
    factor = np.random.default_rng(0).integers(2**62, size=sides[0].embeddings.rows.shape[1]) | 1
    keys = [
        (side.embeddings.rows[start : start + 4096] * factor).sum(axis=1)
        for side in sides
        for start in range(0, len(side.embeddings.rows), 4096)
    ]
    count, distinct = sum(map(len, keys)), len(np.unique(np.concatenate(keys)))
    if distinct == 1 < count:
        raise DegenerateError(f"all {count:,} embeddings are the same")
    if 10 * distinct <= count:
        raise DegenerateError(
            f"of {count:,} embeddings only {distinct:,} are different; leave the copies out"
        )
    if distinct < count and len(sides) == 1:
        yield Note.warning(
            "duplicates",
            f"of {count:,} embeddings only {distinct:,} are different: the same recordings may "
            "be there more than once; leave them out, or name them in ",
            Setting("exclude"),
        )
