"""CQL 1.2 -> `ReadQuery`, and back: what the clauses of its syntax tree mean in our fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, every, exact, left_to_right, near, wider, without
from metasearch.query.cql_grammar import (
    INDEXES,
    NOT_SEARCHED,
    Boolean,
    CqlIndex,
    CqlToken,
    Modifier,
    Relation,
    Tree,
    name_in_set,
    set_of,
    syntax_tree,
)
from metasearch.query.cql_grammar import Clause as SearchClause
from metasearch.query.cql_terms import ORDERED, CqlTermReader
from metasearch.query.reading import (
    QueryReader,
    ReadQuery,
    read_or_suggest,
)
from metasearch.query.scanner import Losses
from metasearch.query.tree import (
    FIELD_WORDS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
)

# CQL 1.2 -> `ReadQuery`: what the clauses of its syntax tree mean in our fields. If our fields
# cannot express a part of the text, and the query still means nearly the same, a note names the
# part (a modifier, a sort key, a distance between words). Otherwise it is an error.
# docs/syntaxes.md lists both for users.

#: Indexes that a list is to be sorted by, each with its modifiers.
SortKeys = tuple[tuple[str, tuple[Modifier, ...]], ...]

_TEXT_RELATIONS = ("=", "==", "<>", "exact", "any", "all", "adj", "scr")
#: Modifiers that ask for what is done anyway.
_USUAL = frozenset(
    "relevant ignorecase ignoreaccents masked word string isodate number uri".split()
)
#: Those that ask for more than is found, and for less.
_FINDS_LESS = frozenset({"stem", "fuzzy", "partial", "phonetic"})
_FINDS_MORE = frozenset({"respectcase", "respectaccents", "oid", "locale"})
_OF_PROX = ("unit", "distance", "ordered", "unordered")
_MODIFIERS = (*_USUAL, *_FINDS_LESS, *_FINDS_MORE, "unmasked", "substring", "regexp")


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
    trees = _TreeReader(reader)
    clause = trees.of(whole.tree)
    if clause is None or clause.widest is None:
        raise reader.error(
            message("cql.allRecords alone finds every record"),
            0,
            len(text),
            advice=message("Add a word to look for; cql.allRecords may stand before NOT."),
            kind="feature",
        )
    for sentence in trees.losses.sentences():
        reader.note(sentence)
    bounds = None if clause.is_exact else clause
    return reader.finished(clause.widest, bounds, trees.losses.of_sources()), whole.keys


class _TreeReader(CqlTermReader):
    """None stands for all records throughout."""

    def __init__(self, reader: QueryReader) -> None:
        super().__init__(reader)
        self.losses = Losses()

    def of(self, tree: Tree) -> Clause | None:
        joins: list[Boolean] = []
        while isinstance(
            tree, Boolean
        ):  # operators side by side lean to the left, as deep as there are many
            joins.append(tree)
            tree = tree.left
        first = self.clause(tree)
        rest: list[tuple[str, Clause]] = []
        close: list[Clause] = []
        sign: Boolean | None = None  # what stands between those of `close`
        for join in reversed(joins):
            right = self.of(join.right)
            self.boolean_modifiers(join)
            if join.operator == "or" and (first is None or right is None):
                raise self.refused(join, message("cql.allRecords in an OR finds every record"))
            if join.operator == "not" and right is None:
                raise self.refused(join, message("NOT cql.allRecords finds nothing"))
            if right is None:
                continue
            if join.operator == "not":
                right = self.excluded(right, join)
            if first is None:
                first = right
                continue
            same = join.operator == "prox" and sign and sign.modifiers == join.modifiers
            if sign and not same:
                first, sign = self.near(close, sign), None
            if same:
                close.append(right)
            elif join.operator == "prox":
                close, sign, rest = (
                    [left_to_right(first, rest, self.reader.check_clause), right],
                    join,
                    [],
                )
            else:
                rest.append(("OR" if join.operator == "or" else "AND", right))
        if sign:
            first = self.near(close, sign)
        return None if first is None else left_to_right(first, rest, self.reader.check_clause)

    def excluded(self, clause: Clause, join: Boolean) -> Clause:
        """NOT of it; a note says where it cannot be excluded as it is meant."""
        if not clause.is_exact:
            self.losses.add("negated", f"NOT {self.reader.text[join.end : join.end + 60]}")
        return without(clause)

    def near(self, parts: Sequence[Clause], join: Boolean) -> Clause:
        """What PROX joins: words within a distance of one another, in this order or in any. A
        distance of 1 is that of neighbours.
        """
        given = {
            modifier.name.lower().removeprefix("cql."): modifier for modifier in join.modifiers
        }
        shown = f"prox{''.join(map(_shown, join.modifiers))}"
        distance, unit = given.get("distance"), given.get("unit")
        relation, value = (distance.comparison, distance.value) if distance else ("<=", "1")
        words_apart = int(value) - 1 - (relation == "<") if value.isdigit() else -1
        clause = near(parts, max(words_apart, 0), ordered="ordered" in given)
        by_words = unit is None or unit.value.lower() == "word"
        if not by_words or relation not in ("<=", "<", "=") or words_apart < 0:
            clause = wider(every(parts).widest)
        self.losses.add("near" if isinstance(clause.widest, Near) else "same", shown)
        if relation == "=":
            clause = wider(clause.widest)
        self.reader.check_clause(clause)
        return clause

    def boolean_modifiers(self, tree: Boolean) -> None:
        """Note those that are ignored. Raises QuerySyntaxError: one is none that there is."""
        known = _OF_PROX if tree.operator == "prox" else ()
        for modifier in tree.modifiers:
            name = modifier.name.lower().removeprefix("cql.")
            if name in known:
                continue
            if "." not in name:
                raise self.unknown_modifier(modifier, known, (tree.start, tree.end))
            self.reader.note(
                message(
                    "{operator}{shown} is read as {meant}",
                    operator=tree.operator,
                    shown=_shown(modifier),
                    meant=tree.operator.upper(),
                )
            )

    def unknown_modifier(
        self, modifier: Modifier, known: Sequence[str], where: tuple[int, int]
    ) -> QuerySyntaxError:
        from difflib import get_close_matches

        near_it = get_close_matches(modifier.name.lower()[:30], known, 1, 0.5)
        reason = (
            message(
                "There is no modifier {name} here; near it is {near}",
                name=_shown(modifier)[:60],
                near=f"/{near_it[0]}",
            )
            if near_it
            else message("There is no modifier {name} here", name=_shown(modifier)[:60])
        )
        return self.reader.error(
            reason, *where, advice=message("Leave it out."), kind="relation-modifier"
        )

    def refused(self, tree: Boolean, reason: str) -> QuerySyntaxError:
        advice = message("Leave cql.allRecords out.")
        return self.reader.error(reason, tree.start, tree.end, advice=advice, kind="feature")

    # ---------------------------------------------------------------- one clause

    def check_colon(self, term: CqlToken) -> None:
        """Check that a bare word begins with no index and a colon: CQL has = between the two.

        Raises:
            QuerySyntaxError: It does.
        """
        index, colon, word = term.text.partition(":")
        prefix, _, name = index.lower().rpartition(".")
        if term.kind == "word" and colon and word and name in INDEXES.get(prefix, {}):
            reason = message("An index stands before an equals sign: {index} = ...", index=index)
            fix = self.reader.replaced(term.start, term.end, f"{index} = {word}")
            raise self.reader.error(reason, term.start, term.end, fix=fix, kind="relation")

    def clause(self, clause: SearchClause) -> Clause | None:
        """One clause; None where it names all records."""
        before = self.more
        query = self.query_of(clause)
        if query is None:
            return None
        meant = exact(query) if self.more == before else wider(query)
        named = clause.relation
        return without(meant) if named and named.name.endswith("<>") else meant

    def query_of(self, clause: SearchClause) -> Query | None:
        relation, term = clause.relation, clause.term
        if relation is None:
            self.check_colon(term)
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
            self.widened(
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
        names = ", ".join(index.name for index in known.values())
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
            name = modifier.name.lower().removeprefix("cql.")
            name = bare if (bare := name.removeprefix("rel.")) in _MODIFIERS else name
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
            elif name in _FINDS_LESS or "." in name:
                self.reader.note(
                    message(
                        "{name}{shown}: the modifier is ignored",
                        name=relation.name,
                        shown=_shown(modifier),
                    )
                )
            elif name in _FINDS_MORE:
                self.widened(
                    message(
                        "{name}{shown}: the modifier is ignored, which finds more",
                        name=relation.name,
                        shown=_shown(modifier),
                    )
                )
            elif name not in _USUAL:
                where = relation.at, relation.at + len(relation.name)
                raise self.unknown_modifier(modifier, _MODIFIERS, where)
        return masked


def _shown(modifier: Modifier) -> str:
    return f"/{modifier.name}{modifier.comparison}{modifier.value}"


# `Query` -> CQL 1.2 in its usual context sets: `parse_cql(to_cql(query)).query == query` for every
# normalised tree, but that an alternative that stands there twice is read once, and a DOI that is
# looked for everywhere as one. Terms always stand in quotes, with a backslash before what would be
# a mask, so that none is a keyword.

#: Our field -> an index that CQL servers know; what the sets lack has a name of our own, without a
#: prefix.
_INDEX = {
    "any": "cql.anywhere", "title": "dc.title", "author": "dc.creator", "venue": "venue",
    "abstract": "abstract",
    "subject": "dc.subject", "doi": "doi", "isbn": "bath.isbn", "issn": "bath.issn",
    "pmid": "pmid", "pmcid": "pmcid", "arxiv": "arxiv",
    "type": "dc.type",
    "language": "dc.language",
}  # fmt: skip
_ESCAPED = str.maketrans({char: f"\\{char}" for char in '\\"*?^'})
_ALL = "cql.allRecords = 1"


def to_cql(query: Query) -> str:
    """The query in CQL, with brackets around everything that is put together of several."""
    match query:
        case Term():
            return _term(query)
        case Years(first, last):
            return _years(first, last)
        case Or(parts):
            return " or ".join(map(_operand, parts))
        case Near(parts, within, ordered):
            order = "ordered" if ordered else "unordered"
            prox = f" prox/unit=word/distance<={within + 1}/{order} "
            return prox.join(map(_operand, parts))
        case Not(part):
            return f"{_ALL} not {_operand(part)}"
        case And(parts):
            begin = (
                f"{_ALL} not {_operand(parts[0].part)}"
                if isinstance(parts[0], Not)
                else _operand(parts[0])
            )
            rest = (
                f"not {_operand(it.part)}" if isinstance(it, Not) else f"and {_operand(it)}"
                for it in parts[1:]
            )
            return " ".join([begin, *rest])


def _operand(query: Query) -> str:
    return to_cql(query) if isinstance(query, Term | Years) else f"({to_cql(query)})"


def _term(term: Term) -> str:
    text = term.text.translate(_ESCAPED)
    several = " " in text
    if term.phrase:
        relation = "adj"
    elif several and term.field not in ("doi", "type", "language"):
        relation = "all"
    else:
        relation = "="
    return f'{_INDEX[term.field]} {relation} "{text}{"*" if term.truncated else ""}"'


def _years(first: int | None, last: int | None) -> str:
    if first == last:
        return f"dc.date = {first:04d}"
    if first is None:
        return f"dc.date <= {last:04d}"
    return f"dc.date >= {first:04d}" if last is None else f'dc.date within "{first:04d} {last:04d}"'
