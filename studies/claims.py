"""The paper's claims as rules on the numbers of an experiment: yes or no, and the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


CLAIMS: dict[str, Callable[[Rows], Answer]] = {
    "1a linear-gaussian near its weight": near_its_weight("linear-gaussian"),
    "1b logistic near its weight": near_its_weight("logistic"),
    "2 non-linear is wider": non_linear_is_wider,
    "3 PAV overtrains far left": pav_overtrains,
    "4 T worse than Gaussian far left": t_is_worse,
    "5 NIG best of three": nig_is_best,
}


def claims_table(results: list[dict[str, Any]]) -> str:
    """Which claims hold in which experiment."""
    lines = ["| experiment | " + " | ".join(CLAIMS) + " |", "|---" * (len(CLAIMS) + 1) + "|"]
    held = dict.fromkeys(CLAIMS, 0)
    for result in results:
        cells = []
        for claim, rule in CLAIMS.items():
            holds, figures = rule(result["rows"])
            held[claim] += holds
            cells.append(f"{'yes' if holds else 'no'}: {figures}")
        lines.append(f"| {result['name']} | " + " | ".join(cells) + " |")
    counts = " | ".join(f"**{count} of {len(results)}**" for count in held.values())
    return "\n".join([*lines, f"| holds in | {counts} |"])
