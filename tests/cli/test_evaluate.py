"""``llrcal evaluate``: published numbers, the numbers of the package, and doubts about units."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import llrcal as package
from llrcal.arrays import Array
from llrcal.comparison import OperatingPoint
from llrcal.evaluation import Evaluation
from llrcal.evaluation.llrs import ArrayLLRs
from llrcal.evaluation.operating_points import PRESETS
from llrcal.figures import folder as drawing
from tests.cli import running
from tests.cli.running import llrcal, only_line, run, text_of
from tests.conftest import real_scores
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 2.0), normal(900, -2.0, 2.0)
"""LLRs that are nearly calibrated, as those of N(2, 2^2) and N(-2, 2^2) would be."""


@pytest.fixture(scope="module")
def llrs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluate") / "llrs.txt"
    path.write_text(text_of(TAR, NON))
    return path


def in_file_order(path: Path) -> Evaluation:
    """The evaluation of the arrays, summed up in the order of the lines."""
    rows = [line.split() for line in path.read_text().splitlines()]
    tar, non = ([float(r[2]) for r in rows if r[3] == word] for word in ("target", "nontarget"))
    return package.evaluate(tar, non)


def document(result: Result) -> dict[str, Any]:
    """The answer in JSON."""
    assert result.exit_code == 0, result.stderr
    return running.document(result.stdout)


def warnings_in(answer: dict[str, Any]) -> list[str]:
    return [note["text"] for note in answer["notes"] if note["severity"] == "warning"]


def numbers_of(ev: Evaluation, *points: OperatingPoint) -> dict[str, Any]:
    """What the package says, in the form of the answer."""
    llrs = ev._llrs
    assert isinstance(llrs, ArrayLLRs)
    costs = [(point.p_target, point.c_miss, point.c_fa) for point in points]
    thresholds = [math.log(c_fa * (1 - p)) - math.log(c_miss * p) for p, c_miss, c_fa in costs]
    names = ("cllr", "min_cllr", "calibration_loss", "eer", "tar_count", "non_count")
    return {
        **{name: getattr(ev, name) for name in names},
        "rule_of_30": list(ev.rule_of_30),
        "act_dcf": [ev.act_dcf(*cost) for cost in costs],
        "min_dcf": [ev.min_dcf(*cost) for cost in costs],
        "act_dcf_unnormalised": [ev.act_dcf(*cost, normalised=False) for cost in costs],
        "min_dcf_unnormalised": [ev.min_dcf(*cost, normalised=False) for cost in costs],
        "pmiss": [float(np.mean(llrs._tar < t)) for t in thresholds],
        "pfa": [float(np.mean(llrs._non >= t)) for t in thresholds],
        "p_target": [p for p, _, _ in costs],
        "c_miss": [c for _, c, _ in costs],
        "c_fa": [c for _, _, c in costs],
        "prior_log_odds": pytest.approx([-t for t in thresholds], rel=1e-14),
    }


# ------------------------------------------------------------------------- published numbers


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "json"])
def test_tno_in_sre08(tmp_path: Path, form: str) -> None:
    """The numbers that the R package ROC publishes with these scores, from the real command."""
    path = real_scores("nist_sre08", "tno.2008.tsv.gz")
    point = ("--p-target", "0.01", "--c-miss", "10", "--c-fa", "1")
    flags = ["--json"] if form == "json" else ["--plain"]
    ran = run("evaluate", path, *point, *flags, cwd=tmp_path)
    assert ran.returncode == 0
    if form == "json":
        answer = running.document(ran.stdout)
        assert answer["cllr"] == pytest.approx(0.2501407, abs=5e-8)
        assert answer["min_cllr"] == pytest.approx(0.2237935, abs=5e-8)
        assert answer["act_dcf_unnormalised"] == pytest.approx([0.03375549], abs=5e-9)
        assert answer["min_dcf_unnormalised"] == pytest.approx([0.03221064], abs=5e-9)
        assert (answer["tar_count"], answer["non_count"]) == (20449, 78327)
        assert answer["eer"] == pytest.approx(0.05617778, abs=5e-9)
        assert warnings_in(answer) == []
    else:
        for number in ("0.2501407", "0.2237935", "0.03375549", "0.03221064", "5.6178 %"):
            assert number in ran.stdout
        assert "20,449 targets, 78,327 non-targets" in ran.stdout
    [said] = ran.stderr.splitlines()
    assert "98,776 trials; columns by name (enrol=model,test=test,side=chan,score=score" in said


# ----------------------------------------------------------------- the numbers of the package


def test_json_has_the_names_and_numbers_of_the_package(llrs: Path) -> None:
    result = llrcal("evaluate", llrs, "--json")
    answer = document(result)
    ev = in_file_order(llrs)
    points = [OperatingPoint(p) for p in (0.001, 0.01, 0.1, 0.5)]
    expected = numbers_of(ev, *points)
    [note] = answer.pop("notes")
    assert (note["code"], note["place"]) == ("read", str(llrs))
    assert answer == {"verb": "evaluate", "source": str(llrs), **expected, "averages": {}}
    for name in expected.keys() - {"p_target", "c_miss", "c_fa", "prior_log_odds"}:
        assert hasattr(ev, name.removesuffix("_unnormalised"))
    assert "1,200 trials" in result.stderr


def test_the_table_has_the_same_numbers(llrs: Path) -> None:
    result = llrcal("evaluate", llrs, "--p-target", 0.05, "--c-fa", 2, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    ev = package.evaluate(TAR, NON)
    said = " ".join(result.stdout.split())
    low, high = ev.rule_of_30
    assert "300 targets, 900 non-targets" in said
    assert f"Cllr {ev.cllr:.7f} minCllr {ev.min_cllr:.7f}" in said
    assert f"calibration loss {ev.calibration_loss:.7f} (bits)" in said
    assert f"EER {100 * ev.eer:.4f} %" in said
    assert f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}" in said
    costs = ev.act_dcf(0.05, 1, 2), ev.min_dcf(0.05, 1, 2)
    assert f"0.05 1 2 {costs[0]:.7g} {costs[1]:.7g}" in said


def test_points_are_averaged(llrs: Path) -> None:
    """Over the points of each evaluation, as its plan says, however many are asked for."""
    asked = ("evaluate", llrs, "--preset", "sre16", "--preset", "sre12", "--preset", "voxsrc")
    said = " ".join(llrcal(*asked, "--quiet").stdout.split())
    averages = document(llrcal(*asked, "--json"))["averages"]
    assert list(averages) == ["sre16", "sre12"]
    ev = in_file_order(llrs)
    for name, priors in (("sre16", [0.01, 0.005]), ("sre12", [0.01, 0.001])):
        means = [sum(cost(p) for p in priors) / 2 for cost in (ev.act_dcf, ev.min_dcf)]
        found = [averages[name][cost] for cost in ("act_dcf", "min_dcf")]
        assert found == pytest.approx(means, rel=1e-15)
        assert f"average of {name} {means[0]:.7g} {means[1]:.7g}" in said
    assert "average" not in llrcal("evaluate", llrs, "--quiet").stdout


def test_costs_by_scoring_rules(llrs: Path) -> None:
    found = document(llrcal("evaluate", llrs, "--json", "--rule", "brier", "--rule", "0.5,-0.5"))
    ev = in_file_order(llrs)
    rules: dict[str, Any] = {"brier": "brier", "0.5,-0.5": (0.5, -0.5)}
    assert found["rules"] == {name: ev.cost(rule).to_dict() for name, rule in rules.items()}
    assert "rules" not in document(llrcal("evaluate", llrs, "--json"))
    cost = ev.cost("boosting")
    line = f"boosting cost {cost.actual:.7f}  minimum {cost.minimum:.7f}  calibration loss"
    assert line in llrcal("evaluate", llrs, "--rule", "boosting").stdout


@pytest.mark.slow
def test_intervals_are_those_of_the_package(llrs: Path) -> None:
    asked = (
        "--intervals",
        "--replicates",
        99,
        "--level",
        0.9,
        "--p-target",
        0.1,
        "--rule",
        "brier",
    )
    result = llrcal("evaluate", llrs, *asked, "--forensic", "--json")
    found = in_file_order(llrs).intervals(
        [OperatingPoint(0.1)], rules=["brier"], forensic=True, level=0.9, replicates=99
    )
    assert document(result)["intervals"] == found.to_dict()
    said = " ".join(llrcal("evaluate", llrs, *asked, "--quiet").stdout.split())
    low, _ = found.eer
    assert "90 % intervals by trial, 99 drawn test sets" in said
    assert f"EER {100 * package.evaluate(TAR, NON).eer:.4f} % {100 * low:.4f} %" in said
    assert f"brier cost {package.evaluate(TAR, NON).cost('brier').actual:.4f}" in said
    assert "note: speakers are not known" in said


def test_intervals_by_speaker_where_the_file_names_speakers(tmp_path: Path) -> None:
    pairs = np.repeat(np.arange(300)[:, None], 2, axis=1) % 40
    speakers: dict[str, Any] = {
        "tar_speakers": pairs,
        "non_speakers": np.arange(1800).reshape(900, 2) % 40,
    }
    np.savez(tmp_path / "llrs.npz", tar=TAR, non=NON, **speakers)
    found = document(
        llrcal("evaluate", tmp_path / "llrs.npz", "--intervals", "--replicates", 39, "--json")
    )["intervals"]
    assert (found["by"], found["replicates"]) == ("speaker", 39)
    assert "speakers are not known" not in str(found["notes"])


def test_infinite_costs_are_words_in_json(tmp_path: Path) -> None:
    (tmp_path / "llrs.txt").write_text(text_of(np.append(TAR, -np.inf), NON))
    found = document(llrcal("evaluate", tmp_path / "llrs.txt", "--json", "--rule", "boosting"))
    assert found["rules"]["boosting"]["actual"] == "inf"
    assert found["rules"]["boosting"]["minimum"] < 1


def test_presets(llrs: Path) -> None:
    ev = in_file_order(llrs)
    for name, points in PRESETS.items():
        answer = document(llrcal("evaluate", llrs, "--preset", name, "--json"))
        expected = numbers_of(ev, *points)
        assert {key: answer[key] for key in expected} == expected
    both = document(llrcal("evaluate", llrs, "--preset", "sre16", "--preset", "sre12", "--json"))
    assert both["p_target"] == [0.01, 0.005, 0.001]  # each point once


def test_presets_are_those_of_the_evaluation_plans() -> None:
    """Prior and costs from the evaluation plans of NIST and of the VoxCeleb challenges."""
    plans = {
        "sre08": [(0.01, 10, 1)],
        "sre10": [(0.001, 1, 1)],
        "sre12": [(0.01, 1, 1), (0.001, 1, 1)],
        "sre16": [(0.01, 1, 1), (0.005, 1, 1)],
        "sre18-cmn2": [(0.01, 1, 1), (0.005, 1, 1)],
        "sre18-vast": [(0.05, 1, 1)],
        "sre19-cts": [(0.01, 1, 1), (0.005, 1, 1)],
        "sre19-av": [(0.05, 1, 1)],
        "voxsrc": [(0.05, 1, 1)],
    }
    found = {
        name: [(point.p_target, point.c_miss, point.c_fa) for point in points]
        for name, points in PRESETS.items()
    }
    assert found == plans


def test_help_names_every_preset() -> None:
    said = " ".join(llrcal("evaluate", "--help").stdout.split())
    assert f"--preset [{'|'.join(PRESETS)}]" in said


def test_costs_go_with_priors(llrs: Path) -> None:
    points = ("--p-target", 0.1, "--p-target", 0.2, "--c-miss", 5, "--c-fa", 1, "--c-fa", 2)
    answer = document(llrcal("evaluate", llrs, *points, "--json"))
    assert (answer["p_target"], answer["c_miss"], answer["c_fa"]) == ([0.1, 0.2], [5, 5], [1, 2])


# ------------------------------------------------------------------------------------ units

LOG10 = math.log(10)


def cllr_of(tar: Array, non: Array) -> float:
    """By the definition."""
    tar_cost = np.mean([math.log2(1 + math.exp(-x)) for x in tar.tolist()])
    non_cost = np.mean([math.log2(1 + math.exp(x)) for x in non.tolist()])
    return float(tar_cost + non_cost) / 2


def table_of(tar: Array, non: Array, *, name: str, words: tuple[str, str]) -> str:
    rows = [f"{x!r},{words[0]}" for x in tar.tolist()] + [f"{x!r},{words[1]}" for x in non.tolist()]
    return "\n".join([f"{name},label", *rows, ""])


@pytest.mark.parametrize(
    ("units", "transformed"),
    [
        ("nats", lambda x: x),
        ("log10", lambda x: x / LOG10),
        ("bits", lambda x: x / math.log(2)),
        ("ratio", np.exp),
    ],
)
def test_units(tmp_path: Path, units: str, transformed: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text_of(transformed(TAR), transformed(NON)))
    answer = document(llrcal("evaluate", path, "--units", units, "--json"))
    assert answer["cllr"] == pytest.approx(cllr_of(TAR, NON), rel=1e-12)
    assert warnings_in(answer) == []


@pytest.mark.parametrize("name", ["log10_lr", "LLR_log10", "log10 LLR", "llr10"])
def test_log10_by_the_name_of_the_column(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table_of(TAR / LOG10, NON / LOG10, name=name, words=("Hp", "Hd")))
    result = llrcal("evaluate", path, "--json")
    assert document(result)["cllr"] == pytest.approx(cllr_of(TAR, NON), rel=1e-12)
    assert f"column {name!r} contains common logarithms (log10)" in result.stderr
    told = document(llrcal("evaluate", path, "--json", "--units", "nats"))
    assert told["cllr"] == pytest.approx(cllr_of(TAR / LOG10, NON / LOG10), rel=1e-12)


def test_hypotheses_do_not_say_which_logarithm(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table_of(TAR, NON, name="llr", words=("Hp", "Hd")))
    only_line(llrcal("evaluate", path, "--quiet"), "specify which: --units log10 or --units nats")
    answer = document(llrcal("evaluate", path, "--units", "nats", "--json"))
    assert answer["cllr"] == pytest.approx(cllr_of(TAR, NON), rel=1e-12)


def test_ratios_that_may_be_logarithms(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table_of(np.exp(TAR), np.exp(NON), name="LR", words=("1", "0")))
    only_line(
        llrcal("evaluate", path, "--quiet"), "specify which: --units ratio, nats, log10 or bits"
    )
    answer = document(llrcal("evaluate", path, "--units", "ratio", "--json"))
    assert answer["cllr"] == pytest.approx(cllr_of(TAR, NON), rel=1e-12)


def test_a_ratio_is_never_negative(llrs: Path) -> None:
    said = "a likelihood-ratio cannot be negative; are these logarithms?"
    only_line(llrcal("evaluate", llrs, "--units", "ratio", "--quiet"), said)


def test_doubt_about_the_logarithm(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text_of(TAR / LOG10, NON / LOG10))
    result = llrcal("evaluate", path, "--json", "--quiet")
    [warning] = warnings_in(document(result))
    assert f"a Cllr of {cllr_of(TAR, NON):.4f} rather than" in warning
    assert "--units log10" in warning
    assert result.stderr == f"warning: {warning}\n"
    assert warnings_in(document(llrcal("evaluate", path, "--json", "--units", "nats"))) == []


def test_no_doubt_where_larger_is_always_better(tmp_path: Path) -> None:
    """Classes that do not overlap, and infinite costs, say nothing about a logarithm."""
    for tar, non in (([1.0, 2.0], [-1.0, -2.0]), ([-math.inf, 5.0, 6.0], [-3.0, math.inf, -1.0])):
        (tmp_path / "a.txt").write_text(text_of(np.array(tar), np.array(non)))
        assert warnings_in(document(llrcal("evaluate", tmp_path / "a.txt", "--json"))) == []


# ------------------------------------------------------------------------------ infinite LLRs


def test_infinite_llrs(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text_of(np.array([math.inf, 2.0, -1.0]), np.array([-math.inf, -2.0, 1.0])))
    answer = document(llrcal("evaluate", path, "--json", "--p-target", 0.5))
    # Trials that are infinitely sure of the truth cost nothing.
    assert answer["cllr"] == pytest.approx(
        (math.log2(1 + math.exp(-2)) + math.log2(1 + math.exp(1))) / 3, rel=1e-12
    )
    assert answer["act_dcf_unnormalised"] == pytest.approx([1 / 3])
    assert answer["rule_of_30"] == [None, None]


def test_infinitely_wrong_llrs_cost_infinitely_much(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text_of(np.array([-math.inf, math.inf]), np.array([-math.inf, math.inf])))
    answer = document(llrcal("evaluate", path, "--json", "--p-target", 0.5))
    assert (answer["cllr"], answer["calibration_loss"], answer["min_cllr"]) == ("inf", "inf", 1)
    said = llrcal("evaluate", path).stdout
    assert "Cllr inf" in said
    assert "rule of 30: too few errors at any prior" in said


# ------------------------------------------------------------------------------- direction


def test_scores_the_wrong_way_round(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text_of(-TAR, -NON))
    said = "If these are distances, give --distance; if the labels are swapped, give --labels"
    only_line(llrcal("evaluate", path, "--quiet"), said)
    answer = document(llrcal("evaluate", path, "--distance", "--json"))
    assert answer["cllr"] == pytest.approx(cllr_of(TAR, NON), rel=1e-12)
    assert answer["eer"] == package.evaluate(TAR, NON).eer
    insisted = document(llrcal("evaluate", path, "--inverted", "--json"))
    with pytest.warns(package.LlrcalWarning, match="targets score lower"):
        assert insisted["cllr"] == in_file_order(path).cllr


@pytest.mark.slow
def test_likenesses_are_no_distances(llrs: Path) -> None:
    said = "If these are similarities, leave out --distance"
    only_line(llrcal("evaluate", llrs, "--distance", "--quiet"), said)


# --------------------------------------------------------------------------------- figures


@pytest.fixture
def quick_figures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Figures that are drawn, but not saved three times over."""
    saved: list[str] = []

    def save(figure: Any, folder: Path, name: str, *, formats: tuple[str, ...]) -> None:
        figure.canvas.draw()
        (folder / f"{name}.png").write_bytes(b"drawn")
        saved.append(name)

    monkeypatch.setattr(drawing, "save", save)
    return saved


