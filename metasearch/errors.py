"""Everything that can go wrong, as one tree.

    MetasearchError
    ├── UsageError           what the user asked cannot be done as written      HTTP 400, exit 2
    │   ├── QuerySyntaxError     position, length, suggestion, syntax
    │   ├── Conflict             yours, theirs, version: changed meanwhile      HTTP 409
    │   ├── RunClash             kind: another run is under way, or this has ended HTTP 409
    │   ├── QuotaExceeded        kind, limit, retry_after: of a user            HTTP 429
    │   ├── Busy                 too much is under way                          HTTP 503
    │   ├── UnknownSource        near_misses
    │   ├── SettingsError        file, problems
    │   ├── PinsError            file, problems
    │   ├── FileFormatError      file
    │   └── CollectionError           file, reason
    ├── WorkspaceError       file, reason: it cannot be used now              HTTP 503, 507, exit 2
    ├── SpecError            an adapter spec is wrong: file, all problems       start-up fails
    ├── FormatError          a file or body that a format cannot write or read
    ├── SourceError          one database: becomes a status, never ends a search
    │   ├── Unreachable          retried while the deadline allows
    │   │   ├── ConnectFailed
    │   │   ├── TimedOut
    │   │   └── ServerFault          status
    │   ├── Refused              the source is left alone for a while
    │   │   ├── RateLimited          retry_after
    │   │   ├── AccessDenied         env_name
    │   │   ├── KeyMissing           env_name: nothing was sent
    │   │   └── Blocked              a bot wall where an answer should be
    │   ├── BadAnswer            told loudly: the site has changed, or lies
    │   │   ├── NotParsable          body_start
    │   │   ├── TooLarge             limit
    │   │   ├── Drifted              field, share
    │   │   └── SourceSaysError      the body itself reports an error
    │   ├── NotRead              our own lateness: nothing is wrong with the database
    │   ├── NotAllowed           our own guards refuse the request or its redirect
    │   ├── NotRecorded          a replay that lacks this answer: folder
    │   ├── CannotAsk            the query cannot be put to this source: clause
    │   └── SwitchedOff          the administrator of a server has switched it off for all
    └── CacheError           logged once; the search goes on without the cache

Each error carries facts as attributes, a sentence of `advice` that says what to do next, and the
HTTP status that the server answers with. Nothing parses a message. No message ever holds a
secret: the URLs in them are redacted where the request is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from metasearch.message import message


class MetasearchError(Exception):
    """Root of the tree.

    Attributes:
        message: What happened. It and `advice` are a `metasearch.message.Message` where they can be
            translated; str() of the error is the same object.
        advice: One sentence that says what the reader can do next; may be empty.
        status: The HTTP status of a server's answer.
    """

    status = 500
    advice = ""

    def __init__(self, text: str, *, advice: str | None = None) -> None:
        super().__init__(text)
        self.message = text
        if advice is not None:
            self.advice = advice

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        # An error is sent to another process. `args` holds the message alone, but most classes are
        # made of other values.
        return _again, (type(self), self.args), self.__dict__


def _again(kind: type[MetasearchError], args: tuple[object, ...]) -> MetasearchError:
    return kind.__new__(kind, *args)


def _problem_list(file: str, problems: Sequence[str]) -> str:
    head = f"{file}: {len(problems)} problem{'' if len(problems) == 1 else 's'}"
    return "\n".join([head, *(f"  {problem}" for problem in problems)])


class UsageError(MetasearchError):
    """The request as written cannot be carried out."""

    status = 400


class Conflict(UsageError):
    """Somebody else has changed the same since it was read; nothing was changed now.

    Attributes:
        yours: Name -> what was sent.
        theirs: Name -> what stands now; None where nothing does.
        version: The version of what stands now, with which it can be sent again; None where
            nothing does.
    """

    status = 409
    advice = message(
        "Compare both; then send yours again with the version that stands now, or leave it."
    )

    def __init__(
        self,
        text: str,
        *,
        yours: Mapping[str, Any],
        theirs: Mapping[str, Any] | None,
        version: int | None,
    ) -> None:
        super().__init__(text)
        self.yours = dict(yours)
        self.theirs = None if theirs is None else dict(theirs)
        self.version = version


class RunClash(UsageError):
    """Another run of the project is under way, or the run is not in a state for what was asked.

    Attributes:
        kind: "running" or "not-running".
    """

    status = 409

    def __init__(self, text: str, *, kind: str, advice: str) -> None:
        super().__init__(text, advice=advice)
        self.kind = kind


class QuotaExceeded(UsageError):
    """A user has taken all that a user may.

    Attributes:
        kind: Of the quota.
        limit: How much a user may take.
        retry_after: Seconds until it begins anew; None for what does not.
    """

    status = 429

    def __init__(
        self,
        text: str,
        *,
        kind: str,
        limit: int,
        retry_after: int | None = None,
        advice: str | None = None,
    ) -> None:
        super().__init__(text, advice=advice)
        self.kind = kind
        self.limit = limit
        self.retry_after = retry_after


class Busy(UsageError):
    """So much of the same is under way that no more is begun now."""

    status = 503
    advice = message("Try again in a moment.")


#: What is wrong with a query, as far as its reader tells it apart; "syntax" is everything else.
QueryFault = Literal[
    "syntax",
    "length",
    "terms",
    "parentheses",
    "quotes",
    "context-set",
    "index",
    "result-set",
    "relation",
    "relation-modifier",
    "relation-and-index",
    "term",
    "empty-term",
    "masking",
    "masking-position",
    "anchoring",
    "feature",
]


class QuerySyntaxError(UsageError):
    """A query that cannot be read.

    Attributes:
        text: The query as typed, but for characters that `metasearch.query.characters` makes plain:
            what was read, and what the place refers to.
        position: Index of the offending character, 0-based, in code points.
        length: How many characters the caret line marks, at least 1.
        suggestion: One corrected query, which can be parsed, or None; `advice` says in words what
            to do.
        syntax: The syntax that it was read in, a key of `metasearch.query.syntaxes.SYNTAXES`.
        kind: What is wrong, in one of the words of `QueryFault`.
    """

    def __init__(
        self,
        reason: str,
        *,
        text: str,
        position: int,
        length: int = 1,
        suggestion: str | None = None,
        advice: str | None = None,
        syntax: str = "simple",
        kind: QueryFault = "syntax",
    ) -> None:
        super().__init__(
            reason,
            advice=message("Try: {suggestion}", suggestion=suggestion) if suggestion else advice,
        )
        self.reason = reason
        self.text = text
        self.position = position
        self.length = max(1, length)
        self.suggestion = suggestion
        self.syntax = syntax
        self.kind = kind

    def with_changes(self, reason: str | None = None, **changes: Any) -> QuerySyntaxError:
        """The same error but for some of the arguments that it was made of."""
        names = ("text", "position", "length", "suggestion", "advice", "syntax", "kind")
        same = {name: getattr(self, name) for name in names}
        return QuerySyntaxError(self.reason if reason is None else reason, **{**same, **changes})


class UnknownSource(UsageError):
    """A source name that no spec or configuration defines."""

    def __init__(self, name: str, near_misses: Sequence[str] = ()) -> None:
        hint = (
            message("Did you mean {names}?", names=", ".join(near_misses))
            if near_misses
            else message("`metasearch sources list` and /sources name all.")
        )
        super().__init__(message("there is no source called {name}", name=repr(name)), advice=hint)
        self.name = name
        self.near_misses = tuple(near_misses)


class SettingsError(UsageError):
    """A configuration file or variable that cannot be used; all problems at once."""

    def __init__(self, file: str, problems: Sequence[str]) -> None:
        super().__init__(_problem_list(file, problems))
        self.file = file
        self.problems = tuple(problems)


class PinsError(UsageError):
    """A file of pins that cannot be used, or contradicts itself; all problems at once, each with
    its line.
    """

    advice = "docs/pins.md says what a line may look like."

    def __init__(self, file: str, problems: Sequence[str]) -> None:
        super().__init__(_problem_list(file, problems))
        self.file = file
        self.problems = tuple(problems)


class FileFormatError(UsageError):
    """A file of records that cannot be read at all; what is broken inside a readable one is in
    its `Reading`.
    """

    def __init__(self, file: str, reason: str, *, advice: str | None = None) -> None:
        super().__init__(f"{file}: {reason}", advice=advice)
        self.file = file


class CollectionError(UsageError):
    """A collection of records that cannot be opened, filled or asked."""

    def __init__(self, file: str, reason: str, *, advice: str | None = None) -> None:
        super().__init__(f"{file}: {reason}", advice=advice)
        self.file = file
        self.reason = reason


class WorkspaceError(MetasearchError):
    """A workspace file that cannot be opened, read or written now. It is no `UsageError`: nobody
    who asks a server can mend it, and the path in its message is none of theirs.

    Attributes:
        status: 507 where the disk is full, 503 where the file cannot be used for another reason,
            500 where a statement of ours is wrong.
    """

    status = 503

    def __init__(
        self, file: str, reason: str, *, advice: str | None = None, status: int = 503
    ) -> None:
        super().__init__(
            message("{file}: {reason}", file=file, reason=reason),
            advice=advice,
        )
        self.file = file
        self.reason = reason
        self.status = status


class SpecError(MetasearchError):
    """An adapter spec with mistakes; `problems` lists every one as "table.key: what, and what is
    allowed".
    """

    advice = "`metasearch sources check` lists the problems of all sources."

    def __init__(self, file: str, problems: Sequence[str]) -> None:
        super().__init__(_problem_list(file, problems))
        self.file = file
        self.problems = tuple(problems)


class FormatError(MetasearchError):
    """A name or body that no format can handle."""

    status = 406


class SourceError(MetasearchError):
    """Something is wrong with one database.

    Attributes:
        url: What was asked, without secrets; empty where nothing was sent.
        outcome: The word that a report shows as the source's status.
    """

    status = 502
    outcome = "error"

    def __init__(self, source: str, text: str, *, url: str = "", advice: str | None = None) -> None:
        super().__init__(text, advice=advice)
        self.source = source
        self.url = url


class Unreachable(SourceError):
    """No usable answer came; worth another try."""

    advice = message("Try again later.")


class ConnectFailed(Unreachable):
    """The connection could not be made or broke."""

    advice = message("Look whether the network is up, or try again later.")


class TimedOut(Unreachable):
    """No whole answer within the time allowed."""

    outcome = "timeout"
    status = 504
    advice = message(
        "Give the search more time (timeout) or the source (its limits.timeout), or leave "
        "the source out."
    )


class ServerFault(Unreachable):
    """The database answered with a 5xx status, kept as `code`."""

    def __init__(
        self, source: str, code: int, *, url: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(source, message("the database answered {code}", code=code), url=url)
        self.code = code
        self.retry_after = retry_after


class Refused(SourceError):
    """The database does not want this request; it is left alone for a while."""


#: Seconds from which on a wait is told by the moment at which it ends.
LONG_WAIT = 120.0
#: Seconds beyond which no moment is told: ten years.
_FARTHEST = 10 * 366 * 86_400.0


def moment_in(seconds: float) -> str:
    """The moment in so many seconds, in whole minutes: "2026-11-30 00:00 UTC"."""
    moment = datetime.now(UTC) + timedelta(seconds=min(max(0.0, seconds), _FARTHEST) + 59)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


class RateLimited(Refused):
    """Too many requests; `retry_after` in seconds where the database said so, or our own limit does
    (`own`).
    """

    outcome = "limited"

    def __init__(
        self, source: str, retry_after: float | None = None, *, url: str = "", own: str = ""
    ) -> None:
        seconds = f"{retry_after or 0.0:.0f}"
        if own:
            text = message(
                "its limit of requests, {limit}, is used up: the next one may go in {seconds} s",
                limit=own,
                seconds=seconds,
            )
            advice = message(
                "Where it allows more, as with a key, set limits.requests under "
                "[sources.{source}].",
                source=source,
            )
        elif retry_after is None:
            text = message("too many requests: asked to wait for a while")
            advice = message("The source is left alone for a while.")
        elif retry_after >= LONG_WAIT:
            until = moment_in(retry_after)
            text = message("what it allows is used up: asked to wait until {until}", until=until)
            advice = message(
                "The source is left alone until then. Where it takes a key, a key may allow more."
            )
        else:
            text = message("too many requests: asked to wait for {seconds} s", seconds=seconds)
            advice = message("The source is left alone for {seconds} s.", seconds=seconds)
        super().__init__(source, text, url=url, advice=advice)
        self.retry_after = retry_after


class AccessDenied(Refused):
    """A key is missing or wrong; `env_name` is the variable that would hold it."""

    def __init__(
        self, source: str, code: int, *, url: str = "", env_name: str | None = None, said: str = ""
    ) -> None:
        advice = (
            message("Set {env_name} to a valid key.", env_name=env_name)
            if env_name
            else message("The database does not let this address in.")
        )
        text = (
            message("access denied ({code}): {said}", code=code, said=said)
            if said
            else message("access denied ({code})", code=code)
        )
        super().__init__(source, text, url=url, advice=advice)
        self.code = code
        self.env_name = env_name


class KeyMissing(Refused):
    """The source needs a key that is not configured; nothing was sent."""

    outcome = "skipped"
    status = 422

    def __init__(self, source: str, env_name: str, get: str = "") -> None:
        advice = (
            message(
                "Set {env_name} to a valid key (from {get}), or leave the source out.",
                env_name=env_name,
                get=get,
            )
            if get
            else message(
                "Set {env_name} to a valid key, or leave the source out.", env_name=env_name
            )
        )
        super().__init__(source, message("this source needs a key"), advice=advice)
        self.env_name = env_name


class Blocked(Refused):
    """A challenge page (captcha, bot wall) came where an answer was expected."""

    outcome = "blocked"
    advice = message(
        "The database shows a human check; wait, use a key or a mirror, or leave it out."
    )


class BadAnswer(SourceError):
    """The answer cannot be used; most likely the site has changed."""

    advice = message(
        "The database may have changed its interface; please report it with the source's name."
    )


class NotParsable(BadAnswer):
    """The body is not what the spec expects; `body_start` shows its first characters."""

    def __init__(
        self,
        source: str,
        reason: str,
        *,
        url: str = "",
        body_start: str = "",
        advice: str | None = None,
    ) -> None:
        text = (
            message(
                "the answer cannot be read: {reason}; it begins {start}",
                reason=reason,
                start=repr(body_start),
            )
            if body_start
            else message("the answer cannot be read: {reason}", reason=reason)
        )
        super().__init__(source, text, url=url, advice=advice)
        self.reason = reason
        self.body_start = body_start


class TooLarge(BadAnswer):
    """The body passed `limit` bytes, counted after decompression, or would once it is read:
    `reason` says so then.
    """

    def __init__(self, source: str, limit: int, *, url: str = "", reason: str = "") -> None:
        super().__init__(
            source,
            reason or message("the answer is larger than {limit} bytes", limit=f"{limit:,}"),
            url=url,
            advice=message(
                "Ask for fewer rows, or raise limits.max_bytes if the source is trusted."
            ),
        )
        self.limit = limit


class Drifted(BadAnswer):
    """Most records of a page lack a field that the spec promises."""

    outcome = "drifted"

    def __init__(self, source: str, field: str, share: float, *, url: str = "") -> None:
        text = message(
            "{share} of the records have no readable {field}", share=f"{share:.0%}", field=field
        )
        super().__init__(source, text, url=url)
        self.field = field
        self.share = share


class SourceSaysError(BadAnswer):
    """A well-formed answer whose content is an error message."""

    advice = message("The database did not accept the request; see its message.")


class NotRead(SourceError):
    """The answer had come, or may have, and this process was too busy to read it in time."""

    outcome = "late"
    status = 503
    advice = message(
        "Nothing is wrong with the database. Ask again in a moment, or give the search more "
        "time (timeout)."
    )


class NotAllowed(SourceError):
    """An address, URL or redirect that our own guards refuse; nothing was sent there."""

    advice = message(
        "If the address is meant, add its host:port to `allow` under [network] in the "
        "configuration."
    )


class NotRecorded(SourceError):
    """A replay holds no answer for this request; `folder` is where it would lie."""

    advice = message("Record it first: run the same search with --record and this folder.")

    def __init__(
        self,
        source: str,
        folder: str,
        *,
        url: str = "",
        why: str = message("no such recording"),
    ) -> None:
        text = message(
            "cannot replay {url} from {folder}: {why}", url=url or source, folder=folder, why=why
        )
        super().__init__(source, text, url=url)
        self.folder = folder


class CannotAsk(SourceError):
    """The query holds something that this source cannot express and must not drop."""

    outcome = "skipped"
    status = 422

    def __init__(
        self, source: str, clause: str, why: str = message("this source cannot search it")
    ) -> None:
        super().__init__(
            source,
            message("cannot ask for {clause}: {why}", clause=clause, why=why),
            advice=message("Leave the clause out, or leave the source out."),
        )
        self.clause = clause


class SwitchedOff(SourceError):
    """The administrator of a server has switched the source off for all; nothing was sent."""

    outcome = "skipped"
    status = 422

    def __init__(self, source: str) -> None:
        super().__init__(
            source,
            message("it is switched off on this server"),
            advice=message("Leave the source out, or ask an administrator of the server."),
        )


class CacheError(MetasearchError):
    """The page cache cannot be used."""

    advice = (
        "The search goes on without the cache; [cache] in the configuration names its folder "
        "or switches it off."
    )
