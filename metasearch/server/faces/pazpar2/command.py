"""A command on its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metasearch.server.faces.pazpar2.parameters import Given
from metasearch.server.faces.pazpar2.sessions import Sender, Session, Sessions
from metasearch.server.site import ServerContext
from metasearch.server.sources import labels


@dataclass(frozen=True, slots=True)
class Room:
    """What all commands use."""

    shared: ServerContext
    sessions: Sessions


@dataclass(frozen=True, slots=True)
class Original:
    """A record as a source has it, instead of a document of the protocol."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command on its way."""

    room: Room
    asker: Sender
    given: Given
    session: Session

    @property
    def labels(self) -> Mapping[str, str]:
        """Source -> its name for people, of those that are asked."""
        progress = self.session.progress
        return {} if progress is None else labels(self.room.shared.engine, progress.reports)
