"""What a question in plain words asks databases for.

Assistants often pass on a person's question as it is. Half of the databases look for every word of
it, "which" and "does" among them, and find nothing. So a question is searched for by the words that
carry it; and where no work has all of them, by any of them.
"""

from __future__ import annotations

import re

from metasearch.bib.normalise import CJK
from metasearch.listing.words import STOP_WORDS
from metasearch.query.ast import Or, Query, Term
from metasearch.query.identifiers import identifier_field

#: Words by which people ask, and by which they name what they ask for.
_OF_QUESTIONS = frozenset(
    "about am any been between could did find found give had he her his i know known look "
    "looking me my one our please research say says search she should show some tell than "
    "them there's us we were what's when where whether who whom whose why work would written wrote "
    "you your article articles book books literature paper papers publication publications "
    "study studies study's".split()
)
_LEFT_OUT = STOP_WORDS | _OF_QUESTIONS
#: What makes a question or a wish of words.
_asks = re.compile(
    r"(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|has|"
    r"have|should|find|show|give|tell|search|list|i)\b",
    re.IGNORECASE,
)
#: Signs and words of a query, which is searched for as it is.
_is_query = re.compile(r'["“”()\[\]{}*|=<>^~]|\b[A-Za-z]+:\S|(?:^|\s)(?:AND|OR|NOT)(?:\s|$)')
_word = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_chinese_asking = re.compile(
    "为什么|為什麼|什么|什麼|如何|怎样|怎樣|怎么样|怎么|有哪些|哪些|哪个|是否|有没有|请问|关于|[吗呢的]"
)
#: Words of a question that are looked for.
_MOST_WORDS = 20


def words_of(text: str) -> list[str]:
    """The words that carry a question, in their order; [] for what is a query or no question.

    >>> words_of("Does drinking coffee change the risk of breast cancer?")
    ['drinking', 'coffee', 'change', 'risk', 'breast', 'cancer']
    >>> words_of("title:coffee AND cancer")
    []
    """
    if _is_query.search(text) or identifier_field(text.strip()):
        return []
    if CJK.search(text):
        text, changed = _chinese_asking.subn(" ", text)
        asks = changed > 0
    else:
        asks = "?" in text or _asks.match(text.strip()) is not None
    if not asks:
        return []
    words = [word for word in _word.findall(text) if word.lower() not in _LEFT_OUT]
    return list(dict.fromkeys(words))[:_MOST_WORDS]


def plain_words(text: str) -> list[str]:
    """All words of a text that is neither a query nor a question; [] for a query."""
    if _is_query.search(text) or identifier_field(text.strip()):
        return []
    words = [word for word in _word.findall(text) if word.lower() not in STOP_WORDS]
    return list(dict.fromkeys(words))[:_MOST_WORDS]


def any_of(words: list[str]) -> Query:
    """The query for works with at least one of the words, of which there are two or more."""
    return Or(tuple(Term(word) for word in words))
