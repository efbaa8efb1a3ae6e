"""What is known about one database: `AdapterSpec`, as `specfile.py` reads it from TOML.

A spec is data. It names selectors, templates and converters from closed lists, the name of a secret
but never the secret, and at most the name of a hook for what data cannot say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from metasearch.bib.strings import Converter

#: Takes a node of a parsed body; returns what it finds there (None or an empty list: nothing).
Finder = Callable[[Any], Any]
#: One template, or several for one parameter.
Template = str | tuple[str, ...]


#: Bytes of the largest body, where a source does not say.
MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Selector:
    """A compiled selector. Where it is called for each record, call `find` itself.

    Attributes:
        find: Takes a node, returns what the selector finds in it.
        name: Where the selector is no more than the name of a JSON member or of an XML child, that
            name.
        needs: The selector finds nothing in a record in which none of these names is there; None
            where it may.
        every: As `find`, with None for each item of a list in which it finds nothing while it finds
            something in others; None where that makes no difference.
    """

    find: Finder
    name: str | None = None
    needs: tuple[str, ...] | None = None
    every: Finder | None = None

    def __call__(self, node: Any) -> Any:
        """As `find`."""
        return self.find(node)


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard a database may be asked.

    Attributes:
        requests: At most so many requests start in any `per` seconds.
        per: Seconds.
        concurrency: At most so many requests at once.
        timeout: Seconds for one exchange.
        ttl: Seconds in which a page in the cache is as good as a new one; 0 keeps nothing.
        grace: Seconds after these in which it is still answered at once, and fetched anew in the
            background; None is as long as `ttl`.
        max_bytes: Largest body, counted after decompression; what is read from it may take four
            times as much memory.
        pause: Seconds that the source is left alone after a 429 that does not say how long.
        stated: Where the database states its limits: a URL; "" where it states none.
    """

    requests: float = 5.0
    per: float = 1.0
    concurrency: int = 4
    timeout: float = 8.0
    ttl: float = 3600.0
    grace: float | None = None
    max_bytes: int = MAX_BYTES
    pause: float = 30.0
    stated: str = ""


#: Characters of an address that servers take, where a spec does not say: most stop at 8 KiB of the
#: whole first line.
LONGEST_ADDRESS = 8_000


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """The request, with `{placeholders}` for what the query and the paging give.

    A parameter whose placeholders are all empty is left out. Several templates for one parameter,
    as for the `filter` of some databases, are filled each on its own, and those that are not empty
    are joined by commas.

    The body of a POST is a form (`body`), JSON (`json`: as TOML gives it, strings are templates;
    None is no JSON) or plain text (`text`); `content_type` is that of the latter two. `longest` is
    the most characters of the address.

    `redirects` names servers ("host:port") in one's own network to which the database redirects,
    and which `[network] allow` lets through besides.
    """

    url: str
    method: Literal["GET", "POST"] = "GET"
    params: Mapping[str, Template] = field(default_factory=dict)
    headers: Mapping[str, Template] = field(default_factory=dict)
    body: Mapping[str, Template] = field(default_factory=dict)
    json: Any = None
    text: str = ""
    content_type: str = ""
    redirects: tuple[str, ...] = ()
    longest: int = LONGEST_ADDRESS


