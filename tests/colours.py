"""Contrasts of colours, as readers see them."""

from __future__ import annotations

import numpy as np

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    """Contrast as the accessibility guidelines (WCAG 2) define it."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    srgb = np.array(list(bytes.fromhex(colour[1:]))) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ LUMINANCE)
