"""Which of many records satisfy queries, as sets of bits: bit n stands for the record that was
added as the n-th, from 0.

The answers are those of `match.matches`. Each record is cut into words once, whatever the number of
terms, and a term is compared only with records that have one of its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metasearch.query.match import CJK, TOKEN, SearchableRecord, compact, evaluate, fold
from metasearch.query.tree import And, Near, Not, Or, Query, Term, leaves, terms
from metasearch.record import Record

#: Fields of words, in which a term that does not occur is absent in the same way in every record.
_WORD_FIELDS = frozenset({"title", "venue", "abstract", "subject", "any"})


class Sets(NamedTuple):
    """The records that satisfy a query, and those that do not; of the others it is not known."""

    fit: int
    fail: int


@dataclass(slots=True)
class _Leaf:
    """A term, range or `Near`, and what is known of it.

    Attributes:
        word_field: The one of its terms; "" where each record is compared.
        at_once: Whether a record that has one of its keys satisfies it.
        needs: Keys that a record has all of if it satisfies it, or else has `joined`.
    """

    query: Query
    word_field: str
    at_once: bool = False
    needs: frozenset[str] = frozenset()
    joined: str = ""
    fit: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Keys:
    """How the leaves of one field are found by the words of a record."""

    words: dict[str, list[_Leaf]] = field(default_factory=dict)
    beginnings: dict[str, list[_Leaf]] = field(default_factory=dict)
    lengths: set[int] = field(default_factory=set)
    decided: list[int] = field(default_factory=list)

    def word(self, key: str, leaf: _Leaf) -> None:
        self.words.setdefault(key, []).append(leaf)

    def beginning(self, key: str, leaf: _Leaf) -> None:
        self.beginnings.setdefault(key, []).append(leaf)
        self.lengths.add(len(key))

    def leaves_of(self, keys: Iterable[str]) -> Iterator[_Leaf]:
        for key in keys:
            yield from self.words.get(key, ())
            for length in self.lengths:
                if length <= len(key):
                    yield from self.beginnings.get(key[:length], ())


class MatchingSets:
    """The sets of some queries and of all that is made of their leaves."""

    def __init__(self, queries: Iterable[Query]) -> None:
        self._leaves: dict[Query, _Leaf] = {}
        self._compared: list[_Leaf] = []
        self._keys: dict[str, _Keys] = {}
        self._count = 0
        self._known: dict[Query, Sets] = {}
        for query in queries:
            for leaf in _leaves(query):
                if leaf not in self._leaves:
                    self._leaves[leaf] = self._prepare(leaf)

    def __len__(self) -> int:
        return self._count

    @property
    def every(self) -> int:
        """All records."""
        return (1 << self._count) - 1

    def add(self, record: Record) -> int:
        """Compare a record with all leaves; returns its number."""
        number, shown = self._count, SearchableRecord(record)
        self._count += 1
        self._known.clear()
        for leaf in self._compared:
            _note(leaf, evaluate(leaf.query, shown), number)
        for name, keys in self._keys.items():
            if shown.texts(name) and (name != "any" or record.abstract):
                keys.decided.append(number)
            has = _record_keys(shown, name)
            for leaf in {id(leaf): leaf for leaf in keys.leaves_of(has)}.values():
                if leaf.needs <= has or leaf.joined in has:
                    _note(leaf, leaf.at_once or evaluate(leaf.query, shown), number)
        return number

    def of(self, query: Query) -> Sets:
        """The sets of a query whose leaves are among those of the queries that it was made with."""
        match query:
            case And(parts):
                return every_of(map(self.of, parts), self.every)
            case Or(parts):
                return inverse(every_of((inverse(self.of(part)) for part in parts), self.every))
            case Not(part):
                return inverse(self.of(part))
        if query not in self._known:
            self._known[query] = self._of_leaf(self._leaves[query])
        return self._known[query]

    def _of_leaf(self, leaf: _Leaf) -> Sets:
        fit, unknown = bits_of(leaf.fit), bits_of(leaf.unknown)
        decided = bits_of(self._keys[leaf.word_field].decided) if leaf.word_field else self.every
        return Sets(fit, decided & ~fit & ~unknown)

    # ---------------------------------------------------------------- how leaves are found

    def _prepare(self, query: Query) -> _Leaf:
        fields = {term.field for term in terms(query)}
        name = fields.pop() if len(fields) == 1 else ""
        leaf = _Leaf(query, name if name in _WORD_FIELDS else "")
        if leaf.word_field:
            if _add_keys(query, leaf, self._keys.setdefault(leaf.word_field, _Keys())):
                return leaf
            leaf.word_field = ""
        self._compared.append(leaf)
        return leaf


def _note(leaf: _Leaf, answer: bool | None, number: int) -> None:
    if answer:
        leaf.fit.append(number)
    elif answer is None:
        leaf.unknown.append(number)


def every_of(sets: Iterable[Sets], every: int) -> Sets:
    """What satisfies all of them, out of `every` record (Kleene's conjunction)."""
    fit, fail = every, 0
    for one in sets:
        fit &= one.fit
        fail |= one.fail
    return Sets(fit, fail)


def inverse(sets: Sets) -> Sets:
    return Sets(sets.fail, sets.fit)


def bits_of(numbers: Sequence[int]) -> int:
    """The set of some numbers."""
    made = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        made[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(made, "little")


def numbers_of(bits: int) -> Iterator[int]:
    """The numbers of the records of a set, in their order."""
    for at, byte in enumerate(bits.to_bytes((bits.bit_length() + 7) // 8, "little")):
        while byte:
            low = byte & -byte
            yield (at << 3) + low.bit_length() - 1
            byte ^= low


def _leaves(query: Query) -> Iterator[Query]:
    """The leaves, among which a `Near` is one."""
    match query:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _leaves(part)
        case Not(part):
            yield from _leaves(part)
        case _:
            yield query


def _record_keys(shown: SearchableRecord, name: str) -> set[str]:
    """The words of a field, Chinese, Japanese and Korean characters one by one, identifiers."""
    keys: set[str] = set()
    for text in shown.texts(name):
        keys.update(text.words)
        if not text.folded.isascii():
            keys.update(CJK.findall(text.folded))
    keys.update([word.rstrip("+#") for word in keys if word[-1] in "+#"])
    if name == "any":
        keys.update(shown.identifiers)
    return keys


def _add_keys(query: Query, leaf: _Leaf, keys: _Keys) -> bool:
    """Add the keys of which a record has one if it satisfies a leaf; False where there are none."""
    if isinstance(query, Term):
        made = _term_keys(query)
        if made is not None:
            leaf.at_once, leaf.needs, leaf.joined = made.at_once, made.needs, made.joined
        parts = None if made is None else [made]
    elif isinstance(query, Near):
        # A record that satisfies it has an alternative of each part; the first part will do.
        found = [_term_keys(term) for term, _ in leaves(query.parts[0]) if isinstance(term, Term)]
        parts = [one for one in found if one is not None]
        parts = parts if len(parts) == len(found) else None
    else:
        parts = None
    for part in parts or ():
        for word in part.words:
            keys.word(word, leaf)
        for beginning in part.beginnings:
            keys.beginning(beginning, leaf)
    return parts is not None


class _TermKeys(NamedTuple):
    words: set[str]
    beginnings: set[str]
    at_once: bool = False
    needs: frozenset[str] = frozenset()
    joined: str = ""


def _term_keys(term: Term) -> _TermKeys | None:
    """What a record has in the field if it satisfies a term; None where nothing can be named."""
    if term.truncated:
        return _beginning_keys(fold(term.text))
    wanted = [term.text] if term.phrase else term.text.split()
    # One of the words that must all be there: the one with the longest part is the rarest.
    rarest: tuple[int, str, str] = (0, "", "")
    for word in map(fold, wanted):
        for part in CJK.findall(word)[:1] or TOKEN.findall(word):
            rarest = max(rarest, (len(part), part, word), key=lambda one: one[0])
    length, part, word = rarest
    if not length:
        return None
    joined = compact(word)
    if CJK.search(part):
        return _TermKeys({part, joined}, set())
    at_once = len(wanted) == 1 and part == word == joined
    return _TermKeys({part, joined}, set(), at_once, frozenset(TOKEN.findall(word)), joined)


def _beginning_keys(stem: str) -> _TermKeys | None:
    joined = compact(stem)
    if characters := CJK.findall(stem):
        return _TermKeys({characters[0]}, set())
    words = TOKEN.findall(stem)
    if not words or not joined:
        return None
    if len(words) == 1:
        return _TermKeys(set(), {words[0], joined}, words[0] == stem == joined)
    return _TermKeys({max(words[:-1], key=len)}, {joined})
