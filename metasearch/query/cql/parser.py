"""CQL 1.2 -> `ReadQuery`: what the clauses of its syntax tree (`cql_grammar.py`) mean in our
fields.

If our fields cannot express a part of the text, and the query still means nearly the same, a note
names the part (a modifier, a sort key, a distance between words). Otherwise it is an error.
docs/syntaxes.md lists both for users.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.message import message
from metasearch.query.ast import FIELD_WORDS, Query
from metasearch.query.cql.grammar import syntax_tree
from metasearch.query.cql.indexes import (
    INDEXES,
    NOT_SEARCHED,
    CqlIndex,
    name_in_set,
    set_of,
)
from metasearch.query.cql.syntax_tree import Boolean, Clause, Modifier, Relation, Tree
from metasearch.query.cql.terms import ORDERED, CqlTermReader
from metasearch.query.reading import QueryReader, ReadQuery, read_or_suggest
from metasearch.query.trees import LeftToRight, negation

#: Indexes that a list is to be sorted by, each with its modifiers.
SortKeys = tuple[tuple[str, tuple[Modifier, ...]], ...]

_TEXT_RELATIONS = ("=", "==", "<>", "exact", "any", "all", "adj", "scr")
#: Modifiers that ask for what is done anyway.
_USUAL = frozenset(
    {"relevant", "ignorecase", "ignoreaccents", "masked", "word", "isodate", "cql.masked"}
)


def parse_cql(text: str) -> ReadQuery:
    """Read CQL 1.2. Raises QuerySyntaxError: it is no CQL, or cannot be searched here."""
    return read_or_suggest(_read_unsorted, text)


def parse_sorted_cql(text: str) -> tuple[ReadQuery, SortKeys]:
    """As `parse_cql`, with the keys of sortBy, for a caller that can sort by them. Raises
    QuerySyntaxError: as `parse_cql`.
    """
    read = read_or_suggest(lambda candidate: _read(candidate)[0], text)
    return read, _read(text)[1]


def _read_unsorted(text: str) -> ReadQuery:
    read, keys = _read(text)
    if not keys:
        return read
    names = ", ".join(key for key, _ in keys)
    return replace(
        read,
        notes=(
            *read.notes,
            message("sortBy {names} is ignored: hits are sorted by rank", names=names),
        ),
    )


def _read(text: str) -> tuple[ReadQuery, SortKeys]:
    reader = QueryReader(text, "cql")
    whole = syntax_tree(reader)
    query = _TreeReader(reader).of(whole.tree)
    if query is None:
        raise reader.error(
            message("cql.allRecords alone finds every record"),
            0,
            len(text),
            advice=message("Add a word to look for; cql.allRecords may stand before NOT."),
            kind="feature",
        )
    return reader.finished(query), whole.keys


class _TreeReader(CqlTermReader):
    """None stands for all records throughout."""

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader

    def of(self, tree: Tree) -> Query | None:
        joins: list[Boolean] = []
        while isinstance(
            tree, Boolean
        ):  # operators side by side lean to the left, as deep as there are many
            joins.append(tree)
            tree = tree.left
        query = self.clause(tree)
        joined = None if query is None else LeftToRight(self.reader, query)
        for join in reversed(joins):
            joined = self.joined(joined, join)
        return None if joined is None else joined.query()

    def joined(self, left: LeftToRight | None, join: Boolean) -> LeftToRight | None:
        right = self.of(join.right)
        self.boolean_modifiers(join)
        if join.operator == "or" and (left is None or right is None):
            raise self.refused(join, message("cql.allRecords in an OR finds every record"))
        if join.operator == "not" and right is None:
            raise self.refused(join, message("NOT cql.allRecords finds nothing"))
        if right is None:
            return left
        if left is None:
            return LeftToRight(self.reader, negation(right) if join.operator == "not" else right)
        left.add({"or": "OR", "not": "NOT"}.get(join.operator, "AND"), right)
        return left

    def boolean_modifiers(self, tree: Boolean) -> None:
        shown = "".join(map(_shown, tree.modifiers))
        if tree.operator == "prox":
            self.reader.note(
                message(
                    "prox{shown} is read as AND: sources cannot be asked how near words "
                    "stand to one another",
                    shown=shown,
                )
            )
        elif shown:
            self.reader.note(
                message(
                    "{operator}{shown} is read as {meant}",
                    operator=tree.operator,
                    shown=shown,
                    meant=tree.operator.upper(),
                )
            )

    def refused(self, tree: Boolean, reason: str) -> QuerySyntaxError:
        advice = message("Leave cql.allRecords out.")
        return self.reader.error(reason, tree.start, tree.end, advice=advice, kind="feature")

    # ---------------------------------------------------------------- one clause

    def clause(self, clause: Clause) -> Query | None:
        relation, term = clause.relation, clause.term
        if relation is None:
            return self.words_of(term, "=", CqlIndex("", "any"), masked=True)
        name = relation.name.removeprefix("cql.").removeprefix("srw.")
        if name not in (*_TEXT_RELATIONS, *ORDERED):
            raise self.no_relation(relation)
        index = self.index(relation, clause.prefixes)
        if index is None:
            return None
        masked = self.relation_modifiers(relation)
        if not index.exact:
            held = (
                message("all that a database searches by default")
                if index.field == "any"
                else message("the {field}", field=FIELD_WORDS.get(index.field, index.field))
            )
            self.reader.note(
                message(
                    "{index} is looked for in {held}, which holds other things too",
                    index=relation.index,
                    held=held,
                )
            )
        if index.field == "year":
            return self.years(relation, name, term)
        if name in ORDERED:
            reason = message(
                "{name} compares dates; {index} is not one",
                name=relation.name,
                index=relation.index,
            )
            fix = self.reader.replaced(relation.at, relation.at + len(relation.name), "=")
            end = relation.at + len(relation.name)
            raise self.reader.error(reason, relation.at, end, fix=fix, kind="relation-and-index")
        return self.words_of(term, name, index, masked=masked)

    def index(self, relation: Relation, prefixes: Sequence[tuple[str, str]]) -> CqlIndex | None:
        """What the index means; None for that of all records."""
        from difflib import get_close_matches

        prefix, dot, name = relation.index.rpartition(".")
        assigned = dict(prefixes)
        if not dot and not prefix and "" in assigned:
            self.reader.note(
                message(
                    "the context set {uri} is ignored for indexes without a prefix",
                    uri=assigned[""],
                )
            )
        known_set = set_of(prefix.lower(), assigned.get(prefix)) if dot else ""
        low = name.lower()
        if known_set in ("cql", "srw") and low == "allrecords":
            return None
        if known_set in ("cql", "srw") and low in ("resultsetid", "resultset"):
            raise self.unknown(
                relation, message("Earlier result sets are not kept"), None, "result-set"
            )
        if known_set == "rec":
            raise self.unknown(
                relation,
                message(
                    "{index} describes a record in its database; it cannot be searched",
                    index=relation.index,
                ),
                None,
            )
        if known_set is None:
            raise self.unknown(
                relation,
                message(
                    'The context set "{prefix}" is not known; those known are cql, dc, bath, '
                    "bib, marc",
                    prefix=prefix[:30],
                ),
                name,
                "context-set",
            )
        known = INDEXES[known_set]
        low = name_in_set(known_set, low)
        if low in known:
            return known[low]
        if low in NOT_SEARCHED:
            raise self.unknown(
                relation,
                message("{index} cannot be searched here: no field holds it", index=relation.index),
                None,
            )
        near = get_close_matches(low[:30], known, 1, 0.7)
        names = ", ".join(it.name for it in known.values())
        reason = message(
            'There is no index "{name}" in {context_set}; there are {names}',
            name=name[:30],
            context_set=known_set or message("the indexes without a prefix"),
            names=names,
        )
        raise self.unknown(
            relation, reason, f"{known_set}.{known[near[0]].name}".lstrip(".") if near else None
        )

    def unknown(
        self, relation: Relation, reason: str, instead: str | None, kind: QueryFault = "index"
    ) -> QuerySyntaxError:
        fix = self.reader.replaced(relation.start, relation.end, instead or "cql.anywhere")
        return self.reader.error(reason, relation.start, relation.end, fix=fix, kind=kind)

    def no_relation(self, relation: Relation) -> QuerySyntaxError:
        from difflib import get_close_matches

        end = relation.at + len(relation.name)
        near = get_close_matches(
            relation.name[:30], [*_TEXT_RELATIONS[3:], "within", "encloses"], 1, 0.7
        )
        reason = message(
            'There is no relation "{name}"; there are = == <> < <= > >= any all adj '
            "exact within encloses. Write words side by side in quotes",
            name=relation.name[:30],
        )
        if near:
            fix = self.reader.replaced(relation.at, end, near[0])
            return self.reader.error(reason, relation.at, end, fix=fix, kind="relation")
        return self.reader.error(
            reason,
            relation.at,
            end,
            fix=self.reader.replaced(relation.at, end, f"and {relation.name} and"),
            kind="relation",
        )

    def relation_modifiers(self, relation: Relation) -> bool:
        """Note what they ask for in vain. Returns whether * and the like are masks."""
        masked = True
        for modifier in relation.modifiers:
            name = modifier.name.lower().removeprefix("cql.").removeprefix("rel.")
            if name == "unmasked":
                masked = False
            elif name in ("regexp", "substring"):
                raise self.reader.error(
                    message("/{name} is not supported by any source", name=modifier.name),
                    relation.at,
                    relation.at + len(relation.name),
                    advice=message("Write words; a * at the end of a word stands for any letters."),
                    kind="relation-modifier",
                )  # fmt: skip
            elif name not in _USUAL:
                self.reader.note(
                    message(
                        "{name}{shown}: the modifier is ignored",
                        name=relation.name,
                        shown=_shown(modifier),
                    )
                )
        return masked


def _shown(modifier: Modifier) -> str:
    return f"/{modifier.name}{modifier.comparison}{modifier.value}"
