"""CQL 1.2 -> its syntax tree, by its grammar alone; and the vocabulary of SRU: indexes and
diagnostics.

The grammar is that of the specification (https://www.loc.gov/standards/sru/cql/spec.html):

    sortedQuery      = { prefixAssignment } scopedClause [ "sortby" singleSpec { singleSpec } ]
    cqlQuery         = { prefixAssignment } scopedClause
    prefixAssignment = ">" [ prefix "=" ] uri
    scopedClause     = searchClause { boolean modifiers searchClause }   left to right, equal rank
    searchClause     = "(" cqlQuery ")" | [ index relation modifiers ] term
    relation         = "=" | "==" | "<>" | "<" | "<=" | ">" | ">=" | identifier
    modifiers        = { "/" name [ comparison value ] }

As in the parsers of Index Data, brackets may also follow an index and relation, which then hold for
the terms in them that have none of their own: `title = (cat or dog)`. Keywords are read whatever
their case; where a term has to stand, they are terms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from metasearch.errors import QueryFault, QuerySyntaxError
from metasearch.message import message
from metasearch.query.reader import QueryReader, Span
from metasearch.query.tree import is_blank

# Characters -> tokens of CQL 1.2.

Kind = Literal["word", "quoted", "(", ")", "/", "sign", "end"]

_SIGN = re.compile(r"==|<=|>=|<>|[=<>]")
_WORD_ENDS = frozenset('()=<>"/')
_TO_THE_QUOTE = re.compile(r'"(?:[^"\\]|\\.)*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class CqlToken:
    """A piece of the query; a quoted text without its quotes, backslashes included."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def keyword(self) -> str:
        """In small letters, where it may be a keyword."""
        return self.text.lower() if self.kind == "word" else ""


def cql_tokens(reader: QueryReader) -> list[CqlToken]:
    """All tokens, then one of kind "end". Raises QuerySyntaxError: a quote is never closed."""
    tokens: list[CqlToken] = []
    text, at = reader.text, 0
    while at < len(text):
        char = text[at]
        if is_blank(char):
            at += 1
            continue
        if char == '"':
            token = _quote_token(reader, at)
        elif char in "()/":
            token = CqlToken(char, char, at, at + 1)  # type: ignore[arg-type]
        elif sign := _SIGN.match(text, at):
            token = CqlToken("sign", sign[0], at, sign.end())
        else:
            end = at
            while end < len(text) and not is_blank(text[end]) and text[end] not in _WORD_ENDS:
                escapes = text[end] == "\\" and text[end + 1 : end + 2] in _WORD_ENDS
                end += 2 if escapes else 1
            token = CqlToken("word", text[at:end], at, end)
        tokens.append(token)
        at = token.end
    return [*tokens, CqlToken("end", "", len(text), len(text))]


def _quote_token(reader: QueryReader, at: int) -> CqlToken:
    text = reader.text
    body = _TO_THE_QUOTE.match(text, at)
    assert body is not None
    end = body.end()
    if text[end : end + 1] != '"':
        closed = (
            f'{text.rstrip()}"'
            if text[at + 1 :].strip() and not text.rstrip().endswith("\\")
            else reader.without(at, at + 1)
        )
        raise reader.error(
            message("This quote is never closed"), at, at + 1, fix=closed, kind="quotes"
        )
    return CqlToken("quoted", text[at + 1 : end], at, end + 1)


@dataclass(frozen=True, slots=True)
class Modifier:
    """`/name`, or `/name=value` with any comparison."""

    name: str
    comparison: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class CqlRelation:
    """What is to hold between an index and a term.

    Attributes:
        index: As written, with its prefix.
        name: A sign, or a word in small letters.
        at: Where the relation begins.
    """

    index: str
    name: str
    modifiers: tuple[Modifier, ...]
    start: int
    end: int
    at: int

    @property
    def span(self) -> Span:
        """Where its name stands."""
        return self.at, self.at + len(self.name)


@dataclass(frozen=True, slots=True)
class CqlClause:
    """A term, with a relation unless the server may choose; `prefixes`: (name, URI)."""

    relation: CqlRelation | None
    term: CqlToken
    prefixes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Boolean:
    operator: str
    modifiers: tuple[Modifier, ...]
    left: Tree
    right: Tree
    start: int
    end: int


Tree = CqlClause | Boolean


