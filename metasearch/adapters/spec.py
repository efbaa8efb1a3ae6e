"""What is known about one database: `AdapterSpec`, as `specs/specfile.py` reads it from TOML, and
how its bodies are read: `Shape`, its `Selector`s and its rules of fields.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, get_args

from metasearch.adapters.specs import checks
from metasearch.adapters.specs.checks import SOURCE_NAME as SOURCE_NAME
from metasearch.adapters.specs.checks import Template as Template
from metasearch.adapters.specs.checks import of_x, of_years, positive
from metasearch.bib.field_limits import Cuts, cut_value
from metasearch.bib.texts import Converter
from metasearch.toml_tables import NO_KEY, Table, TableReader, TomlKey, key, keys_of, one_of

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
        return self.find(node)


class Always:
    """A finder that finds the same value in every record."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, _: Any) -> Any:
        return self.value


def whole(node: Any) -> Any:
    """What the selector of a rule finds whose converter takes the record's node itself."""
    return node


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

    def value_for_all(self, select: Selector) -> str | None:
        """The value that is the same in every record; None where each has to be read."""
        found, field = select.find, self.field.removeprefix("ids.")
        if not isinstance(found, Always) or type(found.value) is not str:
            return None
        try:
            fits = cut_value(field, found.value, Cuts()) == found.value
            value = self.convert(found.value) if fits else None
        except Exception:  # a record of which it is true is unreadable, and its reader tells why
            return None
        return value if type(value) is str and value else None


class Attempt(NamedTuple):
    """One selector of a rule, prepared for many records (see parse/parse.py).

    Attributes:
        field: A field of the record, or the scheme of an identifier.
        find: As in `Selector`; None if the converter takes the record's node itself.
        texts: Makes strings of the nodes that `find` returned; None if the converter takes them as
            they are.
        convert: Makes the value of the field.
        of_one_text: Whether the text alone is as good to it as a list with one text.
    """

    field: str
    name: str | None
    needs: tuple[str, ...] | None
    find: Finder | None
    texts: Callable[[Any], Any] | None
    convert: Converter
    of_one_text: bool = False


#: Records of a shape after which a function is written of its fields.
WORTH = 300


