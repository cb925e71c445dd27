"""Who makes the errors: the section on speakers, and what its plot draws."""

from __future__ import annotations

import math

from llrcal.comparison import Comparison
from llrcal.comparison.tables import shown
from llrcal.figures.curves import zoo_speakers
from llrcal.report.symbols import Json
from llrcal.report.text import decimal, escaped, scrolled, section, sentence, table

LINK = '<a href="#zoo">Speakers</a>\n'

_WORST = 8  # speakers in the table
_HOW = (
    "Each point is a speaker: the mean LLR of {} in target trials, and in non-target trials, where "
    "less is better, so that the axis falls. Larger points have a larger share of Cllr."
)


def zoo_section(comparison: Comparison) -> str:
    """The plot, and the speakers who cost most; nothing where speakers are not known."""
    evaluation = comparison.candidates[comparison.recommended].evaluation
    if not evaluation.knows_speakers:
        return ""
    heads = ("Speaker", "% of Cllr", "Target LLR", "Non-target LLR")
    rows = []
    for one in evaluation.speakers().head(_WORST).to_dicts():
        share, *means = (
            math.nan if one[name] is None else one[name] for name in ("share", "llr_tar", "llr_non")
        )
        numbers = decimal(100 * share, digits=1), *(decimal(mean, digits=2) for mean in means)
        rows.append([f'<bdi class="name">{escaped(str(one["speaker"]))}</bdi>', *numbers])
    worst = table("Speakers who cost most", heads, rows, attributes='id="worst"')
    content = f"""<p>{sentence(_HOW.format(comparison.recommended))}</p>
<div class="beside">
<div id="zoo-plot" class="plot" role="group"></div>
<div><h3>Speakers who cost most</h3>
{scrolled(worst, "Speakers who cost most")}
</div>
</div>"""
    return section("zoo", "Speakers (zoo plot)", content)


def zoo_data(comparison: Comparison) -> Json | None:
    """The points of the plot."""
    evaluation = comparison.candidates[comparison.recommended].evaluation
    if not evaluation.knows_speakers:
        return None
    speakers = zoo_speakers(evaluation)
    return {
        "names": [shown(str(name)) for name in speakers["speaker"]],
        "tar": speakers["llr_tar"].to_numpy(),
        "non": speakers["llr_non"].to_numpy(),
        "shares": speakers["share"].to_numpy(),
    }
