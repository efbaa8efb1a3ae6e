"""Projects: what a person works on, with its strategies, runs, works and reports; and the answers
to questions of reports.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import log, removal
from metasearch.review.reports.questions import (
    BY_KEY,
    CHECKS,
    QUESTIONS,
    ReportQuestion,
    Value,
)
from metasearch.review.store import values as versions
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable, from_row, merge_entries
from metasearch.review.store.values import (
    clean_date,
    clean_text,
    now,
    uid,
)

#: A systematic review, a novelty search (查新), or neither.
Kind = Literal["review", "novelty", "plain"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Bounds, in characters and in projects.
LONGEST_NAME, LONGEST_TITLE, LONGEST_DETAILS, MOST_PROJECTS = 60, 500, 1_000_000, 10_000
#: Words of a title that a short name is made of, and characters of it.
_WORDS, _USUAL_NAME = 4, 40
#: A part of an address of the interface, which a project of this name would hide.
_RESERVED = frozenset({"import"})
#: In the log; and how many versions are looked back for what stood there.
_EDIT, _MOST_BACK = "edit project", 1_000
P = ParamSpec("P")
T = TypeVar("T")
#: What a project is called on the command line: letters of any language, digits, ".", "_", "-".
_NAME = re.compile(r"[^\W_][\w.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRow:
    """What the workspace has of a project itself.

    Attributes:
        id: Of its row.
        uid: Its name in addresses; it never changes.
        name: Its name on the command line.
        kind: One of `KINDS`.
        title: For people.
        details: What only a person knows: the answers to the questions of its reports.
        created: When it was made.
        archived: Whether it is archived.
        version: Larger after each change of title, details or `archived`.
    """

    id: int
    uid: str
    name: str
    kind: Kind
    title: str
    details: Mapping[str, Any]
    created: str
    archived: bool
    version: int

    def at(self, db: Database, by: str = "") -> Project:
        """The project in an open workspace file, for somebody."""
        row = {name: getattr(self, name) for name in ProjectRow.__dataclass_fields__}
        return Project(**row, db=db, by=by)

    def bind(
        self, function: Callable[Concatenate[Project, P], T], by: str = ""
    ) -> Callable[Concatenate[Database, P], T]:
        """A function of the project and of somebody, for the methods of `Workspace`, which give it
        the file of their thread.
        """

        def bound(db: Database, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return function(self.at(db, by), *args, **kwargs)

        return bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(ProjectRow):
    """A project in an open workspace file, and who acts on it: for the thread of this file alone.

    Attributes:
        db: The file.
        by: Uid of the user who acts; "" for the command line.
    """

    db: Database = field(repr=False, compare=False)
    by: str = field(default="", compare=False)

    def fresh(self) -> Project:
        """The same as it stands now. Raises UsageError: it is gone."""
        return find(self.db, self.uid).as_user(self.by)

    def as_user(self, by: str) -> Project:
        return replace(self, by=by)

    def log(self, action: str, object: str, before: Any, after: Any) -> int:  # noqa: A002
        """Add a line to the log of the project: see `log.write`."""
        return log.write(self.db, self.id, action, object, before, after, by=self.by)


PROJECTS = EditedTable(
    "project",
    Project,
    ("title", "archived", "details"),
    open="details",
    computed={"db": lambda db, _: db, "by": lambda *_: ""},
    option=orjson.OPT_SORT_KEYS,
)


def create(db: Database, name: str, kind: Kind, title: str = "", *, by: str = "") -> Project:
    """Make a project. `name`: "" for one that is made of the title. Raises UsageError: the name or
    the title cannot be used, or another project has the name.
    """
    if kind not in KINDS:
        raise UsageError(
            message("There is no kind of project {kind}", kind=repr(kind)),
            advice=message("There are {kinds}.", kinds=", ".join(KINDS)),
        )
    if name or not title:
        check_name(name)
    title = _title(title or name)
    with db.transaction():
        if db.value("SELECT count(*) FROM project") >= MOST_PROJECTS:
            raise UsageError(
                message("A workspace holds at most {most} projects", most=f"{MOST_PROJECTS:,}"),
                advice=message("Export and delete one first."),
            )
        name = name or free_name(db, name_of(title))
        # No name is the uid of another one: `find` would take the one for the other.
        if db.one("SELECT 1 FROM project WHERE name = ? OR uid = ?", name, name) is not None:
            raise UsageError(
                message("There is a project {name} already", name=repr(name)),
                advice=message("Choose another name."),
            )
        number = db.insert("project", uid=uid(), name=name, kind=kind, title=title, created=now())
        project = by_id(db, number).as_user(by)
        project.log("new project", "project", None, {"kind": kind, "title": title})
    return project


def check_name(name: str) -> None:
    """Check a name for a project or a strategy. Raises UsageError: it cannot be one."""
    if name in _RESERVED:
        raise UsageError(
            message("{name} cannot be a name", name=repr(name)),
            advice=message("Choose another name."),
        )
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UsageError(
            message("{name} cannot be a name", name=repr(name[:LONGEST_NAME])),
            advice=message(
                "A name has at most {most} letters, digits, '.', '_' and '-', and begins with a "
                "letter or digit.",
                most=LONGEST_NAME,
            ),
        )


def name_of(title: str) -> str:
    """A short name of the first words of a title."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", title[:LONGEST_TITLE]).lower())
    return "-".join(words[:_WORDS])[:_USUAL_NAME].rstrip("-") or "project"


