"""llrcal: scores in, calibrated log-likelihood-ratios out.

>>> import llrcal
>>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9])
>>> llrs = cal([1.0, 2.5])
>>> ev = llrcal.evaluate([1.2, 4.0, -0.3], [-2.0, -1.1, 0.4])

Names are looked up when first used, so that ``import llrcal`` costs next to nothing.
"""

from llrcal.version import __version__ as __version__

# False, while type checkers take it to be true. Editors that read the code (jedi) skip the block
# after a plain False, and importing typing would double the start-up time.
TYPE_CHECKING = not __name__
if TYPE_CHECKING:
    from llrcal import figures as figures
    from llrcal import sklearn as sklearn
    from llrcal.adaptation import Watched as Watched
    from llrcal.adaptation import adapt as adapt
    from llrcal.adaptation import watch as watch
    from llrcal.calibrations import METHODS as METHODS
    from llrcal.calibrations import PAPER as PAPER
    from llrcal.calibrations import Calibration as Calibration
    from llrcal.calibrations import Conditioned as Conditioned
    from llrcal.calibrations import fit as fit
    from llrcal.calibrations import fit_all as fit_all
    from llrcal.comparison import Comparison as Comparison
    from llrcal.comparison import LearningCurve as LearningCurve
    from llrcal.comparison import cross_validated as cross_validated
    from llrcal.comparison.compare import compare as compare
    from llrcal.comparison.learning_curve import learning_curve as learning_curve
    from llrcal.errors import ClusterError as ClusterError
    from llrcal.errors import DegenerateError as DegenerateError
    from llrcal.errors import LlrcalError as LlrcalError
    from llrcal.errors import LlrcalWarning as LlrcalWarning
    from llrcal.errors import ModelFileError as ModelFileError
    from llrcal.errors import OptionError as OptionError
    from llrcal.errors import ScoreError as ScoreError
    from llrcal.errors import TrialFileError as TrialFileError
    from llrcal.evaluation import ByCondition as ByCondition
    from llrcal.evaluation import Evaluation as Evaluation
    from llrcal.evaluation import OperatingPoint as OperatingPoint
    from llrcal.evaluation import evaluate as evaluate
    from llrcal.evaluation import optimal_llrs as optimal_llrs
    from llrcal.exports import export as export
    from llrcal.fitting.report import Report as Report
    from llrcal.fusion.fuse import fuse as fuse
    from llrcal.fusion.fused import Fused as Fused
    from llrcal.inputs.scores import split as split
    from llrcal.models import load as load
    from llrcal.pairing.pairs import pairs as pairs
    from llrcal.scale.accumulator import Accumulator as Accumulator
    from llrcal.scale.applying import apply_files as apply_files
    from llrcal.scale.fusing import fuse_files as fuse_files
    from llrcal.scale.opening import open_scores as open_scores
    from llrcal.scale.opening import open_trials as open_trials
    from llrcal.simulation import simulate as simulate
    from llrcal.trials import Counts as Counts
    from llrcal.trials import Trials as Trials
    from llrcal.trials import read_trials as read_trials
    from llrcal.trials import write_trials as write_trials
    from llrcal.validation import Validation as Validation
    from llrcal.validation.validate import validate as validate

_HOME = {
    "llrcal.adaptation": ("Watched", "adapt", "watch"),
    "llrcal.calibrations": ("METHODS", "PAPER", "Calibration", "Conditioned", "fit", "fit_all"),
    "llrcal.comparison": (
        "Comparison",
        "LearningCurve",
        "cross_validated",
    ),
    "llrcal.comparison.compare": ("compare",),
    "llrcal.comparison.learning_curve": ("learning_curve",),
    "llrcal.errors": (
        "ClusterError",
        "DegenerateError",
        "LlrcalError",
        "LlrcalWarning",
        "ModelFileError",
        "OptionError",
        "ScoreError",
        "TrialFileError",
    ),
    "llrcal.evaluation": (
        "ByCondition",
        "Evaluation",
        "OperatingPoint",
        "evaluate",
        "optimal_llrs",
    ),
    "llrcal.exports": ("export",),
    "llrcal.fitting.report": ("Report",),
    "llrcal.fusion.fuse": ("fuse",),
    "llrcal.fusion.fused": ("Fused",),
    "llrcal.inputs.scores": ("split",),
    "llrcal.models": ("load",),
    "llrcal.pairing.pairs": ("pairs",),
    "llrcal.scale.accumulator": ("Accumulator",),
    "llrcal.scale.applying": ("apply_files",),
    "llrcal.scale.fusing": ("fuse_files",),
    "llrcal.scale.opening": ("open_scores", "open_trials"),
    "llrcal.simulation": ("simulate",),
    "llrcal.trials": ("Counts", "Trials", "read_trials", "write_trials"),
    "llrcal.validation": ("Validation",),
    "llrcal.validation.validate": ("validate",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULES = ("figures", "sklearn")

__all__ = ["__version__", *_MODULE_OF]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _MODULE_OF and name not in _MODULES:
        raise AttributeError(f"module 'llrcal' has no attribute {name!r}")
    try:
        if name in _MODULES:
            return import_module(f"llrcal.{name}")
        value = getattr(import_module(_MODULE_OF[name]), name)
    except ModuleNotFoundError as problem:
        from llrcal.extras import how_to_install, missing_extra

        if package := missing_extra(problem):
            text = f"llrcal.{name} needs {how_to_install(package)}"
            raise ModuleNotFoundError(text, name=problem.name) from None
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
