"""What the tree cannot express of a strategy: a sentence for each kind of loss, with its words."""

from __future__ import annotations

from collections.abc import Mapping

#: Kind -> the sentence; `{}` stands for the operators or words that it concerns.
SENTENCES: Mapping[str, str] = {
    "near": "{}: sources cannot be asked how near words stand to one another; the words are joined "
    "with AND",
    "heading": "{}: headings are looked for among keywords and subject headings",
    "explosion": "{}: narrower headings are not added",
    "focus": "{}: sources cannot be asked for the main topic; the heading is looked for as any "
    "other",
    "subheading": "{}: sources cannot be asked for subheadings; the heading is looked for without "
    "them",
    "wildcard": "{}: a sign that stands for some letters is read as any ending",
    "beginning": "{}: a sign before a word is ignored; words that only end like this are not found",
    "broken phrase": "{}: a phrase with a * in it is read as all of its words, in any order",
    "negated": "{}: part of this is read more widely, so more is excluded than the strategy "
    "excludes",
    "nowhere": "{}: ignored, because no field here holds this",
    "limit": "{}: ignored, because no source can be asked for this limit",
    "field": "{}",
    "type": "{}: there is no type of works as narrow as this; the words are looked for among "
    "keywords and subject headings",
    "wider type": "{}: read as a type that includes more",
    "date": "only the year of a date is searched ({})",
    "order": "{} without brackets are read in the order of {}; write brackets to be sure",
    "bare": "{}: a field applies to the word, phrase or bracket directly beside it, "
    "not to the words after OR",
    "frequency": "{}: sources cannot be asked how often a word occurs",
    "duplicates": "{}: ignored, because duplicates are always merged",
    "hits": "numbers of hits at the ends of lines are ignored ({})",
    "unused": "{}: not searched for, because the last line does not use it, directly or through "
    "other lines",
    "lower case": "{}: read as operators, because brackets, quotes or fields stand beside them; "
    "write operators in capitals",
    "word": "{}: read as words; write operators in capitals",
    "settings": "{}: settings of a database are ignored",
}
#: Kinds of what finds more than was asked for: behind a NOT it leaves out more.
_WIDER = frozenset({"near", "focus", "subheading", "wildcard", "broken phrase", "wider type"})
_SHOWN = 8


class Losses:
    """Gathers the losses of one text, each once.

    Attributes:
        widened: How often something was read more widely than it was meant.
    """

    def __init__(self) -> None:
        self.widened = 0
        self._concerned: dict[str, dict[str, None]] = {}

    def add(self, kind: str, of: str) -> None:
        """Note a loss: a key of `SENTENCES`, and the operator or words that it concerns."""
        self.widened += kind in _WIDER
        shown = " ".join(of[:60].split())
        self._concerned.setdefault(kind, {})[shown] = None

    def sentences(self) -> tuple[str, ...]:
        """Returns one sentence for each kind, in the order in which the kinds were added."""
        return tuple(self._sentence(kind, list(of)) for kind, of in self._concerned.items())

    @staticmethod
    def _sentence(kind: str, of: list[str]) -> str:
        if kind == "order":
            return SENTENCES[kind].format(*of[0].split("|"))
        more = f" and {len(of) - _SHOWN} more" if len(of) > _SHOWN else ""
        between = "; " if kind == "field" else ", "
        return SENTENCES[kind].format(between.join(of[:_SHOWN]) + more)


def kind_of(sentence: str) -> str:
    """Returns the kind of a sentence; "other" for one that is not made from `SENTENCES`."""
    for kind, template in SENTENCES.items():
        before, _, after = template.partition("{}")
        if before + after and sentence.startswith(before) and after.rpartition("{}")[2] in sentence:
            return kind
    return "other"
