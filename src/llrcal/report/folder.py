"""Everything a comparison leaves on disk: models, tables, figures, the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from llrcal.comparison import Comparison
from llrcal.comparison.comparison import model_file
from llrcal.comparison.tables import as_csv, as_latex, as_markdown, by_condition, metrics
from llrcal.figures.folder import draw_into
from llrcal.figures.table import of_comparison
from llrcal.files.atomic import write_atomically
from llrcal.report.build import build_report


def write_results(
    comparison: Comparison,
    folder: Path,
    *,
    formats: Sequence[str],
    name: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Fill a folder with the results of a comparison.

    ``name`` is where it is going to be, for the command that the report shows: a path from here,
    since one that begins at the root would say too much about this machine.
    """
    progress("models and tables")
    models = folder / "models"
    models.mkdir()
    for label in comparison.candidates:
        comparison.model(label).save(models / model_file(label))
    write_atomically(folder / "metrics.csv", as_csv(metrics(comparison)).encode())
    write_atomically(folder / "metrics.md", as_markdown(comparison).encode())
    write_atomically(folder / "metrics.tex", as_latex(comparison).encode())
    if rows := by_condition(comparison):
        write_atomically(folder / "by-condition.csv", as_csv(rows).encode())
    if comparison.learning_curve is not None:
        table = as_csv(comparison.learning_curve.table())
        write_atomically(folder / "learning-curve.csv", table.encode())
    progress("figures")
    if formats:
        draw_into(folder / "figures", of_comparison(comparison).items(), formats=formats)
    progress("report")
    near = "" if Path(name).is_absolute() else name
    write_atomically(folder / "report.html", build_report(comparison, folder=near).encode())