def free_name(db: Database, name: str) -> str:
    """The name, with "-2", "-3" and so on behind it where a project has it already, or none can."""
    taken = {text for row in db.all("SELECT name, uid FROM project") for text in row} | _RESERVED
    found, number = name, 1
    while found in taken:
        number += 1
        end = f"-{number}"
        found = f"{name[: LONGEST_NAME - len(end)]}{end}"
    return found


def find(db: Database, name: str) -> Project:
    """The project with this name or uid. Raises UsageError: there is none."""
    where = "(name = ?1 OR uid = ?1) AND hidden = '' ORDER BY uid = ?1 DESC"
    if (found := PROJECTS.one(db, where, name)) is not None:
        return found
    names = [row["name"] for row in db.all("SELECT name FROM project WHERE hidden = ''")]
    near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3)
    raise UsageError(
        message("There is no project {name}", name=repr(name[:LONGEST_NAME])),
        advice=message("Did you mean {names}?", names=", ".join(near))
        if near
        else message("`metasearch project list` shows all; `metasearch project new` makes one."),
    )


def by_id(db: Database, number: int) -> Project:
    """The project of a row, which is there."""
    found = PROJECTS.one(db, "id = ?", number)
    assert found is not None
    return found


def every(db: Database) -> list[Project]:
    """All projects, the newest first; those that are archived last."""
    return PROJECTS.all(db, "hidden = '' ORDER BY archived, created DESC, id DESC")


def update(
    project: Project,
    *,
    title: str | None = None,
    details: Mapping[str, Any] | None = None,
    archived: bool | None = None,
    version: int | None = None,
) -> Project:
    """Change a project; what is None stays. `details` replaces the keys that it names, and removes
    those whose value is None. `version` is that of the project that the change was made with.
    Raises Conflict: it was changed since that version; UsageError: the title or the details cannot
    be used.
    """
    with project.db.transaction():
        old = project.fresh()
        new = replace(
            old,
            title=old.title if title is None else _title(title),
            details=merge_entries(old.details, details),
            archived=old.archived if archived is None else archived,
        )
        if len(orjson.dumps(new.details).decode()) > LONGEST_DETAILS:
            raise UsageError(message("The details of the project are too long"))
        text = message("The project was changed since you opened it")
        before, after = PROJECTS.changes(old, new, version, text)
        if not after:
            return old
        old.log(_EDIT, "project", before, after)
        return PROJECTS.save(old.db, old, new).as_user(old.by)


