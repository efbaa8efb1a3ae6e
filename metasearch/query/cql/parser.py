"""CQL 1.2 -> `ReadQuery`: what the clauses of its syntax tree (`cql_grammar.py`) mean in our
fields.

What CQL says and we cannot is told in a note where the query still means nearly the same (a
modifier, a sort key, how near two words stand), and is an error where it would not.
docs/syntaxes.md lists them for users.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metasearch.bib.languages import language_code
from metasearch.errors import QuerySyntaxError
from metasearch.query.ast import IDENTIFIERS, Query, Term, Years
from metasearch.query.cql_grammar import (
    Boolean,
    Clause,
    Modifier,
    Relation,
    Tree,
    syntax_tree,
)
from metasearch.query.cql_indexes import INDEXES, NOT_SEARCHED, CqlIndex, set_of
from metasearch.query.cql_tokens import CqlToken
from metasearch.query.kinds import type_word
from metasearch.query.reading import (
    LeftToRight,
    Reader,
    ReadQuery,
    attempt,
    between,
    dated,
    disjunction,
    identifier_field,
    negation,
    plain,
    truncatable,
    words,
)
from metasearch.query.years import BadYears

_MASKS = "*?^"
_TEXT_RELATIONS = ("=", "==", "<>", "exact", "any", "all", "adj", "scr")
_ORDERED = ("<", "<=", ">", ">=", "within", "encloses")
#: Modifiers that ask for what is done anyway.
_USUAL = frozenset(
    {"relevant", "ignorecase", "ignoreaccents", "masked", "word", "isodate", "cql.masked"}
)


def parse_cql(text: str) -> ReadQuery:
    """Read a query in CQL 1.2.

    Raises:
        QuerySyntaxError: It is no CQL, or asks for what cannot be searched here.
    """
    return attempt(_read, text)


def _read(text: str) -> ReadQuery:
    reader = Reader(text, "cql")
    whole = syntax_tree(reader)
    query = _Meaning(reader).of(whole.tree)
    if query is None:
        raise reader.error(
            "cql.allRecords finds everything that there is",
            0,
            len(text),
            advice="Name something to look for; cql.allRecords may stand before a NOT.",
        )
    if whole.keys:
        names = ", ".join(key for key, _ in whole.keys)
        reader.note(f"sortBy {names} is passed over: hits come best first")
    return reader.finished(query)


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


class _Meaning:
    """None stands for all records throughout."""

    def __init__(self, reader: Reader) -> None:
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
            raise self.refused(join, "cql.allRecords in an OR finds everything")
        if join.operator == "not" and right is None:
            raise self.refused(join, "NOT cql.allRecords finds nothing")
        if right is None:
            return left
        if left is None:
            return LeftToRight(self.reader, negation(right) if join.operator == "not" else right)
        left.add({"or": "OR", "not": "NOT"}.get(join.operator, "AND"), right)
        return left

    def boolean_modifiers(self, tree: Boolean) -> None:
        shown = "".join(map(_shown, tree.modifiers))
        if tree.operator == "prox":
            self.reader.note(f"prox{shown} is read as AND: how near the two stand cannot be asked")
        elif shown:
            self.reader.note(f"{tree.operator}{shown} is read as {tree.operator.upper()}")

    def refused(self, tree: Boolean, reason: str) -> QuerySyntaxError:
        return self.reader.error(reason, tree.start, tree.end, advice="Leave cql.allRecords out.")

    # ---------------------------------------------------------------- one clause

    def clause(self, clause: Clause) -> Query | None:
        relation, term = clause.relation, clause.term
        if relation is None:
            return self.words_of(term, "=", CqlIndex("", "any"), masked=True)
        name = relation.name.removeprefix("cql.").removeprefix("srw.")
        if name not in (*_TEXT_RELATIONS, *_ORDERED):
            raise self.no_relation(relation)
        index = self.index(relation, clause.prefixes)
        if index is None:
            return None
        masked = self.relation_modifiers(relation)
        if not index.exact:
            held = {"any": "everything that a database searches by default"}.get(
                index.field, f"the {index.field}"
            )
            self.reader.note(
                f"{relation.index} is looked for in {held}, which is not quite the same"
            )
        if index.field == "year":
            return self.years(relation, name, term)
        if name in _ORDERED:
            reason = f"{relation.name} compares dates; {relation.index} is not one"
            fix = self.reader.put(relation.at, relation.at + len(relation.name), "=")
            raise self.reader.error(reason, relation.at, relation.at + len(relation.name), fix=fix)
        return self.words_of(term, name, index, masked=masked)

    def index(self, relation: Relation, prefixes: Sequence[tuple[str, str]]) -> CqlIndex | None:
        """What the index means; None for that of all records."""
        from difflib import get_close_matches

        prefix, dot, name = relation.index.rpartition(".")
        assigned = dict(prefixes)
        if not dot and not prefix and "" in assigned:
            self.reader.note(
                f"the context set {assigned['']} is passed over for indexes without a prefix"
            )
        found = set_of(prefix.lower(), assigned.get(prefix)) if dot else ""
        low = name.lower()
        if found in ("cql", "srw") and low == "allrecords":
            return None
        if found in ("cql", "srw") and low in ("resultsetid", "resultset"):
            raise self.unknown(relation, "There are no earlier result sets here", None)
        if found == "rec":
            raise self.unknown(
                relation,
                f"{relation.index} is about a record in its database, which cannot be asked",
                None,
            )
        if found is None:
            raise self.unknown(
                relation,
                f'The context set "{prefix[:30]}" is not known; those known are cql, dc, bath, bib',
                name,
            )
        known = INDEXES[found]
        if low in known:
            return known[low]
        if low in NOT_SEARCHED:
            raise self.unknown(
                relation, f"{relation.index} cannot be searched here: no field holds it", None
            )
        near = get_close_matches(low[:30], known, 1, 0.7)
        names = ", ".join(it.name for it in known.values())
        reason = (
            f'There is no index "{name[:30]}" in {found or "the indexes without a prefix"}; '
            f"there are {names}"
        )
        raise self.unknown(
            relation, reason, f"{found}.{known[near[0]].name}".lstrip(".") if near else None
        )

    def unknown(self, relation: Relation, reason: str, instead: str | None) -> QuerySyntaxError:
        fix = self.reader.put(relation.start, relation.end, instead or "cql.anywhere")
        return self.reader.error(reason, relation.start, relation.end, fix=fix)

    def no_relation(self, relation: Relation) -> QuerySyntaxError:
        from difflib import get_close_matches

        end = relation.at + len(relation.name)
        near = get_close_matches(
            relation.name[:30], [*_TEXT_RELATIONS[3:], "within", "encloses"], 1, 0.7
        )
        reason = (
            f'There is no relation "{relation.name[:30]}"; there are = == <> < <= > >= any all '
            f"adj exact within "
            "encloses. Words side by side stand in quotes"
        )
        if near:
            return self.reader.error(
                reason, relation.at, end, fix=self.reader.put(relation.at, end, near[0])
            )
        return self.reader.error(
            reason,
            relation.at,
            end,
            fix=self.reader.put(relation.at, end, f"and {relation.name} and"),
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
                    f"/{modifier.name} cannot be asked of any source", relation.at,
                    relation.at + len(relation.name),
                    advice="Write words; a * at the end of one stands for any letters.",
                )  # fmt: skip
            elif name not in _USUAL:
                self.reader.note(f"{relation.name}{_shown(modifier)}: the modifier is passed over")
        return masked

    # ---------------------------------------------------------------- terms

    def words_of(self, term: CqlToken, relation: str, index: CqlIndex, *, masked: bool) -> Query:
        field = index.field
        found = _split(term.text, quoted=term.kind == "quoted", masked=masked)
        if not found:
            fix = self.reader.cut(term.start, term.end)
            raise self.reader.error(
                "There is nothing between the quotes", term.start, term.end, fix=fix
            )
        if field == "identifier":
            known = identifier_field(" ".join(it.text for it in found))
            field = known or "any"
            if known is None:
                self.reader.note(
                    "dc.identifier is looked for everywhere: the term has not the form of a DOI, "
                    "ISBN or ISSN"
                )
        texts = [self.unmasked(it, term) for it in found]
        if field in IDENTIFIERS and any(cut for _, cut in texts):
            raise self.reader.whole_number(field.upper(), term.start, term.end)
        if relation == "<>":
            return negation(self.together(texts, field, term, exact=len(texts) > 1))
        if relation == "any":
            return disjunction([self.one(word, cut, field, term) for word, cut in texts])
        if relation == "all":
            return self.each(texts, field, term)
        if relation in ("==", "exact"):
            self.reader.note(
                f"{relation} is read as a phrase: that the field holds no more than the term "
                f"cannot be asked"
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
                    "a phrase with a * in it is read as all of its words, in any order"
                )
            return self.each(texts, field, term)
        return words(
            " ".join(word for word, _ in texts),
            field,
            phrase=exact and field not in ("doi", "isbn", "issn"),
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
                reason = f'"{word[:30]}" is no {field} that is known here'
                advice = (
                    "Write its code, such as en, or its name."
                    if field == "language"
                    else "Write one such as thesis."
                )
                raise self.reader.error(reason, term.start, term.end, advice=advice)
            return Term(known, field)
        return Term(word, field, truncated=True) if cut else words(word, field)

    def unmasked(self, word: _TermWord, term: CqlToken) -> tuple[str, bool]:
        """(the word without masks, whether it is truncated)."""
        if not word.masks:
            return word.text, False
        if word.masks == "*" and word.chars[-1] == ("*", True) and any(map(str.isalnum, word.text)):
            return word.text[:-1], True
        sign = word.masks.replace("*", "")[:1] or "*"
        what = {
            "?": "? for one letter cannot be asked",
            "^": "^ for the beginning or end of a field cannot be asked",
            "*": "* for any letters can stand at the end of a word only",
        }[sign]
        bare = "".join(char for char, mask in word.chars if not mask)
        raw = self.reader.text[term.start : term.end]
        fixed = raw
        for mask in set(word.masks):
            fixed = fixed.replace(mask, "" if bare else "x")
        fix = self.reader.put(term.start, term.end, fixed) if bare else None
        advice = None if bare else "Name a word to look for."
        raise self.reader.error(what, term.start, term.end, fix=fix, advice=advice)

    # ---------------------------------------------------------------- dates

    def years(self, relation: Relation, name: str, term: CqlToken) -> Query:
        value = plain(term.text).rstrip("*")
        try:
            if name in ("any", "within") or (name == "all" and " " not in value):
                parts = value.split()
                if name == "within":
                    if len(parts) != 2:
                        raise BadYears('within takes two years in quotes: within "2015 2020"')
                    return self.exactly(between(parts[0], parts[1]))
                return disjunction([self.exactly(dated(part)) for part in parts])
            years = self.exactly(dated(value))
            if name in _ORDERED[:4] and years.first != years.last:
                raise BadYears(f"{name} takes one year")
        except BadYears as bad:
            fix = (
                self.reader.put(term.start, term.end, f'"{bad.corrected}"')
                if bad.corrected
                else None
            )
            advice = None if fix else "Write a year with four digits."
            raise self.reader.error(
                bad.reason, term.start, term.end, fix=fix, advice=advice
            ) from None
        if name == "encloses":
            self.reader.note("encloses is read as =, for a record has one year")
        year = years.first
        if (
            name in ("<", ">")
            and year is not None
            and not 1 <= year + (1 if name == ">" else -1) <= 9999
        ):
            raise self.reader.error(
                "There is no such year", term.start, term.end, advice="Write another year."
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

    def exactly(self, found: tuple[Years, bool]) -> Years:
        if not found[1]:
            self.reader.note("of a date only the year can be asked")
        return found[0]


def _shown(modifier: Modifier) -> str:
    return f"/{modifier.name}{modifier.comparison}{modifier.value}"


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
    found: list[_TermWord] = []
    run: list[tuple[str, bool]] = []
    for char, mask in [*chars, (" ", False)]:
        if plain(char):
            run.append((char, mask))
        elif run:
            found.append(_TermWord(tuple(run)))
            run = []
    return found
