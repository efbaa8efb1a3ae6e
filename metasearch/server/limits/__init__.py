"""What protects a server: who may ask, how often, how many at once, and how slowly."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

from metasearch.settings import ServerSettings, Settings

# What a server allows and how long it keeps things: the limits that protect it, in one place.


@dataclass(frozen=True, slots=True)
class Options(ServerSettings):
    """Limits of one server: what its operator may set, and what nobody sets.

    Attributes:
        max_timeout: Longest deadline of a search in seconds; a request that asks for more gets
            this.
        page_wait: Seconds until a result page shows what is there, and asks again by itself for the
            rest.
        max_records: Largest `count` and `per_source`.
        max_sources: Most sources that one request may name.
        max_searches: Most searches that run at once.
        ping: Seconds between two comment lines of a silent event stream.
        grace: Seconds that a search goes on after the last reader of its event stream has left, so
            that a reader whose connection broke can come back to it.
        retry: Milliseconds after which a browser is told to come back to a broken stream; less than
            `grace`.
        keep: Seconds that a finished event stream can still be continued.
        max_streams: Most event streams that are kept.
        max_stream_bytes: Most bytes of kept event streams, all together.
        max_running_bytes: Most bytes of event streams of searches that run, all together; where a
            reader is slower than the search, the search waits.
        max_sessions: Most sessions of pazpar2's clients.
        max_client_sessions: Most of one client; where it begins another one, its oldest ends.
        max_session_works: Most works that all sessions hold together.
        session_idle: Seconds after its last command at which a session ends.
        session_polls: Commands of one session in `rate_window` seconds that begin no search.
        max_age: Seconds that a client may use a complete answer again.
        rate_window: Seconds in which one client may make `rate_limit` requests.
        max_clients: Most clients whose requests are counted.
        max_connections: Most connections that are open at once.
        max_client_connections: Most of one address, this machine and trusted proxies aside.
        keepalive: Seconds that a connection may stay silent between two requests; longer than
            proxies keep theirs.
        head_timeout: Seconds in which the head of a request must have arrived.
        write_timeout: Seconds in which a client must have read something of what waits for it.
    """

    max_timeout: float = 60.0
    page_wait: float = 1.0
    max_records: int = 1000
    max_sources: int = 100
    max_searches: int = 64
    ping: float = 15.0
    grace: float = 2.0
    retry: int = 1000
    keep: float = 60.0
    max_streams: int = 64
    max_stream_bytes: int = 64 * 1024 * 1024
    max_running_bytes: int = 64 * 1024 * 1024
    max_sessions: int = 500
    max_client_sessions: int = 50
    max_session_works: int = 10_000
    session_idle: float = 60.0
    session_polls: int = 1200
    max_age: int = 60
    rate_window: float = 60.0
    max_clients: int = 10_000
    max_connections: int = 1000
    max_client_connections: int = 100
    keepalive: float = 75.0
    head_timeout: float = 10.0
    write_timeout: float = 30.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The usual limits, with those that the configuration names."""
        server = settings.server
        return cls(**{each.name: getattr(server, each.name) for each in fields(server)})

    def divided(self, workers: int) -> Self:
        """One worker's part of what a server holds at once, so that all together hold no more."""
        return replace(
            self,
            max_searches=max(1, self.max_searches // workers),
            max_streams=max(1, self.max_streams // workers),
            max_stream_bytes=self.max_stream_bytes // workers,
            max_running_bytes=self.max_running_bytes // workers,
            max_sessions=max(1, self.max_sessions // workers),
            max_client_sessions=max(1, self.max_client_sessions // workers),
            max_session_works=self.max_session_works // workers,
            max_clients=max(1, self.max_clients // workers),
            max_connections=max(1, self.max_connections // workers),
            max_client_connections=max(1, self.max_client_connections // workers),
        )
