"""What the term of a clause of CQL means: words, masks, dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import Clause, every, exact, left_to_right, near, wider, without
from metasearch.query.cql_grammar import (
    INDEXES,
    NOT_SEARCHED,
    Boolean,
    CqlIndex,
    CqlRelation,
    CqlToken,
    Modifier,
    Tree,
    name_in_set,
    set_of,
    syntax_tree,
)
from metasearch.query.cql_grammar import (
    CqlClause as SearchClause,
)
from metasearch.query.reader import (
    QueryReader,
    ReadQuery,
    phrase_of,
    read_or_suggest,
    truncatable,
    words,
)
from metasearch.query.scanner import OF_SOURCES, SyntaxLosses
from metasearch.query.tree import (
    CODED_FIELDS,
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
    plain,
)
from metasearch.query.values import (
    BadYears,
    between,
    identifier_field,
    years_of_date,
    years_of_sign,
)

_MASKS = "*?^"
#: Mask that cannot stand where it does -> what is wrong.
_MASK_FAULTS: Mapping[str, QueryFault] = {"?": "masking", "^": "anchoring", "*": "masking-position"}
#: Fields whose value is one word: it is the whole field.
_WHOLE = IDENTIFIERS | CODED_FIELDS
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
    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        #: How often something was read more widely than it is meant.
        self.more = 0

    def note_wider(self, sentence: str) -> None:
        self.more += 1
        self.reader.note(sentence)

    def words_of(self, term: CqlToken, relation: str, index: CqlIndex, *, masked: bool) -> Query:
        field = index.field
        split = self.without_anchors(_split(term.text, quoted=term.kind == "quoted", masked=masked))
        if not split:
            reason = message("There is nothing between the quotes")
            raise self.reader.needless(reason, *term.span, kind="empty-term")
        if field == "identifier":
            known = identifier_field(" ".join(word.text for word in split))
            field = known or "any"
            if known is None:
                self.reader.note(
                    message(
                        "dc.identifier is looked for everywhere: the term is no DOI, ISBN or ISSN"
                    )
                )
        texts = [self.without_masks(word, term) for word in split]
        if field in IDENTIFIERS and any(cut for _, cut in texts):
            raise self.reader.star_in_number(field.upper(), *term.span)
        if relation == "any":
            return disjunction([self.one(word, cut, field, term) for word, cut in texts])
        if relation == "all":
            return self.each(texts, field, term)
        if relation in ("==", "exact") and field not in _WHOLE:
            self.note_wider(
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
        if any(cut for _, cut in texts) or field in CODED_FIELDS:
            if len(texts) > 1 and field not in CODED_FIELDS:
                if not any(cut for _, cut in texts[:-1]):
                    return phrase_of(texts, (field,))
                self.note_wider(
                    message("a phrase with a * in it is read as all of its words, in any order")
                )
            return self.each(texts, field, term)
        return words(
            " ".join(word for word, _ in texts), field, phrase=exact and field not in IDENTIFIERS
        )

    def each(self, texts: Sequence[tuple[str, bool]], field: str, term: CqlToken) -> Query:
        if field in CODED_FIELDS:
            return self.one(
                " ".join(word for word, _ in texts), any(cut for _, cut in texts), field, term
            )
        return truncatable(texts, field)

    def one(self, word: str, cut: bool, field: str, term: CqlToken) -> Query:
        if field in CODED_FIELDS:
            return self.reader.code_term(word, field, term.span, cut=cut)
        return Term(word, field, truncated=True) if cut else words(word, field)

    def without_anchors(self, split: list[_TermWord]) -> list[_TermWord]:
        """The words without the ^ at either end, which asks for the place in the field."""
        bare = [_TermWord(_without_anchors(word.chars)) for word in split]
        if bare == split or not any(word.chars for word in bare):
            return split
        self.note_wider(
            message("^ is ignored: sources cannot be asked where in a field a word stands")
        )
        return [word for word in bare if word.chars]

    def without_masks(self, word: _TermWord, term: CqlToken) -> tuple[str, bool]:
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
        fix = self.reader.with_replacement(*term.span, fixed) if bare else None
        advice = None if bare else message("Add a word to look for.")
        kind = _MASK_FAULTS[sign]
        raise self.reader.error(what, *term.span, fix=fix, advice=advice, kind=kind)

    def years(self, relation: CqlRelation, name: str, term: CqlToken) -> Query:
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
                return disjunction([self.exactly(years_of_date(part)) for part in parts])
            years = self.exactly(years_of_date(value))
            if name in ORDERED[:4] and years.first != years.last:
                raise BadYears(message("{relation} takes one year", relation=name))
        except BadYears as bad:
            advice = message("Write a year with four digits.")
            raise self.reader.misread(
                bad, *term.span, advice, instead='"{}"'.format, kind="term"
            ) from None
        if name == "encloses":
            self.reader.note(message("encloses is read as =, because a record has one year"))
        year = years.first
        if (name == "<" and year == 1) or (name == ">" and year == 9999):
            raise self.reader.error(
                message("There is no such year"),
                *term.span,
                advice=message("Write another year."),
                kind="term",
            )
        return years_of_sign(name, year) if name in ORDERED[:4] and year is not None else years

    def exactly(self, dated_years: tuple[Years, bool]) -> Years:
        """The years of a date; a note says where the date has more than years."""
        years, whole = dated_years
        if not whole:
            self.note_wider(message("only the year of a date is searched"))
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


# CQL 1.2 -> `ReadQuery`, and back: what the clauses of its syntax tree mean in our fields.

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
    return read_or_suggest(_read_without_sort, text)


def parse_cql_with_sort(text: str) -> tuple[ReadQuery, SortKeys]:
    """As `parse_cql`, with the keys of sortBy, for a caller that can sort by them. Raises
    QuerySyntaxError: as `parse_cql`.
    """
    read = read_or_suggest(lambda candidate: _read(candidate)[0], text)
    return read, _read(text)[1]


def _read_without_sort(text: str) -> ReadQuery:
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
    return reader.finish(clause.widest, bounds, trees.losses.sentences(OF_SOURCES)), whole.keys


class _TreeReader(CqlTermReader):
    """None stands for all records throughout."""

    def __init__(self, reader: QueryReader) -> None:
        super().__init__(reader)
        self.losses = SyntaxLosses()

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
                raise self.refusal(join, message("cql.allRecords in an OR finds every record"))
            if join.operator == "not" and right is None:
                raise self.refusal(join, message("NOT cql.allRecords finds nothing"))
            if right is None:
                continue
            if join.operator == "not":
                right = self.exclusion(right, join)
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

    def exclusion(self, clause: Clause, join: Boolean) -> Clause:
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
        shown = f"prox{''.join(map(_modifier_text, join.modifiers))}"
        distance, unit = given.get("distance"), given.get("unit")
        relation, value = (distance.comparison, distance.value) if distance else ("<=", "1")
        is_number = value.isdecimal() and len(value) < 6
        words_apart = int(value) - 1 - (relation == "<") if is_number else -1
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
                    shown=_modifier_text(modifier),
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
                name=_modifier_text(modifier)[:60],
                near=f"/{near_it[0]}",
            )
            if near_it
            else message("There is no modifier {name} here", name=_modifier_text(modifier)[:60])
        )
        return self.reader.error(
            reason, *where, advice=message("Leave it out."), kind="relation-modifier"
        )

    def refusal(self, tree: Boolean, reason: str) -> QuerySyntaxError:
        advice = message("Leave cql.allRecords out.")
        return self.reader.error(reason, tree.start, tree.end, advice=advice, kind="feature")

    # ---------------------------------------------------------------- one clause

    def check_colon(self, term: CqlToken) -> None:
        """Raises QuerySyntaxError: a bare word begins with an index and a colon; CQL has = between
        the two.
        """
        index, colon, word = term.text.partition(":")
        prefix, _, name = index.lower().rpartition(".")
        if term.kind == "word" and colon and word and name in INDEXES.get(prefix, {}):
            reason = message("An index stands before an equals sign: {index} = ...", index=index)
            fix = self.reader.with_replacement(term.start, term.end, f"{index} = {word}")
            raise self.reader.error(reason, *term.span, fix=fix, kind="relation")

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
            self.note_wider(
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
            fix = self.reader.with_replacement(*relation.span, "=")
            raise self.reader.error(reason, *relation.span, fix=fix, kind="relation-and-index")
        return self.words_of(term, name, index, masked=masked)

    def index(self, relation: CqlRelation, prefixes: Sequence[tuple[str, str]]) -> CqlIndex | None:
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
        self, relation: CqlRelation, reason: str, instead: str | None, kind: QueryFault = "index"
    ) -> QuerySyntaxError:
        fix = self.reader.with_replacement(relation.start, relation.end, instead or "cql.anywhere")
        return self.reader.error(reason, relation.start, relation.end, fix=fix, kind=kind)

    def no_relation(self, relation: CqlRelation) -> QuerySyntaxError:
        from difflib import get_close_matches

        near = get_close_matches(
            relation.name[:30], [*_TEXT_RELATIONS[3:], "within", "encloses"], 1, 0.7
        )
        reason = message(
            'There is no relation "{name}"; there are = == <> < <= > >= any all adj '
            "exact within encloses. Write words side by side in quotes",
            name=relation.name[:30],
        )
        meant = near[0] if near else f"and {relation.name} and"
        fix = self.reader.with_replacement(*relation.span, meant)
        return self.reader.error(reason, *relation.span, fix=fix, kind="relation")

    def relation_modifiers(self, relation: CqlRelation) -> bool:
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
                    *relation.span,
                    advice=message("Write words; a * at the end of a word stands for any letters."),
                    kind="relation-modifier",
                )
            elif name in _FINDS_LESS or "." in name:
                self.reader.note(
                    message(
                        "{name}{shown}: the modifier is ignored",
                        name=relation.name,
                        shown=_modifier_text(modifier),
                    )
                )
            elif name in _FINDS_MORE:
                self.note_wider(
                    message(
                        "{name}{shown}: the modifier is ignored, which finds more",
                        name=relation.name,
                        shown=_modifier_text(modifier),
                    )
                )
            elif name not in _USUAL:
                raise self.unknown_modifier(modifier, _MODIFIERS, relation.span)
        return masked


def _modifier_text(modifier: Modifier) -> str:
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
    "pmid": "pmid", "pmcid": "pmcid", "arxiv": "arxiv", "trial": "trial",
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
