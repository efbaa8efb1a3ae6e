"""What of a query is not sent to a source as it stands: the notes, and the clauses to filter by."""

from __future__ import annotations

from metasearch.adapters.spec import Dialect
from metasearch.adapters.translate.terms import coded_part, shown
from metasearch.errors import CannotAsk
from metasearch.message import message
from metasearch.query.ast import Not, Query
from metasearch.query.simple.printer import to_text


class Losses:
    """What one query loses in translation. `notes`: one sentence for each thing that could not be
    expressed. `clauses`: the clauses by which the records have to be filtered afterwards.
    """

    def __init__(self, source: str, dialect: Dialect) -> None:
        self.source = source
        self.policy = dialect.unsupported
        self.notes: list[str] = []
        self.clauses: list[Query] = []

    def check_policy(self, clause: Query, what: str) -> None:
        """Refuses the query if the spec demands this (`unsupported = "refuse"`). Raises CannotAsk:
        with the clause, and what is wrong with it.
        """
        if self.policy == "refuse":
            raise CannotAsk(self.source, to_text(clause), what)

    def add(self, clause: Query, what: str) -> None:
        """Records that a clause is not sent as it stands. `clause`: the clause, which must hold.
        Raises CannotAsk: as `check_policy`.
        """
        self.check_policy(clause, what)
        # The type and the language of a record are known, also if the source's records lack fields.
        is_coded = coded_part(clause.part if isinstance(clause, Not) else clause) is not None
        if self.policy == "filter" or is_coded:
            self.filter_by(clause)
            self.notes.append(
                message(
                    "{what}: {clause} is applied here to the records",
                    what=what,
                    clause=shown(clause),
                )
            )
        else:
            self.notes.append(
                message("{what}: {clause} is not applied", what=what, clause=shown(clause))
            )

    def filter_by(self, clause: Query) -> None:
        """Filters the records by a clause, without a note."""
        if clause not in self.clauses:
            self.clauses.append(clause)