FIGURES = ["bayes-error", "det", "reliability", "tippett", "ece"]


@pytest.mark.slow
def test_figures_are_drawn_into_a_folder(llrs: Path, tmp_path: Path) -> None:
    result = llrcal("evaluate", llrs, "--figures", tmp_path / "figures", "--json")
    assert document(result)["tar_count"] == len(TAR)  # nothing else on standard output
    assert f"Figures: {tmp_path / 'figures'}" in result.stderr
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {f"{name}.{kind}" for name in FIGURES for kind in ("png", "pdf", "svg")}
    for path in (tmp_path / "figures").glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_figures_of_infinite_llrs(tmp_path: Path, quick_figures: list[str]) -> None:
    for tar, non in (
        ([math.inf, 2.0, -math.inf], [-math.inf, 1.0, math.inf]),
        ([math.inf], [-math.inf]),
        ([1.0], [1.0]),
    ):
        (tmp_path / "a.txt").write_text(text_of(np.array(tar), np.array(non)))
        arguments = ("--figures", tmp_path / "figures", "--force")
        assert llrcal("evaluate", tmp_path / "a.txt", *arguments).exit_code == 0
    assert quick_figures == 3 * FIGURES


@pytest.mark.slow
def test_a_filled_folder_is_not_replaced_unasked(
    llrs: Path, tmp_path: Path, quick_figures: list[str]
) -> None:
    folder = tmp_path / "figures"
    folder.mkdir()
    assert llrcal("evaluate", llrs, "--figures", folder).exit_code == 0  # empty ones may be filled
    (folder / "mine.txt").write_text("precious")
    result = llrcal("evaluate", llrs, "--figures", folder)
    only_line(result, "exists already; choose another folder, or replace it with --force")
    assert (folder / "mine.txt").read_text() == "precious"
    assert quick_figures == FIGURES
    assert llrcal("evaluate", llrs, "--figures", folder, "--force").exit_code == 0
    assert {path.name for path in folder.iterdir()} == {f"{name}.png" for name in FIGURES}
    assert list(tmp_path.iterdir()) == [folder]


