"""Who makes the errors: the section on speakers, and what its plot draws."""

from __future__ import annotations

import math

from llrcal.comparison import Comparison
from llrcal.comparison.tables import shown
from llrcal.evaluation.zoo import CORNERS, Zoo
from llrcal.figures.curves import ZOO_COLOURS, zoo_quarters, zoo_speakers
from llrcal.report.symbols import SYMBOLS, Json
from llrcal.report.text import decimal, escaped, scrolled, section, sentence, table

LINK = '<a href="#zoo">Speakers</a>\n'

_WORST = 8  # speakers in the table
_HOW = (
    "Each point is a speaker: the mean LLR of {} in target trials, and in non-target trials, where "
    "less is better, so that the axis falls. Lines set apart the lowest and the highest quarter. "
    "Larger points have a larger share of Cllr."
)
_KINDS = (
    "Goats (▼) have low target LLRs; lambs (▲) have high non-target LLRs when enrolled, and wolves "
    "(■) in the test (Doddington et al. 1998); others are sheep (●). Corners: Yager and Dunstone "
    "(2010); in brackets the number that chance would give, with a star where there are more."
)


def zoo_of(comparison: Comparison) -> Zoo | None:
    """The zoo of the recommended calibration, where speakers are known."""
    evaluation = comparison.candidates[comparison.recommended].evaluation
    return evaluation.zoo if evaluation.knows_speakers else None


def zoo_section(comparison: Comparison) -> str:
    """What was found, the plot, and the speakers who cost most; or nothing."""
    zoo = zoo_of(comparison)
    if zoo is None:
        return ""
    heads = ("Speaker", "% of Cllr", "Target LLR", "Non-target LLR", "Animals")
    rows = []
    for one in zoo.speakers.head(_WORST).to_dicts():
        share, *means = (
            math.nan if one[name] is None else one[name] for name in ("share", "llr_tar", "llr_non")
        )
        numbers = decimal(100 * share, digits=1), *(decimal(mean, digits=2) for mean in means)
        name = f'<bdi class="name">{escaped(str(one["speaker"]))}</bdi>'
        rows.append([name, *numbers, one["animals"]])
    worst = table("Speakers who cost most", heads, rows, attributes='id="worst"')
    content = f"""<p>{sentence(zoo.text)} {sentence(_HOW.format(comparison.recommended))}</p>
<div class="beside">
<figure>
<div id="zoo-plot" class="plot" role="group"></div>
<figcaption class="note">{_KINDS}</figcaption>
</figure>
<div><h3>Speakers who cost most</h3>
{scrolled(worst, "Speakers who cost most")}
</div>
</div>"""
    return section("zoo", "Speakers (zoo plot)", content)


def zoo_data(comparison: Comparison) -> Json | None:
    """The points of the plot, its lines, and what stands in its corners."""
    zoo = zoo_of(comparison)
    if zoo is None:
        return None
    animals = {one.kind: one for one in zoo.animals}
    vertical, horizontal = zoo_quarters(zoo)
    return {
        "speakers": [
            {
                "style": {"light": one.look.light, "dark": one.look.dark},
                "symbol": SYMBOLS[one.look.marker],
                "names": [shown(str(name)) for name in one.names],
                "tar": one.llr_tar,
                "non": one.llr_non,
                "shares": one.shares,
            }
            for one in zoo_speakers(zoo)
        ],
        "vertical": vertical,
        "horizontal": horizontal,
        "corners": [
            {
                "right": tar > 1,
                "low": non > 1,
                "style": dict(zip(("light", "dark"), ZOO_COLOURS[kind], strict=True)),
                "text": f"{animals[kind].plural}: {animals[kind].count} "
                f"({animals[kind].expected:.1f}){' *' if animals[kind].found else ''}",
            }
            for kind, (tar, non) in CORNERS.items()
        ],
    }
