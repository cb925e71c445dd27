"""Real score files, where they are present: the counts and the scores that are known of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal import TrialFileError, Trials, read_trials
from llrcal.arrays import Array
from tests.conftest import real_scores


def array(*parts: str) -> Array:
    return np.asarray(np.load(real_scores(*parts)), np.float64)


def assert_scores(trials: Trials, tar: Array, non: Array) -> None:
    """The same scores, whatever their order."""
    assert (len(trials.tar), len(trials.non)) == (len(tar), len(non))
    assert np.array_equal(np.sort(trials.tar), np.sort(tar))
    assert np.array_equal(np.sort(trials.non), np.sort(non))


@pytest.mark.slow
def test_a_submission_to_nist_sre08() -> None:
    trials = read_trials(real_scores("nist_sre08", "tno.2008.tsv.gz"))
    assert (len(trials.tar), len(trials.non)) == (20_449, 78_327)
    assert_scores(trials, array("nist_sre08", "tar.npy"), array("nist_sre08", "non.npy"))
    assert trials.tar.mean() == pytest.approx(6.341288, abs=5e-7)  # published with the data
    assert trials.non.mean() == pytest.approx(-5.142138, abs=5e-7)
    assert trials.ids is not None
    assert trials.ids.row(0) == ("10017", "fbnep", "a")
    assert trials.scores[0] == -5.569686
    assert not trials.labels[0]
    assert "label=target" in trials.notes[0].text  # not the decision, which is a column of own
    assert "side=chan" in trials.notes[0].text


@pytest.mark.slow
@pytest.mark.parametrize(("part", "counts"), [("dev", (1484, 5768)), ("eval", (5370, 33_327))])
def test_asvspoof_2019(part: str, counts: tuple[int, int]) -> None:
    path = real_scores("asvspoof2019_asv", f"ASVspoof2019.LA.asv.{part}.gi.trl.scores.txt")
    tar, non, spoof = (
        array("asvspoof2019_asv", f"{part}_{kind}.npy") for kind in ("tar", "non", "spoof")
    )
    assert (len(tar), len(non)) == counts
    with pytest.raises(TrialFileError, match=f"{len(spoof)} of {sum(counts) + len(spoof)} tri"):
        read_trials(path)
    assert_scores(read_trials(path, spoof="omit"), tar, non)
    assert_scores(read_trials(path, spoof="only"), tar, spoof)
    assert_scores(read_trials(path, spoof="nontarget"), tar, np.concatenate([non, spoof]))


@pytest.mark.parametrize("system", ["lda_cosine", "plda", "lda_plda"])
def test_three_systems_in_one_file(system: str) -> None:
    path = real_scores("voxceleb1_three_systems", "speaker.txt.gz")
    with pytest.raises(TrialFileError, match="3 columns could be the score: lda_cosine, plda, lda"):
        read_trials(path)
    trials = read_trials(path, columns=f"score={system}")
    tar, non = (array("voxceleb1_three_systems", f"{system}_{kind}.npy") for kind in ("tar", "non"))
    assert (len(trials.tar), len(trials.non)) == (18_247, 18_190)
    # The arrays were made by a parser that rounds now and then to the neighbour.
    assert np.allclose(np.sort(trials.tar), np.sort(tar), rtol=4e-16, atol=0)
    assert np.allclose(np.sort(trials.non), np.sort(non), rtol=4e-16, atol=0)
    with gzip.open(path, "rt") as file:
        names, *rows = (line.split() for line in file)
    place = names.index(system)
    assert trials.scores.tolist() == [float(row[place]) for row in rows]
    assert trials.score_name == system


def bob_by_hand(path: Path, claimed: int, real: int) -> tuple[Array, Array]:
    rows = [line.split() for line in path.read_text().splitlines()]
    same = np.array([row[claimed] == row[real] for row in rows])
    scores = np.array([float(row[-1]) for row in rows])
    return scores[same], scores[~same]


@pytest.mark.parametrize(("name", "real"), [("scores-cmc-4col.txt", 1), ("scores-cmc-5col.txt", 2)])
def test_bob(name: str, real: int) -> None:
    path = real_scores("formats", name)
    trials = read_trials(path)
    assert_scores(trials, *bob_by_hand(path, 0, real))
    assert trials.has_speakers
    assert len(trials) == len(path.read_text().splitlines())


def test_a_single_column_of_each_class() -> None:
    paths = [real_scores("formats", f"exp1_{kind}.txt") for kind in ("true", "false")]
    tar, non = (np.array([float(word) for word in path.read_text().split()]) for path in paths)
    trials = read_trials(paths[0], nontargets=paths[1])
    assert trials.tar.tolist() == tar.tolist()
    assert trials.non.tolist() == non.tolist()


def test_the_trial_list_of_voxceleb(tmp_path: Path) -> None:
    key = real_scores("formats", "voxceleb1_veri_test_head.txt")
    rows = [line.split() for line in key.read_text().splitlines()]
    in_order, by_pair = tmp_path / "in_order.txt", tmp_path / "by_pair.txt"
    in_order.write_text("".join(f"{i}.5\n" for i in range(len(rows))))
    by_pair.write_text(
        "".join(f"{i}.5 {row[1]} {row[2]}\n" for i, row in reversed(list(enumerate(rows))))
    )
    trials = read_trials(in_order, key)
    assert trials.labels.tolist() == [row[0] == "1" for row in rows]
    assert trials.ids is not None
    assert trials.ids.rows() == [(row[1], row[2]) for row in rows]
    joined = read_trials(by_pair, key)
    assert joined.labels.tolist() == trials.labels.tolist()[::-1]
    assert joined.scores.tolist() == trials.scores.tolist()[::-1]
    with pytest.raises(TrialFileError, match="there are labels but no scores: this is a key"):
        read_trials(key)


def test_people_in_words_and_levels() -> None:
    """Ten levels of confidence in words are no scores; the level is."""
    path = real_scores("human_listeners", "milou.tsv")
    with pytest.raises(TrialFileError, match="column 'score' should be the score, but does not"):
        read_trials(path)
    frame = pl.read_csv(path, separator="\t")
    trials = read_trials(frame, columns="score=cl,-=score", duplicates="all")
    assert (len(trials.tar), len(trials.non)) == (640, 640)


@pytest.mark.parametrize("system", ["VGG-Face_cosine", "Facenet_cosine"])
def test_distances_between_faces(system: str) -> None:
    path = real_scores("deepface_pairs", "face-recognition-pivot.csv")
    with pytest.raises(TrialFileError, match="columns could be the score: VGG-Face_cosine"):
        read_trials(path)
    with pytest.raises(TrialFileError, match="looks like the label; name it"):
        read_trials(path, columns=f"score={system}")
    trials = read_trials(path, columns=f"score={system},label=decision")
    name = system.replace("-", "").lower()
    assert_scores(
        trials,
        *(np.abs(array("deepface_pairs", f"{name}_{kind}.npy")) for kind in ("tar", "non")),
    )