@dataclass(frozen=True, slots=True)
class YearsTemplate:
    """How a range of years is written, with `{first}` and `{last}`; "" where an open end cannot be.

    `only` is for a single year, where that is written in another way, or is all that can be asked.
    """

    only: str = ""
    both: str = ""
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a query is written for this database.

    Attributes:
        style: "params": words go into one parameter a field, there are no operators. "expression":
            one string with operators, as `{query}`; a term that must hold and whose field is a
            placeholder of some parameter, such as `{doi}`, goes there instead.
        scored: With "params": whether the database ranks by the words that it finds, so that one
            more does no harm; False where all of them must occur.
        unsupported: What to do with a clause that cannot be expressed: "filter" the records
            afterwards where they allow it, "drop" it and say so, or "refuse" the query.
        fields: Field -> template with `{x}` ("expression"), or the fields that the params hold
            ("params").
        conjunction, disjunction: Between parts, with their blanks; "" where the database has no
            such operator.
        negation: Template with `{x}` that is put behind the positive parts (" AND NOT {x}"); ""
            where there is none.
        group: Template with `{x}` for brackets; "" where there are none, and OR binds tighter than
            AND.
        phrase: Template with `{x}` for the text of a phrase; "" where phrases cannot be asked.
        phrases: Field -> template with `{x}` where a phrase needs another one than the words
            ("expression").
        word: Template with `{x}` for the text of words.
        truncated: Template with `{x}` for the beginning of a word, in the place of `word`; "" where
            words are found only whole.
        truncated_least: Characters that such a beginning needs.
        types, languages: Our word -> the database's words, any of which will do; none where all its
            works are so. A word that is not here cannot be asked for.
        either: "type" or "language" -> what stands between several words in its parameter; one that
            is not here takes a single word.
        wider: Fields whose templates find more than was meant, so that the records are filtered as
            well.
        words: "each": several words become a conjunction of single ones; "joined": they are written
            with blanks.
        plain: Between plain words that are looked for everywhere, where the database ranks by how
            many of them it finds; "" takes `conjunction`.
        joined: Fields whose words are written with blanks where `words` is "each".
        escape: Characters that get a backslash in a term.
        strip: Characters that are replaced by a blank, because the database has no way to quote
            them.
        years: In the expression, or as `{years}` in a parameter.
    """

    style: Literal["params", "expression"] = "params"
    unsupported: Literal["filter", "drop", "refuse"] = "filter"
    fields: Mapping[str, str] = field(default_factory=dict)
    conjunction: str = ""
    disjunction: str = ""
    negation: str = ""
    group: str = "({x})"
    phrase: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict)
    word: str = "{x}"
    truncated: str = ""
    truncated_least: int = 1
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    languages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    either: Mapping[str, str] = field(default_factory=dict)
    wider: tuple[str, ...] = ()
    scored: bool = True
    words: Literal["each", "joined"] = "each"
    plain: str = ""
    joined: tuple[str, ...] = ()
    escape: str = ""
    strip: str = ""
    years: YearsTemplate = YearsTemplate()
    years_in: Literal["expression", "params"] = "expression"


@dataclass(frozen=True, slots=True)
class PagingScheme:
    """How further records are asked for.

    Attributes:
        kind: none, page (`{page}` from 1, `{page0}` from 0), offset (`{start}` from 0, `{start1}`
            from 1, `{end}`), cursor (`{cursor}`), link (the answer holds the address of the next
            page).
        size: Most records in one page.
        window: Most records that can be reached in all.
        next: Selector of the next cursor or link in the body.
        first: The cursor of the first page.
    """

    kind: Literal["none", "page", "offset", "cursor", "link"] = "none"
    size: int = 100
    window: int = 10_000
    next: str = ""
    first: str = "*"


#: The variable of the user's own address, which polite requests carry; it is no secret.
CONTACT = "METASEARCH_CONTACT"


@dataclass(frozen=True, slots=True)
class Auth:
    """Where a secret or a contact goes; the value comes from the environment variable `env`.

    Attributes:
        name: Of the parameter or header.
        get: The page where whoever has none gets one.
        kind: "key": the value is sent as it is. "oauth2": it is a client id, for which a token is
            fetched with the client credentials of RFC 6749, 4.4. "login": a token is fetched by
            sending `login` as JSON.
        token_url: Where tokens are fetched.
        secret_env: The variable of the client's secret or the password; "" where there is none.
        scope: Of OAuth 2; "" for none.
        login: Name -> template with `{id}` and `{secret}`.
    """

    name: str
    env: str
    where: Literal["params", "headers"] = "params"
    required: bool = False
    prefix: str = ""
    get: str = ""
    kind: Literal["key", "oauth2", "login"] = "key"
    token_url: str = ""
    secret_env: str = ""
    scope: str = ""
    login: Mapping[str, str] = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that must be set together."""
        return tuple(filter(None, (self.env, self.secret_env)))