def test_a_failure_leaves_no_folder(llrs: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    folder = tmp_path / "figures"
    only_line(llrcal("evaluate", "none.txt", "--figures", folder), "none.txt: cannot be read")
    only_line(llrcal("evaluate", llrs, "--figures", tmp_path / "no" / "figures"), "cannot be made")
    assert sorted(tmp_path.iterdir()) == before


# -------------------------------------------------------------------------------- the terminal


def test_numbers_are_never_cut_short(llrs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    narrow = llrcal("evaluate", llrs, "--quiet").stdout
    monkeypatch.setenv("COLUMNS", "200")
    wide = llrcal("evaluate", llrs, "--quiet").stdout
    assert narrow.split() == wide.split()
    assert "\u2026" not in narrow


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--c-miss", "10"], "costs need a prior: give --p-target as well"),
        (["--p-target", "1"], "p_target is 1.0; it must lie strictly between 0 and 1"),
        (["--p-target", "0.1", "--c-fa", "1", "--c-fa", "2"], "--c-fa was given 2 times for 1"),
        (["--p-target", "0.1", "--c-fa", "0"], "c_fa is 0.0; it must be positive"),
        (["--key", "none.txt"], "none.txt: cannot be read"),
        (["--intervals", "--level", "95"], "level is 95.0; give a number strictly between 0 and 1"),
        (["--intervals", "--level", "0.999"], "give at least --replicates 1999"),
        (["--intervals", "--replicates", "0"], "--replicates is 0; give 1 or more"),
        (["--level", "0.9"], "--level is for --intervals, which is not given"),
    ],
)
def test_wrong_use(llrs: Path, arguments: list[str], words: str) -> None:
    only_line(llrcal("evaluate", llrs, "--quiet", *arguments), words)


