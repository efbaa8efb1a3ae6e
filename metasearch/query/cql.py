"""CQL 1.2 -> `ReadQuery`, and back: what the clauses of its syntax tree mean in our fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from metasearch.bib.languages import language_code
from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.message import message
from metasearch.query.cql_grammar import (
    INDEXES,
    NOT_SEARCHED,
    Boolean,
    Clause,
    CqlIndex,
    CqlToken,
    Modifier,
    Relation,
    Tree,
    name_in_set,
    set_of,
    syntax_tree,
)
from metasearch.query.reading import (
    LeftToRight,
    QueryReader,
    ReadQuery,
    read_or_suggest,
    truncatable,
    words,
)
from metasearch.query.tree import (
    FIELD_WORDS,
    IDENTIFIERS,
    And,
    Near,
    Not,
    Or,
    Query,
    Term,
    Years,
    disjunction,
    negation,
    plain,
)
from metasearch.query.values import BadYears, between, dated, identifier_field, type_word

# What the term of a clause of CQL means: words, masks, dates.

_MASKS = "*?^"
#: Mask that cannot stand where it does -> what is wrong.
_MASK_FAULTS: Mapping[str, QueryFault] = {
    "?": "masking",
    "^": "anchoring",
    "*": "masking-position",
}
#: Relations that compare dates.
ORDERED = ("<", "<=", ">", ">=", "within", "encloses")


@dataclass(frozen=True, slots=True)
class _TermWord:
    """A word of a term: (character, whether it is a mask)."""

    chars: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        return "".join(char for char, _ in self.chars)

    @property
    def masks(self) -> str:
        return "".join(char for char, mask in self.chars if mask)


class CqlTermReader:
    """Turns terms of CQL into parts of the query tree."""

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader

    def words_of(self, term: CqlToken, relation: str, index: CqlIndex, *, masked: bool) -> Query:
        field = index.field
        split = self.unanchored(_split(term.text, quoted=term.kind == "quoted", masked=masked))
        if not split:
            fix = self.reader.without(term.start, term.end)
            reason = message("There is nothing between the quotes")
            raise self.reader.error(reason, term.start, term.end, fix=fix, kind="empty-term")
        if field == "identifier":
            known = identifier_field(" ".join(word.text for word in split))
            field = known or "any"
            if known is None:
                self.reader.note(
                    message(
                        "dc.identifier is looked for everywhere: the term is no DOI, ISBN or ISSN"
                    )
                )
        texts = [self.unmasked(word, term) for word in split]
        if field in IDENTIFIERS and any(cut for _, cut in texts):
            raise self.reader.truncated_number(field.upper(), term.start, term.end)
        if relation == "<>":
            return negation(self.together(texts, field, term, exact=len(texts) > 1))
        if relation == "any":
            return disjunction([self.one(word, cut, field, term) for word, cut in texts])
        if relation == "all":
            return self.each(texts, field, term)
        if relation in ("==", "exact"):
            self.reader.note(
                message(
                    "{relation} is read as a phrase: sources cannot be asked for fields that "
                    "hold no other words",
                    relation=relation,
                )
            )
        exact = relation in ("==", "exact", "adj") or len(texts) > 1
        return self.together(texts, field, term, exact=exact)

    def together(
        self, texts: Sequence[tuple[str, bool]], field: str, term: CqlToken, *, exact: bool
    ) -> Query:
        """The words one after the other."""
        if any(cut for _, cut in texts) or field in ("type", "language"):
            if len(texts) > 1 and field not in ("type", "language"):
                self.reader.note(
                    message("a phrase with a * in it is read as all of its words, in any order")
                )
            return self.each(texts, field, term)
        return words(
            " ".join(word for word, _ in texts),
            field,
            phrase=exact and field not in IDENTIFIERS,
        )

    def each(self, texts: Sequence[tuple[str, bool]], field: str, term: CqlToken) -> Query:
        if field in ("type", "language"):
            return self.one(
                " ".join(word for word, _ in texts), any(cut for _, cut in texts), field, term
            )
        return truncatable(texts, field)

    def one(self, word: str, cut: bool, field: str, term: CqlToken) -> Query:
        convert: dict[str, Callable[[str], str | None]] = {
            "type": type_word,
            "language": language_code,
        }
        if field in convert:
            known = convert[field](word)
            if known is None or cut:
                reason = message(
                    '"{word}" is no known {field}', word=word[:30], field=FIELD_WORDS[field]
                )
                advice = (
                    message("Write a code, such as en, or a name.")
                    if field == "language"
                    else message("Write a type, such as thesis.")
                )
                raise self.reader.error(reason, term.start, term.end, advice=advice, kind="term")
            return Term(known, field)
        return Term(word, field, truncated=True) if cut else words(word, field)

    def unanchored(self, split: list[_TermWord]) -> list[_TermWord]:
        """The words without the ^ at either end, which asks for the place in the field."""
        bare = [_TermWord(_without_anchors(word.chars)) for word in split]
        if bare == split or not any(word.chars for word in bare):
            return split
        self.reader.note(
            message("^ is ignored: sources cannot be asked where in a field a word stands")
        )
        return [word for word in bare if word.chars]

    def unmasked(self, word: _TermWord, term: CqlToken) -> tuple[str, bool]:
        """(the word without masks, whether it is truncated)."""
        if not word.masks:
            return word.text, False
        if word.masks == "*" and word.chars[-1] == ("*", True) and any(map(str.isalnum, word.text)):
            return word.text[:-1], True
        sign = word.masks.replace("*", "")[:1] or "*"
        what = {
            "?": message("? for one letter is not supported"),
            "^": message(
                "^ for the beginning or end of a field can stand only at the end of a word"
            ),
            "*": message("* for any letters can stand only at the end of a word"),
        }[sign]
        bare = "".join(char for char, mask in word.chars if not mask)
        raw = self.reader.text[term.start : term.end]
        fixed = raw
        for mask in set(word.masks):
            fixed = fixed.replace(mask, "" if bare else "x")
        fix = self.reader.replaced(term.start, term.end, fixed) if bare else None
        advice = None if bare else message("Add a word to look for.")
        kind = _MASK_FAULTS[sign]
        raise self.reader.error(what, term.start, term.end, fix=fix, advice=advice, kind=kind)

    def years(self, relation: Relation, name: str, term: CqlToken) -> Query:
        value = plain(term.text).rstrip("*")
        try:
            if name in ("any", "within") or (name == "all" and " " not in value):
                parts = value.split()
                if name == "within":
                    if len(parts) != 2:
                        raise BadYears(
                            message('within takes two years in quotes: within "2015 2020"')
                        )
                    return self.exactly(between(parts[0], parts[1]))
                return disjunction([self.exactly(dated(part)) for part in parts])
            years = self.exactly(dated(value))
            if name in ORDERED[:4] and years.first != years.last:
                raise BadYears(message("{relation} takes one year", relation=name))
        except BadYears as bad:
            fix = (
                self.reader.replaced(term.start, term.end, f'"{bad.corrected}"')
                if bad.corrected
                else None
            )
            advice = None if fix else message("Write a year with four digits.")
            raise self.reader.error(
                bad.reason, term.start, term.end, fix=fix, advice=advice, kind="term"
            ) from None
        if name == "encloses":
            self.reader.note(message("encloses is read as =, because a record has one year"))
        year = years.first
        if (name == "<" and year == 1) or (name == ">" and year == 9999):
            raise self.reader.error(
                message("There is no such year"),
                term.start,
                term.end,
                advice=message("Write another year."),
                kind="term",
            )
        match name:
            case "<" if year is not None:
                return Years(None, year - 1)
            case "<=":
                return Years(None, year)
            case ">" if year is not None:
                return Years(year + 1, None)
            case ">=":
                return Years(year, None)
            case "<>":
                return negation(years)
        return years

    def exactly(self, dated_years: tuple[Years, bool]) -> Years:
        """The years of a date; a note says where the date has more than years."""
        years, whole = dated_years
        if not whole:
            self.reader.note(message("only the year of a date is searched"))
        return years


def _without_anchors(chars: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    anchor = ("^", True)
    start = 1 if chars[:1] == (anchor,) else 0
    end = len(chars) - 1 if chars[start:][-1:] == (anchor,) else len(chars)
    return chars[start:end]


def _split(raw: str, *, quoted: bool, masked: bool) -> list[_TermWord]:
    r"""The words of a term; `\*` is a star, `\"` a quote, `\\` a backslash."""
    chars: list[tuple[str, bool]] = []
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "\\" and at + 1 < len(raw):
            at += 1
            chars.append((raw[at], False))
        else:
            chars.append((char, masked and char in _MASKS))
        at += 1
    split: list[_TermWord] = []
    run: list[tuple[str, bool]] = []
    for char, mask in [*chars, (" ", False)]:
        if plain(char):
            run.append((char, mask))
        elif run:
            split.append(_TermWord(tuple(run)))
            run = []
    return split


# CQL 1.2 -> `ReadQuery`: what the clauses of its syntax tree mean in our fields. If our fields
# cannot express a part of the text, and the query still means nearly the same, a note names the
# part (a modifier, a sort key, a distance between words). Otherwise it is an error.
# docs/syntaxes.md lists both for users.

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
