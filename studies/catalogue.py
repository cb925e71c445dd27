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
    needs: Literal["", "scores", "peers", "scores, peers"] = ""
    """Real scores beside the repository, or other packages, without which it is skipped."""
    alone: bool = False
    """Whether nothing else may run meanwhile, since times are what it measures."""
    by_name: bool = False
    """Whether it takes so long that it runs only if it is named."""

    @property
    def command(self) -> str:
        """What anyone can type."""
        return f"python -m studies.{self.arguments}"


STUDIES = {
    "evidence": Study("Do the claims of the paper hold elsewhere?", "evidence", 3, "scores"),
    "one_for_all": Study("Is one method good everywhere?", "one_for_all", 2, "scores"),
    "few_smooth": Study("And with few targets?", "few_smooth", 4, "scores"),
    "paper_figures": Study(
        "How wide a range does each curve of the paper cover?", "paper_figures", 2
    ),
    "peers_accuracy": Study("And beside other packages?", "peers_accuracy", 4, "scores, peers"),
    "few_bayes": Study("What are priors worth where trials are few?", "few_bayes", 3, "scores"),
    "nig_chain": Study("Are their posteriors those of long chains?", "nig_chain", 1),
    "few_targets": Study("What are bounds worth there?", "few_targets", 2, "scores"),
    "safe_defaults": Study("What do bounds cost on large sets?", "safe_defaults", 1, "scores"),
    "linear_truth": Study("What does smooth lose where the truth is a line?", "linear_truth", 1),
    "optimizers": Study("Which search finds the maximum?", "optimizers", 2),
    "robustness": Study("How often does a fit fail?", "robustness", 5),
    "scoring_rules": Study("Which scoring rule pays where?", "scoring_rules", 1, "scores"),
    "evaluation_intervals": Study(
        "Do the intervals of an evaluation hold?", "evaluation_intervals", 2
    ),
    "interval_coverage": Study("Do the intervals of LLRs hold?", "interval_coverage", 3),
    "speaker_intervals": Study(
        "And with few speakers?", "interval_coverage --speakers --repetitions 100", 1.5
    ),
    "smooth_intervals": Study(
        "And those of smooth at all sizes?",
        "interval_coverage --methods smooth --sizes 20 50 100 500 1000 5000",
        1,
    ),
    "error_rate_intervals": Study("And those of error-rates?", "error_rate_intervals", 3),
    "speaker_folds": Study("What do folds say of new speakers?", "speaker_folds", 6),
    "verdict_study": Study("How often is a verdict wrong?", "verdict_study", 6, "scores"),
    "field_pairs": Study("What does adaptation leave of a loss?", "field_pairs", 2, "scores"),
    "field_labelled": Study(
        "And with a few labelled scores?", "field_labelled --draws 2", 2, "scores"
    ),
    "field_worlds": Study(
        "What does adaptation gain, where the truth is known?",
        "field_worlds --draws 2",
        7,
        by_name=True,
    ),
    # With an older version of llrcal in PYTHONPATH.
    "field_worlds_before": Study(
        "And what did it gain with the engine of commit 460fe5c?",
        "field_worlds --draws 2 --cells 172",
        5,
        by_name=True,
    ),
    "field_worlds_part": Study(
        "And with the engine of now, in the same cases?", "field_worlds --draws 2 --cells 172", 1
    ),
    "field_unshifted": Study(
        "Does it harm where nothing has moved?", "field_unshifted", 3, "scores"
    ),
    "field_watch": Study("What does watch say, and does it hold?", "field_watch", 4, "scores"),
    "fusion": Study("What does a fusion gain?", "fusion", 3, "scores"),
    "side_information": Study(
        "What are durations and conditions worth?", "side_information", 1, "scores"
    ),
    "fusion_scale": Study("How fast is a fusion?", "fusion_scale", 1, alone=True),
    "exports": Study("How far are exports from the formula?", "exports", 0.4, alone=True),
    "hard_exports": Study("And those of models that are hard to export?", "hard_exports", 1),
    "mutation": Study("Would the tests notice a mistake?", "mutation", 60, by_name=True),
    "mutation_before": Study(
        "Would they have, before the redesign?",
        "mutation --tree ../31a95d0",
        60,
        by_name=True,
    ),
    "pairs_coverage": Study("Do the intervals of counted pairs hold?", "pairs_coverage", 5),
    "pairs_speed": Study("How fast are pairs counted?", "pairs_speed", 0.6, alone=True),
    "paper_scale": Study(
        "How fast is it, beside other tools?", "paper_scale", 4, "peers", alone=True
    ),
    "kernels": Study("How much do compiled passes and threads gain?", "kernels", 1, alone=True),
    "reading": Study("How fast are text files read?", "reading", 1, alone=True),
    "joining": Study("What does a key in other files cost?", "joining", 0.8, alone=True),
    "scale": Study("And files larger than memory, and clusters?", "scale", 2, alone=True),
    "footprint": Study(
        "How large is it, and how long does it take to start?", "footprint", 0.5, alone=True
    ),
}
