"""What the tests of the page share."""

from tests.report.pages import browser

__all__ = ["browser"]
