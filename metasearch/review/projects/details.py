"""The answers to questions of reports: asked once, checked, and kept in `Project.details`.

The tables of questions are in `metasearch/workspace/questions/`; the command line and the pages
make their forms from them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports.questions import BY_KEY, CHECKS, QUESTIONS, Question, Value
from metasearch.review.store import values as versions
from metasearch.review.store.database import Database
from metasearch.review.store.values import checked_date, checked_text

#: Answers that one call gives; more cannot be a form.
MOST_ANSWERS = 500
#: What people type for yes and no.
_YES = frozenset(("yes", "true", "on", "1", "是", "有"))
_NO = frozenset(("no", "false", "off", "0", "否", "无"))


def questions(project: Project, report: str | None = None) -> list[Question]:
    """The questions of a project, in the order of forms; those of each item of a list come once for
    every item that there is.

    `report`: a kind of report: the questions whose answers it prints. All where None.
    """
    return [
        question
        for plain in QUESTIONS
        if report is None or report in plain.reports
        for question in _for_items(plain, project)
    ]


def question(project: Project, key: str) -> Question:
    """The question with a key. Raises UsageError: there is none; the advice has near keys."""
    known = {one.key: one for one in questions(project)}
    if key in known:
        return known[key]
    near = difflib.get_close_matches(key[:100], list(known), n=3)
    raise UsageError(
        message("There is no question {key}", key=repr(key[:100])),
        advice=message("Did you mean {names}?", names=", ".join(near))
        if near
        else message("`metasearch project questions` lists all."),
    )


def answers(project: Project) -> dict[str, Value]:
    """Key of a question -> its answer, of the questions that have one."""
    found = {}
    for one in questions(project):
        kept = _kept(project.details, one)
        if kept is not None:
            found[one.key] = tuple(kept) if isinstance(kept, list) else kept
    return found


def answer(
    db: Database,
    project: Project,
    values: Mapping[str, object],
    *,
    version: int | None = None,
    by: str = "",
) -> Project:
    """Keep answers; all of them, or none where one cannot be kept.

    `values`: key of a question -> its answer, as `Value` or as a person types it: a list as lines,
    "yes" or "no", several choices with commas. None, and what is empty, removes the answer.
    `version`: of the project that the answers were made with. Those that are as they were then are
    left as others have made them since. Raises Conflict: an answer was changed since that version,
    and is another one here; UsageError: a key or an answer cannot be used, or an item of a list
    would be removed for which there are answers.
    """
    if len(values) > MOST_ANSWERS:
        raise UsageError(message("More than {most} answers at once", most=MOST_ANSWERS))
    with db.transaction():
        project = projects.find(db, project.uid)
        then = _answers_at(db, project, version)
        values = _meant(values, project, then)
        changed: dict[str, dict[str, Any]] = {}
        # A list comes before the questions of its items: both may be in one form.
        for key in sorted(values, key=lambda key: key not in BY_KEY):
            now = replace(project, details={**project.details, **changed})
            asked = question(now, key)
            place = changed.setdefault(
                asked.namespace, dict(project.details.get(asked.namespace) or {})
            )
            kept = checked(asked, values[key])
            if asked.kind == "list":
                _check_items(now, asked, kept)
            if kept is None:
                place.pop(asked.name, None)
            else:
                place[asked.name] = kept
        whole = answers(replace(project, details={**project.details, **changed}))
        before = answers(project)
        given = {key: whole.get(key) for key in values if whole.get(key) != before.get(key)}
        if then is None or any(before.get(key) != then.get(key) for key in given):
            versions.check_version(
                version,
                project.version,
                message("The project was changed since you opened it"),
                given,
                {key: before.get(key) for key in given},
            )
        for namespace in changed:
            if namespace in CHECKS:
                CHECKS[namespace](whole)
        return projects.update(
            db, project, details={name: kept or None for name, kept in changed.items()}, by=by
        )


def _answers_at(db: Database, project: Project, version: int | None) -> dict[str, Value] | None:
    """The answers that stood at a version; None where it stands, or is unknown."""
    kept = None if version is None else projects.details_at(db, project, version)
    return None if kept is None else answers(replace(project, details=kept))


def _meant(
    values: Mapping[str, object], project: Project, then: Mapping[str, Value] | None
) -> Mapping[str, object]:
    """The answers without those that are as they were: a form has all, and few were changed."""
    if then is None:
        return values
    meant = {}
    for key, value in values.items():
        try:
            same = checked(question(project, key), value) == then.get(key)
        except UsageError:  # which is told later
            same = False
        if not same:
            meant[key] = value
    return meant


def check(details: Mapping[str, Any]) -> None:
    """Check the details of a project that come from elsewhere: an archive. Raises UsageError: a
    namespace is no table, or an answer in it is not of its question's kind or not in the form in
    which it is kept.
    """
    for namespace in {plain.namespace for plain in QUESTIONS}:
        answered = details.get(namespace, {})
        if not isinstance(answered, Mapping):
            raise UsageError(message("{name} is no table of answers", name=namespace))
        for name, kept in answered.items():
            plain = BY_KEY.get(f"{namespace}.{name}") or BY_KEY.get(
                f"{namespace}.{name.rpartition('.')[0]}"
            )
            value = tuple(kept) if isinstance(kept, list) else kept
            if plain is not None and checked(plain, value) != value:
                raise _wrong(plain, message("it is not as it is kept"))


def missing(project: Project, report: str) -> list[Question]:
    """The questions without an answer that a report requires, in the order of forms."""
    given = answers(project)
    return [
        one for one in questions(project, report) if report in one.required and one.key not in given
    ]


def checked(asked: Question, value: object) -> Value | None:
    """An answer in the form in which it is kept; None for an empty one. Raises UsageError: it is
    not of the kind of the question, or too long.
    """
    match asked.kind:
        case "yes-no":
            return _yes_or_no(asked, value)
        case "list":
            return _items(asked, value) or None
        case "choice" if asked.several:
            chosen = _texts(asked, value, ",")
            return tuple(dict.fromkeys(_chosen(asked, text) for text in chosen)) or None
    if value is None:
        return None
    text = _printable(asked, value)
    if not text:
        return None
    match asked.kind:
        case "choice":
            return _chosen(asked, text)
        case "date":
            return _date(asked, text)
    return text


def _for_items(plain: Question, project: Project) -> Iterator[Question]:
    """The question itself, or one for each item of its list."""
    if not plain.each:
        yield plain
        return
    items = _kept(project.details, BY_KEY[plain.each])
    for number, item in enumerate(items or (), 1):
        yield replace(
            plain,
            key=f"{plain.key}.{number}",
            label=message(plain.label, number=number),
            number=number,
            item=item,
        )


def _kept(details: Mapping[str, Any], asked: Question) -> Any:
    """The answer that is kept; None for none, or for one of a kind never kept."""
    place = details.get(asked.namespace)
    kept = place.get(asked.name) if isinstance(place, Mapping) else None
    if asked.kind == "yes-no":
        return kept if isinstance(kept, bool) else None
    if asked.kind == "list" or asked.several:
        texts = isinstance(kept, (list, tuple)) and all(isinstance(text, str) for text in kept)
        return kept if texts else None
    return kept if isinstance(kept, str) else None


def _check_items(project: Project, asked: Question, kept: Value | None) -> None:
    """Check that no item goes for which there are answers: they would belong to nothing."""
    count = len(kept) if isinstance(kept, tuple) else 0
    for one in questions(project):
        if one.each == asked.key and one.number is not None and one.number > count:
            if _kept(project.details, one) is None:
                continue
            raise UsageError(
                message(
                    "Item {number} of {key} has answers: {other}",
                    number=one.number,
                    key=asked.key,
                    other=one.key,
                ),
                advice=message("Empty {other} first, or keep the item.", other=one.key),
            )


def _yes_or_no(asked: Question, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    text = value.strip().casefold() if isinstance(value, str) else repr(value)
    if not text:
        return None
    if text in _YES | _NO:
        return text in _YES
    raise _wrong(asked, message("it is neither yes nor no"))


def _items(asked: Question, value: object) -> tuple[str, ...]:
    items = tuple(_texts(asked, value, "\n"))
    if len(items) > asked.most:
        raise _wrong(asked, message("it has more than {most} items", most=asked.most))
    return items


def _texts(asked: Question, value: object, separator: str) -> list[str]:
    """The texts of a list, or of a text with separators; empty ones are left out."""
    if value is None:
        return []
    if isinstance(value, str):
        # A text is no longer than all of its items may be.
        if len(value) > (asked.longest + 1) * asked.most:
            raise _wrong(asked, message("it is too long"))
        value = value.split(separator)
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise _wrong(asked, message("it is not a list of texts"))
    return [kept for text in value if (kept := _printable(asked, text))]


def _printable(asked: Question, text: object) -> str:
    try:
        return checked_text(text, asked.longest, lines=asked.kind == "long text")
    except UsageError as exc:
        raise _wrong(asked, exc.message) from exc


def _chosen(asked: Question, text: str) -> str:
    keys = [choice.key for choice in asked.choices]
    if text in keys:
        return text
    raise _wrong(asked, message("{value} is none of {keys}", value=text[:40], keys=", ".join(keys)))


def _date(asked: Question, text: str) -> str:
    try:
        return checked_date(text)
    except UsageError as exc:
        raise _wrong(asked, exc.message) from exc


def _wrong(asked: Question, reason: str) -> UsageError:
    return UsageError(
        message("The answer to {key} cannot be kept: {reason}", key=asked.key, reason=reason),
        advice=message(asked.help or asked.label),
    )
