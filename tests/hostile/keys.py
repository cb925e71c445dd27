"""Trial lists and keys that do not fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import llrcal
from llrcal.errors import OptionError, ScoreError, TrialFileError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.files import KEY, LABELLED, SCORES, holds, joined, labelled
from tests.hostile.scores import same

AGAIN = SCORES + "m1 t1 2.5\n"
TORN = KEY + "m1 t1 nontarget\n"
SWAPPED = "".join(f"{b} {a} {c}\n" for a, b, c in map(str.split, SCORES.splitlines()))
SPOOFED = LABELLED.replace("0.25 nontarget", "0.25 spoof")
BACKWARDS = "".join(reversed(KEY.splitlines(keepends=True)))


def split(labels: Any, scores: Any = (1.0, 2.0, 3.0)) -> Any:
    return lambda: llrcal.split(scores, labels)


def frame_with_null() -> Any:
    frame = pl.DataFrame(
        {"enrol": ["a", "b"], "test": ["x", "y"], "score": [1.0, None], "label": ["target", "imp"]}
    )
    return llrcal.read_trials(frame)


def lists_for_arrays() -> Any:
    trials = llrcal.Trials([1.5, 2.5], [-1.0])  # type: ignore[arg-type]
    return trials.scores, trials.negated().scores, trials.tar.min()


def check_lists(answer: Any) -> None:
    scores, negated, least = answer
    same(scores, [1.5, 2.5, -1.0])
    same(negated, [-1.5, -2.5, 1.0])
    assert least == 1.5


VOICES = "s1_a s1_b 1.5 target\ns1_a s2_a -2.5 nontarget\ns2_a s2_b 2.5 target\n"


def who(text: str, given: str, listed: str = "", **options: Any) -> Any:
    """Trials read with a rule for their speakers, beside a list of them."""

    def run() -> Any:
        Path("utt2spk").write_text(listed)
        return labelled(text, speakers_from=given, **options)()

    return run


def check_speakers(answer: Any) -> None:
    assert answer.speaker_names.tolist() == ["s1", "s2"]
    assert answer.tar_speakers.tolist() == [[0, 0], [1, 1]]
    assert answer.non_speakers.tolist() == [[0, 1]]


def check_no_speakers(answer: Any) -> None:
    assert answer.speakers is None


TABLE = "enrol,test,score,label\na,x,1.5,target\nb,y,-2.5,nontarget\n"
CASES = (
    Case(
        "a trial that is there twice",
        joined(AGAIN, KEY),
        Refused(
            TrialFileError,
            "1 repeated trials, such as (m1 t1)",
            "scores.txt",
            "duplicates='first'",
        ),
        "Refused, with examples.",
        "pandas merge: rows multiply in silence",
    ),
    Case(
        "a trial that is there twice, the first wanted",
        joined(AGAIN, KEY, duplicates="first"),
        Answered(holds([1.5, 3.5], [-2.5, 0.25], "only the first of each was kept")),
        "The first is kept, and a note says so.",
    ),
    Case(
        "a trial that is both target and non-target",
        joined(SCORES, TORN),
        Refused(TrialFileError, "are both target and non-target, such as (m1 t1)", "key.txt"),
        "Refused, whatever is to be done with duplicates.",
    ),
    Case(
        "the same, all duplicates wanted",
        joined(SCORES, TORN, duplicates="all"),
        Refused(TrialFileError, "are both target and non-target, such as (m1 t1)", "key.txt"),
        "Refused: no policy makes a key of it.",
    ),
    Case(
        "the same in the order of the scores, all duplicates wanted",
        joined(SCORES + "m1 t1 9.0\n", KEY + "m1 t1 nontarget\n", duplicates="all"),
        Refused(TrialFileError, "are both target and non-target, such as (m1 t1)", "key.txt"),
        "Refused.",
    ),
    Case(
        "the same for scores without ids, all duplicates wanted",
        joined("1.5\n-2.5\n0.25\n3.5\n9.0\n", KEY + "m1 t1 nontarget\n", duplicates="all"),
        Refused(TrialFileError, "are both target and non-target, such as (m1 t1)", "key.txt"),
        "Refused.",
    ),
    Case(
        "the same in one file of scores and labels, all duplicates wanted",
        labelled(LABELLED + "m1 t1 9.0 nontarget\n", duplicates="all"),
        Refused(TrialFileError, "are both target and non-target, such as (m1 t1)", "scores.txt"),
        "Refused.",
    ),
    Case(
        "trials of the key without a score",
        joined(SCORES, KEY + "m3 t1 nontarget\n"),
        Refused(
            TrialFileError,
            "1 trials of key.txt have no score, such as (m3 t1)",
            "key.txt",
            "missing='skip'",
        ),
        "Refused.",
        "PyBOSARIS: dropped, or scored 0",
    ),
    Case(
        "trials of the key without a score, to be skipped",
        joined(SCORES, KEY + "m3 t1 nontarget\n", missing="skip"),
        Answered(holds([1.5, 3.5], [-2.5, 0.25], "1 trials of key.txt have no score")),
        "Left out, counted in a note.",
    ),
    Case(
        "scores of trials that the key does not have",
        joined(SCORES + "m9 t9 9.5\n", KEY),
        Refused(
            TrialFileError,
            "1 scores of scores.txt are not in the key, such as (m9 t9)",
            "scores.txt",
            "unknown='skip'",
        ),
        "Refused.",
        "dropped in silence",
    ),
    Case(
        "scores and key without a trial in common",
        joined(SCORES, KEY.replace("m", "x")),
        Refused(TrialFileError, "no trial in common: (m1 t1)", "scores.txt and key.txt", "against"),
        "Refused, with ids of both.",
    ),
    Case(
        "a key in another order",
        joined(SCORES, BACKWARDS),
        Answered(holds([1.5, 3.5], [-2.5, 0.25], "joined on enrol and test")),
        "Joined on the ids.",
    ),
    Case(
        "ids the other way round in the scores",
        joined(SWAPPED, KEY),
        Refused(TrialFileError, "no trial in common: (t1 m1)", "scores.txt and key.txt", "against"),
        "Refused, with ids of both.",
    ),
    Case(
        "a score column that holds ids",
        joined("m1 t1 x\nm1 t2 y\n", "m1 t1 target\nm1 t2 nontarget\n"),
        Refused(TrialFileError, "look like text", "scores.txt", "columns='enrol"),
        "Refused.",
        "pandas: a column of texts",
    ),
    Case(
        "a label that is none",
        labelled(LABELLED * 5 + "m3 t1 0.5 tarrget\n", duplicates="first"),
        Refused(
            TrialFileError, "'tarrget' is neither target nor non-target", "line 21", "labels='"
        ),
        "Refused, and line and word named.",
        "PYLLR: everything but 1 is a non-target",
    ),
    Case(
        "a label in odd capitals",
        split(["Target", "nonTarget", "target"]),
        Refused(ScoreError, "'nonTarget'", "at index 1", "Use 1 and 0"),
        "Refused: spelling is strict.",
    ),
    Case(
        "labels 1, 0 and 2",
        split([1, 0, 2]),
        Refused(ScoreError, "neither target nor non-target; the first is", "at index 2", "Use 1"),
        "Refused.",
        "PYLLR: 2 is a non-target",
    ),
    Case(
        "labels 1, 0 and -1",
        split([1, 0, -1]),
        Refused(ScoreError, "1 labels are neither", "at index 2", "Use 1 and 0"),
        "Refused: 0 may stand for no trial at all.",
    ),
    Case(
        "a label of NaN",
        split([1.0, 0.0, np.nan]),
        Refused(ScoreError, "nan", "at index 2", "Use 1 and 0"),
        "Refused.",
    ),
    Case(
        "a label of `None`",
        split(np.array(["target", None, "non"], object)),
        Refused(ScoreError, "None", "at index 1", "Use 1 and 0"),
        "Refused.",
    ),
    Case(
        "fewer labels than scores",
        split([1, 0]),
        Refused(
            ScoreError, "scores have shape (3,) and labels (2,)", "labels", "one label for each"
        ),
        "Refused.",
    ),
    Case(
        "scores without ids, and a key of another length",
        joined("1.5\n-2.5\n0.25\n", "target\nnontarget\n"),
        Refused(TrialFileError, "3 scores and key.txt 2 labels", "scores.txt", "no ids in common"),
        "Refused.",
    ),
    Case(
        "labels in the scores that contradict the key",
        joined(LABELLED, KEY.replace("m2 t2 target", "m2 t2 nontarget")),
        Refused(TrialFileError, "1 of its labels contradict the key", "such as that of (m2 t2)"),
        "Refused, and the trial named.",
    ),
    Case(
        "spoof trials",
        labelled(SPOOFED),
        Refused(TrialFileError, "1 of 4 trials are spoofs", "scores.txt", "spoof='omit'"),
        "Refused until it is said what they count as.",
    ),
    Case(
        "spoof trials, left out",
        labelled(SPOOFED, spoof="omit"),
        Answered(holds([1.5, 3.5], [-2.5], "1 spoof trials left out")),
        "Left out, counted in a note.",
    ),
    Case(
        "a role that does not exist",
        labelled(TABLE, columns="enrol,probe,score,label"),
        Refused(OptionError, "there is no role 'probe'", "columns", "choose from"),
        "Refused.",
    ),
    Case(
        "an unknown policy",
        joined(SCORES, KEY, missing="ignore"),
        Refused(OptionError, "missing cannot be 'ignore'", "missing", "choose error, skip"),
        "Refused.",
    ),
    Case(
        "only targets",
        labelled("a x 1.5 target\nb y 2.5 target\n"),
        Refused(ScoreError, "non-target scores", "scores.txt", "empty"),
        "Refused.",
    ),
    Case(
        "a frame with a missing score",
        frame_with_null,
        Refused(TrialFileError, "column 'score' has 1 missing values", "row 1", "remove or repair"),
        "Refused, and the row named.",
    ),
    Case(
        "lists where `Trials` takes arrays",
        lists_for_arrays,
        Answered(check_lists),
        "Converted.",
    ),
    Case(
        "speakers for another number of trials",
        lambda: llrcal.Trials(np.ones(3), np.zeros(2), tar_speakers=np.zeros((2, 2), int)),
        Refused(ScoreError, "target speakers have shape (2, 2)", "target", "two columns for 3"),
        "Refused.",
    ),
    Case(
        "a pattern for speakers that names none",
        who(VOICES, "{person}_{rest}"),
        Refused(OptionError, "there is no such file", "speakers_from", "a pattern such as"),
        "Refused.",
    ),
    Case(
        "a regular expression that is none",
        who(VOICES, "(?P<speaker>s[12"),
        Refused(OptionError, "unclosed character class", "speakers_from", "regular expression"),
        "Refused.",
    ),
    Case(
        "a regular expression that takes exponential time in Python",
        who(VOICES.replace("s1_a", "a" * 40 + "!"), "(?P<speaker>(a+)+)$"),
        Refused(TrialFileError, "ids have no speaker", "such as 'aaaa", "correct speakers_from"),
        "Refused at once: ids are searched in linear time.",
        "re.search: hangs",
    ),
    Case(
        "ids that do not fit a pattern for speakers",
        who(VOICES + "s3 s4 0.5 nontarget\n", "{speaker}_{rest}"),
        Refused(TrialFileError, "1 of 3 enrol ids have no speaker", "'s3'", "correct"),
        "Refused, with examples.",
    ),
    Case(
        "a list of speakers without some recordings",
        who(VOICES, "utt2spk", "s1_a s1\ns1_b s1\ns2_a s2\n"),
        Refused(TrialFileError, "1 of 3 test ids have no speaker by utt2spk", "'s2_b'", "correct"),
        "Refused, with examples.",
    ),
    Case(
        "a list with two speakers for a recording",
        who(VOICES, "utt2spk", "s1_a s1\ns1_b s1\ns2_a s2\ns2_b s2\ns2_b s1\n"),
        Refused(TrialFileError, "has two speakers", "utt2spk", "'s2_b'"),
        "Refused.",
        "Kaldi's utils/validate_data_dir.sh: refused",
    ),
    Case(
        "ids with control characters",
        who(VOICES.replace("_", "_\x07\x1b[31m"), "{speaker}_{rest}"),
        Answered(check_speakers),
        "Read as they are; messages show them escaped.",
    ),
    Case(
        "folders that are no speakers",
        labelled("x/1 x/2 1.5 target\nx/1 y/1 -2.5 target\nx/2 y/3 0.5 nontarget\n"),
        Answered(check_no_speakers),
        "Not taken for speakers, since labels contradict.",
    ),
)

SECTION = Section(
    "B",
    "Trial lists and keys",
    "Scores and labels that do not match one to one, and labels that are none.",
    CASES,
)