@dataclass(frozen=True, slots=True)
class Enrichment:
    """How the database is asked what it knows of one work.

    Attributes:
        by: What the work is named by.
        request: A GET, with that name as its placeholder; its answer is read by the spec's shapes.
    """

    by: Literal["doi"]
    request: RequestTemplate


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field of a record is read: the first selector that finds something, then the
    converter.

    Attributes:
        nodes: Whether the converter takes elements as they are found, not their texts.
    """

    field: str
    selectors: tuple[Selector, ...]
    convert: Converter
    nodes: bool = False


class Attempt(NamedTuple):
    """One selector of a rule, made ready for records (see parse/records.py).

    Attributes:
        field: What it is read for: a field of the record, or the scheme of an identifier.
        name, needs: As in `Selector`.
        find: None where the converter takes the record's node itself.
        texts: Makes strings of the nodes that the selector finds; None where the converter takes
            what is found.
    """

    field: str
    name: str | None
    needs: tuple[str, ...] | None
    find: Finder | None
    texts: Callable[[Any], Any] | None
    convert: Converter


@dataclass(frozen=True, slots=True)
class Shape:
    """One form that the database's bodies take.

    Attributes:
        body: "json", "xml", "html" or "marcxml" (an XML envelope whose records are MARC 21).
        records: Finds the record nodes in the body.
        total: Finds how many hits the database has.
        when: Finds something only in bodies of this shape; None accepts every body of the kind.
        error: Finds an error message in the body.
        warning: Finds a message that explains but does not fail.
        next: Finds the next cursor or link.
        unescape: XPath of elements whose text is XML in disguise.
        bare: Whether namespaces are taken off first, for formats that change theirs with every
            version.
        rules: How each field is read, in order.
        attempts: The same, selector by selector, those of one field behind one another.
        id_attempts: The same for identifiers, by scheme.
        promises: Fields that nearly every record has; their absence means that the site has
            changed.
    """

    body: Literal["json", "xml", "html", "marcxml"]
    records: Selector
    total: Selector | None
    when: Selector | None
    error: Selector | None
    warning: Selector | None
    next: Selector | None
    unescape: Selector | None
    rules: tuple[FieldRule, ...]
    attempts: tuple[Attempt, ...]
    id_attempts: tuple[Attempt, ...] = ()
    bare: bool = False
    promises: tuple[str, ...] = ("title",)


class LateShape:
    """A shape that is compiled when a body of its kind first comes: selectors are most of what
    loading a spec costs.

    Args:
        body: As `Shape.body`.
        compiled: Makes the shape; called once.

    Attributes:
        ready: The shape, once it is compiled; None before.
    """

    __slots__ = ("_compiled", "body", "ready")

    def __init__(
        self, body: Literal["json", "xml", "html", "marcxml"], compiled: Callable[[], Shape]
    ) -> None:
        self.body = body
        self._compiled = compiled
        self.ready: Shape | None = None

    @classmethod
    def of(cls, shape: Shape) -> LateShape:
        """A shape that is compiled already."""
        late = cls(shape.body, lambda: shape)
        late.ready = shape
        return late

    def shape(self) -> Shape:
        """The shape.

        Raises:
            SpecError: With every problem, of a spec that was loaded without being checked.
        """
        if self.ready is None:
            self.ready = self._compiled()
        return self.ready


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterSpec:
    """One database, ready for use: selectors are compiled, placeholders checked.

    Attributes:
        name: As in `-s NAME`.
        label: For people.
        homepage, docs, terms, coverage, languages, syntax: For people, see docs/adapters.md.
        probe: The query that `metasearch sources probe` asks, in our own syntax; "" for a word of
            its language.
        default: Whether a search asks it when no sources are named.
        enabled: False takes it out of every search that does not name it.
        weight: Its share in the ranking, 1.0 is usual.
        shapes: Tried in order; see `Shape`.
        not_found: Whether a 404 means "no hits".
        total_header: The response's header with the number of hits, where the body has none; ""
            else.
        hook: Name of a module in adapters/hooks, or None.
        enrich: How it can be asked for single works; None where it cannot.
        file: Where it was read from, for messages.
    """

    name: str
    label: str
    homepage: str = ""
    docs: str = ""
    terms: str = ""
    coverage: str = ""
    languages: tuple[str, ...] = ()
    syntax: str = ""
    probe: str = ""
    default: bool = False
    enabled: bool = True
    weight: float = 1.0
    request: RequestTemplate
    query: Dialect
    paging: PagingScheme
    auth: tuple[Auth, ...] = ()
    limits: Limits
    shapes: tuple[LateShape, ...]
    not_found: Literal["error", "empty"] = "error"
    total_header: str = ""
    hook: str | None = None
    enrich: Enrichment | None = None
    file: str = ""

    @property
    def key_env(self) -> str | None:
        """The environment variable of the source's key; None where it has none (a contact opens no
        door).
        """
        return next((auth.env for auth in self.auth if auth.env != CONTACT), None)
