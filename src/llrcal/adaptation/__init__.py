"""Labels from training, scores from the field."""

from llrcal.adaptation.adapt import adapt as adapt
from llrcal.adaptation.watch import Watched as Watched
from llrcal.adaptation.watch import watch as watch

__all__ = ["Watched", "adapt", "watch"]
