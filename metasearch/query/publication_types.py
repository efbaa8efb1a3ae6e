"""Publication types of PubMed and other databases that have another name here."""

from __future__ import annotations

from collections.abc import Mapping

#: Publication type in small letters -> our type.
TYPES: Mapping[str, str] = {
    "journal article": "article", "case reports": "article", "case report": "article",
    "classical article": "article",
    "corrected and republished article": "article", "historical article": "article",
    "introductory journal article":
    "article", "english abstract": "article", "clinical conference": "article",
    "legal case": "article",
    "meta-analysis": "review", "systematic review": "review", "scoping review": "review",
    "review literature": "review", "review, academic": "review", "review, tutorial": "review",
    "comment": "letter", "published erratum": "erratum", "retraction of publication": "retraction",
    "retraction notice": "retraction", "retracted publication": "retraction",
    "expression of concern": "retraction",
    "technical report": "report", "government publication": "report",
    "academic dissertation": "thesis",
    "dissertations & theses": "thesis", "doctoral dissertation": "thesis",
    "congress": "proceedings",
    "congresses": "proceedings", "conference proceeding": "conference-paper",
    "conference paper": "conference-paper",
    "conference abstract": "conference-paper", "meeting abstract": "conference-paper",
    "proceedings paper": "conference-paper", "conference review": "proceedings",
    "dictionary": "reference-entry",
    "encyclopedia": "reference-entry", "textbook": "book", "handbook": "book",
    "book chapter": "chapter",
    "editorial material": "editorial", "news": "other", "newspaper article": "other",
    "note": "letter",
    "short survey": "article", "article in press": "article", "early access": "article",
    "data paper": "article",
    "video-audio media": "video", "webcast": "video", "periodical index": "journal",
    "scholarly journals": "article",
}  # fmt: skip
#: Publication types that say how a study was made: no type of works is so narrow, so they are
#: looked for as keywords.
STUDIES = frozenset(
    (
        "clinical trial|clinical trial, phase i|clinical trial, phase ii|clinical trial, phase iii|"
        "clinical trial, phase iv|clinical trial protocol|clinical trial, veterinary|controlled "
        "clinical trial|"
        "randomized controlled trial|randomized controlled trial, veterinary|adaptive clinical "
        "trial|"
        "equivalence trial|pragmatic clinical trial|comparative study|multicenter "
        "study|observational study|"
        "observational study, veterinary|evaluation study|evaluation studies|validation "
        "study|validation studies|"
        "twin study|network meta-analysis|guideline|practice guideline|consensus development "
        "conference|"
        "consensus development conference, "
        "nih|biography|autobiography|interview|lecture|address|festschrift|"
        "personal narrative|patient education handout|portrait|bibliography|directory|overall|"
        "interactive tutorial|research support, non-u.s. gov't|research support, u.s. gov't, "
        "p.h.s.|"
        "research support, u.s. gov't, non-p.h.s.|research support, n.i.h., extramural|"
        "research support, n.i.h., intramural|preregistration|registered report"
    ).split("|")
)
