"""A validation for a case file: one calibration, its numbers, criteria, and a page to print."""

from llrcal.validation.validate import validate as validate
from llrcal.validation.validation import Validation as Validation
