"""A simulated recognizer, for demonstrations and experiments."""

from llrcal.simulation.recognizer import (
    DEMO_TEST,
    DEMO_TRAIN,
    PAPER_TEST,
    PAPER_TRAIN,
    simulate,
)

__all__ = ["DEMO_TEST", "DEMO_TRAIN", "PAPER_TEST", "PAPER_TRAIN", "simulate"]