@dataclass(frozen=True, slots=True)
class CqlQuery:
    """A whole query; `keys` are the indexes that it is to be sorted by, each with its modifiers."""

    tree: Tree
    keys: tuple[tuple[str, tuple[Modifier, ...]], ...] = ()


BOOLEANS = ("and", "or", "not", "prox")


def syntax_tree(reader: QueryReader) -> CqlQuery:
    """Read the text of a reader. Raises QuerySyntaxError: it is no CQL."""
    return _CqlParser(reader).whole_query()


class _CqlParser:
    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        self.tokens = cql_tokens(reader)
        self.at = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> CqlToken:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> CqlToken:
        token = self.peek()
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    # ---------------------------------------------------------------- the grammar

    def whole_query(self) -> CqlQuery:
        tree = self.query((), None)
        keys: list[tuple[str, tuple[Modifier, ...]]] = []
        if self.peek().keyword == "sortby":
            sortby = self.take()
            while self.peek().kind in ("word", "quoted"):
                keys.append((self.take().text, self.modifiers()))
            if not keys:
                raise self.reader.needless(message("sortBy needs an index after it"), *sortby.span)
        rest = self.peek()
        if rest.kind == "end":
            return CqlQuery(tree, tuple(keys))
        if rest.kind == ")":
            raise self.reader.no_opening(rest.start, kind="parentheses")
        raise self.stray(rest)

    def query(self, prefixes: tuple[tuple[str, str], ...], relation: CqlRelation | None) -> Tree:
        while self.peek().text == ">" and self.peek().kind == "sign":
            prefixes = (*prefixes, self.prefix())
        tree = self.clause(prefixes, relation, None)
        while self.peek().keyword in BOOLEANS:
            operator = self.take()
            modifiers = self.modifiers()
            right = self.clause(prefixes, relation, operator)
            tree = Boolean(operator.keyword, modifiers, tree, right, operator.start, operator.end)
        return tree

    def prefix(self) -> tuple[str, str]:
        sign = self.take()
        first = self.take()
        if first.kind not in ("word", "quoted"):
            raise self.reader.needless(
                message('A prefix is assigned as in > dc = "info:srw/context-set/1/dc-v1.1"'),
                *sign.span,
            )
        if self.peek().text != "=" or self.peek().kind != "sign":
            return "", first.text
        equals = self.take()
        uri = self.take()
        if uri.kind not in ("word", "quoted"):
            raise self.reader.error(
                message("The URI of the prefix is missing"),
                *equals.span,
                fix=self.reader.without(sign.start, equals.end),
            )
        return first.text, uri.text

    def clause(
        self,
        prefixes: tuple[tuple[str, str], ...],
        relation: CqlRelation | None,
        after: CqlToken | None,
    ) -> Tree:
        token = self.peek()
        if token.kind == "(":
            return self.group(prefixes, relation)
        if token.kind not in ("word", "quoted"):
            raise self.no_term(token, after)
        following = self.peek(1)
        named = following.kind == "word" and following.keyword not in (*BOOLEANS, "sortby")
        if not (named or following.kind == "sign"):
            return self.term(prefixes, relation)
        if named and self.peek(2).kind not in ("word", "quoted", "(", "/"):
            raise self.stray(following)
        index, sign = self.take(), self.take()
        here = CqlRelation(
            index.text, sign.text.lower(), self.modifiers(), index.start, index.end, sign.start
        )
        if self.peek().kind == "(":
            return self.group(prefixes, here)
        if self.peek().kind not in ("word", "quoted"):
            raise self.no_term(self.peek(), sign)
        return self.term(prefixes, here)

    def term(
        self, prefixes: tuple[tuple[str, str], ...], relation: CqlRelation | None
    ) -> CqlClause:
        term = self.take()
        self.reader.count(term.start, term.end)
        return CqlClause(relation, term, prefixes)

    def group(self, prefixes: tuple[tuple[str, str], ...], relation: CqlRelation | None) -> Tree:
        opening = self.take()
        self.reader.check_depth(self.depth, opening.start)
        self.depth += 1
        if self.peek().kind == ")":
            closing = self.peek()
            raise self.reader.needless(
                message("There is nothing between the brackets"),
                opening.start,
                closing.end,
                kind="parentheses",
            )
        if self.peek().kind == "end":
            raise self.reader.needless(
                message("There is nothing after this bracket"), *opening.span, kind="parentheses"
            )
        tree = self.query(prefixes, relation)
        if self.peek().kind != ")":
            if self.peek().kind == "end":
                raise self.reader.no_closing(opening.start, self.depth, kind="parentheses")
            raise self.stray(self.peek())
        self.take()
        self.depth -= 1
        return tree

    def modifiers(self) -> tuple[Modifier, ...]:
        modifiers: list[Modifier] = []
        while self.peek().kind == "/":
            slash = self.take()
            name = self.take()
            if name.kind not in ("word", "quoted"):
                raise self.reader.needless(
                    message("A modifier needs its name after the slash"), *slash.span
                )
            if self.peek().kind != "sign":
                modifiers.append(Modifier(name.text))
                continue
            sign = self.take()
            value = self.take()
            if value.kind not in ("word", "quoted"):
                fix = self.reader.without(slash.start, sign.end)
                raise self.reader.error(
                    message("The value of the modifier is missing"), *sign.span, fix=fix
                )
            modifiers.append(Modifier(name.text, sign.text, value.text))
        return tuple(modifiers)

    # ---------------------------------------------------------------- errors

    def without(self, token: CqlToken) -> str:
        return self.reader.without(token.start, token.end)

    def no_term(self, token: CqlToken, after: CqlToken | None) -> QuerySyntaxError:
        if after is not None:
            return self.reader.lacks(after.span, "after")
        if token.kind == ")":
            return self.reader.no_opening(token.start, kind="parentheses")
        sign = self.reader.text[token.start : token.end]
        reason = (
            message("{sign} needs an index before it", sign=sign)
            if token.kind == "sign"
            else message("A word to look for is missing here")
        )
        return self.reader.error(
            reason, token.start, max(token.end, token.start + 1), fix=self.without(token)
        )

    def stray(self, token: CqlToken) -> QuerySyntaxError:
        """A word where an operator must stand: words side by side have to be in quotes."""
        before = (
            self.tokens[max(0, self.at)]
            if self.peek() is not token
            else self.tokens[max(0, self.at - 1)]
        )
        if before.keyword == "not":
            reason = message("In CQL, NOT stands between what is wanted and what is not")
            joins = self.tokens[max(0, self.tokens.index(before) - 1)]
            needless = joins if joins.keyword == "and" else before
            return self.reader.error(reason, before.start, before.end, fix=self.without(needless))
        if token.kind in ("word", "quoted"):
            reason = message(
                "CQL has no words side by side: put them in quotes, or write AND or OR between them"
            )
            return self.reader.error(
                reason,
                *token.span,
                fix=self.reader.with_replacement(token.start, token.start, "and "),
            )
        if token.kind == "/" and before.kind == "word" and before.end == token.start:
            end = token.end
            while end < len(self.reader.text) and not (
                is_blank(self.reader.text[end]) or self.reader.text[end] in '()"'
            ):
                end += 1
            quoted = f'"{self.reader.text[before.start : end]}"'
            reason = message("A term with a slash must stand in quotes")
            return self.reader.error(
                reason,
                before.start,
                end,
                fix=self.reader.with_replacement(before.start, end, quoted),
            )
        reason = message("AND, OR, NOT or the end of the query must stand here")
        return self.reader.needless(reason, *token.span)


