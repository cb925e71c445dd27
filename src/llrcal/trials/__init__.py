"""Trials from files: target and non-target scores, with what is known of their speakers."""

from llrcal.trials.reading import read_trials
from llrcal.trials.trials import Trials

__all__ = ["Trials", "read_trials"]
