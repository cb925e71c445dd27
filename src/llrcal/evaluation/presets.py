"""Operating points by name: those of the NIST evaluations and of the VoxCeleb challenges.

Where there are two, the evaluation goes by the average of their normalised costs. SRE21 is not
here: its priors (0.01 and 0.05) are known from one participant's recipe, not from a second source.
"""

from __future__ import annotations

from llrcal.evaluation.operating_point import OperatingPoint

PRESETS: dict[str, tuple[OperatingPoint, ...]] = {
    "sre08": (OperatingPoint(0.01, 10, 1),),
    "sre10": (OperatingPoint(0.001),),
    "sre12": (OperatingPoint(0.01), OperatingPoint(0.001)),
    "sre16": (OperatingPoint(0.01), OperatingPoint(0.005)),
    "sre18-cmn2": (OperatingPoint(0.01), OperatingPoint(0.005)),
    "sre18-vast": (OperatingPoint(0.05),),
    "sre19-cts": (OperatingPoint(0.01), OperatingPoint(0.005)),
    "sre19-av": (OperatingPoint(0.05),),
    "voxsrc": (OperatingPoint(0.05),),
}
