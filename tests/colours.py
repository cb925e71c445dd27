"""Colours as readers see them: with all three kinds of cones, and without one."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats

# Simulated at full strength: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), 1291-1298.
SIGHTS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> Floats:
    """Linear red, green and blue of a colour written as ``#rrggbb``."""
    srgb = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast as the accessibility guidelines (WCAG 2) define it."""
    low, high = sorted(float(linear(colour) @ TO_XYZ[1]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, sight: Floats = SIGHTS["full"]) -> Floats:
    """CIE L*a*b* of a colour under D65."""
    xyz = TO_XYZ @ np.clip(sight @ linear(colour), 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
