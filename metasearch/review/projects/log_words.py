"""What a line of the log says, in words for a reader of its page. The JSON as it was written is in
`metasearch project log --json`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from metasearch.formats.text import line
from metasearch.language import ReaderLanguage
from metasearch.message import message, message_n
from metasearch.review.page import STAGE_WORDS, decision_words, value_words
from metasearch.review.reports.questions import QUESTIONS
from metasearch.review.reports.reports import KINDS
from metasearch.server.pages.environment import N_, VERDICT_WORDS

#: Characters of a text, and entries of a list, that the page shows.
_LONGEST, _MOST = 300, 6
#: Member of a line -> its name. Others are of use to programs alone, such as digests.
_MEMBERS: Mapping[str, str] = {
    "name": N_("Name"),
    "title": N_("Title"),
    "archived": N_("Archived"),
    "text": N_("Query or combination"),
    "sources": N_("Databases"),
    "years": N_("Years"),
    "file": N_("File"),
    "searched": N_("Searched on"),
    "records": N_("Records"),
    "identified": N_("Found"),
    "excluded": N_("Excluded"),
    "how": N_("How"),
    "date": N_("Date"),
    "note": N_("Note"),
    "role": N_("Role"),
}
#: Members with what people have answered to the questions of reports.
_ANSWERS = frozenset(question.namespace for question in QUESTIONS)
_OF = re.compile(r"(strategy|step|report|stage):([^/]+)(?:/(.+))?")


def object_words(language: ReaderLanguage, about: str) -> str:
    """What a line is about; "" where the name of the change says it."""
    if (found := _OF.fullmatch(about)) is None:
        return ""
    match found[1]:
        case "strategy":
            return language.phrase("strategy {number}", number=found[2])
        case "step":
            return language.phrase(
                "step {step} of strategy {number}", step=found[3] or "", number=found[2]
            )
        case "report":
            label = KINDS[found[2]].label if found[2] in KINDS else found[2]
            return f"{language.phrase(label)} {found[3] or ''}"
        case "stage":
            return language.phrase(STAGE_WORDS.get(found[2], found[2]))
    return ""


def value_text(language: ReaderLanguage, value: Any, kind: str, labels: Mapping[str, str]) -> str:
    """What stood there before or after, in words. `kind`: of the project. `labels`: name of a
    source -> its name for people.
    """
    text = language.phrase("; ").join(filter(None, _parts(language, value, kind, labels)))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _parts(
    language: ReaderLanguage, value: Any, kind: str, labels: Mapping[str, str]
) -> Iterator[str]:
    match value:
        case {"works": dict() as works, **rest}:
            if stage := STAGE_WORDS.get(str(rest.get("stage"))):
                yield language.phrase(stage)
            yield from _decisions(language, works, kind)
        case {"a": str() as one, "b": str() as other, "verdict": str() as verdict}:
            both = language.phrase(", ").join((one, other))
            yield _labelled(language, language.phrase(VERDICT_WORDS.get(verdict, verdict)), both)
        case dict():
            for name, label in _MEMBERS.items():
                if (said := _member(language, value.get(name), labels)) != "":
                    yield _labelled(language, language.phrase(label), said)
            for name, works in value.items():
                if name not in _MEMBERS and _are_texts(works) and works:  # a tag of works
                    count = len(works)
                    number = message_n("{count} work", "{count} works", count)
                    yield f"{line(name)} ({language.phrase(number)})"
                elif name in _ANSWERS and isinstance(works, dict):
                    number = message_n("{count} answer", "{count} answers", len(works))
                    yield language.phrase(number)
        case list():
            yield _list(language, value, labels)
        case str():
            yield line(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _decisions(language: ReaderLanguage, works: Mapping[str, Any], kind: str) -> Iterator[str]:
    """Of each decision how many works have it; of notes what they say."""
    words = decision_words(kind)
    counted: Counter[str] = Counter()
    for said in works.values():
        match said:
            case None:
                counted[language.phrase(words["undecided"])] += 1
            case [str() as verdict, str() as reason, *_]:
                shown = language.phrase(words.get(verdict, verdict))
                counted[f"{shown} ({line(reason)})" if reason else shown] += 1
            case str() if said:
                counted[line(said)] += 1
    for text, count in islice(counted.items(), _MOST):
        number = language.phrase(message_n("{count} work", "{count} works", count))
        yield _labelled(language, number, text)
    if len(counted) > _MOST:
        yield language.phrase(message("{count} more", count=len(counted) - _MOST))


def _labelled(language: ReaderLanguage, label: str, text: str) -> str:
    return language.phrase("{label}: {text}", label=label, text=text)


def _member(language: ReaderLanguage, value: Any, labels: Mapping[str, str]) -> str:
    match value:
        case None | "" | [] | {}:
            return ""
        case list():
            return _list(language, value, labels)
        case dict():
            said = (f"{line(str(name))} {one}" for name, one in value.items())
            return language.phrase(", ").join(islice(said, _MOST))
        case bool():
            return value_words(value, language)
        case int():
            return language.number(value)
    return line(str(value))


def _list(language: ReaderLanguage, value: list[Any], labels: Mapping[str, str]) -> str:
    shown = [line(labels.get(str(one), str(one))) for one in value[:_MOST]]
    if len(value) > _MOST:
        shown.append(language.phrase(message("{count} more", count=len(value) - _MOST)))
    return language.phrase(", ").join(shown)
