"""What a review says of a strategy: findings, and how the rules that make them look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from metasearch.message import N_
from metasearch.review.press.reading import ReviewedStrategy

Severity = Literal["error", "warning", "hint"]
#: An element of PRESS 2015 (McGowan 2016): 1 translation of the question, 2 Boolean and proximity
#: operators, 3 subject headings, 4 text words, 5 spelling, syntax and line numbers, 6 limits and
#: filters.
Element = Literal[1, 2, 3, 4, 5, 6]


@dataclass(frozen=True, slots=True)
class Fix:
    """A mend: what stands in place of text[start:end] of the strategy."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, or may be, at one place.

    Attributes:
        code: A key of `CODES`.
        message: What is wrong there and why.
        start: Where it is in the text of the strategy.
        end: Where that ends.
        line: The printed number of its line; None where there is none.
        fix: A mend that can be taken as it is.
        sure: Whether it is as severe as its code says; otherwise it is a hint.
    """

    code: str
    message: str
    start: int
    end: int
    line: int | None = None
    fix: Fix | None = None
    sure: bool = True

    @property
    def severity(self) -> Severity:
        return CODES[self.code].severity if self.sure else "hint"

    @property
    def element(self) -> Element:
        return CODES[self.code].element


class Code(NamedTuple):
    """What all findings of one code share."""

    severity: Severity
    element: Element
    title: str


#: Yields what is wrong with a strategy, in whatever order.
Rule = Callable[[ReviewedStrategy], Iterator[Finding]]

ELEMENTS: Mapping[int, str] = {
    1: N_("Translation of the question"),
    2: N_("Boolean and proximity operators"),
    3: N_("Subject headings"),
    4: N_("Text words"),
    5: N_("Spelling, syntax and line numbers"),
    6: N_("Limits and filters"),
}

#: Every code that a finding may have, by elements of PRESS.
CODES: Mapping[str, Code] = {
    # The question.
    "no-last-line": Code("error", 1, N_("No line joins the others")),
    "untranslatable": Code("hint", 1, N_("A part that a database cannot be asked")),
    # Operators.
    "and-for-or": Code("warning", 2, N_("AND where OR is meant")),
    "or-for-and": Code("warning", 2, N_("OR where AND is meant")),
    "mixed-operators": Code("warning", 2, N_("AND and OR without brackets")),
    "exclusion-of-humans": Code("warning", 2, N_("NOT that removes studies of humans")),
    "exclusion-of-concept": Code("warning", 2, N_("NOT that removes wanted works")),
    "missing-operator": Code("warning", 2, N_("No operator between two parts")),
    "small-operator": Code("warning", 2, N_("An operator in small letters")),
    "operator-sign": Code("hint", 2, N_("A sign in place of an operator")),
    "bad-distance": Code("error", 2, N_("A distance that is no number")),
    "wide-distance": Code("warning", 2, N_("A distance that the database does not take")),
    "no-distance": Code("hint", 2, N_("Words near one another without a distance")),
    "near-and": Code("warning", 2, N_("AND beside an operator of proximity")),
    "needless-brackets": Code("hint", 2, N_("Brackets that change nothing")),
    "idle-line": Code("warning", 2, N_("A line that changes nothing")),
    "idle-term": Code("hint", 2, N_("A term that another one includes")),
    # Text words.
    "same-term": Code("warning", 4, N_("A term that stands there twice")),
    "stem-for-forms": Code("hint", 4, N_("Forms of one stem")),
    "no-field": Code("hint", 4, N_("A term without a field")),
    "capitals": Code("hint", 4, N_("Words in capitals")),
    "too-many-terms": Code("hint", 4, N_("More terms than a database takes")),
    # Spelling, syntax, lines.
    "unreadable": Code("error", 5, N_("What cannot be read")),
    "open-bracket": Code("error", 5, N_("Brackets that do not match")),
    "open-quote": Code("error", 5, N_("Quotes that do not match")),
    "operator-sequence": Code("error", 5, N_("An operator without a term beside it")),
    "text-in-quotes": Code("error", 5, N_("A whole query in quotes")),
    "text-beside": Code("warning", 5, N_("Text that is no part of the query")),
    "unknown-field": Code("error", 5, N_("A field that the database does not have")),
    "foreign-field": Code("error", 5, N_("A field of another database")),
    "foreign-operator": Code("error", 5, N_("An operator of another database")),
    "foreign-wildcard": Code("warning", 5, N_("A sign for letters of another database")),
    "field-of-bracket": Code("warning", 5, N_("A field behind a bracket")),
    "short-stem": Code("warning", 5, N_("Too few letters before a sign for letters")),
    "wildcard-place": Code("warning", 5, N_("A sign for letters where it cannot stand")),
    "ignored-mark": Code("hint", 5, N_("A mark that the database ignores")),
    "typographic-quotes": Code("hint", 5, N_("Quotes that are not straight")),
    "bad-year": Code("error", 5, N_("What is no year")),
    "bad-identifier": Code("error", 5, N_("What is no identifier")),
    "line-missing": Code("error", 5, N_("A line that there is not")),
    "line-later": Code("error", 5, N_("A line that names a later one")),
    "line-itself": Code("error", 5, N_("A line that names itself")),
    "line-number-twice": Code("error", 5, N_("A number that two lines have")),
    "line-shift": Code("warning", 5, N_("A number of a line that is probably another one")),
    "line-gap": Code("hint", 5, N_("Numbers of lines with a gap")),
    "unused-line": Code("warning", 5, N_("A line that nothing uses")),
    "same-line": Code("warning", 5, N_("A line that stands there twice")),
    "impossible-hits": Code("warning", 5, N_("Hits that cannot be")),
    "too-large": Code("warning", 5, N_("More than a search may hold")),
    "more-findings": Code("hint", 5, N_("Further findings")),
    # Limits and filters.
    "limit-date": Code("hint", 6, N_("A limit of years")),
    "limit-language": Code("hint", 6, N_("A limit of languages")),
    "limit-type": Code("hint", 6, N_("A limit of types of works")),
    "limit-other": Code("hint", 6, N_("Another limit")),
    "limit-inside": Code("warning", 6, N_("A limit of one alternative")),
    "year-alone": Code("error", 6, N_("Years without a term")),
    "year-span": Code("hint", 6, N_("More years than a database takes")),
    # Words and headings.
    "unknown-heading": Code("warning", 3, N_("A heading that the vocabulary does not have")),
    "entry-term": Code("warning", 3, N_("A synonym in place of its heading")),
    "narrower-headings": Code("hint", 3, N_("A heading without its narrower ones")),
    "heading-alone": Code("hint", 3, N_("A heading whose words are looked for nowhere")),
    "missing-heading": Code("hint", 3, N_("Words that have a heading")),
    "missing-synonym": Code("hint", 4, N_("Synonyms that are missing")),
    "cut-root": Code("warning", 4, N_("A sign for letters that takes in other words")),
    "quoted-stem": Code("warning", 4, N_("A sign for letters that quotes make void")),
    "idle-stem": Code("hint", 4, N_("A sign for letters that does nothing")),
    "other-spelling": Code("hint", 4, N_("A British or American spelling that is missing")),
    "other-number": Code("hint", 4, N_("A singular or plural that is missing")),
    "other-compound": Code("hint", 4, N_("A word that is also written apart or in one")),
    "misspelling": Code("warning", 5, N_("A word that is misspelt")),
}
