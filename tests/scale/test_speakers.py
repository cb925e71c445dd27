"""Test sets drawn by speaker from trials in pieces: those drawn in memory, to the last bit."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.errors import OptionError, ScoreError, TrialFileError
from llrcal.evaluation import bootstrap, statistics
from llrcal.evaluation.intervals import Intervals
from llrcal.onepass.ranks import Runs
from llrcal.scale import speakers, spill
from llrcal.scale.opening import open_set
from llrcal.trials.request import ReadOptions
from llrcal.trials.trials import TrialSet
from tests.scale.sets import cut_small

PEOPLE = 12
GRID = np.linspace(-9, 7, 161)


@cache
def frame(seed: int = 0) -> pl.DataFrame:
    """Trials of a dozen speakers, some of whom are easy to take for others."""
    rng = np.random.default_rng(seed)
    who = np.sort(rng.integers(0, PEOPLE, 60))
    who[:PEOPLE] = np.arange(PEOPLE)
    a, b = (one.ravel() for one in np.meshgrid(np.arange(60), np.arange(60)))
    chosen = rng.permutation(len(a))[:1500]
    a, b = a[chosen], b[chosen]
    same, hard = who[a] == who[b], rng.normal(size=PEOPLE)
    scores = np.where(same, 2.0, -2.0) + 2 * rng.normal(size=len(a)) + hard[who[a]] - hard[who[b]]
    return pl.DataFrame(
        {
            "enrol": [f"p{who[one]}/{one}.wav" for one in a],
            "test": [f"p{who[one]}/{one}.wav" for one in b],
            "score": np.round(scores, 2),  # with ties
            "label": np.where(same, "target", "nontarget"),
            "speaker_A": [f"p{who[one]}" for one in a],
            "speaker_B": [f"p{who[one]}" for one in b],
        }
    )


IDS = frame().drop("speaker_A", "speaker_B")
COLUMNS = frame().with_columns(pl.col("enrol", "test").str.replace("/", "-"))


def intervals(trials: TrialSet, *, replicates: int = 25, seed: int = 2) -> Intervals:
    points = [llrcal.OperatingPoint(0.01), llrcal.OperatingPoint(0.5, 10, 1)]
    evaluation = llrcal.evaluate(trials)
    return evaluation.intervals(
        points, rules=["brier"], forensic=True, replicates=replicates, seed=seed, level=0.9
    )


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch, 600)
    monkeypatch.setattr(spill, "ROWS_OF_A_PART", 400)
    monkeypatch.setattr(speakers, "PEEK", 100)


def opened(source: object, **options: object) -> TrialSet:
    return llrcal.open_trials(source, in_pieces=True, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["ids", "columns"])
def test_a_key_names_the_speakers_that_training_counts(where: str, tmp_path: Path) -> None:
    table = (IDS if where == "ids" else COLUMNS).unique(["enrol", "test"], maintain_order=True)
    paths = tmp_path / "scores", tmp_path / "key"
    table.select("enrol", "test", "score").write_csv(paths[0], separator=" ")
    table.drop("score").write_csv(paths[1], separator=" ")
    whole = llrcal.fit(llrcal.read_trials(paths[0], key=paths[1]), method="logistic")
    parts = llrcal.fit(opened(str(paths[0]), key=str(paths[1])), method="logistic")
    assert whole.speakers == (11, PEOPLE)
    assert parts == whole
    assert parts(GRID).tobytes() == whole(GRID).tobytes()


@pytest.mark.parametrize("kind", ["text", "parquet", "two files"])
@pytest.mark.parametrize("where", ["ids", "columns"])
def test_intervals_are_those_of_trials_in_memory(kind: str, where: str, tmp_path: Path) -> None:
    table = IDS if where == "ids" else COLUMNS
    path = tmp_path / "scores"
    if kind == "text":
        table.write_csv(path, separator=" ")
    elif kind == "parquet":
        table.write_parquet(path)
    else:
        path.mkdir()
        for i, part in enumerate(table.sample(fraction=1, shuffle=True, seed=1).iter_slices(900)):
            part.write_parquet(path / f"{i}.parquet")
    expected = intervals(llrcal.read_trials(table))
    found = intervals(opened(str(path)))
    assert found.by == "speaker"
    assert found == expected
    # So do calibrations and fusions, which know how many speakers each class has.
    both = llrcal.read_trials(table), opened(str(path))
    for method in llrcal.METHODS:
        whole, parts = (llrcal.fit(some, method=method) for some in both)
        assert whole.speakers == (11, PEOPLE)
        assert whole.supported_llrs == (-math.log(12), math.log(67))
        assert parts == whole
        assert parts(GRID).tobytes() == whole(GRID).tobytes()
    fused = llrcal.fuse_files(str(path), scores=["score"])
    assert fused.training.speakers == (11, PEOPLE)
    told = [note.text for note in opened(str(path)).notes if note.code == "speakers"]
    assert told == ([f"{path}: speakers in their ids"] if where == "ids" else [])


def test_by_trial_where_speakers_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    IDS.drop("enrol", "test").write_parquet(path)
    found = intervals(opened(str(path)))
    assert found.by == "trial"
    assert found == intervals(llrcal.read_trials(path))
    IDS.write_parquet(path)
    assert intervals(opened(str(path), speakers_from="none")) == found


def test_patterns_and_lists(tmp_path: Path) -> None:
    path, listed = tmp_path / "scores.parquet", tmp_path / "utt2spk"
    COLUMNS.drop("speaker_A", "speaker_B").write_parquet(path)
    ids = sorted({*COLUMNS["enrol"], *COLUMNS["test"]})
    listed.write_text("".join(f"{one} {one.split('-')[0]}\n" for one in ids))
    expected = intervals(llrcal.read_trials(IDS))
    for rule in ("{speaker}-{rest}", r"(?P<speaker>p\d+)", str(listed)):
        assert intervals(opened(str(path), speakers_from=rule)) == expected
    listed.write_text("".join(f"{one} {one.split('-')[0]}\n" for one in ids[1:]))
    with pytest.raises(TrialFileError, match=rf"1 of the ids have no speaker .*'{ids[0]}'; corr"):
        llrcal.evaluate(opened(str(path), speakers_from=str(listed)))
    # Models may be called like their speakers.
    models = COLUMNS.with_columns(enrol="speaker_A").unique(["enrol", "test"])
    models.drop("speaker_A", "speaker_B").write_parquet(path)
    by_name = intervals(llrcal.read_trials(models))
    assert intervals(opened(str(path), speakers_from="{speaker}-{rest}")) == by_name


def test_whole_numbers_are_in_their_order(tmp_path: Path) -> None:
    """In memory 2 comes before 10, and so it does in pieces."""
    trials = llrcal.simulate(targets=60, nontargets=900)
    path = tmp_path / "scores.npz"
    names = ("tar", "non", "tar_speakers", "non_speakers")
    np.savez(path, **{name: getattr(trials, name) for name in names})
    assert intervals(opened(str(path))) == intervals(trials)


def test_what_labels_contradict(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    wrong = IDS.with_columns(
        label=pl.when(pl.int_range(pl.len()) < 1450).then("label").otherwise(pl.lit("target"))
    )
    wrong.write_parquet(path)
    with pytest.warns(llrcal.LlrcalWarning, match=r"4\d of [\d,]+ targets have two speakers, so"):
        found = intervals(opened(str(path)))
    assert found == intervals(llrcal.read_trials(wrong))
    assert found.by == "trial"
    said = opened(str(path), speakers_from="{speaker}/{rest}")
    with pytest.warns(llrcal.LlrcalWarning, match="speakers contradict the labels: 4"):
        evaluation = llrcal.evaluate(said)
    with pytest.raises(ScoreError, match=r"targets have two speakers\. A target trial has one"):
        evaluation.intervals()


def test_ids_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    IDS.drop("enrol", "test").write_parquet(path)
    with pytest.raises(TrialFileError, match=r"scores\.parquet: there is no enrol, to know who"):
        intervals(opened(str(path), speakers_from="{speaker}/{rest}"))
    IDS.drop("label").write_parquet(path)
    key = tmp_path / "key.parquet"
    IDS.drop("score").write_parquet(key)
    with pytest.raises(OptionError, match="cannot be read in pieces with speakers_from"):
        opened(str(path), key=str(key), speakers_from="{speaker}/{rest}")
    assert intervals(opened(str(path), key=str(key))).by == "trial"


def test_few_cells_with_many_trials(tmp_path: Path) -> None:
    """Those of PAV; each of them is divided by speakers."""
    path = tmp_path / "scores.parquet"
    rounded = IDS.with_columns(score=pl.col("score").sign() * float("inf"))
    rounded = rounded.with_columns(pl.col("score").fill_nan(0.0))
    rounded.write_parquet(path)
    options = {"allow_infinite": True}
    expected = intervals(llrcal.read_trials(rounded, **options))  # type: ignore[arg-type]
    assert repr(intervals(opened(str(path), **options))) == repr(expected)  # with NaN


def test_spoofs_and_nan_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    place = pl.int_range(pl.len())
    odd = IDS.with_columns(
        label=pl.when(place % 7 == 0).then(pl.lit("spoof")).otherwise("label"),
        score=pl.when(place % 11 == 0).then(float("nan")).otherwise("score"),
    )
    odd.write_parquet(path)
    for spoof in ("omit", "nontarget"):
        options = {"spoof": spoof, "on_nan": "drop"}
        expected = intervals(llrcal.read_trials(odd, **options))  # type: ignore[arg-type]
        with pytest.warns(llrcal.LlrcalWarning, match="left out, as requested"):
            found = intervals(opened(str(path), **options))
        assert found == expected


def test_the_cluster_draws_the_same(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    from llrcal.scale.dask_engine import DaskEngine

    path = tmp_path / "scores"
    path.mkdir()
    for i, part in enumerate(IDS.iter_slices(900)):
        part.write_parquet(path / f"{i}.parquet")
    expected = intervals(llrcal.read_trials(IDS))
    with distributed.Client(processes=False, n_workers=2, dashboard_address=":0") as client:
        engine = DaskEngine(client)
        trials = open_set(str(path), None, ReadOptions(), in_pieces=True, engine=engine)
        assert intervals(trials) == expected


def test_mapped_trials_keep_their_speakers(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    IDS.write_parquet(path)
    both = (llrcal.read_trials(IDS), opened(str(path)))
    calibration = llrcal.fit(both[0], method="gaussian")
    found = [intervals(one.mapped(calibration)) for one in both]
    assert found[0] == found[1]
    assert found[0].by == "speaker"


def test_training_says_that_it_does_not_use_them(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    IDS.write_parquet(path)
    notes = llrcal.fit(opened(str(path)), method="gaussian").report.all_notes
    assert "in pieces intervals take trials to be independent" in str([*map(str, notes)])


def test_frames_of_a_cluster_have_no_speakers() -> None:
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(IDS.to_pandas(), npartitions=2)
    with pytest.raises(OptionError, match="are not looked for; leave out speakers_from"):
        opened(frame, speakers_from="{speaker}/{rest}")


def test_too_many_speakers_are_dealt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bootstrap, llrcal.evaluation.intervals):
        monkeypatch.setattr(module, "MOST_DRAWN", 7)
    path = tmp_path / "scores.parquet"
    IDS.write_parquet(path)
    found = intervals(opened(str(path)))
    assert found == intervals(llrcal.read_trials(IDS))
    assert "the 12 speakers were dealt into 7 groups" in str(found.notes[0])


@pytest.mark.parametrize("seed", range(3))
def test_sums_in_cells_depend_on_no_order(seed: int) -> None:
    """And they are right, as Python's own exact sums show."""
    from fractions import Fraction

    rng = np.random.default_rng(seed)
    llrs = np.sort(np.concatenate([rng.normal(size=400) * 10.0**seed, [np.inf, -np.inf, 0.0]]))
    edges = statistics.with_ends(np.array([-2.5, -1.0, 0.0, 0.5, 3.0]))
    finite = llrs[np.isfinite(llrs)]
    measures: tuple[statistics.Quantity, ...] = (
        lambda x, sign: np.logaddexp(0, sign * x),
        lambda x, _sign: x,
    )
    cells = statistics.Cells(edges, (finite.min(), finite.max()), measures, -1.0, len(llrs))
    whole = statistics.InCells.of(Runs.of(llrs), cells)
    for parts in (1, 2, 7):
        shuffled = rng.permutation(llrs)
        folds = [statistics.CellFold(cells) for _ in range(parts)]
        for fold, part in zip(folds, np.array_split(shuffled, parts), strict=True):
            fold.add(part)
        total = folds[0].value
        for fold in folds[1:]:
            total = fold.value.merge(total)
        found = cells.in_order(total)
        assert found.means.tolist() == whole.means.tolist()
        assert found.counts.tolist() == whole.counts.tolist()
        assert found.cell_of_each.tolist() == whole.cell_of_each.tolist()
    for i, measure in enumerate(measures):
        values = measure(llrs, -1.0)
        for cell in np.flatnonzero(whole.counts):
            own = values[cells.place(llrs) == cell]
            if np.isfinite(own).all():
                mean = float(sum(map(Fraction, own.tolist())) / len(own))
                assert whole.means[i, cell] == pytest.approx(mean, rel=1e-12, abs=1e-14)
            else:
                assert whole.means[i, cell] == own.sum()