def details_at(project: Project, version: int) -> Mapping[str, Any] | None:
    """The details that a project had at an earlier version; None where the log does not tell.

    Each version but the first is that of one line of the log.
    """
    count = project.version - version
    if not 0 < count <= _MOST_BACK:
        return None
    lines = project.db.all(
        "SELECT before FROM change WHERE project = ? AND action = ? ORDER BY id DESC LIMIT ?",
        project.id,
        _EDIT,
        count,
    )
    if len(lines) < count:
        return None
    details = dict(project.details)
    for line in lines:
        details |= orjson.loads(line["before"])
    own = ("title", "archived")
    return {key: it for key, it in details.items() if it is not None and key not in own}


def delete(project: Project) -> None:
    """Remove a project with all that belongs to it: at once for all who look, its rows in portions
    between which others write.
    """
    removal.remove(project.db, project.id)


def _title(title: str) -> str:
    title = " ".join(title.split())
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        raise UsageError(
            message("{title} cannot be a title", title=repr(title[:80])),
            advice=message("A title has 1 to {most} characters.", most=LONGEST_TITLE),
        )
    return title


# How much a project holds, for lists of projects and its first page.


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The numbers of a project.

    Attributes:
        strategies, steps: What is searched for; steps that were removed are not counted.
        runs: Of all kinds, also those that were stopped.
        records: Versions of records that were fetched or imported.
        works: After merging.
        undecided: Works without a decision on title and abstract.
        reports: Those that are frozen.
        last_run: When the newest run began; None where there is none.
    """

    strategies: int
    steps: int
    runs: int
    records: int
    works: int
    undecided: int
    reports: int
    last_run: str | None


def overview_of(project: Project) -> Overview:
    row = project.db.one(
        """
        SELECT
            (SELECT count(*) FROM strategy WHERE project = ?1) AS strategies,
            (SELECT count(*) FROM step JOIN strategy ON strategy.id = step.strategy
             WHERE strategy.project = ?1 AND NOT step.removed) AS steps,
            (SELECT count(*) FROM run WHERE project = ?1) AS runs,
            (SELECT count(*) FROM record WHERE project = ?1) AS records,
            (SELECT count(*) FROM work WHERE project = ?1) AS works,
            (SELECT count(DISTINCT work.id) FROM decision JOIN work ON work.id = decision.work
             WHERE work.project = ?1 AND decision.stage = 'title' AND decision.by = '') AS decided,
            (SELECT count(*) FROM report WHERE project = ?1) AS reports,
            (SELECT max(started) FROM run WHERE project = ?1) AS last_run
        """,
        project.id,
    )
    assert row is not None
    return from_row(Overview, row, undecided=row["works"] - row["decided"])


# The answers to questions of reports: asked once, checked, and kept in `Project.details`. The
# tables of questions are in `review/reports/questions.py`; the command line and the pages make
# their forms from them.

#: Answers that one call gives; more cannot be a form.
MOST_ANSWERS = 500
#: What people type for yes and no.
_YES = frozenset(("yes", "true", "on", "1", "是", "有"))
_NO = frozenset(("no", "false", "off", "0", "否", "无"))


def questions(project: ProjectRow, report: str | None = None) -> list[ReportQuestion]:
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


def question(project: ProjectRow, key: str) -> ReportQuestion:
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


def answers(project: ProjectRow) -> dict[str, Value]:
    """Key of a question -> its answer, of the questions that have one."""
    found = {}
    for one in questions(project):
        kept = _stored_answer(project.details, one)
        if kept is not None:
            found[one.key] = tuple(kept) if isinstance(kept, list) else kept
    return found


def answer(
    project: Project, values: Mapping[str, object], *, version: int | None = None
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
    with project.db.transaction():
        project = project.fresh()
        then = _answers_at(project, version)
        values = _changes_of(values, project, then)
        changed: dict[str, dict[str, Any]] = {}
        # A list comes before the questions of its items: both may be in one form.
        for key in sorted(values, key=lambda key: key not in BY_KEY):
            now = replace(project, details={**project.details, **changed})
            asked = question(now, key)
            place = changed.setdefault(
                asked.namespace, dict(project.details.get(asked.namespace) or {})
            )
            kept = check_answer(asked, values[key])
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
        return update(project, details={name: kept or None for name, kept in changed.items()})


def _answers_at(project: Project, version: int | None) -> dict[str, Value] | None:
    """The answers that stood at a version; None where it stands, or is unknown."""
    kept = None if version is None else details_at(project, version)
    return None if kept is None else answers(replace(project, details=kept))


def _changes_of(
    values: Mapping[str, object], project: ProjectRow, then: Mapping[str, Value] | None
) -> Mapping[str, object]:
    """The answers without those that are as they were: a form has all, and few were changed."""
    if then is None:
        return values
    meant = {}
    for key, value in values.items():
        try:
            same = check_answer(question(project, key), value) == then.get(key)
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
            if plain is not None and check_answer(plain, value) != value:
                raise _wrong(plain, message("it is not as it is kept"))


def open_questions(project: ProjectRow, report: str) -> list[ReportQuestion]:
    """The questions without an answer that a report requires, in the order of forms."""
    given = answers(project)
    return [
        one for one in questions(project, report) if report in one.required and one.key not in given
    ]


def check_answer(asked: ReportQuestion, value: object) -> Value | None:
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
            return tuple(dict.fromkeys(_choice(asked, text) for text in chosen)) or None
    if value is None:
        return None
    text = _printable(asked, value)
    if not text:
        return None
    match asked.kind:
        case "choice":
            return _choice(asked, text)
        case "date":
            return _date(asked, text)
    return text


def _for_items(plain: ReportQuestion, project: ProjectRow) -> Iterator[ReportQuestion]:
    """The question itself, or one for each item of its list."""
    if not plain.each:
        yield plain
        return
    items = _stored_answer(project.details, BY_KEY[plain.each])
    for number, item in enumerate(items or (), 1):
        yield replace(
            plain,
            key=f"{plain.key}.{number}",
            label=message(plain.label, number=number),
            number=number,
            item=item,
        )


def _stored_answer(details: Mapping[str, Any], asked: ReportQuestion) -> Any:
    """The answer that is kept; None for none, or for one of a kind never kept."""
    place = details.get(asked.namespace)
    kept = place.get(asked.name) if isinstance(place, Mapping) else None
    if asked.kind == "yes-no":
        return kept if isinstance(kept, bool) else None
    if asked.kind == "list" or asked.several:
        texts = isinstance(kept, (list, tuple)) and all(isinstance(text, str) for text in kept)
        return kept if texts else None
    return kept if isinstance(kept, str) else None


def _check_items(project: ProjectRow, asked: ReportQuestion, kept: Value | None) -> None:
    """Check that no item goes for which there are answers: they would belong to nothing."""
    count = len(kept) if isinstance(kept, tuple) else 0
    for one in questions(project):
        if one.each == asked.key and one.number is not None and one.number > count:
            if _stored_answer(project.details, one) is None:
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


def _yes_or_no(asked: ReportQuestion, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    text = value.strip().casefold() if isinstance(value, str) else repr(value)
    if not text:
        return None
    if text in _YES | _NO:
        return text in _YES
    raise _wrong(asked, message("it is neither yes nor no"))


def _items(asked: ReportQuestion, value: object) -> tuple[str, ...]:
    items = tuple(_texts(asked, value, "\n"))
    if len(items) > asked.most:
        raise _wrong(asked, message("it has more than {most} items", most=asked.most))
    return items


def _texts(asked: ReportQuestion, value: object, separator: str) -> list[str]:
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


def _printable(asked: ReportQuestion, text: object) -> str:
    try:
        return clean_text(text, asked.longest, lines=asked.kind == "long text")
    except UsageError as exc:
        raise _wrong(asked, exc.message) from exc


def _choice(asked: ReportQuestion, text: str) -> str:
    keys = [choice.key for choice in asked.choices]
    if text in keys:
        return text
    raise _wrong(asked, message("{value} is none of {keys}", value=text[:40], keys=", ".join(keys)))


def _date(asked: ReportQuestion, text: str) -> str:
    try:
        return clean_date(text)
    except UsageError as exc:
        raise _wrong(asked, exc.message) from exc


def _wrong(asked: ReportQuestion, reason: str) -> UsageError:
    return UsageError(
        message("The answer to {key} cannot be kept: {reason}", key=asked.key, reason=reason),
        advice=message(asked.help or asked.label),
    )
