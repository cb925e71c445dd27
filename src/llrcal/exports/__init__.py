"""Calibrations as code for other places: C, JavaScript, ONNX."""

from llrcal.exports.export import Exported as Exported
from llrcal.exports.export import export as export
