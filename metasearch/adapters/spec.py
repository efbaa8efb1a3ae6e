"""What is known about one database: `AdapterSpec`, as `specs/specfile.py` reads it from TOML, and
how its bodies are read: `Shape`, its `Selector`s and its rules of fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from metasearch.bib.texts import Converter

# How the bodies of one database are read: `Shape`, its `Selector`s and its rules of fields. A shape
# is compiled from the tables [parse], [fields], [ids] and [[also]] of a spec.

#: Takes a node of a parsed body, and returns what it finds there; None or an empty list if nothing.
Finder = Callable[[Any], Any]
#: The kinds of bodies; "marcxml" is an XML envelope whose records are MARC 21.
BodyKind = Literal["json", "xml", "html", "marcxml"]


@dataclass(frozen=True, slots=True)
class Selector:
    """A compiled selector. Code that runs for each record calls `find`, which is faster.

    Attributes:
        find: Takes a node, and returns what the selector finds in it.
        name: The name of a JSON member or XML child, if the selector is no more than this name.
        needs: Names, of which a record must have at least one: without any of them the selector
            finds nothing. None if no such names are known.
        every: As `find`, but for a list of items of which only some have what is selected: with
            None for each of the others. None if `find` does the same.
        tree: The syntax tree of a JMESPath expression, if `find` is made of closures for its nodes;
            None of every other selector.
    """

    find: Finder
    name: str | None = None
    needs: tuple[str, ...] | None = None
    every: Finder | None = None
    tree: Any = field(default=None, repr=False, compare=False)

    def __call__(self, node: Any) -> Any:
        """Calls `find`."""
        return self.find(node)


class Always:
    """A finder that finds the same value in every record."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, _: Any) -> Any:
        """Returns the value."""
        return self.value