# The vocabulary of SRU: the indexes of CQL's context sets, and the diagnostics by number.

# Indexes of CQL's context sets -> our fields. The sets are those of
# http://www.loc.gov/standards/sru/resources/contextSets.html: cql, dc (Dublin Core), bath (the Bath
# profile), bib (bibliographic, after MODS), marc (fields of MARC 21), rec (about the record in its
# database), and srw, as cql was called in 1.0.


@dataclass(frozen=True, slots=True)
class CqlIndex:
    """What an index means here.

    Attributes:
        name: As its context set writes it, without the prefix.
        field: One of `metasearch.query.FIELDS`, "year", or "identifier", which the form of the term
            decides.
        exact: False where the field holds more, or other things, than the index.
    """

    name: str
    field: str
    exact: bool = True


def _indexes(text: str) -> dict[str, CqlIndex]:
    """ "title: main *uniform" -> both names mean the title, the one with a star not exactly."""
    indexes = {}
    for line in text.strip().splitlines():
        field, _, names = line.strip().partition(": ")
        for name in names.split():
            bare = name.lstrip("*")
            indexes[bare.lower()] = CqlIndex(bare, field, bare == name)
    return indexes


_CQL = _indexes("any: serverChoice anywhere keywords anyIndexes")

#: Context set -> index in small letters -> what it means. The set "" is that of indexes without a
#: prefix.
INDEXES: Mapping[str, Mapping[str, CqlIndex]] = {
    "cql": _CQL,
    "srw": _CQL,
    "dc": _indexes("""
        title: title *alternative
        author: creator *contributor
        subject: subject *coverage *spatial *temporal
        abstract: abstract *description *tableOfContents
        venue: *source *isPartOf *bibliographicCitation
        year: date issued *created *dateAccepted *available
        language: language
        type: type
        identifier: identifier
    """),
    "bath": _indexes("""
        any: any anywhere *notes
        title: title *uniformTitle *seriesTitle
        venue: *keyTitle
        author: author name personalName personalAuthor
        author: *corporateName *corporateAuthor *conferenceName *conferenceAuthor
        subject: subject topicalSubject *nameSubject *geographicName *genreForm
        isbn: isbn
        issn: issn
        identifier: standardIdentifier
    """),
    "bib": _indexes("""
        title: title titleMain *titleAbbreviated *titleUniform *titleTranslated *titleAlternative
        title: *titleSeries
        author: name namePersonal *nameCorporate *nameConference
        subject: subject subjectTopic *subjectPlace *subjectTitle *subjectName *subjectOccupation
        year: dateIssued date *dateCreated *dateValid *dateModified *dateCopyright
        type: *genre *typeOfResource
    """),
    "marc": _indexes("""
        title: 245 *130 *240 *246 *440 *490
        author: 100 700 720 *110 *111 *710 *711
        subject: 650 653 *600 *610 *611 *630 *648 *651 *655
        abstract: *520
        venue: *773 *222
        year: *260 *264
        language: 041
        isbn: 020
        issn: 022
        identifier: 024
    """),
    "": _indexes("""
        any: any anywhere serverChoice
        title: title ti
        author: author creator name au
        venue: venue journal
        abstract: abstract *description ab
        subject: subject
        year: year date
        language: language
        type: type
        doi: doi
        isbn: isbn
        issn: issn
        pmid: pmid
        pmcid: pmcid
        arxiv: arxiv
        trial: trial
        identifier: identifier
    """),
}

