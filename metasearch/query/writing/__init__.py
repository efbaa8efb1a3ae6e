"""Any query in the syntax of a database that people search by hand: the way back from
`metasearch.query.syntaxes`.

    translate('"salt marsh" carbon year:2018-', to="ovid").text
    # ("salt marsh" and carbon).mp. and 2018:3000.yr.

Each syntax has a file with a table (`style.py` says of what), by which `reducer.py` and `writer.py`
work; our own syntax and CQL have printers of their own. The notes name what a syntax cannot
express; where there are none, the text is read back as the query that it was written from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.ast import Query

if TYPE_CHECKING:
    from metasearch.query.writing.style import Style

#: Name -> what is written, in a few words; in the order of a list of all.
TARGETS: Mapping[str, str] = {
    "ovid": "Ovid: (salt and marsh).ti,ab.",
    "pubmed": 'PubMed: "salt marsh"[tw]',
    "scopus": "Scopus: TITLE-ABS-KEY(salt AND marsh)",
    "wos": "Web of Science: TS=(salt AND marsh)",
    "ebsco": "EBSCOhost: TI (salt AND marsh)",
    "embase": "Embase.com: (salt AND marsh):ti,ab,kw",
    "proquest": "ProQuest: noft(salt AND marsh)",
    "cnki": "CNKI: SU%=('盐沼'*'碳')",
    "wanfang": 'Wanfang: 主题:("盐沼" AND "碳")',
    "cql": 'CQL 1.2: cql.anywhere = "carbon"',
    "simple": "our own: salt marsh",
}


@dataclass(frozen=True, slots=True)
class Translation:
    """A query in one syntax.

    Attributes:
        text: To be pasted into the database's own search; "" where nothing of the query can be said
            in it.
        syntax: A key of `TARGETS`.
        notes: One sentence for each thing that the text does not say as the query does.
    """

    text: str
    syntax: str
    notes: tuple[str, ...] = ()


def translate(query: str | Query, *, to: str, syntax: str = "auto") -> Translation:
    """Write a query in the syntax of a database. Nothing is asked.

    `to`: a key of `TARGETS`. `syntax`: that a text is in, one of `metasearch.query.CHOICES`. Raises
    QuerySyntaxError: the text cannot be read; UsageError: there is no such syntax.
    """
    if to not in TARGETS:
        raise UsageError(
            message("there is no syntax called {syntax}", syntax=repr(to[:40])),
            advice=message("Choose one of {names}.", names=", ".join(TARGETS)),
        )
    if not isinstance(query, str):
        return written(query, to)
    from metasearch.query.syntaxes import read

    source = read(query, syntax)
    translation = written(source.query, to)
    return Translation(
        translation.text, to, tuple(dict.fromkeys((*source.notes, *translation.notes)))
    )


def written(query: Query, to: str) -> Translation:
    """A tree in the syntax `to`, a key of `TARGETS`."""
    match to:
        case "simple":
            from metasearch.query.simple.printer import to_text

            return Translation(to_text(query), to)
        case "cql":
            from metasearch.query.cql.printer import to_cql

            return Translation(to_cql(query), to)
    from metasearch.query.writing.writer import QueryWriter

    writer = QueryWriter(style_of(to))
    text = writer.write(query)
    return Translation(text, to, writer.notes)


def style_of(syntax: str) -> Style:
    """How a syntax of `TARGETS` is written; "simple" and "cql" have printers and no style."""
    style: Style = import_module(f"metasearch.query.writing.{syntax}").STYLE
    return style
