"""The fields of a shape -> one function, written out as source text and compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from metasearch.adapters.parse.refusals import NAMELESS
from metasearch.adapters.select.json import PERSON, RECORD, Expressions, members
from metasearch.adapters.select.marc import MarcExpressions
from metasearch.adapters.select.xml import texts_of_children, xml_texts
from metasearch.adapters.spec import FieldRule, People, Selector, Shape, whole
from metasearch.bib import converters, field_limits, trials
from metasearch.bib import texts as markup
from metasearch.bib.authors import are_clean, is_clean
from metasearch.bib.converters import of_one_text
from metasearch.bib.field_limits import LARGEST_NUMBER, LIMITS, MOST_FOUND, SHORT
from metasearch.bib.identifiers import orcid
from metasearch.bib.names import display_name, is_anonymous
from metasearch.record import FIELDS, PEOPLE, TEXTS, Author, Record, new_author, new_record

# How a written function looks for a field, in each kind of body. A record is what `parse.view`
# makes of a node: a dictionary, an `XmlRecord` or a `MarcRecord`.

#: What a selector of which nothing is known found.
_SOMETHING = "found is not None and found != [] and found != ''"
#: What a selector found of which a converter `of_one_text` may make something: a text, a list, a
#: table, or a number.
_FILLED = "found is not None and (found or found == 0 and found is not False)"


class FieldSearch(NamedTuple):
    """The parts of `if ...: found = ...; if ...: found = ...`.

    Attributes:
        condition: Without it the selector finds nothing; "" where there is no such condition.
        is_there: Whether `found` is something.
        texts: What becomes of it before it is converted; "" for nothing.
        is_list: Whether it is known to be a text or a list; and all that is in a list with one item
            is a text.
    """

    condition: str
    found: str
    is_there: str
    texts: str = ""
    is_list: bool = False


class BodySearch(Protocol):
    """Writes how a kind of body is searched."""

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """The lines with which the function begins; `selects` are all that it asks."""

    def whole(self, select: Selector) -> str:
        """The condition under which a converter that takes the record itself is called."""

    def search(self, rule: FieldRule, select: Selector) -> FieldSearch:
        """How the value of an attempt is found."""


class InJson:
    """In JSON, where `expressions` writes what JMESPath finds."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """`get`, and the members that several selectors ask for."""
        yield f"get = {RECORD}.get"
        asked: Counter[str] = Counter()
        for select in selects:
            if select.tree is not None:
                asked.update(members(select.tree))
        for number, name in enumerate(name for name, times in asked.items() if times > 1):
            yield f"member_{number} = {self._expressions.lookup(name)}"
            self._expressions.members[name] = f"member_{number}"

    def whole(self, select: Selector) -> str:
        return _any_of(select, self._expressions, RECORD)

    def search(self, rule: FieldRule, select: Selector) -> FieldSearch:
        found = self._expressions.of_selector(select.tree, select.find)
        condition = "" if select.tree is not None else self.whole(select)
        if of_one_text(rule.convert):
            return FieldSearch(condition, found, _FILLED)
        if select.name is not None:  # a member that is there counts, whatever is in it
            return FieldSearch(condition, found, "found is not None")
        return FieldSearch(condition, found, _SOMETHING)


class InXml:
    """In the elements of an XML record."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        yield f"children = {RECORD}.children"

    def whole(self, select: Selector) -> str:
        return _any_of(select, self._expressions, "children")

    def search(self, rule: FieldRule, select: Selector) -> FieldSearch:
        if select.name is None:
            call = f"{self._expressions.constant(select.find, 'find')}({RECORD})"
            texts = "" if rule.nodes else f"{self._expressions.constant(xml_texts, 'texts')}(found)"
            return FieldSearch(self.whole(select), call, _SOMETHING, texts)
        read = texts_of_children if of_one_text(rule.convert) else xml_texts
        texts = "" if rule.nodes else f"{self._expressions.constant(read, 'texts')}(found)"
        return FieldSearch("", f"children.get({select.name!r})", "found is not None", texts)


