"""One LLR for one score, whoever is asked; and none that trials and speakers do not support."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import llrcal
from llrcal.method_table import MethodName
from tests.cli.running import answer, done
from tests.validation.tables import write_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning"),
]
SCORES = [-30.0, -2.5, -0.75, 0.0, 0.4, 1.25, 3.5, 30.0]


@pytest.mark.parametrize("method", llrcal.METHODS)
@pytest.mark.parametrize("named", [True, False])
def test_every_door_gives_the_same_llr(
    method: MethodName, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # so that no words break
    path, model = write_table(tmp_path / "lab.csv", named=named), tmp_path / "model.json"
    done("fit", path, "-o", model, "--method", method, "--quiet")
    trials, cal = llrcal.read_trials(path), llrcal.load(model)
    assert cal == llrcal.fit(trials, method=method)
    expected = [cal(score) for score in SCORES]
    assert cal(SCORES).tolist() == expected

    weights = answer("weigh", model, *SCORES)["scores"]
    assert [one["llr"] for one in weights] == expected
    asked = [word for score in SCORES for word in ("--score", score)]
    decisions = answer("decide", "--model", model, "--p-target", 0.5, *asked)["scores"]
    assert [one["llr"] for one in decisions] == expected
    (tmp_path / "new.csv").write_text("score\n" + "".join(f"{score}\n" for score in SCORES))
    done("apply", model, tmp_path / "new.csv", "-o", tmp_path / "llrs.csv", "--quiet")
    column = (tmp_path / "llrs.csv").read_text().split()[1:]
    assert [float(row.split(",")[-1]) for row in column] == expected
    others = llrcal.read_trials(write_table(tmp_path / "case.csv", people="t", named=named))
    found = llrcal.validate(trials, others, method=method, replicates=99)
    assert found.model == cal
    tested = llrcal.evaluate(others.mapped(cal))
    assert found.measures["cllr"].value == tested.cllr
    assert found.measures["misleading_non_10"].value == tested.forensic.misleading(10).non

    # 24 speakers make 24 targets and 276 non-targets, however many trials there are.
    tar, non = (24, 276) if named else (120, 276)
    assert cal.supported_llrs == (-math.log(tar + 1), math.log(non + 1))
    least, greatest = cal.supported_llrs
    assert all(least <= llr <= greatest for llr in expected)
    for score, one in zip(SCORES, weights, strict=True):
        assert one["held"] == (one["llr"] in (least, greatest))
        low, high = one["llr_interval"] or (one["llr"], one["llr"])
        assert least <= low <= high <= greatest, score
    words = done("weigh", model, *SCORES).stdout
    assert words.count("held at the bound") == sum(one["held"] for one in weights)
    page = found.page()
    assert f"{math.exp(least):.4g} to {math.exp(greatest):.4g}" in page
    of = " of 24 speakers" if named else ""
    assert f"120 same-source trials{of} and 276 different-source trials{of}" in page


def test_ten_speakers_who_are_told_apart_prove_little(tmp_path: Path) -> None:
    """No rate without an error has an interval of a point: defects of the first court page."""
    path, rng = tmp_path / "ten.csv", np.random.default_rng(0)
    rows = ["enrol_speaker,test_speaker,label,score"]
    for i in range(10):
        for j in range(i, 10):
            scores = rng.normal(9 * (i == j), 1, 4)
            rows += [f"s{i},s{j},{int(i == j)},{score:.4f}" for score in scores]
    path.write_text("\n".join(rows) + "\n")
    said = done("validate", path, "--require", "eer<=5%", "--out", tmp_path / "page.html").stdout
    assert "The criterion is met, but not by all of its interval." in " ".join(said.split())
    found = llrcal.validate(llrcal.read_trials(path), require=["eer<=5%"], replicates=99)
    rates = {name: one for name, one in found.measures.items() if one.is_share}
    assert len(rates) == 9
    for name, one in rates.items():
        assert one.value == 0
        of_ten = 1 - 0.025 ** (1 / (45 if "non" in name else 10))
        assert one.interval == pytest.approx((0, of_ten)), name
    assert found.met
    assert found.criteria[0].verdict == "met, but not by all of the interval"
    assert "30.8497 %" in found.page()
    # Nor is Cllr known, if errors that nobody made may be so frequent.
    assert found.measures["cllr"].interval[1] > 0.5
    ev = llrcal.evaluate(llrcal.read_trials(path))
    for threshold in (ev.threshold(), ev.threshold(pmiss=0.01), ev.threshold(pfa=0.01)):
        assert threshold.misses or threshold.pmiss_interval[1] >= 0.3084
        assert threshold.false_alarms or threshold.pfa_interval[1] >= 0.0787
    (misses, alarms) = ev.bands(replicates=99).rates([4.5])
    assert misses[1][0] == pytest.approx(1 - 0.025 ** (1 / 10))
    assert alarms[1][0] == pytest.approx(1 - 0.025 ** (1 / 45))
