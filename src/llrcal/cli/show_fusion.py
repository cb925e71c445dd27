"""A fusion on the terminal, and as numbers for ``--json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.terminal import print_whole, table_of

if TYPE_CHECKING:
    from llrcal.fusion import Fused
    from llrcal.fusion.contributions import Contributions


def contributions_as_numbers(added: Contributions) -> dict[str, Any]:
    """What each system adds, as plain values."""
    correlations = {"tar": added.tar_correlations, "non": added.non_correlations}
    return {
        "cllr": {"fused": added.fused, "alone": added.alone, "without": added.without},
        "correlations": {name: table.tolist() for name, table in correlations.items()},
    }


def show_contributions(added: Contributions) -> None:
    """Print what each system adds."""
    caption = f"Cllr on trials held out; {added.fused:.4f} with all systems"
    table = table_of(["system"], ["alone", "all others"], caption)
    for name, cllr in added.alone.items():
        others = f"{added.without[name]:.4f}" if added.without else ""
        table.add_row(name, f"{cllr:.4f}", others)
    print_whole(table)


def fusion_as_numbers(model: Fused) -> dict[str, Any]:
    """Weights and conditions as plain values."""
    conditions = model.conditions
    return {
        "systems": model.names,
        "tar_count": model.tar_count,
        "non_count": model.non_count,
        "offset": model.offset._asdict(),
        "weights": {name: one._asdict() for name, one in model.weights.items()},
        **({} if conditions is None else {"conditions": conditions.to_dict()}),
    }


def show_fusion(model: Fused) -> None:
    """Print the weights, and what conditions do to the LLR."""
    count = "1 system" if len(model.names) == 1 else f"{len(model.names)} systems"
    click.echo(f"{count}: {model.tar_count:,} targets, {model.non_count:,} non-targets")
    table = table_of(["LLR per unit of"], ["weight", "95 % interval"])
    for name, one in (*model.weights.items(), ("(offset, at the centre)", model.offset)):
        table.add_row(name, f"{one.value:.4g}", f"{one.low:.4g} to {one.high:.4g}")
    print_whole(table)
    click.echo(f"Intervals take each {model.lines[0].by} to be independent.")
    if model.conditions is None:
        return
    table = table_of(["condition"], ["slope", "offset"])
    rows = (("(any other)", model.conditions.pooled), *model.conditions.lines.items())
    for name, (slope, offset) in rows:
        table.add_row(name, f"{slope:.3f}", f"{offset:+.3f}")
    print_whole(table)
