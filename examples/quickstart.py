"""Calibrate the scores of a simulated recognizer with every method, and compare them."""

from __future__ import annotations

import warnings

import numpy as np

import llrcal


def recognizer(rng: np.random.Generator, tar: int, non: int) -> tuple[np.ndarray, np.ndarray]:
    """Raw scores with heavy tails and skew: a mixture over good and bad recording conditions."""

    def scores(mean: float, count: int) -> np.ndarray:
        quality = rng.gamma(4, 0.25, count)
        return mean * np.sqrt(quality) + rng.normal(size=count) * (0.6 + 0.4 * quality)

    return scores(3.5, tar), scores(-1.0, non)


def main() -> None:
    rng = np.random.default_rng(2014)
    tar, non = recognizer(rng, 3_000, 1_000_000)
    tar_test, non_test = recognizer(rng, 2_000, 500_000)

    with warnings.catch_warnings(action="ignore", category=llrcal.LlrcalWarning):
        raw = llrcal.evaluate(tar_test, non_test)  # which warns that these are no LLRs
    print(f"{'raw scores as LLRs':<28} Cllr {raw.cllr:.4f}  minCllr {raw.min_cllr:.4f}\n")
    print(f"{'calibration':<28} {'Cllr':>7} {'loss':>8}   Bayes error at prior log-odds")
    print(f"{'':<28} {'bits':>7} {'bits':>8} {'-7':>9} {'-4':>8} {'0':>8} {'3':>8}")
    for label, calibration in llrcal.fit_all(tar, non).items():
        ev = llrcal.evaluate(calibration(tar_test), calibration(non_test))
        errors = "".join(f"{error:9.4f}" for error in ev.bayes_error([-7, -4, 0, 3]))
        print(f"{label:<28} {ev.cllr:7.4f} {ev.calibration_loss:8.5f} {errors}")
    best = "".join(f"{error:9.4f}" for error in raw.min_bayes_error([-7, -4, 0, 3]))
    print(f"{'minimum':<28} {raw.min_cllr:7.4f} {'':8} {best}")


if __name__ == "__main__":
    main()
