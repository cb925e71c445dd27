"""Trials from files: target and non-target scores, with what is known of their speakers.

What is wrong with a file is a ``TrialFileError`` that names the file and what to do; what is wrong
with an argument is an ``OptionError``.
"""

from llrcal.trials.counts import Counts
from llrcal.trials.reading import read_trials
from llrcal.trials.trials import Trials
from llrcal.trials.writing import write_trials

__all__ = ["Counts", "Trials", "read_trials", "write_trials"]
