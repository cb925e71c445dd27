"""Scores for the study of calibrations in the field: real ones, and families of known truth.

Real scores are those of ``shared/scores``. Its speech scores are made once, under
``studies/results``. Nothing here needs more than NumPy and SciPy.
"""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import os
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from llrcal.arrays import Array, Floats

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "scores"
MADE = ROOT / "studies" / "results" / "field"

CONDITIONS = {
    "II": "interview_mic-interview_mic",
    "IP": "interview_mic-phonecall_phn",
    "PI": "phonecall_phn-interview_mic",
    "PM": "phonecall_phn-phonecall_mic",
    "PP": "phonecall_phn-phonecall_phn",
}
SYSTEMS = ("lda_cosine", "plda", "lda_plda")
SPEECH = ("cos", "plda")
_FILES = {
    **{short: f"nist_sre08/cond_{name}_" for short, name in CONDITIONS.items()},
    "asvspoof dev": "asvspoof2019_asv/dev_",
    "asvspoof eval": "asvspoof2019_asv/eval_",
    "bssr1 face": "nist_bssr1/face_C_",
    "bssr1 finger": "nist_bssr1/finger_right_",
    "listeners": "human_listeners/",
}
SRE08_PAIRS = [f"{a}>{b}" for a, b in itertools.permutations(CONDITIONS, 2)]
SHIFTS = ("asvspoof2017_cqcc", "gradgpad_oulu_npu", "asvspoof2017_mfcc", "gradgpad_siw")
OTHER_PAIRS = {
    "asvspoof dev>asvspoof eval": "ASVspoof",
    "speech plda dev>speech plda evalnoisy": "noisy, PLDA",
    "speech cos dev>speech cos evalnoisy": "noisy, cosine",
}
"""Their names in tables: noisy are those of Speech Commands."""
VOXCELEB = [*SYSTEMS, *(f"{system} {deal}" for deal in (2, 3, 4) for system in SYSTEMS)]
"""Recognizers of VoxCeleb, with four ways to deal its forty speakers into halves."""
HALVED = [
    *VOXCELEB,
    *CONDITIONS,
    "asvspoof eval",
    "bssr1 face",
    "bssr1 finger",
    "listeners",
    *(f"speech {s}{part}" for s in SPEECH for part in ("", " noisy")),
]
"""Sets in two parts that are alike: of other speakers where these are known."""


