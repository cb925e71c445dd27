"""Several systems on the same trials, and what is known of each trial."""

from llrcal.fusion.fuse import fuse as fuse
from llrcal.fusion.fused import Fused as Fused
from llrcal.fusion.fused import load as load
