"""One calibration, tested as a case file needs it: built out of a comparison of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.methods import Method
from llrcal.comparison import compare
from llrcal.comparison.checks import shared_speakers
from llrcal.comparison.folds import FOLDS, FoldCount, Progress, orient_scores, quietly
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import REPLICATES, check_draws
from llrcal.messages import Setting
from llrcal.method_table import DEFAULT
from llrcal.validation.requirements import requirements
from llrcal.validation.validation import STATED, DataSet, Validation

if TYPE_CHECKING:
    from llrcal.trials.trials import Trials, TrialSet

TITLE = "Validation of a likelihood-ratio system"


def validate(
    train: TrialSet,
    test: TrialSet | None = None,
    *,
    folds: FoldCount | None = None,
    method: Method = DEFAULT,
    bounds: Policy = "counts",
    require: Iterable[str] = (),
    title: str = TITLE,
    author: str = "",
    date: str | None = None,
    stated: Mapping[str, str] | None = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    lower_is_better: bool = False,
    inverted: bool = True,
    progress: Progress | None = None,
) -> Validation:
    """Validate a calibration for a case file, on trials whose truth is known.

    It is trained and tested as :func:`llrcal.compare` does it, and evaluated as
    :func:`llrcal.evaluate` does it: on folds of one set of trials, or on a set of its own.

    Parameters
    ----------
    train, test
        Trials in memory. Without ``test``, each trial of ``train`` is tested by a calibration that
        has seen neither of its speakers, where these are known.
    folds
        Without ``test``, the number of groups of speakers, by default 5; or ``"all"``, to leave out
        the two speakers of a trial and nobody else.
    method, bounds
        The calibration, as for :func:`llrcal.fit`: the name of a method, or a pair of a name and
        its options.
    require
        Criteria, such as ``["cllr<0.3", "eer<=5%", "misleading_non_100<0.1%"]``: a measure, a sign
        (``<``, ``<=``, ``>``, ``>=``) and a number. Decide on them before you see any results.
    title, author, date
        For the head of the page. The date is that of today by default.
    stated
        What no program can know, for the page: ``purpose``, ``propositions``, ``population``,
        ``conditions`` and ``system``.
    level, replicates
        Of the intervals, as for :meth:`llrcal.Evaluation.intervals`.
    lower_is_better, inverted
        Whether scores are distances, and whether to go on where targets score lower than
        non-targets.
    progress
        As for :func:`llrcal.compare`.

    Returns
    -------
    Validation
        ``met`` tells whether all criteria are met, ``measures`` has the numbers, ``model`` the
        calibration to be used, and ``save`` writes the page.

    Raises
    ------
    OptionError
        If an option is out of range, a criterion cannot be read, or trials are not in memory.
    TrialFileError
        If a file of trials has changed since it was read.

    Examples
    --------
    >>> import llrcal
    >>> trials = llrcal.simulate(targets=200, nontargets=2_000)
    >>> found = llrcal.validate(trials, method="logistic", require=["cllr<0.3"], replicates=99)
    >>> found.met, round(found.measures["cllr"].value, 3)
    (True, 0.128)
    >>> found.save("case.html")  # doctest: +SKIP
    """
    asked = requirements(require)
    check_draws(level=level, replicates=replicates, seed=0)
    said = _stated(stated or {})
    today = datetime.now().date().isoformat()
    head = {
        "title": _line(title, "title") or TITLE,
        "author": _line(author, "author"),
        "date": _line(today if date is None else date, "date"),
    }
    begin = progress or quietly
    given = {"all": train} if test is None else {"training": train, "test": test}
    sets = {role: _whole(some) for role, some in given.items()}
    if test is None:
        folds = FOLDS if folds is None else folds
    begin("checksums")
    data = tuple(DataSet.of(role, some) for role, some in sets.items())
    comparison = compare(
        train,
        test,
        folds=folds,
        methods=[method],
        bounds=bounds,
        replicates=0,
        lower_is_better=lower_is_better,
        inverted=inverted,
        progress=begin,
    )
    (one,) = comparison.candidates.values()
    intervals = one.evaluation.intervals((), forensic=True, level=level, replicates=replicates)
    return Validation(
        **head,
        stated=said,
        data=data,
        comparison=comparison,
        bounds=bounds,
        intervals=intervals,
        requirements=asked,
        shared_speakers=None if test is None else shared_speakers(*sets.values()),
    )


def _whole(trials: TrialSet) -> Trials:
    """A set of trials in memory, or an error."""
    orient_scores(trials, None, lower_is_better=False)  # or no set of trials
    if trials.in_memory is None:
        raise OptionError(
            f"{trials.source}: a validation needs single trials in memory; if these are read in "
            "pieces, read one file whole: ",
            Setting("in_pieces", False),
        )
    return trials.in_memory


def _stated(given: Mapping[str, str]) -> dict[str, str]:
    """What the author states, in the order of the page."""
    for name in given:
        if name not in STATED:
            raise OptionError(
                Setting("stated"), f" has {name!r:.40}; it may have {', '.join(STATED)}"
            )
    said = {name: _line(given[name], name) for name in STATED if name in given}
    return {name: text for name, text in said.items() if text}


def _line(text: str, name: str) -> str:
    """A text as one line."""
    if not isinstance(text, str):
        raise OptionError(Setting(name), f" is a {type(text).__name__}; give a text")
    return " ".join(text.split())
