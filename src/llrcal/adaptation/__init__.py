"""Labels from one place, scores from another."""

from llrcal.adaptation.adapt import adapt as adapt

__all__ = ["adapt"]