#: What several sets have and no source here can be asked for.
NOT_SEARCHED = frozenset(
    (
        "publisher format rights relation edition audience volume issue startpage endpage extent "
        "medium license rightsholder accessrights provenance instructionalmethod educationlevel "
        "mediator accrualmethod accrualperiodicity accrualpolicy conformsto hasformat haspart "
        "hasversion isformatof isreferencedby isreplacedby isrequiredby isversionof references "
        "replaces requires modified valid datesubmitted datecopyrighted originplace portion "
        "issuance noteaccess possessingbody editor publishername callnumber notecontent"
    ).split()
)

_SETS = re.compile(
    r"(?<![a-z0-9])(cql|srw|dcterms|dc|dublincore|bath|bib|marc|rec|metasearch)(?=$|[^a-z]|v[0-9])",
    re.IGNORECASE,
)
_ALIASES = {"dcterms": "dc", "dublincore": "dc", "dct": "dc", "metasearch": ""}


def name_in_set(context_set: str, name: str) -> str:
    """The name of an index in `INDEXES`: of "245$a", a MARC field with subfield, the field."""
    return name.partition("$")[0] if context_set == "marc" else name


def set_of(prefix: str, assigned: str | None) -> str | None:
    """The context set that a prefix stands for; None for one that is not known. `assigned`: the URI
    that the query assigns to it, or None.
    """
    if assigned is not None and (sets := _SETS.findall(assigned)):
        prefix = sets[-1].lower()  # "info:srw/cql-context-set/1/dc-v1.1"
    prefix = _ALIASES.get(prefix, prefix)
    return prefix if prefix in INDEXES or prefix == "rec" else None


# The diagnostics of SRU by number: our adapters read them, and our own SRU server writes them.
# https://www.loc.gov/standards/sru/diagnostics/diagnosticsList.html

