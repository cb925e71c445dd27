"""Draws the paper's figures on simulated scores of its size, and one of them on real scores.

    python -m studies.paper_figures

All of them are in docs/studies/evidence.md, and one is in the README. Real scores are looked for in
a folder ``shared/scores`` beside the repository; without them, their picture stays what it is.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import llrcal
from llrcal.figures.folder import draw_into, drawings
from llrcal.simulation import PAPER_TEST, PAPER_TRAIN
from studies.evidence import REAL, speech_commands

FOLDER = Path(__file__).parent
SIMULATED = (
    "bayes-error-linear-gaussian",
    "bayes-error-logistic",
    "bayes-error-pav",
    "bayes-error-generative",
    "transforms",
    "densities-nig-log",
)
SPEECH_COMMANDS = "speech-commands-bayes-error"
SHOWN = ("pav", "gaussian", "student-t", "nig", "logistic-empirical", "logistic-0.92")


def simulated() -> llrcal.Comparison:
    """The paper's ten, plain as they are there."""
    (tar, non), (tar_test, non_test) = PAPER_TRAIN, PAPER_TEST
    train = llrcal.simulate(targets=tar, nontargets=non)
    test = llrcal.simulate(targets=tar_test, nontargets=non_test, condition="test")
    return llrcal.compare(train, test, settings="paper", replicates=0)


def main() -> None:
    """Draw them all."""
    wanted = (one for one in drawings(simulated()) if one[0] in SIMULATED)
    draw_into(FOLDER, wanted, formats=["png"])
    if REAL.exists():
        _, train, test = next(speech_commands())
        every = llrcal.fit_all(*train, bounds="none", rising=False)
        found = {label: llrcal.evaluate(*map(every[label], test)) for label in SHOWN}
        draw = partial(llrcal.figures.bayes_error, found)
        draw_into(FOLDER, [(SPEECH_COMMANDS, draw)], formats=["png"])


if __name__ == "__main__":
    main()
