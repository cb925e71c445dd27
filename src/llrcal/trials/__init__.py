"""Trials from files: target and non-target scores, with what is known of their speakers.

What is wrong with a file is a ``TrialFileError`` that names the file and what to do; what is wrong
with an argument is an ``OptionError``.
"""

from llrcal.trials.reading import read_trials
from llrcal.trials.trials import Trials

__all__ = ["Trials", "read_trials"]
