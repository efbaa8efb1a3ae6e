"""Names as library catalogues write them: headings of MARC 1XX and 7XX fields, and Dublin Core made
from those.

A heading identifies an authority record; what an author list wants of it is the name alone, without
dates, fuller forms, relators and the field's final punctuation.
"""

from __future__ import annotations

import re
from typing import Literal

from metasearch.bib import normalise
from metasearch.bib.marc import MarcField

_LIFE_DATES = re.compile(
    r",?\s*(?:[(\[]?(?:b\.|d\.|fl\.|ca\.|active|approximately|born|geb\.|gest\.)?\s*(?:1[0-9]{3}|20\d\d)\??.*)$"
)
# Dublin Core has no place for a role but the name: "Doe, Jane [Hrsg.]", "山田太郎 著".
_ROLE = re.compile(
    r"\s*\[[^\[\]]*\]$|\.(?:prf|cmp|aut|edt|trl|itr|voc|cnd|arr|lyr|ill|drt|nrt)$|(?<=\w)[ \u3000]"
    r"(?:著|著者|原著|共著|編著|編|編集|訳|監訳|監修|校訂|校注|解説|作|原作|文|絵|画|原画|作画|写真|撮影|音楽|作曲|作詞|編曲|監督|脚本|出演)$"
)
# The words of RDA for a part (MARC 21 $e), where they were left behind the name: "Doe, Jane,
# author", "A Survey, issuing body".
_RELATOR = re.compile(
    r",\s*(author|editor|compiler|translator|illustrator|photographer|cartographer|composer|performer|conductor|director"
    r"|producer|interviewer|interviewee|contributor|creator|publisher|printer|issuing body"
    r"|sponsoring body|host institution"
    r"|kirjoittaja|tekijä|toimittaja|kääntäjä|suomentaja|kuvittaja|valokuvaaja|säveltäjä|sanoittaja|sovittaja|esittäjä"
    r"|ohjaaja|lukija|kustantaja|författare|översättare|redaktör|illustratör|utgivare)\.?$"
)
_BODY_DATES = re.compile(r"\d{3}")
_ENDS_WITH_INITIAL = re.compile(r"(?:^|[\s.-])\w\.$")
_ENDS_WITH_ABBREVIATION = re.compile(
    r"\b(?:Inc|Corp|Co|Ltd|Bros|Assn|Dept|Univ|Jr|Sr|St|e\.V|S\.A)\.$"
)

#: Relators (https://www.loc.gov/marc/relators/) of those who made the copy, own it or judged it,
#: not the work.
_NOT_CREATORS = frozenset((
    "pbl", "prt", "own", "fmo", "bsl", "dst", "dgg", "dgs", "ths", "dte", "hnr", "oth", "rps",
    "lbr", "ins", "opn",
    "spn", "fnd", "his", "sht", "publisher", "printer", "verlag", "drucker", "bookseller",
    "distributor", "owner",
    "former owner", "dedicatee", "widmungsempfänger", "degree granting institution",
    "degree supervisor",
    "thesis advisor", "host institution", "hochschule", "kustantaja", "lukija",
    # UNIMARC writes numbers for the same.
    "160", "280", "295", "310", "320", "390", "610", "650", "723", "727",
))  # fmt: skip


#: Of those who saw to the work of others, as editors, ...
_EDITORS = frozenset((
    "edt", "edc", "edm", "editor", "ed", "eds", "editor of compilation", "joint editor", "hrsg",
    "hg", "herausgeber",
    "herausgeberin", "herausgebendes organ", "éditeur scientifique", "directeur de publication",
    "340", "651",
))  # fmt: skip
#: ... and of those who added something to it.
_HELPERS = frozenset((
    "trl", "translator", "tr", "übers", "übersetzer", "übersetzerin", "traducteur", "730", "ill",
    "illustrator", "440",
    "aui", "author of introduction", "080", "aft", "author of afterword", "win", "wpr",
    "writer of introduction",
    "writer of preface", "bkd", "book designer", "cov", "cover designer", "pfr", "proofreader",
    "red", "redaktor",
))  # fmt: skip


def personal(name: str) -> str:
    """A personal name without dates, fuller form of initials, and the field's own punctuation."""
    value = normalise.plain(name)
    if value[-1:] == "]" or value[-4:-3] == "." or not value.isascii():
        value = _ROLE.sub("", value)
    if ", " in value and value[-1:].islower():
        value = _RELATOR.sub("", value)
    if "1" in value or "20" in value:
        value = _LIFE_DATES.sub("", value)
    if "(" in value:
        value = _without_fuller_form(value.rstrip(" ,.;"))
    value = value.rstrip(" ,;:/")
    # "Smith, J." keeps the stop of an initial; "Davis, Miles." loses the field's own.
    if (
        value.endswith(".")
        and not _ENDS_WITH_INITIAL.search(value)
        and not _ENDS_WITH_ABBREVIATION.search(value)
    ):
        value = value[:-1]
    return value


def _last_bracket(value: str) -> int:
    """Where the bracket opens that a text ends with, and in which no other one stands; -1 where it
    ends otherwise.
    """
    at = value.rfind("(") if value.endswith(")") else -1
    return at if at >= 0 and value.find(")", at) == len(value) - 1 else -1


def _without_fuller_form(value: str) -> str:
    """ "Smith, J. (John)" -> "Smith, J.": what is in brackets at the end, behind a comma and no
    other bracket.
    """
    at = _last_bracket(value)
    return (
        value[:at].rstrip() if at >= 0 and "," in value[value.rfind("(", 0, at) + 1 : at] else value
    )


def took_no_part(name: str) -> bool:
    """Whether the word behind a heading says that somebody made or read the copy: "Otava,
    kustantaja".
    """
    hit = _RELATOR.search(name)
    return hit is not None and hit[1] in _NOT_CREATORS


def corporate(name: str) -> str:
    """A body's or meeting's name, whole, without dates in brackets and the field's own
    punctuation.
    """
    value = normalise.plain(name).rstrip(" ,;:/")
    at = _last_bracket(value)
    if at >= 0 and _BODY_DATES.search(value, at):
        value = value[:at].rstrip(" ,;:/")
    return (
        value[:-1] if value.endswith(".") and not _ENDS_WITH_ABBREVIATION.search(value) else value
    )


def is_corporate(field: MarcField) -> bool:
    """Whether the field is for a body or a meeting (110, 111, 710, 711, and 712 of UNIMARC)."""
    return field.tag[1:] in ("10", "11", "12")


Part = Literal["author", "editor", "helper", "none"]


def part_in(field: MarcField) -> Part:
    """What somebody had to do with the work, by the field's relators; "author" where it has none.

    A field with $5 is true of one library's copy only, and an online service is where a copy was
    bought.
    """
    relators = []
    for code, text in field.subfields:
        if code in "e4":
            relators.append(text)
        elif code == "5" or (code == "a" and "(Online service)" in text):
            return "none"
    if not relators:
        return "author"
    words = [text.rpartition("/")[2].strip(" .,;()[]").casefold() for text in relators]
    parts = [_part(word) for word in words]
    return next((part for part in _PARTS if part in parts), "none")


_PARTS: tuple[Part, ...] = ("author", "editor", "helper", "none")


def _part(word: str) -> Part:
    if word in _EDITORS:
        return "editor"
    if word in _HELPERS:
        return "helper"
    return "none" if word in _NOT_CREATORS else "author"
