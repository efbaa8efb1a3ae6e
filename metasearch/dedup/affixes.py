"""What databases hang onto titles: "[Review]", "(Provisional abstract)", "(vol 85, pg 553, 2010)".

None of it is part of the title, and most of it differs from one database to the next; but some of
it tells what the record is (an erratum, a conference abstract, a protocol).
"""

from __future__ import annotations

import re
from typing import Literal

from metasearch.late_pattern import late_pattern

#: What an affix tells about the record.
Mark = Literal["", "erratum", "abstract", "protocol"]

_LANGUAGES = (
    "afrikaans|arabic|bulgarian|catalan|chinese|croatian|czech|danish|dutch|english|estonian|finnish|flemish|french|"
    "german|greek|hebrew|hungarian|icelandic|italian|japanese|korean|latvian|lithuanian|macedonian|multilingual|"
    "norwegian|persian|polish|portuguese|romanian|russian|serbian|slovak|slovene|slovenian|spanish|swedish|thai|"
    "turkish|ukrainian|vietnamese"
)
# What stands between the last brackets of a title, lower case.
_SAYS_NOTHING = late_pattern(
    rf"""\d+\srefs?\.?$ | (?:in\s)?(?:{_LANGUAGES})(?:[,;/ ]+(?:{_LANGUAGES}))*$
    | (?:a\s)?(?:systematic\s)?reviews?$ | provisional\sabstract$ | see\scomments?$ | comments?$
    | letters?$
    | editorial$ | corrected(?:\sand\srepublished.*)?$ | in\sprocess\scitation$
    | author'?s?'?\stransl(?:ation)?\.?$
    | proceedings$ | electronic\sresource$ | texte\simprimé$ | elektronische\sressource$
    | sound\srecording$ | book$
    | text$ | print$ | (?:extended|panel|demo|poster|tutorial)\sabstract$ | tutorial$ | panel$
    | keynote$ | poster$
    | (?:experience|invited|short|demo|industrial|position|review)\s(?:paper|talk|article)$
    | demo(?:nstration)?$
    | (?:published\s)?errat(?:um|a)\s(?:appears|in)\b | corrections?\s(?:appears|in)\b
    | retracted(?:\sarticle)?$ | retracti?(?:on|ed)\s(?:in|by)\b | comments?\s(?:in|on)\b
    | summary\s(?:for|in)\b
    | (?:reprinted|republished|original\sreport)\s(?:in|from)\b | update\s(?:in|of)\b""",
    re.VERBOSE,
)
_MARKS: tuple[tuple[Mark, re.Pattern[str]], ...] = (
    (
        "abstract",
        late_pattern(
            r"(?:(?:conference|meeting|congress) )?abstracts?$|abstract (?:no|number|p|#)\b"
        ),
    ),
    ("protocol", late_pattern(r"(?:study |review )?protocol$")),
    # Web of Science: "(vol 85, pg 553, 2010)"; Embase: "(Journal (2009) 360 (542-544))".
    (
        "erratum",
        late_pattern(r"vol\.? \w+,? (?:pg|pp?|page|art|no|e)\b|[^()]*\((?:19|20)\d\d\)[ ,:]+\w"),
    ),
)
# Publishers put it before the article itself; a notice is called "Retraction".
_RETRACTED = late_pattern(
    r"^\W*(?:retracted|withdrawn)(?: article| paper)?\W*[:.\]-]\W*", re.IGNORECASE
)
_LANGUAGE_LABEL = late_pattern(r"\s+LA:\s?\w{2,12}\.?$")
_OPENING = {")": "(", "]": "["}
#: Brackets that are taken off at most.
_MOST = 6


def without_affixes(title: str) -> tuple[str, Mark]:
    """The title proper, and what the affixes tell.

    A title that is nothing but an affix is left as it is.
    """
    if (
        title[-1:].isalnum()
        and "[" not in title
        and "LA:" not in title
        and title[:1] not in "RrWw("
    ):
        return title, ""
    mark: Mark = ""
    cut = title.rfind("[")
    if cut > 2 and "]" not in title[cut:] and _SAYS_NOTHING.match(title[cut + 1 :].strip().lower()):
        title = title[:cut].rstrip()  # cut off inside
    if title[:12].lstrip("[( ").lower().startswith(("retracted", "withdrawn")):
        title = _RETRACTED.sub("", title) or title
    if "LA:" in title:
        title = _LANGUAGE_LABEL.sub("", title)
    for _ in range(_MOST):
        bare = title.rstrip(" .")
        opening = _OPENING.get(bare[-1:])
        if opening is None:
            break
        start = _start_of_group(bare, opening, bare[-1])
        rest = bare[:start].rstrip()
        if start < 0 or not rest or len(rest) < 3:
            break
        said = bare[start + 1 : -1].strip().lower()
        if not _SAYS_NOTHING.match(said):
            told = [name for name, pattern in _MARKS if pattern.match(said)]
            if not told:
                break
            mark = mark or told[0]
        title = rest
    return title, mark


def _start_of_group(text: str, opening: str, closing: str) -> int:
    """Where the bracket opens that the last character closes; -1 where none does."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == closing:
            depth += 1
        elif text[at] == opening:
            depth -= 1
            if not depth:
                return at
    return -1
