"""Random halves of real sets: the verdict should call no calibration unfit.

A part of :mod:`studies.verdict_study`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from llrcal.comparison import compare
from llrcal.trials import Trials
from studies.evidence import REAL, Pair, speech_commands, stored

MOST_NON_TARGETS = 300_000  # enough to see any of this


def halves(repetitions: int) -> Iterator[str]:
    """Verdicts on random halves of one set, which should not call anything unfit."""
    if not REAL.exists():
        yield "There are no real scores beside the repository."
        return
    yield "| halves of | drawn by | halves | called unfit |"
    yield "|---|---|---|---|"
    found = []
    for trials in _whole_sets():
        by = "trial" if trials.tar_speakers is None else "speaker"
        found.append(
            sum(not compare(*_halved(trials, seed)).verdict.fit for seed in range(repetitions))
        )
        size = f"{len(trials.tar):,} + {len(trials.non):,}"
        yield f"| {trials.source} ({size}) | {by} | {repetitions} | {found[-1]} |"
    yield f"| all | | {repetitions * len(found)} | {sum(found)} |"


def _halved(trials: Trials, seed: int) -> list[Trials]:
    """Two halves; of speakers where they are known, with the trials among each half of them."""
    rng = np.random.default_rng(seed)
    tar, non = trials
    tar_speakers, non_speakers = trials.tar_speakers, trials.non_speakers
    if tar_speakers is None or non_speakers is None:
        chosen = [rng.random(len(side)) < 0.5 for side in (tar, non)]
        return [Trials(tar[one], non[two]) for one, two in (chosen, [~side for side in chosen])]
    first = rng.random(1 + max(tar_speakers.max(), non_speakers.max())) < 0.5
    out = []
    for half in (first, ~first):
        one, two = (half[side].all(axis=1) for side in (tar_speakers, non_speakers))
        thin = rng.permutation(np.flatnonzero(two))[:MOST_NON_TARGETS]
        out.append(Trials(tar[one], non[thin], "half", tar_speakers[one], non_speakers[thin]))
    return out


def _whole_sets() -> Iterator[Trials]:
    for name in ("phonecall_phn-phonecall_phn", "interview_mic-interview_mic"):
        yield Trials(*stored("nist_sre08", f"cond_{name}_"), f"sre08 {name}")
    for name in ("phonecall_phn-interview_mic", "interview_mic-phonecall_phn"):
        yield Trials(*stored("nist_sre08", f"cond_{name}_"), f"sre08 {name}")
    for name in ("lda_cosine", "plda"):
        yield Trials(*stored("voxceleb1_three_systems", f"{name}_"), f"voxceleb1 {name}")
    for name in ("dev", "eval"):
        yield Trials(*stored("asvspoof2019_asv", f"{name}_"), f"asvspoof 2019 {name}")
    yield Trials(*stored("deepface_pairs", "vggface_cosine_"), "deepface vggface")
    yield Trials(*stored("human_listeners", ""), "human listeners")
    for name in ("finger_right", "face_C"):
        yield _by_subject(stored("nist_bssr1", f"{name}_"), f"bssr1 {name}")
    for system in ("cos", "plda"):
        yield _by_speaker(system)


def _by_subject(pair: Pair, name: str) -> Trials:
    """A matrix of all subjects against all, its diagonal first."""
    subjects = np.arange(len(pair[0]))
    others = np.argwhere(subjects[:, None] != subjects)
    return Trials(*pair, name, np.column_stack([subjects, subjects]), others)


def _by_speaker(system: str) -> Trials:
    """Speech commands, dev: all pairs of recordings."""
    _, (tar, non), _ = next(sets for sets in speech_commands() if f" {system}," in sets[0])
    with np.load(REAL / "speech_commands" / "emb_sc3_dev.npz") as recordings:
        speakers = np.unique(recordings["spk"], return_inverse=True)[1]
    pairs = np.column_stack([speakers[side] for side in np.triu_indices(len(speakers), 1)])
    same = pairs[:, 0] == pairs[:, 1]
    return Trials(tar, non, f"speech commands {system} dev", pairs[same], pairs[~same])
