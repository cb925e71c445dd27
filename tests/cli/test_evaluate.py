"""``llrcal evaluate``: published numbers, the numbers of the package, and doubts about units."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal as package
from llrcal.arrays import Array
from llrcal.comparison import OperatingPoint
from llrcal.evaluation import Evaluation
from llrcal.evaluation.llrs import ArrayLLRs
from llrcal.evaluation.operating_points import PRESETS
from llrcal.figures import folder as drawing
from llrcal.figures.table import TABLE
from tests.cli.running import answer, done, llrcal, refused, text_of
from tests.conftest import real_scores
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 2.0), normal(900, -2.0, 2.0)
"""LLRs that are nearly calibrated, as those of N(2, 2^2) and N(-2, 2^2) would be."""


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    put(TAR, NON, "llrs.txt")


def put(tar: Any, non: Any, name: str = "a.txt") -> None:
    Path(name).write_text(text_of(np.array(tar), np.array(non)))


def in_file_order(name: str = "llrs.txt") -> Evaluation:
    """The evaluation of the arrays, summed up in the order of the lines."""
    rows = [line.split() for line in Path(name).read_text().splitlines()]
    tar, non = ([float(r[2]) for r in rows if r[3] == word] for word in ("target", "nontarget"))
    return package.evaluate(tar, non)


def printed(line: str) -> str:
    """What a command prints, with single blanks."""
    return " ".join(done(line).stdout.split())


def warnings_in(found: dict[str, Any]) -> list[str]:
    return [note["text"] for note in found["notes"] if note["severity"] == "warning"]


def check_numbers(found: dict[str, Any], ev: Evaluation, *points: OperatingPoint) -> None:
    """Each number is what the package says, under its name; rates are counted."""
    llrs = ev._llrs
    assert isinstance(llrs, ArrayLLRs)
    for name in ("cllr", "min_cllr", "calibration_loss", "eer", "tar_count", "non_count"):
        assert found[name] == getattr(ev, name)
    assert found["rule_of_30"] == list(ev.rule_of_30)
    for i, point in enumerate(points):
        p, c_miss, c_fa = costs = tuple(found[name][i] for name in ("p_target", "c_miss", "c_fa"))
        assert costs == (point.p_target, point.c_miss, point.c_fa)
        for name in ("act_dcf", "min_dcf"):
            cost = getattr(ev, name)
            assert found[name][i] == cost(*costs)
            assert found[f"{name}_unnormalised"][i] == cost(*costs, normalised=False)
        threshold = math.log(c_fa * (1 - p)) - math.log(c_miss * p)
        assert found["prior_log_odds"][i] == pytest.approx(-threshold, rel=1e-14)
        assert found["pmiss"][i] == float(np.mean(llrs._tar < threshold))
        assert found["pfa"][i] == float(np.mean(llrs._non >= threshold))


# ------------------------------------------------------------------------- published numbers


@pytest.mark.slow
def test_tno_in_sre08() -> None:
    """The numbers that the R package ROC publishes with these scores."""
    path = real_scores("nist_sre08", "tno.2008.tsv.gz")
    result = done("evaluate", path, "--p-target 0.01 --c-miss 10 --c-fa 1 --plain")
    for number in ("0.2501407", "0.2237935", "0.03375549", "0.03221064", "5.6178 %"):
        assert number in result.stdout
    assert "20,449 targets, 78,327 non-targets" in result.stdout
    [said] = result.stderr.splitlines()
    assert "98,776 trials; columns by name (enrol=model,test=test,side=chan,score=score" in said


# ----------------------------------------------------------------- the numbers of the package


def test_json_has_the_names_and_numbers_of_the_package() -> None:
    found = answer("evaluate llrs.txt")
    check_numbers(found, in_file_order(), *(OperatingPoint(p) for p in (0.001, 0.01, 0.1, 0.5)))
    [note] = found["notes"]
    assert (note["code"], note["place"]) == ("read", "llrs.txt")
    assert (found["verb"], found["source"], found["averages"]) == ("evaluate", "llrs.txt", {})
    assert not {"rules", "forensic", "error_rates", "intervals", "by"} & {*found}
    assert "1,200 trials" in llrcal("evaluate llrs.txt --json").stderr


def test_the_table_has_the_same_numbers() -> None:
    result = done("evaluate llrs.txt --p-target 0.05 --c-fa 2 --quiet")
    assert result.stderr == ""
    ev = package.evaluate(TAR, NON)
    low, high = ev.rule_of_30
    costs = ev.act_dcf(0.05, 1, 2), ev.min_dcf(0.05, 1, 2)
    for words in (
        "300 targets, 900 non-targets",
        f"Cllr {ev.cllr:.7f} minCllr {ev.min_cllr:.7f}",
        f"calibration loss {ev.calibration_loss:.7f} (bits)",
        f"EER {100 * ev.eer:.4f} %",
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}",
        f"0.05 1 2 {costs[0]:.7g} {costs[1]:.7g}",
    ):
        assert words in " ".join(result.stdout.split())
    assert "average" not in result.stdout
    assert "devPAV" not in result.stdout


@pytest.mark.parametrize("plain", [False, True])
def test_points_are_averaged(plain: bool) -> None:
    """Over the points of each evaluation, as its plan says, however many are asked for."""
    asked = "evaluate llrs.txt --preset sre16 --preset sre12 --preset voxsrc"
    found = answer(asked)
    assert found["p_target"] == [0.01, 0.005, 0.001, 0.05]  # each point once
    assert list(found["averages"]) == ["sre16", "sre12"]
    ev, end = in_file_order(), "_unnormalised" if plain else ""
    for name, priors in (("sre16", [0.01, 0.005]), ("sre12", [0.01, 0.001])):
        costs = {"act_dcf": ev.act_dcf, "min_dcf": ev.min_dcf}
        means = {
            f"{key}{end}": sum(cost(p, normalised=not plain) for p in priors) / 2
            for key, cost in costs.items()
        }
        numbers = {key: found["averages"][name][key] for key in means}
        assert numbers == pytest.approx(means, rel=1e-15)
        shown = " ".join(f"{mean:.7g}" for mean in means.values())
        assert f"average of {name} {shown}" in printed(f"{asked}{' --plain' if plain else ''}")


def test_costs_by_scoring_rules() -> None:
    found = answer("evaluate llrs.txt --rule brier --rule log")
    ev = in_file_order()
    assert found["rules"] == {rule: ev.cost(rule).to_dict() for rule in ("brier", "log")}
    cost = ev.cost("brier")
    line = f"brier cost {cost.actual:.7f}  minimum {cost.minimum:.7f}  calibration loss"
    assert line in done("evaluate llrs.txt --rule brier").stdout


@pytest.mark.slow
def test_intervals_are_those_of_the_package() -> None:
    asked = "evaluate llrs.txt --intervals --replicates 99 --level 0.9 --p-target 0.1 --rule brier"
    ev = in_file_order()
    found = ev.intervals(
        [OperatingPoint(0.1)], rules=["brier"], forensic=True, level=0.9, replicates=99
    )
    assert answer(f"{asked} --forensic")["intervals"] == found.to_dict()
    said = printed(f"{asked} --forensic --quiet")
    for words, number, name, factor, unit in (
        ("EER", ev.eer, "eer", 100, " %"),
        ("cost by brier", ev.cost("brier").actual, "cost_brier", 1, ""),
        ("minDCF at p0.1", ev.min_dcf(0.1), "min_dcf_p0.1", 1, ""),
        ("LR < 1/10, same source", ev.forensic.misleading(10).tar, "misleading_tar_10", 100, " %"),
        ("devPAV (log10)", ev.forensic.dev_pav, "dev_pav", 1, ""),
    ):
        numbers = (f"{factor * one:.4f}{unit}" for one in (number, *found[name]))
        assert f"{words} {' '.join(numbers)}" in said
    assert "90 % intervals by trial, 99 drawn test sets" in said
    assert "note: speakers are not known" in said


def test_intervals_by_speaker_where_the_file_names_speakers() -> None:
    pairs = np.repeat(np.arange(300)[:, None], 2, axis=1) % 40
    others = np.arange(1800).reshape(900, 2) % 40
    np.savez("llrs.npz", tar=TAR, non=NON, tar_speakers=pairs, non_speakers=others)
    found = answer("evaluate llrs.npz --intervals --replicates 39")["intervals"]
    assert (found["by"], found["replicates"]) == ("speaker", 39)
    assert "speakers are not known" not in str(found["notes"])


def test_worst_trials_and_speakers_are_named(quick_figures: list[str]) -> None:
    rows = [("m1", "a", "ann", "ann", 3.0, 1), ("m2", "b", "bob", "bob", -2.5, 1)]
    rows += [("m1", "b", "ann", "bob", -4.0, 0), ("m2", "c", "bob", "cy", 1.5, 0)]
    heads = "enrol,test,enrol_speaker,test_speaker,llr,label"
    Path("a.csv").write_text("\n".join([heads, *(",".join(map(str, row)) for row in rows)]))
    found = answer("evaluate a.csv --worst 2")
    assert [(one["label"], one["llr"], one["test"]) for one in found["worst"]] == [
        ("target", -2.5, "b"),
        ("non-target", 1.5, "c"),
    ]
    assert [one["speaker"] for one in found["speakers"]] == ["bob", "cy"]
    said = printed("evaluate a.csv --worst 2 --figures figures")
    assert "target -2.5000 m2 b bob bob non-target 1.5000 m2 c bob cy" in said
    assert "bob 1 -2.5000 2 -1.2500" in said
    assert "cy 0 none 1 1.5000" in said
    assert {*quick_figures} == {*FIGURES, "zoo"}


def test_worst_trials_without_names() -> None:
    np.savez("llrs.npz", tar=TAR, non=NON)
    found = answer("evaluate llrs.npz --worst 3")
    assert "speakers" not in found
    assert sorted(found["worst"][0]) == ["index", "label", "llr"]
    first = found["worst"][0]
    assert first["llr"] == (TAR if first["label"] == "target" else NON)[first["index"]]
    refused("--worst is 0; give 1 or more", "evaluate llrs.npz --worst 0")


def test_presets_are_those_of_the_evaluation_plans() -> None:
    """Prior and costs from the evaluation plans of NIST and of the VoxCeleb challenges."""
    two = [(0.01, 1, 1), (0.005, 1, 1)]
    plans = {
        "sre08": [(0.01, 10, 1)],
        "sre10": [(0.001, 1, 1)],
        "sre12": [(0.01, 1, 1), (0.001, 1, 1)],
        "sre16": two,
        "sre18-cmn2": two,
        "sre18-vast": [(0.05, 1, 1)],
        "sre19-cts": two,
        "sre19-av": [(0.05, 1, 1)],
        "voxsrc": [(0.05, 1, 1)],
    }
    assert {
        name: [(point.p_target, point.c_miss, point.c_fa) for point in points]
        for name, points in PRESETS.items()
    } == plans
    for name in plans:
        check_numbers(answer("evaluate llrs.txt --preset", name), in_file_order(), *PRESETS[name])
    assert f"--preset [{'|'.join(PRESETS)}]" in printed("evaluate --help")


def test_costs_go_with_priors() -> None:
    points = "evaluate llrs.txt --p-target 0.1 --p-target 0.2 --c-fa 1 --c-fa 2"
    found = answer(points)
    assert (found["p_target"], found["c_miss"], found["c_fa"]) == ([0.1, 0.2], [1, 1], [1, 2])
    refused("--c-miss is given once for 2 priors: give one for each", points, "--c-miss 5")


# ------------------------------------------------------------------------------------ units

LOG10 = math.log(10)


def cllr_of(tar: Array, non: Array) -> Any:
    """By the definition."""
    tar_cost = np.mean([math.log2(1 + math.exp(-x)) for x in tar.tolist()])
    non_cost = np.mean([math.log2(1 + math.exp(x)) for x in non.tolist()])
    return pytest.approx(float(tar_cost + non_cost) / 2, rel=1e-12)


def put_table(tar: Array, non: Array, *, name: str, words: tuple[str, str]) -> None:
    rows = [f"{x!r},{words[0]}" for x in tar.tolist()] + [f"{x!r},{words[1]}" for x in non.tolist()]
    Path("a.csv").write_text("\n".join([f"{name},label", *rows, ""]))


@pytest.mark.parametrize(
    ("units", "transformed"),
    [
        ("nats", lambda x: x),
        ("log10", lambda x: x / LOG10),
        ("bits", lambda x: x / math.log(2)),
        ("ratio", np.exp),
    ],
)
def test_units(units: str, transformed: Callable[[Array], Array]) -> None:
    put(transformed(TAR), transformed(NON))
    found = answer("evaluate a.txt --units", units)
    assert found["cllr"] == cllr_of(TAR, NON)
    assert warnings_in(found) == []


@pytest.mark.parametrize("name", ["log10_lr", "LLR_log10", "log10 LLR", "llr10"])
def test_log10_by_the_name_of_the_column(name: str) -> None:
    put_table(TAR / LOG10, NON / LOG10, name=name, words=("Hp", "Hd"))
    assert answer("evaluate a.csv")["cllr"] == cllr_of(TAR, NON)
    said = llrcal("evaluate a.csv").stderr
    assert f"column {name!r} contains common logarithms (log10)" in said
    assert answer("evaluate a.csv --units nats")["cllr"] == cllr_of(TAR / LOG10, NON / LOG10)


def test_hypotheses_do_not_say_which_logarithm() -> None:
    put_table(TAR, NON, name="llr", words=("Hp", "Hd"))
    refused("specify which: --units log10 or --units nats", "evaluate a.csv --quiet")
    assert answer("evaluate a.csv --units nats")["cllr"] == cllr_of(TAR, NON)


def test_ratios_that_may_be_logarithms() -> None:
    put_table(np.exp(TAR), np.exp(NON), name="LR", words=("1", "0"))
    refused("specify which: --units ratio, nats, log10 or bits", "evaluate a.csv --quiet")
    assert answer("evaluate a.csv --units ratio")["cllr"] == cllr_of(TAR, NON)


def test_doubt_about_the_logarithm() -> None:
    put(TAR / LOG10, NON / LOG10)
    [warning] = warnings_in(answer("evaluate a.txt"))
    assert f"a Cllr of {package.evaluate(TAR, NON).cllr:.4f} rather than" in warning
    assert "--units log10" in warning
    assert llrcal("evaluate a.txt --quiet").stderr == f"warning: {warning}\n"
    assert warnings_in(answer("evaluate a.txt --units nats")) == []


def test_no_doubt_where_larger_is_always_better() -> None:
    """Classes that do not overlap, and infinite costs, say nothing about a logarithm."""
    for tar, non in (([1.0, 2.0], [-1.0, -2.0]), ([-math.inf, 5.0, 6.0], [-3.0, math.inf, -1.0])):
        put(tar, non)
        assert warnings_in(answer("evaluate a.txt")) == []


# ------------------------------------------------------------------------------ infinite LLRs


def test_infinite_llrs() -> None:
    put([math.inf, 2.0, -1.0], [-math.inf, -2.0, 1.0])
    found = answer("evaluate a.txt --p-target 0.5")
    # Trials that are infinitely sure of the truth cost nothing.
    costs = math.log2(1 + math.exp(-2)) + math.log2(1 + math.exp(1))
    assert found["cllr"] == pytest.approx(costs / 3, rel=1e-12)
    assert found["act_dcf_unnormalised"] == pytest.approx([1 / 3])
    assert found["rule_of_30"] == [None, None]


def test_infinitely_wrong_llrs_cost_infinitely_much() -> None:
    put([-math.inf, math.inf], [-math.inf, math.inf])
    found = answer("evaluate a.txt --p-target 0.5 --rule log")
    assert (found["cllr"], found["calibration_loss"], found["min_cllr"]) == ("inf", "inf", 1)
    assert found["rules"]["log"]["actual"] == "inf"
    said = done("evaluate a.txt").stdout
    assert "Cllr inf" in said
    assert "rule of 30: too few errors at any prior" in said


# ------------------------------------------------------------------------------- direction


def test_scores_the_wrong_way_round() -> None:
    put(-TAR, -NON)
    said = "If these are distances, give --distance; if the labels are swapped, give --labels"
    refused(said, "evaluate a.txt --quiet")
    found = answer("evaluate a.txt --distance")
    assert found["cllr"] == cllr_of(TAR, NON)
    assert found["eer"] == package.evaluate(TAR, NON).eer
    insisted = answer("evaluate a.txt --inverted")
    with pytest.warns(package.LlrcalWarning, match="targets score lower"):
        assert insisted["cllr"] == in_file_order("a.txt").cllr


# --------------------------------------------------------------------------------- figures


@pytest.fixture
def labels() -> list[str]:
    """The names of the axes of figures."""
    return []


@pytest.fixture
def quick_figures(monkeypatch: pytest.MonkeyPatch, labels: list[str]) -> list[str]:
    """Figures that are drawn, but not saved three times over."""
    saved: list[str] = []

    def save(figure: Any, folder: Path, name: str, *, formats: tuple[str, ...]) -> None:
        figure.canvas.draw()
        (folder / f"{name}.png").write_bytes(b"drawn")
        saved.append(name)
        labels.append(figure.axes[0].get_xlabel())

    monkeypatch.setattr(drawing, "save", save)
    return saved


FIGURES = [name for name, entry in TABLE.items() if entry.of == "evaluations"]


@pytest.mark.slow
def test_figures_are_drawn_into_a_folder() -> None:
    result = done("evaluate llrs.txt --figures figures --quiet --json")
    assert result.stderr == ""
    names = {path.name for path in Path("figures").glob("[!.]*")}
    assert names == {f"{name}.{kind}" for name in FIGURES for kind in ("png", "pdf", "svg")}
    for path in Path("figures").glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_figures_of_infinite_llrs(quick_figures: list[str]) -> None:
    for tar, non in (
        ([math.inf, 2.0, -math.inf], [-math.inf, 1.0, math.inf]),
        ([math.inf], [-math.inf]),
        ([1.0], [1.0]),
    ):
        put(tar, non)
        assert "Figures: figures\n" in done("evaluate a.txt --figures figures --force").stderr
    assert quick_figures == 3 * FIGURES


@pytest.mark.usefixtures("quick_figures")
def test_figures_are_in_the_units_of_the_llrs(labels: list[str]) -> None:
    done("evaluate llrs.txt --units log10 --forensic --figures figures")
    assert {"log₁₀ prior odds", "log₁₀ likelihood-ratio"} <= {*labels}
    assert not {"prior log-odds", "log-likelihood-ratio"} & {*labels}


@pytest.mark.usefixtures("quick_figures")
def test_a_filled_folder_is_not_replaced_unasked(here: Path) -> None:
    mine = Path("figures/mine.txt")
    mine.parent.mkdir()
    done("evaluate llrs.txt --figures figures")  # empty ones may be filled
    said = "exists already; choose another folder, or replace it with --force"
    refused(said, "evaluate llrs.txt --figures figures")
    done("evaluate llrs.txt --figures figures --force")
    assert {path.name for path in mine.parent.glob("[!.]*")} == {f"{name}.png" for name in FIGURES}
    mine.write_text("precious")
    for force in ("", "--force"):
        said = "holds what llrcal did not write, or what was changed since: mine.txt; choose"
        refused(said, "evaluate llrs.txt --figures figures", force)
    assert mine.read_text() == "precious"
    assert sorted(path.name for path in here.iterdir()) == ["figures", "llrs.txt"]


def test_a_failure_leaves_no_folder(here: Path) -> None:
    refused("none.txt: cannot be read", "evaluate none.txt --figures figures")
    refused("cannot be written: no is not", "evaluate llrs.txt --figures no/figures")
    assert [path.name for path in here.iterdir()] == ["llrs.txt"]


# -------------------------------------------------------------------------------- the terminal


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("options", ["--quiet", "--intervals --replicates 39"])
def test_tables_fit_the_terminal_and_no_number_is_cut(
    monkeypatch: pytest.MonkeyPatch, options: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    narrow = done(f"evaluate llrs.txt {options}").stdout
    monkeypatch.setenv("COLUMNS", "200")
    wide = done(f"evaluate llrs.txt {options}").stdout
    assert set(re.findall(r"[\d.,-]*\d", narrow)) == set(re.findall(r"[\d.,-]*\d", wide))
    assert max(map(len, narrow.splitlines())) <= columns
    assert "\u2026" not in narrow


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--p-target 1", "p_target is 1.0; it must lie strictly between 0 and 1"),
        ("--p-target 0.1 --c-fa 0", "c_fa is 0.0; it must be positive"),
        ("--key none.txt", "none.txt: cannot be read"),
        ("--intervals --level 95", "level is 95.0; give a number strictly between 0 and 1"),
        ("--intervals --level 0.999", "give at least --replicates 1999"),
        ("--intervals --replicates 0", "--replicates is 0; give 1 or more"),
        ("--level 0.9", "--level is for --intervals, which is not given"),
    ],
)
def test_wrong_use(arguments: str, words: str) -> None:
    refused(words, "evaluate llrs.txt --quiet", arguments)


def test_conditions_are_shown_where_there_are_most_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    rng = np.random.default_rng(0)
    rows = [(rng.normal(3 * k - 1.5, 1.7), k, "ab"[i % 2]) for i in range(200) for k in (0, 0, 1)]
    text = "".join(f"{score},{label},{where}\n" for score, label, where in rows)
    Path("a.csv").write_text(f"score,label,where\n{text}")
    asked = "evaluate a.csv --units nats --by where --p-target 0.001 --p-target 0.4 --p-target 0.9"
    by = answer(asked)["by"]
    errors = [
        min(miss * 200, alarm * 400)
        for miss, alarm in zip(by["pooled"]["pmiss"], by["pooled"]["pfa"], strict=True)
    ]
    assert max(errors) == errors[1]  # neither at the first point, nor at the last
    shown = done(asked).stdout
    assert "DCF at prior 0.4, costs 1 and 1, where there are most errors" in " ".join(shown.split())
    for one in by["cells"]:
        [row] = [line for line in shown.splitlines() if line.split()[:1] == one["values"]]
        assert row.split()[-2:] == [f"{one['act_dcf'][1]:.4f}", f"{one['min_dcf'][1]:.4f}"]


def test_notes_on_intervals_are_among_the_others() -> None:
    found = answer("evaluate llrs.txt --intervals --replicates 40 --units nats")
    inside = found["intervals"]["notes"]
    assert "by trial" in [note["code"] for note in inside]
    assert found["notes"][-len(inside) :] == inside


# --------------------------------------------------------------------- raw scores, other trials


@pytest.mark.parametrize(
    ("factor", "words"), [(0.05, "these do not look like LLRs"), (4.0, "much is lost")]
)
def test_scores_that_are_no_llrs_are_told_of(factor: float, words: str) -> None:
    rng = np.random.default_rng(0)
    put(factor * rng.normal(3, 6**0.5, 400), factor * rng.normal(-3, 6**0.5, 900))
    [warning] = warnings_in(answer("evaluate a.txt --units nats"))
    assert words in warning
    for form in ("", "--json"):
        said = llrcal("evaluate a.txt --units nats --quiet", form).stderr
        assert said == f"warning: {warning}\n"


# --------------------------------------------------------------- forensic figures of merit


def test_forensic_figures() -> None:
    figures, expected = in_file_order().forensic, in_file_order().to_dict(forensic=True)
    assert answer("evaluate llrs.txt --forensic")["forensic"] == expected["forensic"]
    shown = done("evaluate llrs.txt --forensic").stdout
    low, high = (math.exp(end) for end in figures.elub)
    for words in (
        f"devPAV {figures.dev_pav:.4f}",
        f"ELUB: LR from {low:.4g} to {high:.4g}",
        f"mean log10 LR {figures.expected_lrs.llr_tar / math.log(10):.3f} under Hp",
        "LR < 1/1,000",
    ):
        assert words in shown


def test_forensic_figures_in_pieces() -> None:
    whole, pieces = (
        answer("evaluate llrs.txt --forensic", how) | {"notes": []} for how in ("", "--in-pieces")
    )
    assert pieces == whole


def test_forensic_figures_that_are_not_there() -> None:
    put([3.0, 4.0], [-3.0, -math.inf])
    found = answer("evaluate a.txt --forensic")["forensic"]
    assert found["dev_pav"] is None
    assert found["expected"]["log10_lr_non"] == "-inf"
    shown = done("evaluate a.txt --forensic").stdout
    assert "devPAV: none, because the classes do not overlap" in shown