@dataclass(frozen=True, slots=True)
class People:
    """How authors or editors are read that are objects, see `bib.names.converters.people`.

    `parts`: select "family", "given" and the other parts of each. `tidied`: whether each name is
    cleaned in a way of its own.
    """

    each: Selector
    parts: Mapping[str, Selector]
    tidied: bool = False


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field of a record is read.

    The first selector that finds something is used, and the converter makes the value of what it
    found. `nodes`: whether the converter takes the elements that were found, and not their texts.
    `people`: what the converter of people who are objects is made of; None of all others.
    """

    field: str
    selectors: tuple[Selector, ...]
    convert: Converter
    nodes: bool = False
    people: People | None = None


class Attempt(NamedTuple):
    """One selector of a rule, prepared for many records (see parse/records.py).

    Attributes:
        field: A field of the record, or the scheme of an identifier.
        find: As in `Selector`; None if the converter takes the record's node itself.
        texts: Makes strings of the nodes that `find` returned; None if the converter takes them as
            they are.
        convert: Makes the value of the field.
    """

    field: str
    name: str | None
    needs: tuple[str, ...] | None
    find: Finder | None
    texts: Callable[[Any], Any] | None
    convert: Converter


#: Records of a shape after which a function is written of its fields.
WORTH = 300


class RecordReader:
    """How the records of a shape are read: by its attempts, or by the function that is written of
    them once that is worth while (parse/compiler.py).

    `read`: the function; None as long as there is none. `left`: how many records more are read
    without it, before it is written; none once that was tried.
    """

    __slots__ = ("left", "read")

    def __init__(self) -> None:
        self.read: Callable[..., Any] | None = None
        self.left = WORTH

    def becomes_worth(self, records: int) -> bool:
        """Counts the records of a page, and says once that the function is worth to be written: it
        takes some milliseconds, for which the first hits of a process do not wait.
        """
        before, self.left = self.left, max(0, self.left - records)
        return before > 0 and self.left == 0


@dataclass(frozen=True, slots=True)
class Shape:
    """One form that the bodies of a database have.

    Attributes:
        records: Finds the nodes of the records in the body.
        when: Finds something only in bodies of this shape; None accepts every body of the kind.
        error: Finds an error message in the body.
        warning: Finds a message that is not an error.
        next: Finds the next cursor or link.
        unescape: XPath of elements whose text is escaped XML.
        bare: Whether namespaces are removed first, for formats that change theirs with every
            version.
        rules: How each field is read, in order.
        attempts: The same, selector by selector; those of one field follow one another.
        id_attempts: The same for identifiers, by scheme.
        promises: Fields that nearly every record has; if they are missing, the site has changed.
        reader: How its records are read at present.
        told_by: The tag of the MARC field by which `when` knows the shape, "" for none; None where
            selectors of the envelope may look into the records (select/xml.py).
        by_tag: Takes the tags of a MARC record, and returns the attempts at fields and at
            identifiers that may find something in it (select/marc.py); None for other bodies.
    """

    body: BodyKind
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
    reader: RecordReader = field(default_factory=RecordReader, repr=False, compare=False)
    told_by: str | None = None
    by_tag: Callable[[Iterable[str]], tuple[list[Attempt], list[Attempt]]] | None = None


class LateShape:
    """A shape that is compiled when the first body of its kind arrives.

    To compile selectors takes most of the time in which a spec is loaded. `compiled`: returns the
    shape; called once. `ready`: the shape, once it is compiled; None before.
    """

    __slots__ = ("_compiled", "body", "ready")

    def __init__(self, body: BodyKind, compiled: Callable[[], Shape]) -> None:
        self.body = body
        self._compiled = compiled
        self.ready: Shape | None = None

    @classmethod
    def of(cls, shape: Shape) -> LateShape:
        """Returns a shape that is compiled already."""
        late = cls(shape.body, lambda: shape)
        late.ready = shape
        return late

    def shape(self) -> Shape:
        """The shape. Raises SpecError: with every problem, if the spec was loaded unchecked."""
        if self.ready is None:
            self.ready = self._compiled()
        return self.ready


# What is known about one database: `AdapterSpec`, as `specs/specfile.py` reads it from TOML. A spec
# is data. Its selectors, templates and converters are from closed lists. It names the variable of a
# secret, never the secret itself, and may name one hook for what data cannot express.

#: The name of a source.
SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
#: One template, or several for one parameter.
Template = str | tuple[str, ...]

#: The largest body in bytes, if a spec sets no other limit.
MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How often, and how many times at once, a database may be asked.

    Attributes:
        requests: The most requests that start in `per` seconds.
        per: Seconds.
        concurrency: The most requests at once.
        timeout: Seconds for one exchange.
        ttl: Seconds for which a page in the cache is as good as a new one; 0 keeps nothing.
        grace: Seconds after `ttl` for which a page in the cache is still used at once, while a new
            one is fetched in the background; None is as long as `ttl`.
        max_bytes: The largest body, after decompression; to parse a body may take four times as
            much memory.
        pause: Seconds without requests after a 429 that sets no time.
        stated: URL of the page on which the database states its limits; "" if there is none.
        with_contact, with_key: What is different where a contact address, or a key of the
            database, is set; see `AdapterSpec.limits_with`.
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
    with_contact: Mapping[str, Any] = field(default_factory=dict)
    with_key: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pace(self) -> str:
        """How often the database may be asked, in words."""
        others = (("a contact address", self.with_contact), ("a key", self.with_key))
        with_more = (f"; with {what}, {_rate(replace(self, **of))}" for what, of in others if of)
        return _rate(self) + "".join(with_more)

    def part(self, processes: int) -> Limits:
        """The limits for each of several processes, with at least one request at once."""
        return replace(
            self,
            requests=self.requests / processes,
            concurrency=max(1, self.concurrency // processes),
        )


def _rate(limits: Limits) -> str:
    return f"{limits.requests:g} requests in {limits.per:g} s, {limits.concurrency} at once"


#: The longest address in characters, if a spec sets no other limit: most servers accept 8 KiB for
#: the whole first line of a request.
LONGEST_ADDRESS = 8_000


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """The request, with `{placeholders}` for values of the query and of the paging.

    A parameter is left out if all of its placeholders are empty. A parameter may have several
    templates, as the `filter` of some databases: each is filled, and those that are not empty are
    joined by commas.

    A POST has one body.

    Attributes:
        params, headers: Name -> template.
        body: The body as a form: name -> template.
        json: The body as JSON: a value from TOML whose strings are templates; None is no JSON.
        text: The body as plain text.
        content_type: The type of `json` or `text`.
        redirects: "host:port" of private servers to which the database redirects. `[network] allow`
            must name them, too.
        longest: The longest address, in characters.
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
    """How a range of years is written, with `{first}` and `{last}`; "" if it cannot be written.

    Attributes:
        only: A single year, if it is written in another way or if no range can be written.
        both: A range with both ends.
        since: A range without a last year.
        until: A range without a first year.
    """

    only: str = ""
    both: str = ""
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a query is written for this database.

    Attributes:
        style: "params": words go into one parameter for each field, and there are no operators.
            "expression": one string with operators, as `{query}`. A term that must hold goes into a
            parameter instead, if its field is a placeholder of a parameter, such as `{doi}`.
        scored: For "params" and `plain`: True if the database ranks by the words that it finds, so
            that one more word does no harm; False if all of the words must occur.
        unsupported: What happens to a clause that cannot be expressed: "filter" the records, "drop"
            the clause with a note, or "refuse" the query.
        fields: Field -> template with `{x}` ("expression"), or the fields that the params hold
            ("params").
        conjunction, disjunction: Stand between parts, with their blanks; "" if the database has no
            such operator.
        negation: Template with `{x}` that follows the positive parts (" AND NOT {x}"); "" if there
            is none.
        group: Template with `{x}` for brackets; "" if there are none, and OR binds tighter than
            AND.
        phrase: Template with `{x}` for the text of a phrase; "" if phrases cannot be asked.
        phrases: Field -> template with `{x}`, if phrases need another template than words
            ("expression").
        word: Template with `{x}` for the text of words.
        truncated: Template with `{x}` for the beginning of a word, in the place of `word`; "" if
            only whole words are found.
        phrase_truncated: Template with `{x}` for a phrase whose last word is the beginning of one,
            in the place of `phrase`; "" if only whole words are found in phrases.
        truncated_least: The fewest characters of such a beginning.
        types, languages: Our word -> words of the database, any of which is enough; no words if all
            works of the database are of this kind. A type or language that is not here cannot be
            asked for.
        either: "type" or "language" -> what stands between several words in its parameter. A
            parameter that is not here takes a single word.
        wider: Fields whose templates find more than was meant, so that the records are filtered,
            too.
        words: "each": several words become a conjunction of single words; "joined": they are
            written with blanks.
        plain: Stands between plain words for all fields, if the database ranks by how many of them
            it finds, or takes them without an operator (`scored`); "" takes `conjunction`.
        joined: Fields whose words are written with blanks although `words` is "each".
        escape: Characters that get a backslash in a term.
        strip: Characters that are replaced by a blank, because the database cannot quote them.
        years: How a range of years is written.
        years_in: Whether the range is a part of the expression, or `{years}` in a parameter.
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
    phrase_truncated: str = ""
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
    """How further records are requested.

    Attributes:
        kind: none, page (`{page}` from 1, `{page0}` from 0), offset (`{start}` from 0, `{start1}`
            from 1, `{end}`), cursor (`{cursor}`), link (the response has the address of the next
            page).
        size: The most records in one page.
        window: The most records that can be reached in all.
        next: Selector of the next cursor or link in the body.
        first: The cursor of the first page.
    """

    kind: Literal["none", "page", "offset", "cursor", "link"] = "none"
    size: int = 100
    window: int = 10_000
    next: str = ""
    first: str = "*"


