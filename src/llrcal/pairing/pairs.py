"""All pairs of embeddings as counted trials.

Pairs that agree in some labels are blocks of a matrix of products (``regions.py``), so how many of
them have each score is counted without looking at a label. All else is addition and subtraction of
such counts. With N(L) for the pairs that agree in all labels of L, and E for what must not be
shared, trials are

    sum over subsets X of E of (-1)^|X| N(within + X),

targets are the same of those that agree in the speaker, too, and non-targets are what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from os import PathLike
from typing import Any

import numpy as np

from llrcal.arrays import Array, check_whole
from llrcal.arrays import Counts as Numbers
from llrcal.errors import OptionError, ScoreError
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.pairing.embeddings import Embeddings, opened
from llrcal.pairing.fixed_point import COARSE, PLACES, STEP, ZERO, Similarity
from llrcal.pairing.labels import (
    BY,
    SPEAKER,
    Codes,
    LabelledRows,
    Labels,
    Side,
    duplicates,
    groups_of,
    several_kinds,
    with_one_label,
)
from llrcal.pairing.regions import Labelled, Plan, pairs_between, pairs_within
from llrcal.pairing.tally import Engine, Processor, size_of
from llrcal.scale.engine import Progress, silent
from llrcal.trials.counts import Counts

GROUPS = 10
"""Groups of speakers by default; docs/pairs.md says how far intervals from so few hold."""

Source = Array | Embeddings | str | PathLike[str] | Sequence[Sequence[float]]


def pairs(
    embeddings: Source,
    speakers: Labels = None,
    *,
    test: Source | None = None,
    similarity: Similarity = "cosine",
    models: Labels = None,
    exclude: Labels = None,
    within: Labels = None,
    by: Labels = None,
    groups: int = GROUPS,
    device: str = "cpu",
    client: Any | None = None,
    progress: Progress = silent,
) -> Any:
    """Count the scores of all pairs of embeddings, within one set or between two.

    A pair of the same speaker is a target, and of two speakers a non-target. Scores are rounded to
    steps of 2^-21, some 5e-7, for cosines; ``llrcal.pairing.fixed_point`` says what is exact.
    The counts are the same on every engine, to the last one.

    Parameters
    ----------
    embeddings
        A matrix with one embedding in each row; or a file: ``.npy``, ``.npz``, Parquet, HDF5, or
        Kaldi's ``.ark`` and ``.scp`` (see docs/pairs.md).
    speakers
        Who speaks: one label for each embedding; with a test set, a pair of those for both sets.
        Of files, the name of a column or array in it, by default ``speakers``, ``speaker`` or
        ``spk``; a text file with an id and a speaker in each line (Kaldi's utt2spk), or with a
        speaker in each line; or ``"id:"`` and a regular expression for the speaker's part of an id.
    test
        A second set: pairs are those of one embedding from each set, of which the first is for
        enrolment. By default all pairs within one set, each once.
    similarity
        ``"cosine"``, or ``"dot"`` for the dot product.
    models
        Labels of enrolment: embeddings that share one are replaced by their mean.
    exclude
        Labels, such as sessions or videos, which no trial shares; or a dict with several kinds.
    within
        Labels, such as the sex, which all trials share; or a dict with several kinds.
    by
        Labels, such as the channel: counts for each combination of theirs.
    groups
        Into how many groups to divide speakers, for intervals: counts without each of them are
        kept, on a coarser grid. 0 keeps none.
    device
        ``"cpu"``, or a device of torch that has double precision: ``"cuda"``.
    client
        A client of Dask, whose workers count.
    progress
        Called with what is being done, the number of pairs done, and the total.

    Returns
    -------
    Counts or dict
        The counted trials; with ``by``, a dict with those of each condition: ``"a"`` if both sides
        have it, else ``"a/b"``.

    Raises
    ------
    ScoreError
        If a value is NaN or infinite, a vector has no direction, or labels do not fit.

    Examples
    --------
    >>> import llrcal, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> speakers = np.repeat(np.arange(40), 10)
    >>> embeddings = rng.normal(size=(40, 64))[speakers] + 1.5 * rng.normal(size=(400, 64))
    >>> counts = llrcal.pairs(embeddings, speakers)
    >>> counts.counts
    (1800, 78000)
    >>> cal = llrcal.fit(counts)
    """
    check_whole("groups", groups, least=0, most=1000)
    sets = [opened(embeddings, "embeddings")]
    if test is not None:
        sets.append(opened(test, "test"))
    excluded, shared = several_kinds("exclude", exclude), several_kinds("within", within)
    given = {SPEAKER: speakers, **excluded, **shared, **({} if by is None else {BY: by})}
    labels = {name: Codes.of_labels(name, some, sets) for name, some in given.items()}
    if models is not None and test is None:
        hint = " are for enrolment: give a second set as "
        raise OptionError(Setting("models"), hint, Setting("test"))
    sides = [
        Side.of(some, number, labels, similarity, None if number else models)
        for number, some in enumerate(sets)
    ]
    dimensions = [side.embeddings.rows.shape[1] for side in (sides[0], sides[-1])]
    if dimensions[0] != dimensions[1]:
        raise ScoreError(
            f"{sets[0].name} have {dimensions[0]:,} dimensions, and {sets[-1].name} "
            f"{dimensions[1]:,}: they are not from one extractor"
        )
    trials = _Trials(
        sides,
        exclude=list(excluded),
        within=list(shared),
        group=groups_of([side.labels[SPEAKER].label for side in sides], groups),
        unit=sides[0].embeddings.unit * sides[-1].embeddings.unit,
        source=" and ".join(some.name for some in sets),
        notes=tuple(duplicates(sides)),
    )
    chosen = {"": [None for _ in sides]} if by is None else _conditions(sides, labels[BY].names)
    found = trials.counted(_engine(device, client), progress, chosen)
    return found[""] if by is None else found


def _engine(device: str, client: Any | None) -> Engine:
    if client is not None:
        if device != "cpu":
            raise OptionError(
                "the workers of a cluster count on processors; leave out ", Setting("device")
            )
        from llrcal.pairing.cluster import Cluster

        return Cluster(client)
    if device == "cpu":
        return Processor()
    from llrcal.pairing.torch_engine import Torch

    return Torch(device)


# ------------------------------------------------------------------------------- trials

_Chosen = Sequence[Array | None]
"""Which rows of each side take part, by whether they do; None for all."""


def _conditions(sides: Sequence[Side], names: Sequence[str]) -> dict[str, _Chosen]:
    """Rows of each combination of conditions, by its name."""
    labels = [side.labels[BY].label for side in sides]
    found: dict[str, _Chosen] = {}
    for first, second in product(range(len(names)), repeat=2):
        if first == second:
            found[names[first]] = [label == first for label in labels]
        elif len(sides) == 2 or first < second:
            name = f"{names[first]}/{names[second]}"
            found[name] = [labels[0] == first, labels[-1] == second]
    return found


@dataclass(frozen=True)
class _Trials:
    """Which pairs are trials."""

    sides: Sequence[Side]
    exclude: Sequence[str]
    within: Sequence[str]
    group: Array
    """Of each speaker."""
    unit: float
    """The score of two vectors of length one, in fixed point."""
    source: str
    notes: tuple[Note, ...]

    def counted(
        self, engine: Engine, progress: Progress, conditions: Mapping[str, _Chosen]
    ) -> dict[str, Counts]:
        """Counts of each condition, of which those without a trial are left out."""
        terms = {name: [*self._terms(chosen)] for name, chosen in conditions.items()}
        total, done = sum(plan.pairs for some in terms.values() for *_, plan in some), 0
        enrol, test = (side.embeddings.rows for side in (self.sides[0], self.sides[-1]))

        def tell(pairs: int) -> None:
            nonlocal done
            done += pairs
            progress("counting pairs", done, total)

        tell(0)
        found = {}
        for name, some in terms.items():
            targets, trials = np.zeros((2, size_of(self._group_count)), np.int64)
            for same_speaker, sign, plan in some:
                sums = targets if same_speaker else trials
                sums += sign * engine.tally(enrol, test, plan, self._group_count, tell)
            if trials.any():
                found[name] = self._counts(targets, trials - targets)
        if not found:
            raise ScoreError(f"{self.source}: there is no pair left to be a trial")
        return found

    def _terms(self, chosen: _Chosen) -> Iterator[tuple[bool, int, Plan]]:
        """Terms of the sums for targets and for all trials: which, the sign, and the pairs."""
        subsets = chain.from_iterable(
            combinations(self.exclude, size) for size in range(len(self.exclude) + 1)
        )
        for shared, same_speaker in product([*subsets], (False, True)):
            names = [*self.within, *shared, *([SPEAKER] if same_speaker else [])]
            sides = self._labelled(names, chosen)
            plan = pairs_within(*sides) if len(sides) == 1 else pairs_between(*sides)
            yield same_speaker, (-1) ** len(shared), plan

    @property
    def _group_count(self) -> int:
        """How many groups of speakers there are; 0 if they are all in one."""
        count = int(self.group.max()) + 1
        return count if count > 1 else 0

    def _labelled(self, names: Sequence[str], chosen: _Chosen) -> list[Labelled]:
        """Both sides with one number for the combination of these labels."""
        sides = [self.sides[0], self.sides[-1]][: len(chosen)]
        rows = []
        for side, some in zip(sides, chosen, strict=True):
            row = np.arange(len(side.embeddings.rows)) if some is None else np.flatnonzero(some)
            rows.append(LabelledRows(row, np.zeros(len(row), np.int64)))
        for name in names:
            rows = with_one_label(
                [had.and_also(side.labels[name]) for had, side in zip(rows, sides, strict=True)]
            )
        groups = (self.group[side.labels[SPEAKER].label] for side in sides)
        return [
            Labelled(labelled.row, labelled.label, group[labelled.row])
            for labelled, group in zip(rows, groups, strict=True)
        ]

    def _counts(self, targets: Numbers, nontargets: Numbers) -> Counts:
        """Counts of scores that occur, and of those without each group."""
        classes = [
            (tally[:PLACES], tally[PLACES:].reshape(self._group_count, PLACES // COARSE))
            for tally in (targets, nontargets)
        ]
        place = np.flatnonzero(classes[0][0] + classes[1][0])
        # The middle of a coarse place, but for half a step.
        middle = (np.arange(PLACES // COARSE) * COARSE - 2**21) * (STEP * self.unit)
        left = (at.reshape(-1, COARSE).sum(axis=1) - touching for at, touching in classes)
        without = tuple(
            Counts(middle, tar, non, source=self.source) for tar, non in zip(*left, strict=True)
        )
        if not all(all(group.counts) for group in without):  # a group is all there is of a class
            without = ()
        return Counts(
            (place - ZERO) * (STEP * self.unit),
            classes[0][0][place],
            classes[1][0][place],
            source=self.source,
            score_name="score",
            notes=self.notes,
            without=without,
        )
