"""Everything a comparison leaves on disk: models, tables, figures, the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from llrcal.calibrations import Calibration
from llrcal.comparison import Comparison
from llrcal.comparison.comparison import model_file
from llrcal.comparison.tables import as_csv, as_markdown, by_condition, metrics
from llrcal.figures.folder import draw_into, drawings
from llrcal.files.atomic import write_atomically
from llrcal.report.build import build_report


def write_results(
    comparison: Comparison,
    folder: Path,
    *,
    formats: Sequence[str],
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Fill a folder with the results of a comparison."""
    progress("models and tables")
    models = folder / "models"
    models.mkdir()
    for label, candidate in comparison.candidates.items():
        model = candidate.calibration
        if isinstance(model, Calibration):
            # Trained on negated distances, where it was: models take distances as they are.
            model = replace(model, lower_is_better=comparison.lower_is_better)
        model.save(models / model_file(label))
    write_atomically(folder / "metrics.csv", as_csv(metrics(comparison)).encode())
    write_atomically(folder / "metrics.md", as_markdown(comparison).encode())
    if rows := by_condition(comparison):
        write_atomically(folder / "by-condition.csv", as_csv(rows).encode())
    if comparison.learning_curve is not None:
        table = as_csv(comparison.learning_curve.table())
        write_atomically(folder / "learning-curve.csv", table.encode())
    progress("figures")
    if formats:
        draw_into(folder / "figures", drawings(comparison), formats=formats)
    progress("report")
    write_atomically(folder / "report.html", build_report(comparison).encode())
