"""Calibration as a scikit-learn estimator, and scorers for model selection.

>>> from llrcal.sklearn import LLRCalibrator
>>> LLRCalibrator().fit([0.1, 2.0, 3.0, -2.0, -1.0, 0.5], [1, 1, 1, 0, 0, 0]).predict([1.5, -3.0])
array([1, 0])

This package needs the extra ``llrcal[sklearn]``. Nothing else in llrcal imports it.
"""

try:
    from sklearn.utils.validation import validate_data as _  # which old versions do not have
except ImportError as problem:
    raise ImportError(
        'llrcal.sklearn needs scikit-learn 1.8 or newer: pip install "llrcal[sklearn]"'
    ) from problem

from llrcal.sklearn.calibrated_classifier import LLRCalibratedClassifier
from llrcal.sklearn.calibrator import LLRCalibrator
from llrcal.sklearn.scorers import neg_cllr_scorer, neg_dcf_scorer

__all__ = ["LLRCalibratedClassifier", "LLRCalibrator", "neg_cllr_scorer", "neg_dcf_scorer"]

for _ in (LLRCalibratedClassifier, LLRCalibrator, neg_cllr_scorer, neg_dcf_scorer):
    _.__module__ = __name__  # where people and pickles look for them
