"""A recognizer that never existed, to try things on."""

from llrcal.simulation.recognizer import (
    DEMO_TEST,
    DEMO_TRAIN,
    PAPER_TEST,
    PAPER_TRAIN,
    SimulatedTrials,
    simulate,
)

__all__ = ["DEMO_TEST", "DEMO_TRAIN", "PAPER_TEST", "PAPER_TRAIN", "SimulatedTrials", "simulate"]