@dataclass(slots=True)
class RecordReader:
    """How the records of a shape are read: by its attempts, or by the function that is written of
    them once that is worth while (parse/compiler.py).

    `read`: the function; None as long as there is none. `left`: how many records more are read
    without it, before it is written; 0 or less once that was tried.
    """

    read: Callable[..., Any] | None = None
    left: int = WORTH


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

    To compile selectors takes most of the time in which a spec is loaded. `make`: returns the
    shape; called once. `ready`: the shape, once it is compiled; None before.
    """

    __slots__ = ("_make", "body", "ready")

    def __init__(self, body: BodyKind, make: Callable[[], Shape]) -> None:
        self.body = body
        self._make = make
        self.ready: Shape | None = None

    @classmethod
    def of(cls, shape: Shape) -> Self:
        """Returns a shape that is compiled already."""
        late = cls(shape.body, lambda: shape)
        late.ready = shape
        return late

    def shape(self) -> Shape:
        """The shape. Raises SpecError: with every problem, if the spec was loaded unchecked."""
        if self.ready is None:
            self.ready = self._make()
        return self.ready


# What is known about one database: `AdapterSpec`, as `specs/specfile.py` reads it from TOML. A spec
# is data. Its selectors, templates and converters are from closed lists. It names the variable of a
# secret, never the secret itself, and may name one hook for what data cannot express.


#: The largest body in bytes, if a spec sets no other limit.
MAX_BYTES = 8 * 1024 * 1024


#: The tables in [limits] of what is different where a contact address, or a key, is set.
LIMITS_WITH = ("with_contact", "with_key")


def _limits_with(reader: TableReader, table: Table, where: str) -> dict[str, Any]:
    keys = keys_of_limits_with()
    reader.check_keys(table, keys, where)
    return reader.values(keys, table, where)


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

    requests: float = key(5.0, positive)
    per: float = key(1.0, positive)
    concurrency: int = key(4, positive)
    timeout: float = key(8.0, positive)
    ttl: float = key(3600.0, checks.not_negative)
    grace: float | None = key(None, checks.not_negative)
    max_bytes: int = key(MAX_BYTES, positive)
    pause: float = key(30.0, positive)
    stated: str = ""
    with_contact: Mapping[str, Any] = key({}, _limits_with)
    with_key: Mapping[str, Any] = key({}, _limits_with)

    @property
    def pace(self) -> str:
        """How often the database may be asked, in words."""
        others = (("a contact address", self.with_contact), ("a key", self.with_key))
        with_more = (f"; with {what}, {_rate(replace(self, **of))}" for what, of in others if of)
        return _rate(self) + "".join(with_more)

    def part(self, processes: int) -> Self:
        """The limits for each of several processes, with at least one request at once."""
        return replace(
            self,
            requests=self.requests / processes,
            concurrency=max(1, self.concurrency // processes),
        )


def keys_of_limits_with() -> Mapping[str, TomlKey]:
    """The keys of `LIMITS_WITH`: the numbers of [limits]."""
    keys = keys_of(Limits)
    return {name: keys[name] for name in keys if name not in ("stated", *LIMITS_WITH)}


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

    url: str = key("", checks.placeholders)
    method: Literal["GET", "POST"] = "GET"
    params: Mapping[str, Template] = key({}, checks.templates, schema=checks.TEMPLATES)
    headers: Mapping[str, Template] = key({}, checks.templates, schema=checks.TEMPLATES)
    body: Mapping[str, Template] = key({}, checks.templates, schema=checks.TEMPLATES)
    json: Any = key(None, checks.json_template, schema=checks.ANY_TABLE)
    text: str = key("", checks.placeholders)
    content_type: str = ""
    redirects: tuple[str, ...] = key((), checks.places)
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

    only: str = key("", of_years)
    both: str = key("", of_years)
    since: str = key("", of_years)
    until: str = key("", of_years)


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
        either: "type", "language" or an identifier -> what stands between several words in its
            parameter. A parameter that is not here takes a single word.
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
    fields: Mapping[str, str] = key({}, checks.by_field, schema=checks.BY_FIELD)
    conjunction: str = ""
    disjunction: str = ""
    negation: str = key("", of_x)
    group: str = key("({x})", of_x)
    phrase: str = key("", of_x)
    phrases: Mapping[str, str] = key({}, checks.by_field, schema=checks.BY_FIELD)
    word: str = key("{x}", of_x)
    truncated: str = key("", of_x)
    phrase_truncated: str = key("", of_x)
    truncated_least: int = 1
    types: Mapping[str, tuple[str, ...]] = key({}, checks.type_words)
    languages: Mapping[str, tuple[str, ...]] = key(
        {},
        checks.language_words,
        kind=object,
        schema={"anyOf": [checks.TEXT, checks.TEXTS, checks.ANY_TABLE]},
    )
    either: Mapping[str, str] = key({}, checks.between_words)
    wider: tuple[str, ...] = key((), checks.query_fields, schema=checks.QUERY_FIELDS)
    scored: bool = True
    words: Literal["each", "joined"] = "each"
    plain: str = ""
    joined: tuple[str, ...] = key((), checks.query_fields, schema=checks.QUERY_FIELDS)
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
    size: int = key(100, positive)
    window: int = key(10_000, positive)
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

    name: str = field(metadata=NO_KEY)
    env: str = key("", checks.variable)
    where: Literal["params", "headers"] = key(
        "params", one_of(("params", "headers"), repeat=False), name="in"
    )
    required: bool = False
    prefix: str = ""
    get: str = ""
    kind: Literal["key", "oauth2", "login"] = key(
        "key", one_of(("key", "oauth2", "login"), repeat=False)
    )
    token_url: str = ""
    secret_env: str = ""
    scope: str = ""
    login: Mapping[str, str] = key({}, checks.login)

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


#: Which works a database names for others: those that they cite, or those that cite them.
Direction = Literal["references", "cited_by"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


@dataclass(frozen=True, kw_only=True)
class Relation:
    """How the database is asked for one direction of citations, or for works by their numbers.

    Attributes:
        by: Kind of identifier, "doi" or a key of `ids` -> how a request names a work by it. The
            first one that a record has is used.
        size: How many works one request names; 0 takes the direction away from a spec that is
            extended.
        join: What stands between them.
        lists: Whether the answer has the works that are named, each with its `references`;
            otherwise it has the works at the other end.
        make: Returns the whole spec as it is for these requests; called when it is needed.
    """

    by: Mapping[str, str] = key({}, checks.names_of_works)
    size: int = key(1, checks.batch)
    join: str = " "
    lists: bool = False
    make: Callable[[], "AdapterSpec"] = field(metadata=NO_KEY, repr=False, compare=False)

    @cached_property
    def spec(self) -> "AdapterSpec":
        """The database as it is asked then: `{query}` in its request names the works."""
        return self.make()


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
        lookup: Identifier, or "title" -> how many works one request can name, where a list of works
            is looked up; 1 for each that is not here and can be asked for, 0 does not ask.
        citations: How it is asked which works cite others; {} where it cannot be.
        lookup_request: The request for works by the identifiers that it has placeholders for; None
            if they are asked for as any query. A string of an array that names an identifier stands
            there once for each work.
        lookup_nothing: What stands in its answer, an error, if none of the works is known; "" for
            databases that have no such error.
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
    probe: str = key("", checks.query)
    default: bool = False
    enabled: bool = True
    barred: bool = field(default=False, metadata=NO_KEY)
    weight: float = key(1.0, checks.weight)
    request: RequestTemplate
    query: Dialect
    paging: PagingScheme
    auth: tuple[Auth, ...] = key((), kind=dict, inner=Auth)
    limits: Limits
    shapes: tuple[LateShape, ...] = field(metadata=NO_KEY)
    not_found: Literal["error", "empty"] = field(default="error", metadata=NO_KEY)
    total_header: str = field(default="", metadata=NO_KEY)
    hook: str | None = key(None, checks.hook)
    enrich: Enrichment | None = None
    lookup: Mapping[str, int] = key({}, checks.lookup_sizes)
    citations: Mapping[Direction, Relation] = field(default_factory=dict, metadata=NO_KEY)
    lookup_request: RequestTemplate | None = field(default=None, metadata=NO_KEY)
    lookup_nothing: str = field(default="", metadata=NO_KEY)
    newest: RequestTemplate | None = field(default=None, metadata=NO_KEY)
    file: str = field(default="", metadata=NO_KEY)
    digest: str = field(default="", compare=False, metadata=NO_KEY)

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