class InMarc:
    """In the fields of a MARC record."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._marc = MarcExpressions()

    def begin(self, selects: Iterable[Selector]) -> Iterator[str]:
        """`tags`, `control`, and conditions that several selectors share."""
        return self._marc.begin(selects)

    def whole(self, select: Selector) -> str:
        if select.tree is not None:
            return self._marc.condition(select)
        places = (_any_of(select, self._expressions, place) for place in ("tags", "control"))
        return " or ".join(filter(None, places))

    def search(self, rule: FieldRule, select: Selector) -> FieldSearch:
        call = f"{self._expressions.constant(select.find, 'find')}({RECORD})"
        if select.tree is None:
            return FieldSearch(self.whole(select), call, _SOMETHING)
        found = self._marc.expression(select, call, of_one_text=of_one_text(rule.convert))
        is_list = select.tree.control or select.tree.codes is not None
        return FieldSearch(self._marc.condition(select), found, "found", is_list=is_list)


def _any_of(select: Selector, expressions: Expressions, place: str) -> str:
    """The condition that one of the names that a selector needs is there."""
    if select.needs is None:
        return ""
    return f"not {expressions.constant(frozenset(select.needs), 'needs')}.isdisjoint({place})"


#: By kind of body.
BODY_SEARCHES: Mapping[str, Any] = {"json": InJson, "xml": InXml, "marcxml": InMarc}


# The lines that read authors or editors who are objects, in the function of `compile_reader`.
# Nearly all have a family and a given name that need no cleaning, or a name alone, where that is a
# body's: of these, authors are made one by one. Of a list in which anybody is not so, the converter
# reads all.

#: What these lines call, beside what those of the record do.
OF_PEOPLE: Mapping[str, Any] = {
    "Author": Author,
    "AuthorDraft": new_author,
    "are_clean": are_clean,
    "display_name": display_name,
    "is_anonymous": is_anonymous,
    "is_clean": is_clean,
    "orcid_of": orcid,
    "text_of": markup.text,
}
_AFFILIATION = LIMITS["affiliation"].text


def people_lines(
    rule: FieldRule, people: People, field: str, variable: str, expressions: Expressions
) -> Iterator[str]:
    """The lines that set the variable of a field ("authors", "editors") and `fitting_FIELD`."""
    convert = expressions.constant(rule.convert, "convert")
    parts = {
        part: expressions.of_selector(select.tree, select.find, PERSON)
        for part, select in people.parts.items()
    }
    limit = LIMITS[field]
    yield f"found = {expressions.of_selector(people.each.tree, people.each.find)}"
    yield "if found is not None:"
    if people.tidied or not {"family", "given"} <= parts.keys():
        yield f"    {variable} = {convert}({RECORD}, cuts) or None"
        return
    yield f"    if type(found) is list and len(found) <= {limit.items}:"
    yield "        people, names = [], []"
    yield f"        for {PERSON} in found:"
    yield from indent(_person_lines(parts, limit.text), 3)
    yield "            people.append(draft)"
    yield "        else:"
    yield "            if are_clean(names):"
    yield "                if len(people) > 1 and len({*names}) < len(people):"
    yield "                    people = dict.fromkeys(people)"
    yield f"                {variable} = tuple(people) or None"
    yield f"                fitting_{field} = True"
    yield "                found = None"
    yield "    if found is not None:"
    yield f"        {variable} = {convert}({RECORD}, cuts) or None"


def _person_lines(parts: Mapping[str, str], longest: int) -> Iterator[str]:
    """Makes `draft` of a `person`, or leaves the loop over all."""
    yield f"if type({PERSON}) is not dict: break"
    yield f"family = {parts['family']}"
    yield f"given = {parts['given']}"
    if "suffix" in parts:
        yield f"if {parts['suffix']} is not None: break"
    yield "if type(family) is str and type(given) is str and family and given:"
    if "name" in parts:
        yield f"    if {parts['name']}: break"
    yield "    name = f'{given} {family}'"
    yield f"    if len(name) > {longest}: break"
    yield "    if not name.isascii():"
    yield "        if not is_clean(name): break"
    yield "        name = display_name(given, family)"
    orcid = parts.get("orcid", "None")
    yield f"    orcid = {orcid}"
    yield "    orcid, is_body = orcid_of(orcid) if type(orcid) is str else None, False"
    yield "else:"
    if "corporate" in parts and "name" not in parts:
        yield f"    name = {parts['corporate']}"
        yield "    if family is not None or given is not None or type(name) is not str: break"
        yield f"    if not name or len(name) > {longest} or is_anonymous(name): break"
        yield "    orcid, is_body = None, True"
    else:
        yield "    break"
    yield "names.append(name)"
    if "affiliation" in parts:
        yield f"affiliation = {parts['affiliation']}"
        yield "if affiliation is not None:"
        yield f"    if type(affiliation) is not str or len(affiliation) > {_AFFILIATION}: break"
        yield "    affiliation = text_of(affiliation)"
    yield "draft = new(AuthorDraft)"
    yield "draft.name = name"
    yield "draft.family = family"
    yield "draft.given = given"
    yield "draft.orcid = orcid"
    yield f"draft.affiliation = {'affiliation' if 'affiliation' in parts else 'None'}"
    yield "draft.collective = is_body"
    yield "draft.suffix = None"
    yield "draft.__class__ = Author"


def indent(lines: Iterable[str], levels: int = 1) -> Iterator[str]:
    for line in lines:
        yield f"{'    ' * levels}{line}"


# The end of the function of `compile_reader`: a record is made of the values of its fields.
# Nearly all values are of the kind and the length that their field has. If all of a record are, its
# slots are set one by one; of all else `field_limits.cut_fields` makes what a record may hold.

#: What stands in a record in the place of a field that is not there; None for all others.
_EMPTY = dict.fromkeys((*PEOPLE, *TEXTS), "()") | {"title": "''", "source_id": "''"}
#: What these lines call.
CALLED: Mapping[str, Any] = {
    "Record": Record,
    "RecordDraft": new_record,
    "cut_fields": field_limits.cut_fields,
    "cut_ids": field_limits.cut_ids,
    "new": object.__new__,
    "of_record": trials.of_record,
    "people_fit": field_limits.people_fit,
}


def variable_of(field: str) -> str:
    """The variable of a field; with a line behind, for `type` is a function."""
    assert field in LIMITS
    assert field.isidentifier()
    return f"{field}_"


def record_lines(fields: Iterable[str]) -> Iterator[str]:
    """The lines that return the record, or why there is none.

    `fields`: whose variables hold their values, or None; so does `ids`. For people there is
    `fitting_FIELD`, too: whether the function has made them, none longer than is kept.
    """
    there = {field: variable_of(field) for field in fields}
    named = [there[field] for field in ("title", "doi") if field in there]
    last = [there["source_id"]] if "source_id" in there else []
    yield f"if not ({' or '.join([*named, 'ids', *last])}):"
    yield f"    return {NAMELESS!r}"
    if "date" in there:
        if "year" not in there:
            there["year"] = variable_of("year")
            yield f"{there['year']} = None"
        yield f"if {there['year']} is None and {there['date']} is not None:"
        yield f"    {there['year']} = int({there['date']}[:4])"
    fits = [f"({value} is None or {_fits(field, value)})" for field, value in there.items()]
    yield f"if not ({' and '.join(fits)}):"
    yield "    values = {}"
    for field, value in there.items():
        yield f"    if {value} is not None: values[{field!r}] = {value}"
    yield "    values['ids'] = ids"
    yield "    return RecordDraft(source=source, position=position, **cut_fields(values, cuts))"
    yield "if ids:"
    yield "    ids = cut_ids(ids, cuts)"
    yield "draft = new(RecordDraft)"
    given = {"source": "source", "position": "position", "ids": "ids", **there}
    for field in Record.__slots__:
        value, empty = given.get(field, "None"), _EMPTY.get(field)
        yield f"draft.{field} = {value if empty is None else f'{value} or {empty}'}"
    yield "draft.__class__ = Record"
    yield "return draft"


def _fits(field: str, value: str) -> str:
    """The condition under which `cut_fields` leaves a value as it is."""
    if FIELDS[field].kind == "number":
        return f"type({value}) is int and {-LARGEST_NUMBER} < {value} < {LARGEST_NUMBER}"
    if field in PEOPLE:
        return f"fitting_{field} or type({value}) is tuple and people_fit({value}, {field!r})"
    if field in TEXTS:
        limit = LIMITS[field]
        few = f"type({value}) is tuple and len({value}) <= {limit.items}"
        return f"{few} and max(map(len, {value})) <= {limit.text}"
    if field == "retracted":
        return f"{value} is True"
    return f"type({value}) is str and len({value}) <= {LIMITS[field].text}"


# The fields of a shape -> one function, written out as source text and compiled. `parse.py` walks
# a list of attempts for every record: for each one it looks up whether it can find anything, calls
# closures, bounds what they found, calls a converter, and puts the value in a table, from which a
# record is made. What is decided there for each record, attempt by attempt, is known once the shape
# is: which members are asked for, in which order, what is done with them, and which fields the
# record has in the end. A function in which all of this is written out does the same in little more
# than half the time. For Crossref's `publisher` it says
#
#     found = get('publisher')
#     if found is not None and (found or found == 0 and found is not False):
#         if type(found) is list and len(found) == 1 and type(found[0]) is str:
#             found = found[0]
#         if type(found) is not str or len(found) > 4000:
#             found = cut_value('publisher', found, cuts)
#         publisher_ = convert_40(found)
#         if not publisher_ and publisher_ != 0:
#             publisher_ = None
#
# and at its end it makes the record, if no value is longer than what is kept. Everything that is
# not ordinary is left to the functions that `parse.py` calls, and tests hold the two equal. How a
# field is found differs from one kind of body to the other (`BODY_SEARCHES`); HTML is read by its
# attempts only.
#
# To compile it takes as long as it saves in some hundred records, so it is made for a shape of
# which so many were read (`RecordReader.left`). How nothing of a spec becomes code is told
# in select/json.py.

#: Takes a record as `parse.view` makes it, its position, the name of the source and the cuts;
#: returns the `Record`, or why there is none.
ReadFunction = Callable[[Any, int, str, field_limits.Cuts], Record | str]
#: Characters of source text that are compiled at most, which takes a millisecond for some thousands
#: of them and keeps everything else waiting. The longest of a shipped source has half as many.
_LONGEST = 100_000
_IDS = "ids."
#: Of nearly all texts that are found: `markup.text` only strips such a one.
_NEEDS_NOTHING = "found.isprintable() and not ('<' in found or '&' in found or '  ' in found)"
#: What every function calls.
_CALLED: Mapping[str, Any] = {
    **CALLED,
    **OF_PEOPLE,
    "cut_value": field_limits.cut_value,
    "says_nothing": markup.says_nothing,
}


def compile_reader(shape: Shape) -> ReadFunction | None:
    """The function that reads the records of a shape; None where there cannot be one."""
    names: dict[str, Any] = dict(_CALLED)
    try:
        source = "\n".join(_ReaderSource(shape, names).lines())
        if len(source) > _LONGEST:
            return None
        exec(compile(source, "<records of a shape>", "exec"), names)  # noqa: S102
    # What a user's spec makes too long or too deep for Python, the other reader takes.
    except (MemoryError, RecursionError, SyntaxError, ValueError):
        return None
    read: ReadFunction = names["read"]
    return read


class _ReaderSource:
    """Writes the function of one shape; `names` becomes its namespace."""

    def __init__(self, shape: Shape, names: dict[str, Any]) -> None:
        self.body = shape.body
        self.expressions = Expressions(names)
        self.looking: BodySearch = BODY_SEARCHES[shape.body](self.expressions)
        self.fields: dict[str, list[FieldRule]] = {}
        for rule in shape.rules:  # those of identifiers are read after all others
            self.fields.setdefault(rule.field, []).append(rule)
        self.ids = [field for field in self.fields if field.startswith(_IDS)]
        self.own = [field for field in self.fields if not field.startswith(_IDS)]

    def lines(self) -> Iterator[str]:
        yield f"def read({RECORD}, position, source, cuts):"
        for line in self._body():
            yield f"    {line}"

    def _body(self) -> Iterator[str]:
        yield from self.looking.begin(_selectors(self.fields))
        for field in self.own:
            yield from self._field(field, variable_of(field), field)
        variables = {}
        for number, field in enumerate(self.ids):
            variables[field.removeprefix(_IDS)] = f"id_{number}"
            yield from self._field(field.removeprefix(_IDS), f"id_{number}", field)
        yield "ids = {}"
        for scheme, variable in variables.items():
            yield f"if {variable}: ids[{scheme!r}] = {variable}"
        title, abstract = (
            variable_of(field) if field in self.own else "None" for field in ("title", "abstract")
        )
        yield f"ids = of_record(ids, {title}, {abstract})"
        yield from record_lines(self.own)

    # ---------------------------------------------------------------------------- one field

    def _field(self, field: str, variable: str, rules_of: str) -> Iterator[str]:
        """Sets the variable to the value of the first attempt that finds something, or to None."""
        yield f"{variable} = None"
        if field in PEOPLE and rules_of == field:
            yield f"fitting_{field} = False"
        first = True
        for rule in self.fields[rules_of]:
            for select in rule.selectors:
                lines = self._attempt(rule, select, field, variable)
                if first:
                    yield from lines
                else:
                    yield f"if {variable} is None:"
                    yield from indent(lines)
                first = False

    def _attempt(
        self, rule: FieldRule, select: Selector, field: str, variable: str
    ) -> Iterator[str]:
        if rule.people is not None and self.body == "json":
            return people_lines(rule, rule.people, field, variable, self.expressions)
        if select.find is whole:
            return self._whole(rule, select, variable)
        if (value := rule.value_for_all(select)) is not None:
            return iter((f"{variable} = {self.expressions.constant(value, 'value')}",))
        return self._conversion(rule, select, field, variable)

    def _conversion(
        self, rule: FieldRule, select: Selector, field: str, variable: str
    ) -> Iterator[str]:
        search = self.looking.search(rule, select)
        lines = [*_search_lines(search, rule, self.expressions, field, variable)]
        if rule.field in markup.FIELDS_OF_NOTHING:
            short = f"type({variable}) is str and len({variable}) <= {markup.LONGEST_NOTHING}"
            lines.append(
                f"    if {short} and says_nothing({field!r}, {variable}): {variable} = None"
            )
        if search.condition:
            yield f"if {search.condition}:"
            yield from indent(lines)
        else:
            yield from lines

    def _whole(self, rule: FieldRule, select: Selector, variable: str) -> Iterator[str]:
        """Of a converter that takes the record itself."""
        convert = self.expressions.constant(rule.convert, "convert")
        by_needs = rule.people is None or self.body == "marcxml"
        asked = select if by_needs else rule.people.each  # type: ignore[union-attr]
        yield f"if {self.looking.whole(asked) or True}:"
        yield f"    {variable} = {convert}({RECORD}, cuts)"
        yield f"    if not {variable} and {variable} != 0: {variable} = None"


def _search_lines(
    search: FieldSearch, rule: FieldRule, expressions: Expressions, field: str, variable: str
) -> Iterator[str]:
    convert = expressions.constant(rule.convert, "convert")
    yield f"found = {search.found}"
    yield f"if {search.is_there}:"
    if search.texts:
        yield f"    found = {search.texts}"
    if of_one_text(rule.convert):
        one = "type(found) is list and len(found) == 1 and type(found[0]) is str"
        yield f"    if {'len(found) == 1' if search.is_list else one}:"
        yield "        found = found[0]"
    longest = _bound_of(field)
    converted = (
        f"if type(found) is not str or len(found) > {longest}:",
        f"    found = cut_value({field!r}, found, cuts)",
        f"{variable} = {convert}(found)",
        f"if not {variable} and {variable} != 0: {variable} = None",
    )
    if rule.convert is markup.text:
        yield f"    if type(found) is str and len(found) <= {longest} and {_NEEDS_NOTHING}:"
        yield f"        {variable} = found.strip() or None"
        yield "    else:"
        yield from indent(converted, 2)
    elif rule.convert in converters.ORDINARY:
        ordinary = expressions.constant(converters.ORDINARY[rule.convert], "ordinary")
        yield f"    {variable} = {ordinary}(found, {longest})"
        yield f"    if {variable} is None:"
        yield from indent(converted, 2)
    else:
        yield from indent(converted)


def _bound_of(field: str) -> int:
    """Characters of a text that `cut_value` leaves as it is."""
    limit = LIMITS.get(field, LIMITS["ids"])
    return max(SHORT, min(limit.before_conversion, MOST_FOUND))


def _selectors(fields: dict[str, list[FieldRule]]) -> Iterator[Selector]:
    for rules in fields.values():
        for rule in rules:
            if rule.people is not None:
                yield rule.people.each
            else:
                yield from rule.selectors