class Classes(NamedTuple):
    """Scores of both classes."""

    tar: Array
    non: Array

    @property
    def pool(self) -> Array:
        return np.concatenate(self)

    @property
    def share(self) -> float:
        return len(self.tar) / (len(self.tar) + len(self.non))

    def thinned(self, most: int) -> Classes:
        """With every so-manieth non-target, at most so many of them."""
        return Classes(self.tar, self.non[:: -(-len(self.non) // most)])

    def drawn(self, rng: Generator, tar: int, non: int) -> Classes:
        """So many of each class, none of them twice."""
        return Classes(
            rng.choice(self.tar, tar, replace=False), rng.choice(self.non, non, replace=False)
        )


def random(*names: object) -> Generator:
    """A generator that depends on names alone."""
    return np.random.default_rng([zlib.crc32(str(name).encode()) for name in names])


@lru_cache(maxsize=4)
def place(scores: Path, name: str) -> Classes:
    """All scores of a place, by its name."""
    if name.startswith("speech"):
        make_speech_scores(scores)
        stem = MADE / name.replace(" ", "_")
        return Classes(*(np.load(f"{stem}_{side}.npy", mmap_mode="r") for side in ("tar", "non")))
    sides = (np.load(scores / f"{_FILES[name]}{side}.npy") for side in ("tar", "non"))
    return Classes(*(side.astype(float) for side in sides))


def pair(scores: Path, name: str) -> tuple[Classes, Classes]:
    """Two places, as in ``II>IP``, or one of the hard shifts."""
    if name in SHIFTS:
        with np.load(scores / "shifts" / f"{name}.npz") as of:
            every = {key: of[key].astype(float) for key in of.files}
        return tuple(Classes(every[f"{a}_tar"], every[f"{a}_non"]) for a in ("train", "test"))  # type: ignore[return-value]
    old, new = name.split(">")
    return place(scores, old), place(scores, new)


@lru_cache(maxsize=4)
def halves(scores: Path, name: str, swapped: bool = False) -> tuple[Classes, Classes]:
    """Two parts of a set that are alike, to train and to test on."""
    if name.startswith("speech") and name.endswith("noisy"):
        parts = place(scores, f"{name} A"), place(scores, f"{name} B")
    elif name.startswith("speech"):
        parts = place(scores, f"{name} dev"), place(scores, f"{name} eval")
    elif name in VOXCELEB:
        parts = _voxceleb(scores, *name.split())
    else:
        rng = random("halves", name)
        tar, non = (rng.permutation(side) for side in place(scores, name))
        parts = Classes(tar[::2], non[::2]), Classes(tar[1::2], non[1::2])
    return (parts[1], parts[0]) if swapped else parts


def _voxceleb(scores: Path, system: str, *deal: str) -> tuple[Classes, Classes]:
    """VoxCeleb in halves of twenty speakers each."""
    with gzip.open(scores / "voxceleb1_three_systems" / "speaker.txt.gz", "rt") as lines:
        head, *trials = (line.split() for line in lines)
    column = head.index(system)
    speakers = sorted({trial[0].split("/")[0] for trial in trials})
    half = dict(zip(random("voxceleb", *deal).permutation(speakers), itertools.cycle((0, 1))))
    found: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
    for trial in trials:
        first, second = (half.get(file.split("/")[0]) for file in trial[:2])
        if first is not None and first == second:
            found[first][trial[2] != "target"].append(float(trial[column]))
    one, other = (Classes(np.array(tar), np.array(non)) for tar, non in found)
    return one, other


def make_speech_scores(scores: Path) -> None:
    """Speech Commands: clean dev and eval, noisy eval, and this in halves of other speakers."""
    if (MADE / "done").exists():
        return
    MADE.mkdir(parents=True, exist_ok=True)
    module = _module(scores / "make_speech_scores.py")
    train, dev, clean, noisy = (
        dict(np.load(scores / "speech_commands" / f"emb_{name}.npz"))
        for name in ("sc4_train", "sc3_dev", "sc3_eval", "sc3noisy_eval")
    )
    half = random("speech").permutation(np.unique(clean["spk"]))[::2]
    for system in SPEECH:
        plda = module.Plda(train["emb"], train["spk"]) if system == "plda" else None
        score = plda or (lambda a, b: module.unit(a) @ module.unit(b).T)
        parts = {"dev": (dev,), "eval": (clean,), "evalnoisy": (clean, noisy)}
        for letter, wanted in (("A", True), ("B", False)):
            parts[f"noisy_{letter}"] = tuple(_of(half, one, wanted) for one in (clean, noisy))
        for part, embeddings in parts.items():
            for side, found in zip(("tar", "non"), module.pairs(score, *embeddings), strict=True):
                np.save(MADE / f"speech_{system}_{part}_{side}.npy", found)
    (MADE / "done").touch()


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(os.fspath(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _of(speakers: Array, embeddings: dict[str, Array], wanted: bool) -> dict[str, Array]:
    keep = np.isin(embeddings["spk"], speakers) == wanted
    return {key: values[keep] for key, values in embeddings.items()}


Sampler = Callable[[Generator, int], Floats]


def _skewed(sign: float, alpha: float = 5.0) -> Sampler:
    delta = alpha / np.hypot(1, alpha)
    mean = delta * np.sqrt(2 / np.pi)

    def draw(rng: Generator, n: int) -> Floats:
        one, other = np.abs(rng.normal(size=n)), rng.normal(size=n)
        found = delta * one + np.sqrt(1 - delta**2) * other
        return np.asarray(sign * (found - mean) / np.sqrt(1 - mean**2))

    return draw


def _two_heaps(share: float, apart: float) -> Sampler:
    """Two Gaussians, of deviation 1 in all."""
    centre, sd = share * apart, np.sqrt(1 + share * (1 - share) * apart**2)
    return lambda rng, n: (rng.normal(size=n) + apart * (rng.random(n) < share) - centre) / sd


def _lognormal(sigma: float) -> Sampler:
    mean, square = np.exp(sigma**2 / 2), np.exp(sigma**2)
    return lambda rng, n: (rng.lognormal(0, sigma, n) - mean) / (mean * np.sqrt(square - 1))


def _gaussian(rng: Generator, n: int) -> Floats:
    return rng.normal(size=n)


def _logistic(rng: Generator, n: int) -> Floats:
    return rng.logistic(0, 3**0.5 / np.pi, n)


class Shift(NamedTuple):
    """How a place differs from that of the training, in deviations of the non-targets."""

    location: float = 0.0
    scale: float = 1.0
    distance: float = 1.0
    """Factor of the distance between the classes."""
    targets: float = 0.0
    """Of the targets alone."""
    noise: float = 0.0
    """Deviation of noise that is added to all scores."""
    clipped: bool = False
    """Whether no score is higher than the mean of the targets."""


class Family(NamedTuple):
    """Classes of one shape. Non-targets have mean 0 and deviation 1."""

    tar: Sampler
    non: Sampler
    apart: float
    width: float = 1.0
    """Of the targets."""
    step: float = 0.0
    """To which scores are rounded."""

    def drawn(self, rng: Generator, tar: int, non: int, shift: Shift | None = None) -> Classes:
        move = shift or Shift()
        targets = self.apart * move.distance + move.targets + self.width * self.tar(rng, tar)
        sides = [move.location + move.scale * side for side in (targets, self.non(rng, non))]
        if move.noise:
            sides = [side + rng.normal(0, move.noise, len(side)) for side in sides]
        if move.clipped:
            sides = [np.minimum(side, move.location + self.apart) for side in sides]
        return Classes(*(self.step * np.round(x / self.step) if self.step else x for x in sides))


FAMILIES = {
    "gaussian": Family(_gaussian, _gaussian, 2.8, 1.2),
    "skew-normal": Family(_skewed(-1), _skewed(1), 2.6),
    "gamma": Family(
        lambda rng, n: (rng.gamma(5, size=n) - 5) / 5**0.5,
        lambda rng, n: (rng.gamma(3, size=n) - 3) / 3**0.5,
        2.6,
        1.2,
    ),
    "lognormal": Family(_lognormal(0.4), _lognormal(0.6), 2.4, 1.2),
    "student-t": Family(
        lambda rng, n: rng.standard_t(3, n) / 3**0.5,
        lambda rng, n: rng.standard_t(3, n) / 3**0.5,
        2.4,
    ),
    "laplace": Family(
        lambda rng, n: rng.laplace(0, 0.5**0.5, n), lambda rng, n: rng.laplace(0, 0.5**0.5, n), 2.6
    ),
    "bimodal targets": Family(_two_heaps(0.6, 3.5), _gaussian, 3.2, 1.4),
    "bimodal non-targets": Family(_gaussian, _two_heaps(0.3, 3.5), 3.0),
    "bounded": Family(
        lambda rng, n: (rng.beta(3, 1.5, n) - 2 / 3) / (1 / 24.75**0.5),
        lambda rng, n: (rng.beta(1.5, 3, n) - 1 / 3) / (1 / 24.75**0.5),
        2.3,
    ),
    "tied": Family(_gaussian, _gaussian, 2.8, 1.2, 0.9),
}
SIMULATED = {**FAMILIES, "logistic": Family(_logistic, _logistic, 2.9, 0.9)}
