"""What durations and noise of Speech Commands are worth, and what becomes of an unseen condition.

    python -m studies.side_information

Trials are pairs of recordings of dev or of eval speakers, of which no speaker is in both; noisy
ones have a noisy recording of the same words on one side. Every twentieth non-target is used.
Noise is only known of eval speakers, so that what it is worth is shown on halves of these.
Nothing was chosen on these numbers.
"""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Array, Bools, Floats
from studies.evidence import REAL

_EVERY = 20


@dataclass(frozen=True)
class Trials:
    """Scores, durations of both sides, noise and speakers of trials."""

    scores: Floats
    durations: Floats
    noise: Array
    speakers: Array
    target: Bools

    @classmethod
    def of(cls, score: Any, enrol: Any, test: Any, noise: str) -> Trials:
        """All pairs of two sets of recordings, or those within one."""
        within = enrol is test
        i, j = np.indices((len(enrol["spk"]), len(test["spk"]))).reshape(2, -1)
        keep = i < j if within else enrol["utt"][i] != test["utt"][j]
        speakers = np.stack([enrol["spk"][i], test["spk"][j]], axis=1)
        target = speakers[:, 0] == speakers[:, 1]
        keep &= target | (np.arange(len(i)) % _EVERY == 0)
        both = np.stack([enrol["dur"][i], test["dur"][j]], axis=1).astype(float)
        scores = score(enrol["emb"], test["emb"]).ravel()
        where = np.full(keep.sum(), noise)
        return cls(scores[keep], both[keep], where, speakers[keep], target[keep])

    def part(self, chosen: Bools) -> Trials:
        return Trials(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def and_(self, other: Trials) -> Trials:
        fields = self.__dataclass_fields__
        return Trials(*(np.concatenate([getattr(s, n) for s in (self, other)]) for n in fields))

    @property
    def sides(self) -> tuple[Trials, Trials]:
        return self.part(self.target), self.part(~self.target)


def fitted(train: Trials, *, durations: bool = False, condition: bool = False) -> Any:
    """The LLRs that a fusion of one system and what else is known gives."""
    tar, non = train.sides

    def known(trials: Trials) -> dict[str, Any]:
        columns = [trials.durations.min(axis=1), trials.durations.max(axis=1)] if durations else []
        out: dict[str, Any] = {"quality": np.column_stack(columns)} if columns else {}
        return out | ({"condition": trials.noise} if condition else {})

    both = zip(known(tar).items(), known(non).values(), strict=True)
    options: dict[str, Any] = {name: (one, other) for (name, one), other in both}
    model = llrcal.fuse(tar.scores, non.scores, **options)
    return lambda trials: model(trials.scores, **known(trials))


Row = tuple[str, list[tuple[Trials, Trials]], dict[str, Any]]


def rows(dev: Trials, clean: Trials, noisy: Trials) -> Iterator[Row]:
    """What is asked, with trials to train and to test on, and what is known of them."""
    durations, condition = {"durations": True}, {"condition": True}
    yield "dev → eval, scores alone", [(dev, clean)], {}
    yield "dev → eval, and durations", [(dev, clean)], durations
    yield "dev → noisy eval, scores alone", [(dev, noisy)], {}
    yield "dev → noisy eval, and durations", [(dev, noisy)], durations
    yield "dev → noisy eval, by a condition that was not seen", [(dev, noisy)], condition
    both = clean.and_(noisy)
    people = np.unique(both.speakers)
    half = np.random.default_rng(0).permutation(people)[: len(people) // 2]
    first = np.isin(both.speakers, half)
    one, other = (both.part(side[:, 0] & side[:, 1]) for side in (first, ~first))
    halves = [(one, other), (other, one)]
    yield "halves of eval, scores alone", halves, {}
    yield "halves of eval, noise as a condition", halves, condition
    yield "halves of eval, durations, and noise as a condition", halves, durations | condition


def cell(rounds: list[tuple[Trials, Trials]], options: dict[str, Any]) -> str:
    """Mean Cllr, and minCllr."""
    found = []
    for train, test in rounds:
        llrs = fitted(train, **options)(test)
        ev = llrcal.evaluate(llrs[test.target], llrs[~test.target])
        found.append([ev.cllr, ev.min_cllr])
    cllr, least = np.mean(found, axis=0)
    return f"{cllr:.4f} ({least:.3f})"


def main() -> None:
    made = runpy.run_path(str(REAL / "make_speech_scores.py"))
    names = ("sc4_train", "sc3_dev", "sc3_eval", "sc3noisy_eval")
    loaded = [np.load(REAL / "speech_commands" / f"emb_{n}.npz") for n in names]
    train, dev, clean, noisy = ({key: one[key] for key in one} for one in loaded)
    scorers = {
        "cosine": lambda a, b: made["unit"](a) @ made["unit"](b).T,
        "PLDA": made["Plda"](train["emb"], train["spk"]),
    }
    tables = []
    for score in scorers.values():
        sets = (
            Trials.of(score, dev, dev, "clean"),
            Trials.of(score, clean, clean, "clean"),
            Trials.of(score, clean, noisy, "noisy"),
        )
        tables.append({name: cell(rounds, options) for name, rounds, options in rows(*sets)})
    print(f"| | {' | '.join(scorers)} |\n|---|{'---|' * len(scorers)}")
    for name in tables[0]:
        print(f"| {name} | {' | '.join(table[name] for table in tables)} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
