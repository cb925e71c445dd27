"""What a reader should be warned of, grouped by kind."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.comparison import Finding
from llrcal.report.text import escaped, sentence

# The gravest first: kind, heading, and what it means for the reader.
_KINDS = {
    "not converged": (
        "Fits that did not converge",
        "Their parameters are not the optimum, and their numbers not the method's.",
    ),
    "fit": (
        "Fits at a limit of their model",
        "The model was stopped by a bound, or a rule had to step in.",
    ),
    "shift": (
        "Training and test differ",
        "Calibration learned on one kind of scores need not hold on another.",
    ),
    "range": (
        "Test scores outside the training range",
        "Nothing was seen there in training: the LLR of the nearest training score is held.",
    ),
    "not monotone": (
        "LLRs that fall while scores rise",
        "A better score should not be weaker evidence. Such bends come from the tails of fitted "
        "densities, and matter where scores occur.",
    ),
    "rule of 30": (
        "Operating points with few errors",
        "Rates that rest on fewer than 30 errors may be luck (Doddington's rule of 30).",
    ),
}
_FEW = 3
_MOST = 40


def warnings_list(findings: Sequence[Finding]) -> str:
    """Findings as foldable groups; long ones start folded."""
    if not findings:
        return "<p>There is nothing to warn of.</p>"
    groups: dict[str, list[Finding]] = {kind: [] for kind in _KINDS}
    for finding in findings:
        groups.setdefault(finding.kind, []).append(finding)
    return "\n".join(_group(kind, group) for kind, group in groups.items() if group)


def _group(kind: str, findings: list[Finding]) -> str:
    heading, meaning = _KINDS.get(kind, (kind.capitalize(), ""))
    items = [f"<li>{sentence(finding.text)}</li>" for finding in findings[:_MOST]]
    if len(findings) > _MOST:
        items.append(f"<li>and {len(findings) - _MOST:,} more</li>")
    return (
        f'<details class="warning"{" open" if len(findings) <= _FEW else ""}>'
        f'<summary>{escaped(heading)} <span class="count">{len(findings):,}</span></summary>'
        f'<p class="note">{meaning}</p><ul>{"".join(items)}</ul></details>'
    )