#: What each number of the list means; 235 is the one that Z39.50 has for databases.
MEANINGS: Mapping[int, str] = {
    1: "General system error", 2: "System temporarily unavailable", 3: "Authentication error",
    4: "Unsupported operation", 5: "Unsupported version", 6: "Unsupported parameter value",
    7: "Mandatory parameter not supplied", 8: "Unsupported parameter",
    9: "Unsupported combination of parameters",
    10: "Query syntax error", 11: "Unsupported query type", 12: "Too many characters in query",
    13: "Invalid or unsupported use of parentheses",
    14: "Invalid or unsupported use of quotes", 15: "Unsupported context set",
    16: "Unsupported index", 17: "Unsupported combination of index and context set",
    18: "Unsupported combination of indexes", 19: "Unsupported relation",
    20: "Unsupported relation modifier",
    21: "Unsupported combination of relation modifers",
    22: "Unsupported combination of relation and index",
    23: "Too many characters in term", 24: "Unsupported combination of relation and term",
    25: "Special characters not quoted in term",
    26: "Non special character escaped in term", 27: "Empty term unsupported",
    28: "Masking character not supported", 29: "Masked words too short",
    30: "Too many masking characters in term",
    31: "Anchoring character not supported", 32: "Anchoring character in unsupported position",
    33: "Combination of proximity/adjacency and masking characters not supported",
    34: "Combination of proximity/adjacency and anchoring characters not supported",
    35: "Term contains only stopwords", 36: "Term in invalid format for index or relation",
    37: "Unsupported boolean operator", 38: "Too many boolean operators in query",
    39: "Proximity not supported", 40: "Unsupported proximity relation",
    41: "Unsupported proximity distance", 42: "Unsupported proximity unit",
    43: "Unsupported proximity ordering",
    44: "Unsupported combination of proximity modifiers",
    45: "Prefix assigned to multiple identifiers", 46: "Unsupported boolean modifier",
    47: "Cannot process query; reason unknown",
    48: "Query feature unsupported",
    49: "Masking character in unsupported position", 50: "Result sets not supported",
    51: "Result set does not exist", 52: "Result set temporarily unavailable",
    53: "Result sets only supported for retrieval",
    54: "Retrieval may only occur from an existing result set",
    55: "Combination of result sets with search terms not supported",
    56: "Only combination of single result set with search terms supported",
    57: "Result set created but no records available",
    58: "Result set created with unpredictable partial results available",
    59: "Result set created with valid partial results available",
    60: "Result set not created: too many matching records",
    61: "First record position out of range", 62: "Negative number of records requested",
    63: "System error in retrieving records", 64: "Record temporarily unavailable",
    65: "Record does not exist",
    66: "Unknown schema for retrieval", 67: "Record not available in this schema",
    68: "Not authorized to send record",
    69: "Not authorized to send record in this schema", 70: "Record too large to send",
    71: "Unsupported record packing", 72: "XPath retrieval unsupported",
    73: "XPath expression contains unsupported feature",
    74: "Unable to evaluate XPath expression",
    80: "Sort not supported", 81: "Unsupported sort type", 82: "Unsupported sort sequence",
    83: "Too many records to sort", 84: "Too many sort keys to sort", 85: "Duplicate sort keys",
    86: "Cannot sort: incompatible record formats", 87: "Unsupported schema for sort",
    88: "Unsupported path for sort", 89: "Path unsupported for schema",
    90: "Unsupported direction value", 91: "Unsupported case value",
    92: "Unsupported missing value action", 93: "Sort ended due to missing value",
    100: "Explain not supported", 101: "Explain request type not supported",
    102: "Explain record temporarily unavailable",
    110: "Stylesheets not supported", 111: "Unsupported stylesheet",
    120: "Response position out of range", 121: "Too many terms requested",
    235: "Database does not exist",
}  # fmt: skip

#: What is wrong with a query -> the number of its diagnostic.
OF_QUERY: Mapping[QueryFault, int] = {
    "syntax": 10,
    "length": 12,
    "terms": 38,
    "parentheses": 13,
    "quotes": 14,
    "context-set": 15,
    "index": 16,
    "result-set": 50,
    "relation": 19,
    "relation-modifier": 20,
    "relation-and-index": 22,
    "term": 36,
    "empty-term": 27,
    "masking": 28,
    "masking-position": 49,
    "anchoring": 32,
    "feature": 48,
}
