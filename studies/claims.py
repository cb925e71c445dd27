"""The paper's claims as rules on the numbers of an experiment: yes or no, and the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Rows = dict[str, dict[str, float]]
Answer = tuple[bool, str]


def _percent(rows: Rows, label: str, place: str) -> str:
    return f"{100 * rows[label][place]:.1f}"


def near_its_weight(method: str) -> Callable[[Rows], Answer]:
    """A small weight is better on the left, a large one on the right."""

    def rule(rows: Rows) -> Answer:
        small, large = f"{method}-empirical", f"{method}-0.92"
        left = rows[small]["left"] <= rows[large]["left"]
        right = rows[large]["right"] <= rows[small]["right"]
        figures = ", ".join(
            f"{place} {_percent(rows, small, place)}/{_percent(rows, large, place)}"
            for place in ("left", "right")
        )
        return left and right, figures

    return rule


def non_linear_is_wider(rows: Rows) -> Answer:
    """PAV or NIG beats every linear calibration, whatever its weight, over the whole range."""
    linear = min(row["all"] for label, row in rows.items() if label.startswith("l"))
    other = min(rows[label]["all"] for label in ("pav", "nig"))
    return other < linear, f"{100 * other:.1f} against {100 * linear:.1f}"


def pav_overtrains(rows: Rows) -> Answer:
    """PAV is worse at the far left than in the middle, and worse than some other calibration."""
    far = rows["pav"]["far left"]
    least = min(row["far left"] for label, row in rows.items() if label != "pav")
    figures = f"{100 * far:.1f}, middle {_percent(rows, 'pav', 'middle')}, best {100 * least:.1f}"
    return far > rows["pav"]["middle"] and far > least, figures


def t_is_worse(rows: Rows) -> Answer:
    """The T does worse than the Gaussian at the far left."""
    t, gaussian = (rows[label]["far left"] for label in ("student-t", "gaussian"))
    return t > gaussian, f"{100 * t:.1f} against {100 * gaussian:.1f}"


def nig_is_best(rows: Rows) -> Answer:
    """NIG is the best of the generative three over the whole range."""
    means = {label: rows[label]["all"] for label in ("gaussian", "student-t", "nig")}
    figures = "/".join(f"{100 * mean:.1f}" for mean in means.values())
    return min(means, key=lambda label: means[label]) == "nig", figures


def logistic_is_better_at_zero(rows: Rows) -> Answer:
    """Whatever the weight, logistic loses less near prior log-odds of zero."""
    means = [_over_weights(rows, method, "zero", np.mean) for method in LINEAR]
    every = [
        rows[f"logistic-{weight}"]["zero"] <= rows[f"linear-gaussian-{weight}"]["zero"]
        for weight in WEIGHTS
    ]
    return all(every), f"{means[1]:.1f} against {means[0]:.1f}"


def logistic_is_steadier_on_the_right(rows: Rows) -> Answer:
    """What a weight changes on the right is less than with linear-gaussian."""
    spreads = [_over_weights(rows, method, "right", np.ptp) for method in LINEAR]
    return spreads[1] < spreads[0], f"{spreads[1]:.1f} against {spreads[0]:.1f}"


def _over_weights(rows: Rows, method: str, place: str, of: Callable[..., Any]) -> float:
    return float(100 * of([rows[f"{method}-{weight}"][place] for weight in WEIGHTS]))


def pav_is_optimal_in_training(rows: Rows) -> Answer:
    """On its own training scores PAV has the minimum error, to 0.1 %, at every prior."""
    most = 100 * rows["pav"]["worst in training"]
    return most < 0.1, f"{most:.2f}"


def generative_differ_at_the_far_left(rows: Rows) -> Answer:
    """Gaussian, T and NIG are further apart at the far left than in any third."""
    spreads = [
        float(100 * np.ptp([rows[label][place] for label in GENERATIVE]))
        for place in ("far left", "left", "middle", "right")
    ]
    return spreads[0] > max(spreads[1:]), "/".join(f"{spread:.1f}" for spread in spreads)


def t_is_worse_than_nig(rows: Rows) -> Answer:
    """The T does worse than NIG at the far left."""
    t, nig = (rows[label]["far left"] for label in ("student-t", "nig"))
    return t > nig, f"{100 * t:.1f} against {100 * nig:.1f}"


def t_has_a_thick_tail(rows: Rows) -> Answer:
    """The T expects too many high non-targets, and more than Gaussian and NIG do."""
    gaussian, t, nig = (rows[label]["tail"] for label in GENERATIVE)
    holds = t > max(1, gaussian, nig)
    return holds, f"{gaussian:.2f}/{t:.2f}/{nig:.2f}"


LINEAR = ("linear-gaussian", "logistic")
WEIGHTS = ("empirical", "0.5", "0.92")
GENERATIVE = ("gaussian", "student-t", "nig")

CLAIMS: dict[str, Callable[[Rows], Answer]] = {
    "1a linear-gaussian near its weight": near_its_weight("linear-gaussian"),
    "1b logistic near its weight": near_its_weight("logistic"),
    "2 non-linear is wider": non_linear_is_wider,
    "3 PAV overtrains far left": pav_overtrains,
    "4 T worse than Gaussian far left": t_is_worse,
    "5 NIG best of three": nig_is_best,
}
REMARKS: dict[str, Callable[[Rows], Answer]] = {
    "6 logistic better near 0": logistic_is_better_at_zero,
    "7 logistic steadier on the right": logistic_is_steadier_on_the_right,
    "8 PAV optimal in training": pav_is_optimal_in_training,
    "9 generative differ most far left": generative_differ_at_the_far_left,
    "10 T worse than NIG far left": t_is_worse_than_nig,
    "11 T has too thick a tail": t_has_a_thick_tail,
}


def claims_table(results: list[dict[str, Any]], claims: dict[str, Callable[[Rows], Answer]]) -> str:
    """Which claims hold in which experiment."""
    lines = ["| experiment | " + " | ".join(claims) + " |", "|---" * (len(claims) + 1) + "|"]
    held = dict.fromkeys(claims, 0)
    for result in results:
        cells = []
        for claim, rule in claims.items():
            holds, figures = rule(result["rows"])
            held[claim] += holds
            cells.append(f"{'yes' if holds else 'no'}: {figures}")
        lines.append(f"| {result['name']} | " + " | ".join(cells) + " |")
    counts = " | ".join(f"**{count} of {len(results)}**" for count in held.values())
    return "\n".join([*lines, f"| holds in | {counts} |"])
