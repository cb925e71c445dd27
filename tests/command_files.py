"""The files that commands on the pages are about: small ones, under the names that pages give."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import h5py
import numpy as np
import polars as pl

import llrcal

TARGETS, NON_TARGETS = 100, 1_000
_COUNT = TARGETS + NON_TARGETS
_RNG = np.random.default_rng(1)
_LABELS = np.repeat([1, 0], [TARGETS, NON_TARGETS])


def _scores(seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    trials = llrcal.simulate(targets=TARGETS, nontargets=NON_TARGETS, seed=seed)
    return np.concatenate([trials.tar, trials.non])


def _table(seed: int, **columns: object) -> pl.DataFrame:
    """Trials of speakers, each of which is in many: score, label, and what else there may be."""
    speaker = np.arange(_COUNT) % 20
    return pl.DataFrame(
        {
            "enrol": [f"s{one}-{i}" for i, one in enumerate(speaker)],
            "test": [f"t{i}" for i in range(_COUNT)],
            "score": _scores(seed),
            "label": np.where(_LABELS, "target", "nontarget"),
            **columns,
        }
    )


def _plain(table: pl.DataFrame, columns: list[str], path: str) -> None:
    """Columns separated by blanks, without a header."""
    table.select(columns).write_csv(path, separator=" ", include_header=False)


def _text_files() -> None:
    trial = ["enrol", "test"]
    for seed, name in enumerate(("dev", "eval", "all", "few")):
        table = _table(seed)
        _plain(table, [*trial, "score"], f"{name}.txt")
        _plain(table, [*trial, "label"], f"{name}-key.txt")
    for name in ("dev", "eval"):
        shutil.copy(f"{name}.txt", f"{name}-scores.txt")
        for system, scale in (("cos", 0.1), ("plda", 3.0)):
            noisy = scale * (_table(0)["score"] + pl.Series(_RNG.normal(0, 1, _COUNT)))
            _plain(_table(0).with_columns(score=noisy), [*trial, "score"], f"{system}-{name}.txt")
    table = _table(0)
    recordings = [*table["enrol"], *table["test"]]
    lengths = "".join(f"{name} {i % 7 + 1}\n" for i, name in enumerate(recordings))
    for path in ("utt2dur", "eval-utt2dur"):
        Path(path).write_text(lengths)
    for name in ("scores", "llrs", "new"):
        _plain(table, [*trial, "score", "label"], f"{name}.txt")
    _plain(table, [*trial, "label", "score"], "speechbrain.txt")
    for name in ("key", "trials"):
        _plain(table, [*trial, "label"], f"{name}.txt")
    for name in ("field", "field-scores"):
        _plain(table, [*trial, "score"], f"{name}.txt")
    _plain(table.head(TARGETS), [*trial, "score"], "genuine.txt")
    _plain(table.tail(NON_TARGETS), [*trial, "score"], "impostor.txt")


def _tables() -> None:
    conditions = {
        "channel": _RNG.choice(["mic", "phone"], _COUNT),
        "gender": _RNG.choice(["f", "m"], _COUNT),
    }
    table = _table(0, **conditions)
    table.drop("score").write_csv("key.csv")
    for name in ("dev", "eval"):
        text = table.write_csv(separator="\t")
        Path(f"{name}.tsv").write_text(text)
        Path(f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode(), 1))
    for name in ("casework", "dev", "eval"):
        table.write_csv(f"{name}.csv")
    pairs = {"enrol_speaker": np.arange(_COUNT) % 20, "test_speaker": np.arange(_COUNT) % 20}
    pairs["test_speaker"][TARGETS:] = np.arange(NON_TARGETS) * 7 % 19 + 1
    table.with_columns(**pairs).write_csv("comparisons.csv")
    people = zip(*pairs.values(), table["score"].to_list(), _LABELS.tolist(), strict=True)
    Path("trials-of-people.txt").write_text(
        "".join(f"s{a}_x{i} s{b}_y{i} {s!r} {int(t)}\n" for i, (a, b, s, t) in enumerate(people))
    )
    ids = table.select("enrol", "test")
    ids.with_columns(llr=table["score"], label=table["label"]).write_csv("llrs.csv")
    ids.with_columns(lr=table["score"].exp(), label=table["label"]).write_csv("lrs.csv")
    distances = pl.DataFrame({"cosine": -table["score"], "same": _LABELS})
    ids.hstack(distances).write_csv("faces.csv")
    systems = pl.DataFrame({"cos": table["score"], "plda": _RNG.normal(3.0 * _LABELS, 1)})
    ids.hstack(systems).write_csv("new.csv")
    ids.hstack(systems).with_columns(same=_LABELS).write_csv("table.csv")
    quality = {name: _RNG.exponential(5, _COUNT) for name in ("seconds", "duration", "snr")}
    known = pl.DataFrame({**quality, **conditions, "y": _LABELS})
    ids.hstack(systems).hstack(known).write_csv("all.csv")


def _binary_files() -> None:
    for seed, name in enumerate(("dev", "eval", "all", "field")):
        tar, non = np.split(_scores(seed), [TARGETS])
        np.savez(f"{name}.npz", tar=tar, non=non)
    np.save("field.npy", _scores(0))
    for name in ("night", "scores", "keys", "test", "field"):
        folder = Path(name)
        folder.mkdir()
        columns = {"scores": ["label"], "keys": ["score"]}.get(name, [])
        table = _table(0).drop(columns)
        if name == "night":  # of several systems, too
            noise = pl.DataFrame(_RNG.normal(0, 1.5, (_COUNT, 2)), ["cos", "plda"])
            table = table.hstack(noise).with_columns(pl.col("cos", "plda") + 2 * _LABELS)
        for part in range(2):
            table[part::2].write_parquet(folder / f"{part}.parquet")
    ids = {"ID/row_ids": ["m"], "ID/column_ids": [f"t{i}" for i in range(_COUNT)]}
    for name, key in (("scores.h5", False), ("key.h5", True)):
        with h5py.File(name, "w") as file:
            for place, names in ids.items():
                file[place] = np.array(names, h5py.string_dtype())
            if key:
                file["trial_mask"] = np.where(_LABELS, 1, -1)[None].astype(np.int8)
            else:
                file["scores"] = _scores(0)[None]
                file["score_mask"] = np.ones((1, _COUNT), np.int8)


def _as_r_writes(trials: llrcal.Trials, people: str) -> str:
    """A table as ``write.csv`` writes it, with speakers."""
    rows = []
    for side, speakers, truth in zip(trials, trials.speakers or (), ("SS", "DS"), strict=True):
        rows += [(*who, score, truth) for who, score in zip(speakers, side.tolist(), strict=True)]
    lines = (
        f'"{i}","a{i}","b{i}","{people}{one:03d}","{people}{other:03d}",{score!r},"{truth}"'
        for i, (one, other, score, truth) in enumerate(rows, 1)
    )
    return "\n".join(['"","item1","item2","speaker1","speaker2","score","truth"', *lines, ""])


def _embeddings() -> None:
    """Those of docs/pairs.md, in files of several kinds."""
    who = np.repeat(np.arange(12), 6)
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(12, 8))[who] + rng.normal(size=(72, 8))).astype("f4")
    ids = [f"id{10270 + speaker}/video{i // 3}/{i:05}" for i, speaker in enumerate(who)]
    for name in ("embeddings", "xvectors", "enrol", "calls", "million"):
        np.savez(f"{name}.npz", embeddings=vectors, speakers=who, ids=ids, model=who, sex=who % 2)
    pl.DataFrame({"id": ids, "embedding": vectors.tolist()}).write_parquet("vox.parquet")
    Path("utt2spk").write_text("".join(f"{one} {one[:7]}\n" for one in ids))
    start, places = 0, []
    with Path("xvector.ark").open("wb") as file:
        for one, vector in zip(ids, vectors, strict=True):
            start = file.write(f"{one} ".encode()) + start
            places.append(f"{one} xvector.ark:{start}\n")
            start += file.write(b"\0BFV \4" + np.int32(8).tobytes() + vector.tobytes())
    Path("xvector.scp").write_text("".join(places))


def make_files() -> None:
    """Fill the current folder."""
    _text_files()
    _tables()
    _binary_files()
    _embeddings()
    for name, seed in (("training", 0), ("validation", 1)):  # of docs/forensics.md
        trials = llrcal.simulate(targets=300, nontargets=9_000, seed=seed)
        Path(f"{name}.csv").write_text(_as_r_writes(trials, name[0]))
    train = llrcal.read_trials("dev.npz")
    llrcal.fit(train).save("model.json")
    llrcal.fit(train, method="nig").save("nig.json")
    systems = [llrcal.read_trials(f"{name}-dev.txt", "dev-key.txt") for name in ("cos", "plda")]
    tar, non = (np.stack(scores, 1) for scores in zip(*systems, strict=True))
    llrcal.fuse(tar, non, names=["cos", "plda"]).save("fused.json")
    shutil.copy("eval.txt", "eval-llrs.txt")
