"""The commands of pazpar2, each a coroutine that returns its document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from lxml import etree

from metasearch.engine.options import SearchOptions
from metasearch.errors import UsageError
from metasearch.events import Answer
from metasearch.server.answering import search_of
from metasearch.server.faces.pazpar2 import documents, views
from metasearch.server.faces.pazpar2.command import Command, Original, Room
from metasearch.server.faces.pazpar2.errors import MALFORMED, NO_SERVICE, CommandRefused
from metasearch.server.faces.pazpar2.parameters import FACET_OF, Given, search_command
from metasearch.server.faces.pazpar2.sessions import Sender
from metasearch.server.faces.pazpar2.targets import allowed, settings_of, targets
from metasearch.server.faces.pazpar2.views import MOST_TERMS
from metasearch.server.sources import labels

#: Our own facets that lists of terms are made of.
_FACETS = tuple(facet for name, facet in FACET_OF.items() if name != "xtargets")
#: Seconds before the end of a silent session at which a client should send `ping`.
_PING_BEFORE = 10.0


async def init(room: Room, asker: Sender, given: Given) -> etree._Element:
    """Begin a session. Raises CommandRefused: no such service, or a setting is not possible."""
    registry = room.shared.engine.registry
    service = given.text("service")
    sources: tuple[str, ...] | None = None
    if service:
        try:
            sources = tuple(registry.expand([service]))
            for source in sources:
                registry.spec(source)
        except UsageError as error:
            raise CommandRefused(NO_SERVICE, f"{service[:60]} is no source and no group") from error
    settings = settings_of(given)
    if given.flag("clear"):
        sources = allowed(settings, (), registry.names())
    elif settings:
        sources = allowed(settings, sources or registry.default(), registry.names())
    session = room.sessions.open(asker, sources)
    seconds = max(room.sessions.idle - _PING_BEFORE, room.sessions.idle / 2)
    return documents.init(session.token, int(seconds * 1000))


async def _ping(command: Command) -> etree._Element:
    return documents.status("ping")


async def _settings(command: Command) -> etree._Element:
    registry, session = command.room.shared.engine.registry, command.session
    settings = settings_of(command.given)
    if settings:
        before = registry.default() if session.sources is None else session.sources
        session.sources = allowed(settings, before, registry.names())
    return documents.status("settings")


async def _stop(command: Command) -> etree._Element:
    await command.session.stop()
    return documents.status("stop")


# --------------------------------------------------------------------------- search


async def _search(command: Command) -> etree._Element:
    """Begin a search in place of the one before."""
    shared, session = command.room.shared, command.session
    text = command.given.text("query")
    most = (shared.options.max_query, shared.options.max_records)
    wanted = await shared.admission.computing.read(
        command.asker.user, text, lambda: search_command(command.given, *most)
    )
    sources = _sources(command)
    timeout = min(shared.engine.settings.timeout, shared.options.max_timeout)
    try:
        await shared.engine.ready(sources or ())
        options = SearchOptions(
            query=wanted.read.query,
            sources=sources,
            filter=wanted.filters,
            facets=_FACETS,
            facet_limit=MOST_TERMS,
            sort=wanted.keys[0].sort,
            per_source=wanted.per_source,
        )
        prepared = await search_of(shared, text, options, timeout=timeout, user=command.asker.user)
    except UsageError as error:
        raise CommandRefused(MALFORMED, f"{error}. {error.advice or ''}") from error
    await session.stop()  # else the permit that is waited for may be that of the search before
    permit = await shared.admission.enter(command.asker.user)

    def answered(answer: Answer) -> None:
        shared.metrics.searched(answer)
        shared.suggestions.learn(answer.query, answer, command.asker.owner)

    await session.begin(
        prepared,
        options.sort,
        ended=permit.transfer(),
        answered=answered,
        grown=lambda: command.room.sessions.fit(session),
    )
    return documents.search(wanted.read.notes)


def _sources(command: Command) -> tuple[str, ...] | None:
    """The sources, None for the default ones. Raises CommandRefused: the filter leaves none."""
    engine, chosen = command.room.shared.engine, command.session.sources
    text = command.given.text("filter")
    if chosen is None and not text:
        return None
    sources = engine.registry.default() if chosen is None else chosen
    return targets(text, sources, labels(engine, sources))


#: Those that need a session, by name.
COMMANDS: Mapping[str, Callable[[Command], Awaitable[etree._Element | Original]]] = {
    "ping": _ping,
    "settings": _settings,
    "stop": _stop,
    "search": _search,
    "stat": views.stat,
    "show": views.show,
    "record": views.record,
    "termlist": views.termlist,
    "bytarget": views.bytarget,
}
#: Those of pazpar2 that do not exist here.
MISSING_COMMANDS = frozenset({"info", "service", "session-status", "exit"})