#: The variable of the user's own address, which is sent with requests; the address is no secret.
CONTACT = "METASEARCH_CONTACT"


@dataclass(frozen=True, slots=True)
class Auth:
    """Where a secret or a contact address is sent; its value is in the environment variable `env`.

    Attributes:
        name: The name of the parameter or header.
        get: The page on which a user can get a key.
        kind: "key": the value is sent as it is. "oauth2": the value is a client id, and a token is
            fetched with the client credentials of RFC 6749, 4.4. "login": a token is fetched by
            sending `login` as JSON.
        token_url: The address from which tokens are fetched.
        secret_env: The variable of the client's secret or password; "" if there is none.
        scope: The scope of OAuth 2; "" for none.
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
    """How the database is asked for what it knows about one work.

    Attributes:
        by: The kind of identifier that names the work.
        request: A GET with this identifier as its placeholder; the spec's shapes read the response.
    """

    by: Literal["doi"]
    request: RequestTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterSpec:
    """One database, ready for use: selectors are compiled, placeholders are checked.

    Attributes:
        name: The name, as in `-s NAME`.
        label: The name for users.
        homepage, docs, terms, coverage, languages, syntax: For users, see docs/adapters.md.
        probe: The query that `metasearch sources probe` sends, in our own syntax; "" for a word of
            the database's language.
        default: Whether a search asks the database if no sources are named.
        enabled: False takes the database out of every search that does not name it.
        barred: Whether the administrator of a server has switched the database off for all: it is
            not asked where a search names it either.
        weight: The weight in the ranking; 1.0 is usual.
        shapes: Tried in order; see `Shape`.
        not_found: Whether a 404 means "no hits".
        total_header: The response's header with the number of hits, if the body has no number; ""
            otherwise.
        hook: Name of a module in adapters/hooks, or None.
        enrich: How the database can be asked for single works; None if it cannot.
        newest: The request if the newest records are wanted; None if the database cannot sort by
            date.
        file: The file of the spec, for messages.
        digest: SHA-256 of the spec's tables, those that it extends included; "" if it was made of
            none.
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
    barred: bool = False
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
    newest: RequestTemplate | None = None
    file: str = ""
    digest: str = field(default="", compare=False)

    @property
    def key_env(self) -> str | None:
        """The environment variable of the source's key; None if the source needs no key.

        The contact address is no key.
        """
        return next((auth.env for auth in self.auth if auth.env != CONTACT), None)

    def limits_with(self, env: Mapping[str, str]) -> Limits:
        """The limits that hold with these variables: those of `with_contact` where there is a
        contact address, and before them those of `with_key` where a key of the database is whole.
        """
        keys = (auth.variables for auth in self.auth if auth.env != CONTACT)
        has_key = any(all(map(env.get, names)) for names in keys)
        changed = dict(self.limits.with_contact) if env.get(CONTACT) else {}
        return replace(self.limits, **(changed | dict(self.limits.with_key if has_key else {})))
