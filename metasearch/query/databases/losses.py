"""What is told of a strategy that the tree does not say as exactly: one sentence a kind, with what
it is said of.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Kind -> the sentence; `{}` stands for the operators or words that it is said of.
SENTENCES: Mapping[str, str] = {
    "near": "{}: how near words stand to one another cannot be asked: they are joined with AND",
    "heading": "{}: headings are looked for among keywords and subject headings",
    "explosion": "{}: narrower headings are not added",
    "focus": "{}: that a heading is the main topic cannot be asked",
    "subheading": "{}: subheadings cannot be asked: the heading is looked for without them",
    "wildcard": "{}: a sign for some letters is read as any ending",
    "beginning": "{}: a sign before a word is passed over: words that only end so are not found",
    "broken phrase": "{}: a phrase with a * in it is read as all of its words, in any order",
    "negated": "{}: what is read more widely there leaves out more than the strategy does",
    "nowhere": "{}: passed over, for nothing here holds that",
    "limit": "{}: a limit that no source can be asked for is passed over",
    "field": "{}",
    "type": "{}: no type of works here is so narrow: it is looked for among keywords and subject "
    "headings",
    "wider type": "{}: read as a type that holds more",
    "date": "of a date only the year can be asked ({})",
    "order": "{} without brackets: read in the order that {} has; write brackets to be sure",
    "bare": "{}: a field holds for the word, phrase or bracket that it stands at, not for what OR "
    "adds",
    "frequency": "{}: how often a word occurs cannot be asked",
    "duplicates": "{}: duplicates are merged in any case",
    "hits": "numbers of hits at the ends of lines are passed over ({})",
    "unused": "{}: no other line that counts leads there, so it is not searched for",
    "lower case": "{}: read as operators, for brackets, quotes or fields stand beside them; write "
    "them in capitals",
    "word": "{}: read as words; write them in capitals for operators",
    "settings": "{}: settings of a database are passed over",
}
#: Kinds of what finds more than was asked for: behind a NOT it leaves out more.
_WIDER = frozenset({"near", "focus", "subheading", "wildcard", "broken phrase", "wider type"})
_SHOWN = 8


class Telling:
    """Gathers what is told, each thing once.

    Attributes:
        widened: How often something was read more widely than it was meant.
    """

    def __init__(self) -> None:
        self.widened = 0
        self._said: dict[str, dict[str, None]] = {}

    def tell(self, kind: str, of: str) -> None:
        """Say one of `SENTENCES` of an operator or word."""
        self.widened += kind in _WIDER
        shown = " ".join(of[:60].split())
        self._said.setdefault(kind, {})[shown] = None

    def sentences(self) -> tuple[str, ...]:
        """One for each kind, in the order in which they came up."""
        return tuple(self._sentence(kind, list(of)) for kind, of in self._said.items())

    @staticmethod
    def _sentence(kind: str, of: list[str]) -> str:
        if kind == "order":
            return SENTENCES[kind].format(*of[0].split("|"))
        more = f" and {len(of) - _SHOWN} more" if len(of) > _SHOWN else ""
        between = "; " if kind == "field" else ", "
        return SENTENCES[kind].format(between.join(of[:_SHOWN]) + more)


def kind_of(sentence: str) -> str:
    """The kind of a sentence that was told; "other" for one that is none of `SENTENCES`."""
    for kind, template in SENTENCES.items():
        before, _, after = template.partition("{}")
        if before + after and sentence.startswith(before) and after.rpartition("{}")[2] in sentence:
            return kind
    return "other"
