"""Everything a comparison leaves on disk: models, tables, figures, the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from llrcal.comparison import Comparison
from llrcal.comparison.tables import as_csv, as_markdown, metrics
from llrcal.figures.comparison import draw_all
from llrcal.files.atomic import write_atomically
from llrcal.report import build_report


def write_results(
    comparison: Comparison,
    folder: Path,
    progress: Callable[[str], None],
    *,
    lower_is_better: bool = False,
) -> None:
    """Fill a folder with the results of a comparison.

    With ``lower_is_better`` the comparison was made on negated distances, and the models are
    written so that they take distances as they are.
    """
    progress("models and tables")
    models = folder / "models"
    models.mkdir()
    for label, candidate in comparison.candidates.items():
        model = replace(candidate.calibration, lower_is_better=lower_is_better)
        model.save(models / f"{label}.json")
    write_atomically(folder / "metrics.csv", as_csv(metrics(comparison)).encode())
    write_atomically(folder / "metrics.md", as_markdown(comparison).encode())
    progress("figures")
    draw_all(comparison, folder / "figures")
    progress("report")
    write_atomically(folder / "report.html", build_report(comparison).encode())
