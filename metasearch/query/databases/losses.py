"""What the tree cannot express of a strategy: a sentence for each kind of loss, with its words."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.message import joined, message, message_template

#: Kind -> the sentence; `{words}` stands for the operators or words that it concerns.
SENTENCES: Mapping[str, str] = {
    "near": message_template(
        "{words}: sources cannot be asked how near words stand to one another; the words are "
        "joined with AND"
    ),
    "heading": message_template(
        "{words}: headings are looked for among keywords and subject headings"
    ),
    "explosion": message_template("{words}: narrower headings are not added"),
    "focus": message_template(
        "{words}: sources cannot be asked for the main topic; the heading is looked for as any "
        "other"
    ),
    "subheading": message_template(
        "{words}: sources cannot be asked for subheadings; the heading is looked for without them"
    ),
    "wildcard": message_template(
        "{words}: a sign that stands for some letters is read as any ending"
    ),
    "beginning": message_template(
        "{words}: a sign before a word is ignored; words that only end like this are not found"
    ),
    "broken phrase": message_template(
        "{words}: a phrase with a * in it is read as all of its words, in any order"
    ),
    "negated": message_template(
        "{words}: part of this is read more widely, so more is excluded than the strategy excludes"
    ),
    "nowhere": message_template("{words}: ignored, because no field here holds this"),
    "limit": message_template("{words}: ignored, because no source can be asked for this limit"),
    "field": "{words}",
    "type": message_template(
        "{words}: there is no type of works as narrow as this; the words are looked for among "
        "keywords and subject headings"
    ),
    "wider type": message_template("{words}: read as a type that includes more"),
    "date": message_template("only the year of a date is searched ({words})"),
    "order": message_template(
        "{words} without brackets are read in the order of {database}; write brackets to be sure"
    ),
    "bare": message_template(
        "{words}: a field applies to the word, phrase or bracket directly beside it, "
        "not to the words after OR"
    ),
    "frequency": message_template("{words}: sources cannot be asked how often a word occurs"),
    "duplicates": message_template("{words}: ignored, because duplicates are always merged"),
    "hits": message_template("numbers of hits at the ends of lines are ignored ({words})"),
    "unused": message_template(
        "{words}: not searched for, because the last line does not use it, directly or through "
        "other lines"
    ),
    "lower case": message_template(
        "{words}: read as operators, because brackets, quotes or fields stand beside them; "
        "write operators in capitals"
    ),
    "field of a line": message_template(
        "{words}: a field does not hold for another line, which is looked for as it is"
    ),
    "word": message_template("{words}: read as words; write operators in capitals"),
    "settings": message_template("{words}: settings of a database are ignored"),
}
#: Kinds of what finds more than was asked for: behind a NOT it leaves out more.
_WIDER = frozenset({"near", "focus", "subheading", "wildcard", "broken phrase", "wider type"})
_SHOWN = 8


class Losses:
    """Gathers a text's losses, each once. `widened`: how often it is read more widely."""

    def __init__(self) -> None:
        self.widened = 0
        self._concerned: dict[str, dict[str, None]] = {}

    def add(self, kind: str, of: str) -> None:
        """Note a loss: a key of `SENTENCES`, and the operator or words that it concerns."""
        self.widened += kind in _WIDER
        shown = " ".join(of[:60].split())
        if shown == of:  # a whole sentence may be translated
            shown = of
        self._concerned.setdefault(kind, {})[shown] = None

    def sentences(self) -> tuple[str, ...]:
        """Returns one sentence for each kind, in the order in which the kinds were added."""
        return tuple(self._sentence(kind, list(of)) for kind, of in self._concerned.items())

    @staticmethod
    def _sentence(kind: str, of: list[str]) -> str:
        if kind == "order":
            words, _, database = of[0].partition("|")
            return message(SENTENCES[kind], words=words, database=database)
        concerned = joined("; " if kind == "field" else ", ", of[:_SHOWN])
        if len(of) > _SHOWN:
            concerned = message(
                "{words} and {number} more", words=concerned, number=len(of) - _SHOWN
            )
        return message(SENTENCES[kind], words=concerned)
