"""Every study whose numbers pages state: what it asks, how to run it, and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Study:
    """A program that prints tables."""

    question: str
    arguments: str
    """The module of studies to run, and its arguments."""
    minutes: float
    """On one core; of a study that runs alone, on two."""
    needs: Literal["", "scores", "peers"] = ""
    """Real scores beside the repository, without which it is skipped; or other packages."""
    alone: bool = False
    """Whether nothing else may run meanwhile, since times are what it measures."""
    by_name: bool = False
    """Whether it takes so long that it runs only if it is named."""


STUDIES = {
    "evidence": Study("Do the claims of the paper hold elsewhere?", "evidence", 3, "scores"),
    "one_for_all": Study("Is one method good everywhere?", "one_for_all", 2, "scores"),
    "few_smooth": Study("And with few targets?", "few_smooth", 6, "scores"),
    "few_bayes": Study("What are priors worth where trials are few?", "few_bayes", 10, "scores"),
    "few_targets": Study("What are bounds worth there?", "few_targets", 3, "scores"),
    "safe_defaults": Study("What do bounds cost on large sets?", "safe_defaults", 1, "scores"),
    "linear_truth": Study("What does smooth lose where the truth is a line?", "linear_truth", 2),
    "optimizers": Study("Which search finds the maximum?", "optimizers", 5),
    "scoring_rules": Study("Which scoring rule pays where?", "scoring_rules", 1),
    "evaluation_intervals": Study(
        "Do the intervals of an evaluation hold?", "evaluation_intervals", 4
    ),
    "interval_coverage": Study("Do the intervals of LLRs hold?", "interval_coverage", 10),
    "speaker_intervals": Study("And with few speakers?", "interval_coverage --speakers", 6),
    "smooth_intervals": Study(
        "And those of smooth at all sizes?",
        "interval_coverage --methods smooth --sizes 20 50 100 500 1000 5000",
        2,
    ),
    "speaker_folds": Study("What do folds say of new speakers?", "speaker_folds", 8),
    "verdict_study": Study("How often is a verdict wrong?", "verdict_study", 10, "scores"),
    "fusion": Study(
        "What does a fusion gain?", "fusion systems missing few conditions coverage", 8, "scores"
    ),
    "exports": Study("How far are exports from the formula?", "exports", 1, alone=True),
    "hard_exports": Study("And those of models that are hard to export?", "hard_exports", 2),
    "mutation": Study("Would the tests notice a mistake?", "mutation", 60, by_name=True),
    "mutation_before": Study(
        "And before the redesign, which began after 31a95d0?",
        "mutation --tree ../31a95d0 --least 4 --every 800",
        60,
        by_name=True,
    ),
    "paper_scale": Study(
        "How fast is it, beside other tools?", "paper_scale", 5, "peers", alone=True
    ),
}
