"""What a check of references found, as JSON and as lines of a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from metasearch.engine.lookup import LookedUp, SourceOutcome, WorkState
from metasearch.formats.answer import answer_object, hit_object
from metasearch.formats.text import clean, line
from metasearch.message import Message, TextList, join_texts, message
from metasearch.record import Hit
from metasearch.references.check import VERDICTS, CheckedReference
from metasearch.references.compare import Difference

#: Verdict -> what it is called in a report.
LABELS = {
    "retracted": "retracted",
    "differs": "differs",
    "another-version": "another version exists",
    "not-found": "not found",
    "unchecked": "could not be checked",
    "confirmed": "confirmed",
}


def with_labels(text: str, labels: Mapping[str, str]) -> str:
    """A reason or the `why` of a difference, with what people call databases (name -> label)."""
    values = dict(text.values) if isinstance(text, Message) else {}
    source, sources = values.get("source"), values.get("sources")
    if isinstance(source, str):
        values["source"] = labels.get(source, source)
    elif isinstance(sources, TextList):
        values["sources"] = join_texts(", ", (labels.get(name, name) for name in sources.parts))
    else:
        return text
    return message(text.template, **values)  # type: ignore[attr-defined]


def outcome_object(outcome: SourceOutcome) -> dict[str, Any]:
    return {
        "source": outcome.source,
        "status": outcome.status,
        "by": list(outcome.fields),
        "error": clean(str(outcome.error)) if outcome.error else None,
    }


def difference_object(difference: Difference) -> dict[str, Any]:
    return {
        "field": difference.field,
        "written": clean(difference.written),
        "found": clean(difference.found),
        "source": difference.source,
        "serious": difference.serious,
        "why": clean(str(difference.why)),
    }


def reference_object(checked: CheckedReference) -> dict[str, Any]:
    """One reference with its verdict and the evidence."""
    return {
        "key": clean(checked.reference.key),
        "verdict": checked.verdict,
        "serious": checked.serious,
        "title": clean(checked.reference.record.title),
        "text": clean(checked.reference.text),
        "reason": clean(str(checked.reason)),
        "differences": [difference_object(each) for each in checked.differences],
        "hit": hit_object(checked.hit) if checked.hit else None,
        "asked": [outcome_object(outcome) for outcome in checked.asked],
    }


def counts_object(checked: Iterable[CheckedReference]) -> dict[str, int]:
    """How many there are of each verdict, in all, and serious ones."""
    listed = list(checked)
    verdicts = Counter(each.verdict for each in listed)
    return {
        "references": len(listed),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "serious": sum(each.serious for each in listed),
    }


def check_object(checked: Sequence[CheckedReference], *, requests: int) -> dict[str, Any]:
    """A whole list: its references in order, and how many there are of each verdict."""
    return {
        "references": [reference_object(each) for each in checked],
        "counts": counts_object(checked),
        "requests": requests,
    }


def lookup_object(found: LookedUp, *, requests: int) -> dict[str, Any]:
    """A list that was looked up: as the answer to a search, and what no database gave."""
    return answer_object(found.answer) | {
        "works": {clean(key): name for key, name in found.hits.items()},
        "missing": [missing_object(state) for state in found.missing],
        "requests": requests,
    }


def work_object(state: WorkState, hit: Hit | None) -> dict[str, Any]:
    """One work of a list that is looked up, with its hit or as `missing_object`."""
    if hit is None:
        return missing_object(state) | {"hit": None}
    asked = [outcome_object(outcome) for outcome in state.asked.values()]
    return {"key": clean(state.work.key), "status": "found", "asked": asked, "hit": hit_object(hit)}


def missing_object(state: WorkState) -> dict[str, Any]:
    """A work without a hit: "unchecked" where a database failed that may know it."""
    record, outcomes = state.work.record, state.asked.values()
    failed = not outcomes or any(outcome.status == "failed" for outcome in outcomes)
    return {
        "key": clean(state.work.key),
        "title": clean(record.title),
        "doi": record.doi,
        "ids": dict(record.ids),
        "isbn": list(record.isbn),
        "status": "unchecked" if failed else "not-found",
        "asked": [outcome_object(outcome) for outcome in outcomes],
    }


def name_of_missing(missing: Mapping[str, Any]) -> str:
    """What people call a work without a hit: its title, or its identifiers."""
    numbers = [f"{scheme} {value}" for scheme, value in missing["ids"].items()]
    numbers += [f"ISBN {number}" for number in missing["isbn"]]
    return line(missing["title"] or missing["doi"] or ", ".join(numbers))


def severity(checked: CheckedReference) -> int:
    """The place of a reference in a report: what is serious first, what is confirmed last."""
    return 0 if checked.serious else 1 + list(LABELS).index(checked.verdict)


def sentence(difference: Difference) -> str:
    """What differs; of a number also which one, for databases tell it alone."""
    why = line(str(difference.why))
    if difference.field in ("volume", "issue", "pages"):
        return f"{difference.field} {line(difference.written)}: {why}"
    return why


def text_lines(checked: Iterable[CheckedReference]) -> Iterator[str]:
    """The report of a terminal, the worst first; of what is confirmed the key alone."""
    for each in sorted(checked, key=severity):
        label = LABELS[each.verdict] + (", serious" if each.serious else "")
        yield line(f"{each.reference.key}: {label}")
        if each.verdict == "confirmed":
            continue
        if title := each.reference.record.title or each.reference.text:
            yield f"    {line(title)[:200]}"
        for difference in each.differences:
            yield f"    {sentence(difference)}"
        if each.reason:
            yield f"    {line(str(each.reason))}"
