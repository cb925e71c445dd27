"""An evaluation on the terminal: the numbers that ``--json`` gives, in lines and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from llrcal.cli.terminal import cells, print_lines, print_table
from llrcal.evaluation.measures import MEASURES, SHARE, Number

_Numbers = Mapping[str, Any]


def show_evaluation(answer: _Numbers, numbers: Sequence[Number], *, plain: bool) -> None:
    """Print the numbers of an evaluation, and tables of what else was asked for."""
    low, high = answer["rule_of_30"]
    words = "{} cost {actual:.7f}  minimum {minimum:.7f}  calibration loss {loss:.7f}"
    print_lines(
        "{tar_count:,} targets, {non_count:,} non-targets".format(**answer),
        *_overall(numbers),
        *(words.format(rule, **cost) for rule, cost in answer.get("rules", {}).items()),
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}"
        if low <= high
        else "rule of 30: too few errors at any prior",
    )
    _show_points(answer, plain=plain)
    if "forensic" in answer:
        show_forensic(answer["forensic"], numbers)
    if "error_rates" in answer:
        _show_error_rates(answer)
    if "worst" in answer:
        _show_worst(answer["worst"])
    if "speakers" in answer:
        _show_speakers(answer["speakers"])
    if "by" in answer:
        show_conditions(answer["by"])
    if "intervals" in answer:
        _show_intervals(answer["intervals"], numbers)


def _overall(numbers: Sequence[Number]) -> Iterator[str]:
    """Measures that are taken once, those with the same remark in one line."""
    once = [number for number in numbers if number.measure.at == "once"]
    for remark, some in groupby(once, key=lambda number: number.measure.remark):
        written = (f"{number.words} {number.written(number.value, 7)}" for number in some)
        yield f"{'  '.join(written)}{remark and f' ({remark})'}"


def _show_points(answer: _Numbers, *, plain: bool) -> None:
    """Detection costs at operating points, and averages of some."""
    end = "_unnormalised" if plain else ""
    costs = {"actDCF": f"{{act_dcf{end}:.7g}}", "minDCF": f"{{min_dcf{end}:.7g}}"}
    columns = {"p_target": "{p_target:g}", "c_miss": "{c_miss:g}", "c_fa": "{c_fa:g}", **costs}
    names = ("p_target", "c_miss", "c_fa", f"act_dcf{end}", f"min_dcf{end}")
    points = zip(*(answer[name] for name in names), strict=True)
    rows = [cells(columns, **dict(zip(names, point, strict=True))) for point in points]
    if answer["averages"]:
        rows.append([])
    for name, means in answer["averages"].items():
        what = "average" if name == "points" else f"average of {name}"
        rows.append([what, "", "", *cells(costs, **means)])
    caption = "expected costs" if plain else "1 is the cost of deciding by the prior alone"
    print_table(columns, rows, caption=caption)


def show_forensic(found: _Numbers, numbers: Sequence[Number], *, of: str = "") -> None:
    """Print forensic figures of merit, in log10 and in the words of the field."""
    (low, high), ends = found["elub"]["lr"], found["elub"]["log10_lr"]
    print_lines(
        f"Forensic figures of merit{of and f' of {of}'} (Hp: same source, Hd: different sources)",
        "devPAV: none, because the classes do not overlap"
        if math.isnan(found["dev_pav"])
        else f"devPAV {found['dev_pav']:.4f} (log10; 0 if calibrated)",
        f"ELUB: LR from {low:.4g} to {high:.4g}, log10 LR from {ends[0]:.3f} to {ends[1]:.3f}"
        if low < high
        else "ELUB: LR 1; the LRs are no better than no evidence",
        "mean log10 LR {log10_lr_tar:.3f} under Hp, {log10_lr_non:.3f} under Hd\n"
        "mean 1/LR {inverse_lr_tar:.4g} under Hp, mean LR {lr_non:.4g} under Hd "
        "(about 1 if calibrated)".format(**found["expected"]),
    )
    columns = {
        "strength": "{strength:,.0f}",
        "same source": "{below}",
        "rate under Hp": "{tar:.4g} %",
        "different sources": "{above}",
        "rate under Hd": "{non:.4g} %",
    }
    rates = [number for number in numbers if number.measure.at == "strengths"]
    rows = [
        cells(
            columns,
            strength=float(tar.label or 1),
            below=tar.heading,
            tar=100 * tar.value,
            above=non.heading,
            non=100 * non.value,
        )
        for tar, non in zip(rates[::2], rates[1::2], strict=True)
    ]
    print_table(columns, rows, caption="rates of misleading evidence")


def _show_error_rates(answer: _Numbers) -> None:
    """Print miss rates at false-alarm rates, as in reports on biometric systems."""
    from llrcal.evaluation.score_threshold import RATES

    found = answer["error_rates"]
    columns = {"FMR": "{pfa:.3g}", "false alarms": "{false_alarms:,}"}
    columns |= {"FNMR": "{percent:.4g} %", "misses": "{misses:,}"}
    columns["95 % interval"] = "{low:.4g} to {high:.4g} %"
    rows = []
    for one in found:
        percent, low, high = (100 * rate for rate in (one["pmiss"], *one["pmiss_interval"]))
        rows.append(cells(columns, **one, percent=percent, low=low, high=high))
    by = found[0]["by"] if found else "trial"
    caption = f"intervals {'take trials to be independent' if by == 'trial' else f'by {by}'}"
    print_table(columns, rows, caption=caption)
    print_lines(
        "Miss rate (FNMR) at the lowest threshold with no more false alarms than the FMR allows.",
        "By the rule of 30, a rate rests on at least 30 errors.",
    )
    if len(found) < len(RATES):
        print_lines(f"{answer['non_count']:,} non-targets are too few for lower FMRs.")


def _show_worst(found: Sequence[_Numbers]) -> None:
    """Print the most misleading trials, by name where they have names."""
    print_lines("Most misleading trials (LLRs in nats)")
    hidden = {"index"} if "enrol" in found[0] or "test" in found[0] else set()
    names = [name for name in found[0] if name not in {"label", "llr", *hidden}]
    rows = [
        [one["label"], f"{one['llr']:.4f}", *(str(one[name]) for name in names)] for one in found
    ]
    print_table(("label", "LLR", *names), rows, words=("label", *names))


def _show_speakers(speakers: Sequence[_Numbers]) -> None:
    """Print the speakers who cost most."""
    columns = {
        "speaker": "{speaker}",
        "targets": "{tar_count:,}",
        "target LLR": "{llr_tar}",
        "non-targets": "{non_count:,}",
        "non-target LLR": "{llr_non}",
        "share of Cllr": "{share}",
    }
    rows = []
    for one in speakers:
        means = {name: _or_none(one[name], ".4f") for name in ("llr_tar", "llr_non")}
        rows.append(cells(columns, **{**one, **means, "share": _or_none(one["share"], ".2%")}))
    print_lines("Speakers who cost most (mean LLRs in nats)")
    print_table(columns, rows, words=("speaker",))


def _or_none(number: float | None, digits: str) -> str:
    return "none" if number is None else format(number, digits)


def show_conditions(by: _Numbers) -> None:
    """Print a row for each condition, for all trials, and for the average.

    Costs are those at the operating point at which they rest on the most errors.
    """
    names, pooled = by["columns"], by["pooled"]
    misses, alarms = (
        [rate * pooled[count] for rate in pooled[name]]
        for name, count in (("pmiss", "tar_count"), ("pfa", "non_count"))
    )
    fewer = list(map(min, misses, alarms))
    at = fewer.index(max(fewer))
    counts = {"targets": "{tar_count:,}", "non-targets": "{non_count:,}"}
    # Without the calibration loss: Cllr and minCllr tell it, and rows are long.
    once = [one for one in MEASURES if one.at == "once" and one.least is not None]
    costs = {one.heading: f"{{{one.name}:.{2 if one.unit == SHARE else 4}f}}" for one in once}
    costs |= {"actDCF": f"{{act_dcf[{at}]:.4f}}", "minDCF": f"{{min_dcf[{at}]:.4f}}"}
    columns, blank = counts | costs, [""] * (len(names) - 1)

    def row(columns: Mapping[str, str], one: _Numbers) -> list[str]:
        percent = {share.name: 100 * one[share.name] for share in once if share.unit == SHARE}
        return cells(columns, **{**one, **percent})

    rows = [[*one["values"], *row(columns, one)] for one in by["cells"]]
    rows += [[], ["(pooled)", *blank, *row(columns, pooled)]]
    rows.append(["(average)", *blank, "", "", *row(costs, by["average"])])
    prior, c_miss, c_fa = (pooled[name][at] for name in ("p_target", "c_miss", "c_fa"))
    caption = (
        f"DCF at prior {prior:g}, costs {c_miss:g} and {c_fa:g}"
        f"{', where there are most errors' if len(fewer) > 1 else ''}, normalised; "
        "the average gives every condition the same weight"
    )
    print_table((*names, *columns), rows, words=names, caption=caption)


def _show_intervals(found: _Numbers, numbers: Sequence[Number]) -> None:
    """Print a table of numbers with their intervals, and notes on the intervals."""
    rows = [
        [number.words, *map(number.written, (number.value, *number.interval))]
        for number in numbers
        if not math.isnan(number.value)  # the table above says why
    ]
    how = "by {by}, {replicates:,} drawn test sets"
    if found["by"] == "group of speakers":
        how = "by a jackknife over {replicates:,} groups of speakers"
    print_lines(f"{100 * found['level']:g} % intervals {how.format(**found)}")
    print_table(("", "number", "from", "to"), rows, words=("",))
    print_lines(*(f"note: {note['text']}" for note in found["notes"]))