# --------------------------------------------------------------------- raw scores, other trials


@pytest.mark.parametrize(
    ("factor", "words"), [(0.05, "these do not look like LLRs"), (4.0, "much is lost")]
)
def test_scores_that_are_no_llrs_are_told_of(tmp_path: Path, factor: float, words: str) -> None:
    rng = np.random.default_rng(0)
    tar, non = factor * rng.normal(3, 6**0.5, 400), factor * rng.normal(-3, 6**0.5, 900)
    (tmp_path / "a.txt").write_text(text_of(tar, non))
    result = llrcal("evaluate", tmp_path / "a.txt", "--json", "--units", "nats", "--quiet")
    [warning] = warnings_in(document(result))
    assert words in warning
    assert result.stderr == f"warning: {warning}\n"
    table = llrcal("evaluate", tmp_path / "a.txt", "--units", "nats", "--quiet")
    assert table.stderr == result.stderr


# --------------------------------------------------------------- forensic figures of merit


def test_forensic_figures(llrs: Path) -> None:
    figures = in_file_order(llrs).forensic
    numbers = document(llrcal("evaluate", llrs, "--forensic", "--json"))["forensic"]
    assert numbers == figures.to_dict()
    assert "forensic" not in document(llrcal("evaluate", llrs, "--json"))
    shown = llrcal("evaluate", llrs, "--forensic").stdout
    low, high = (math.exp(end) for end in figures.elub)
    for words in (
        f"devPAV {figures.dev_pav:.4f}",
        f"ELUB: LR from {low:.4g} to {high:.4g}",
        f"mean log10 LR {figures.expected_lrs.llr_tar / math.log(10):.3f} under Hp",
        "LR < 1/1,000",
    ):
        assert words in shown
    assert "devPAV" not in llrcal("evaluate", llrs).stdout


def test_forensic_figures_in_pieces(llrs: Path) -> None:
    whole, pieces = (
        document(llrcal("evaluate", llrs, "--forensic", "--json", *how)) | {"notes": []}
        for how in ([], ["--in-pieces"])
    )
    assert pieces == whole


def test_forensic_figures_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "apart.txt").write_text(text_of(np.array([3.0, 4.0]), np.array([-3.0, -math.inf])))
    numbers = document(llrcal("evaluate", tmp_path / "apart.txt", "--forensic", "--json"))
    assert numbers["forensic"]["dev_pav"] is None
    assert numbers["forensic"]["expected"]["log10_lr_non"] == "-inf"
    shown = llrcal("evaluate", tmp_path / "apart.txt", "--forensic").stdout
    assert "devPAV: none, because the classes do not overlap" in shown
