"""XPath over lxml, compiled once, with an index of a record's elements; and the one parser that
reads XML from outside.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from metasearch.adapters.spec import Finder, Selector
from metasearch.late_pattern import late_pattern
from metasearch.message import message

# XPath over lxml, compiled once; and the one parser that reads XML from outside. The parser expands
# no entities, loads nothing, keeps libxml2's limits on depth and text, and does not repair what is
# broken, because a repaired body silently loses records.

#: Prefixes that a selector may use without declaring them.
NAMESPACES: Mapping[str, str] = {
    "atom": "http://www.w3.org/2005/Atom",
    "arxiv": "http://arxiv.org/schemas/atom",
    "os": "http://a9.com/-/spec/opensearch/1.1/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "mods": "http://www.loc.gov/mods/v3",
    "marc": "http://www.loc.gov/MARC21/slim",
    "prism": "http://prismstandard.org/namespaces/basic/2.0/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

# EXSLT regular expressions would let a pattern in a spec hold the loop for seconds.
_REGEX_FUNCTION = re.compile(r"\bre:|\bregexp?:|str:tokenize|document\s*\(")


#: What a body that was cut short is called.
BROKEN_OFF = message("it breaks off before its end")
_MESSAGES = (
    ("Premature end of data", BROKEN_OFF),
    ("Excessive depth", message("nested too deeply")),
    ("amplification", message("its entities expand to too much text")),
    ("entity reference loop", message("its entities contain each other")),
)
_PLACE = late_pattern(r" \(<string>, line \d+\)$")


def parse_xml(body: bytes) -> Any:
    """The root element of a body. Raises ValueError: the body is not well-formed, or passes
    libxml2's limits; with the place.
    """
    from lxml import etree  # takes 4 MB, which databases that speak JSON do without

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False,
        remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise ValueError(_reason_of(str(exc), body)) from exc
    if b"<!DOCTYPE" in body:  # what they stand for was not read, and their names are no text
        etree.strip_tags(root, etree.Entity)
    return root


def _reason_of(text: str, body: bytes) -> str:
    """libxml2's message in words for the reader of a report, where its own are for programmers."""
    for sign, words in _MESSAGES:
        if sign in text:
            return words
    if body.lstrip()[:1] == b"<" and not body[-200:].rstrip().endswith(b">"):
        return BROKEN_OFF
    return _PLACE.sub("", text)


def compile_xml(expression: str) -> Selector:
    """A selector over an element; it returns a list of elements or strings, or one string, number
    or boolean. Raises ValueError: the expression is not XPath 1.0, uses an unknown prefix, or a
    function that is not allowed.
    """
    if _REGEX_FUNCTION.search(expression):
        raise ValueError("regular expressions and document() are not allowed in a selector")
    from lxml import etree  # as above

    # lxml keeps the prefixes with each expression, and enters them, and regular expressions, at
    # each of its calls.
    named = {prefix: uri for prefix, uri in NAMESPACES.items() if f"{prefix}:" in expression}
    try:
        compiled = etree.XPath(expression, namespaces=named, regexp=False, smart_strings=False)
    except etree.XPathSyntaxError as exc:
        raise ValueError(f"not XPath 1.0: {exc}") from exc
    try:
        compiled(etree.Element("none"))  # lxml reports an unknown prefix only when it runs
    except etree.XPathEvalError as exc:
        raise ValueError(f"not usable: {exc}") from exc
    return Selector(compiled)


def xml_texts(selected: Any) -> Any:
    """What was selected, with elements turned into their texts; a number becomes a text."""
    if type(selected) is str:
        return selected
    if type(selected) is list:
        if len(selected) == 1:  # as most are
            item = selected[0]
            return [item if type(item) is str else element_text(item)]
        return [item if type(item) is str else element_text(item) for item in selected]
    return selected if selected is None or isinstance(selected, bool) else text_of(selected)


def text_of(node: Any) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, (int, float, bool)):
        return str(int(node) if isinstance(node, float) and node.is_integer() else node)
    return element_text(node)


def element_text(node: Any) -> str:
    if len(node) == 0:
        return node.text or ""
    parts: list[str] = []
    _gather(node, parts)
    return "".join(parts)


#: Elements that stand apart from the text around them, in JATS, XHTML and what borrows from them.
_BLOCKS = frozenset({"br", "p", "sec", "title", "div", "li", "list-item"})


def _gather(node: Any, parts: list[str]) -> None:
    if node.text:
        parts.append(node.text)
    for child in node:
        apart = " " if child.tag.rpartition("}")[2] in _BLOCKS else ""
        parts.append(apart)
        _gather(child, parts)
        parts.append(apart)
        if child.tail:
            parts.append(child.tail)


# An XPath expression taken apart: the parts of a union, the steps and predicates of a path. Only
# the forms in which selectors are usually written are known; of all others `location` returns None,
# and libxml2 evaluates them.

#: A name without a prefix, as a pattern.
NAME = r"[A-Za-z_][\w.-]*"
_LOCAL = r"local-name\(\)\s*=\s*'"
_FIRST = re.compile(
    rf"""(?P<deep>\.//|\*\[local-name\(\)='(?P<within>{NAME})'\]//)?
         (?:(?P<name>{NAME}(?::{NAME})?)|\*\[(?P<locals>{_LOCAL}{NAME}'(?:\s+or\s+{_LOCAL}{NAME}')*)\])(?=[\[/]|$)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"'([^']*)'")
_STEP = re.compile(rf"//?(?:@?(?:{NAME}:)?(?:{NAME}|\*)|@\*)")
_ATTRIBUTE = re.compile(rf"/@(?P<name>{NAME}(?::{NAME})?)")


class Location(NamedTuple):
    """A location path whose first step names elements.

    Attributes:
        tag: "{namespace}name" that the first step names; "" if it names local names.
        names: The local names that the first step allows; empty if it names a tag.
        deep: Whether the first step names descendants, and not children.
        within: The local name of the children whose descendants the first step names; "" for none.
        predicates: What stands in the brackets of the first step.
        attribute: The attribute that is wanted of what the first step names; "" for none.
        ends: Whether nothing follows the first step but that attribute.
    """

    tag: str
    names: list[str]
    deep: bool
    within: str
    predicates: list[str]
    attribute: str
    ends: bool


def location(expression: str) -> Location | None:
    """The path that is written there; None for anything else, or another kind of first step."""
    first = _FIRST.match(expression)
    if first is None or (first["name"] and first["within"]):
        return None
    at, predicates = _predicates(expression, first.end())
    rest = expression[at:]
    while at < len(expression):
        step = _STEP.match(expression, at)
        if step is None:
            return None
        at, _ = _predicates(expression, step.end())
    attribute = _ATTRIBUTE.fullmatch(rest)
    return Location(
        tag=_tag(first["name"]) if first["name"] else "",
        names=[] if first["name"] else _QUOTED.findall(first["locals"]),
        deep=bool(first["deep"]),
        within=first["within"] or "",
        predicates=predicates,
        attribute=_tag(attribute["name"]) if attribute else "",
        ends=not rest or attribute is not None,
    )


def _tag(name: str) -> str:
    prefix, colon, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if colon else local


def _predicates(expression: str, at: int) -> tuple[int, list[str]]:
    """The place at which the predicates that begin at `at` end, and what is in their brackets."""
    predicates = []
    while expression[at : at + 1] == "[":
        end = end_of_bracket(expression, at)
        if end < 0:
            break
        predicates.append(expression[at + 1 : end].strip())
        at = end + 1
    return at, predicates


def end_of_bracket(expression: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`; -1 if there is none."""
    return next((i for i, depth in _depths(expression, at) if depth == 0), -1)


def alternatives(expression: str) -> list[str]:
    return parts_of(expression, "|")


def _depths(expression: str, at: int = 0) -> list[tuple[int, int]]:
    """Each place outside of quotes, from `at` on, and how many brackets are open after it."""
    depths, depth, quote = [], 0, ""
    for i in range(at, len(expression)):
        character = expression[i]
        if quote:
            quote = "" if character == quote else quote
            continue
        if character in "'\"":
            quote = character
        depth += (character in "[(") - (character in "])")
        depths.append((i, depth))
    return depths


def parts_of(expression: str, between: str) -> list[str]:
    """The parts of an expression between separators that are outside of quotes and brackets."""
    if between not in expression:
        return [expression]
    places = [
        i for i, depth in _depths(expression) if depth == 0 and expression.startswith(between, i)
    ]
    starts = [0, *(i + len(between) for i in places)]
    return [expression[a:b] for a, b in zip(starts, [*places, len(expression)], strict=True)]


# An XML record with an index of its elements, and the selectors that read from the index. A spec's
# selectors are mostly short paths: a child by its name, or a descendant by its local name. libxml2
# needs two to twenty microseconds for each, most of it to set itself up and to walk the same record
# once more. Here a record is walked once; a path whose first step finds nothing is answered from
# the index, and so is one whose predicates are simple. All else is left to libxml2, so that every
# XPath expression works and means what it means in XPath.

Test = Callable[[Any], bool]


class XmlRecord:
    """An element as the selectors of fields see it: its children by tag, its descendants by local
    name. `children`: the children by tag, "{namespace}name", in order.
    """

    __slots__ = ("_by_name", "children", "element")

    def __init__(self, element: Any) -> None:
        self.element = element
        self.children: dict[str, list[Any]] = {}
        children = self.children
        for child in element:
            tag = child.tag
            if tag in children:
                children[tag].append(child)
            else:
                children[tag] = [child]
        self._by_name: dict[str, list[Any]] | None = None

    def by_name(self, name: str) -> list[Any]:
        """The descendants with this local name, in order."""
        if self._by_name is None:
            self._by_name = {}
            for element in self.element.iterdescendants():
                local = element.tag.rpartition("}")[2]
                if local in self._by_name:
                    self._by_name[local].append(element)
                else:
                    self._by_name[local] = [element]
        return self._by_name.get(name, _NONE)


_NONE: list[Any] = []


def texts_of_children(found: list[Any]) -> Any:
    """`xml_texts` of children, but the text alone where there is one child."""
    if len(found) == 1:
        child = found[0]
        return element_text(child) if len(child) else child.text or ""
    return [element_text(child) for child in found]


def find_xml_people(
    each: Finder, parts: Mapping[str, Selector], most: int, *, is_html: bool = False
) -> Finder:
    """Finds people who are elements: a list of names and of tables, part -> the first text that its
    selector finds in one of the first `most`; or the text that stands in the place of a list.
    """
    readers = [(part, select.name, select.find) for part, select in parts.items()]
    text = html_text if is_html else text_of

    def find(node: Any) -> Any:
        found = each(node)
        if found is None or isinstance(found, str):
            return found
        people: list[str | dict[str, str]] = []
        for item in found[:most] if isinstance(found, list) else [found]:
            if isinstance(item, str):
                people.append(item)
                continue
            source = item if is_html else XmlRecord(item)
            person = {}
            for part, name, read in readers:
                nodes = read(source) if name is None else source.children.get(name)
                if isinstance(nodes, list):
                    value = next(
                        (said for one in nodes if (said := text(one)) and not said.isspace()), None
                    )
                else:
                    value = None if nodes is None or isinstance(nodes, bool) else text(nodes)
                if value is not None:
                    person[part] = value
            people.append(person)
        return people

    return find


def compile_xml_record(expression: str) -> Selector:
    """Like `compile_xml`, over an `XmlRecord`."""
    search = compile_xml(expression).find
    paths = [_path(part.strip()) for part in alternatives(expression)]
    known = [path for path in paths if path is not None]
    if len(known) < len(paths):
        return Selector(lambda record: search(record.element))

    if len(known) == 1:
        return _sole(known[0], search)

    def select(record: XmlRecord) -> Any:
        alive = [path for path in known if path.start(record)]
        if not alive:
            return []
        if len(alive) == 1 and alive[0].whole:
            return alive[0].narrow(alive[0].start(record))
        return search(
            record.element
        )  # several node sets in one order, or a path that is not simple

    children = tuple(path.child for path in known)
    return Selector(select, needs=children if all(children) else None)


def _sole(path: _Path, search: Finder) -> Selector:
    """The selector of an expression that is one path; `search` finds what the index does not."""
    if path.whole and not path.narrows:
        return Selector(path.start, name=path.child or None)

    def select(record: XmlRecord) -> Any:
        found = path.start(record)
        if not found:
            return found
        return path.narrow(found) if path.whole else search(record.element)

    return Selector(select, needs=(path.child,) if path.child else None)


class _Path:
    """A location path: how its first step is found, the tests of that step, and the attribute that
    is wanted of it.

    Attributes:
        child: The tag of the child that the first step names; "" where it is another step.
        start: Finds what the first step names, before its predicates.
        whole: Whether the index answers the whole path; otherwise `start` alone decides only that
            the path finds nothing.
        narrows: Whether there is more to the path than its start.
    """

    __slots__ = ("_attribute", "_tests", "child", "narrows", "start", "whole")

    def __init__(
        self,
        child: str,
        start: Callable[[XmlRecord], list[Any]],
        tests: list[Test],
        attribute: str,
        whole: bool,
    ) -> None:
        self.child = child
        self.start = start
        self._tests = tests
        self._attribute = attribute
        self.whole = whole
        self.narrows = bool(tests or attribute)

    def narrow(self, found: list[Any]) -> list[Any]:
        """What the path finds, of what its start found, in the order of the document."""
        wanted = self._attribute
        if len(self._tests) == 1:  # as most have
            test = self._tests[0]
            if wanted:
                return [
                    value
                    for element in found
                    if test(element) and (value := element.get(wanted)) is not None
                ]
            return [element for element in found if test(element)]
        for test in self._tests:
            found = [element for element in found if test(element)]
        if found and wanted:
            return [value for element in found if (value := element.get(wanted)) is not None]
        return found


def _path(expression: str) -> _Path | None:
    """The path that is written there; None for anything else, or another kind of first step."""
    written = location(expression)
    if written is None:
        return None
    tests = [_test(predicate) for predicate in written.predicates]
    return _Path(
        written.tag if not written.deep else "",
        _start(written),
        [test for test in tests if test is not None],
        written.attribute,
        whole=None not in tests and written.ends,
    )


def _start(written: Location) -> Callable[[XmlRecord], list[Any]]:
    if written.tag:
        tag = written.tag
        if not written.deep:
            return lambda record: record.children.get(tag, _NONE)
        local = tag.rpartition("}")[2]
        return lambda record: [element for element in record.by_name(local) if element.tag == tag]
    names = written.names
    wanted = [f"{{*}}{name}" for name in names]
    if written.within:
        return _inside(written.within, names, wanted)
    if not written.deep:
        return lambda record: list(record.element.iterchildren(*wanted))
    if len(names) == 1:
        return lambda record: record.by_name(names[0])
    return lambda record: _by_names(record, names, wanted)


def _inside(parent: str, names: list[str], tags: list[str]) -> Callable[[XmlRecord], list[Any]]:
    """Finds descendants with one of several local names in the children called `parent`."""
    parent_tag = f"{{*}}{parent}"

    def find(record: XmlRecord) -> list[Any]:
        if not any(record.by_name(name) for name in names):
            return _NONE
        parents = record.element.iterchildren(parent_tag)
        return [element for each in parents for element in each.iterdescendants(*tags)]

    return find


def _by_names(record: XmlRecord, names: list[str], tags: list[str]) -> list[Any]:
    """Descendants with one of several local names, in order; walks only where there are two."""
    lists = [elements for name in names if (elements := record.by_name(name))]
    if len(lists) > 1:
        return list(record.element.iterdescendants(*tags))
    return lists[0] if lists else _NONE


_HAS = re.compile(rf"@({NAME})")
_IS = re.compile(rf"(?:@({NAME})|\.)\s*(!?=)\s*(?:'([^']*)'|\"([^\"]*)\")")
_LONGER = re.compile(r"string-length\(\.?\)\s*>\s*([0-9]{1,9})")
_POSITION = re.compile(r"\b(?:position|last)\s*\(")
_TEXT = re.compile(r"(contains|starts-with)\(\.,\s*'([^']*)'\)")


def _test(predicate: str) -> Test | None:
    """A predicate as a function of an element, or None where it asks for the element's place."""
    tests = [_condition(part.strip()) for part in parts_of(predicate, " or ")]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return _other_test(predicate)
    return _either(known)


def _either(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda element: one(element) or other(element)
    return lambda element: any(test(element) for test in tests)


def _condition(text: str) -> Test | None:
    """A condition without "or" as a function of an element; None for an unusual one."""
    if text == "not(*)":
        return lambda element: len(element) == 0
    if text == "normalize-space()":
        return lambda element: bool(_string(element).strip(" \t\r\n"))
    if has := _HAS.fullmatch(text):
        return lambda element: element.get(has[1]) is not None
    if within := _TEXT.fullmatch(text):
        part = within[2]
        if within[1] == "contains":
            return lambda element: part in _string(element)
        return lambda element: _string(element).startswith(part)
    if longer := _LONGER.fullmatch(text):
        least = int(longer[1])
        return lambda element: len(_string(element)) > least
    if equal := _IS.fullmatch(text):
        return _equality(equal[1], equal[2] == "=", equal[3] if equal[3] is not None else equal[4])
    if text.startswith("not(") and end_of_bracket(text, 3) == len(text) - 1:
        tests = [_condition(part.strip()) for part in parts_of(text[4:-1], " or ")]
        known = [test for test in tests if test is not None]
        if len(known) == len(tests):
            return lambda element: not any(test(element) for test in known)
    return None


def _equality(attribute: str | None, equal: bool, value: str) -> Test:
    """Whether an attribute, or the text, is that; a missing one is neither equal nor not."""
    if attribute is None:
        return lambda element: (_string(element) == value) == equal
    if equal:
        return lambda element: element.get(attribute) == value
    return lambda element: element.get(attribute, value) != value


def _other_test(predicate: str) -> Test | None:
    """A predicate that libxml2 decides, at the few elements of that name and not at all."""
    if _POSITION.search(predicate):
        return None
    from lxml import etree

    try:
        holds = compile_xml(predicate).find
        of_nothing = holds(etree.Element("none"))
    except (ValueError, etree.XPathError):
        return None
    # A number is a place; the type of an expression's result does not depend on the element.
    return None if isinstance(of_nothing, float) else lambda element: bool(holds(element))


def _string(element: Any) -> str:
    """What XPath calls an element's string value."""
    return "".join(element.itertext()) if len(element) else element.text or ""


# Whether the selectors of an envelope of MARC records look into these records.

_NAMES = rf"\[local-name\(\)='{NAME}'(?: or local-name\(\)='{NAME}')*\]"
_ENVELOPE_STEP = re.compile(
    rf"(?P<axis>//?)(?P<deep>descendant-or-self::)?(?:\*(?P<names>{_NAMES})?|(?:{NAME}:)?(?P<name>{NAME}))"
    r"(?:\[1\]|\[position\(\) <= [0-9]+\]|(?P<empty>\[not\(\*\)\]))*"
)
_NAMED = re.compile(rf"'({NAME})'")
#: The elements of a MARC record, which a page without the inside of its records does not have.
_INSIDE = frozenset({"leader", "controlfield", "datafield", "subfield"})
_RECORD = "record"
#: What tells MARC 21 and UNIMARC apart, at the end of `when`: a data field with this tag.
_FIELD = re.compile(r"//\*\[local-name\(\)='datafield'\]\[@tag='([0-9]{3}[^'<&]?)'\]")


def tag_of_when(parse: Mapping[str, Any]) -> str | None:
    """The tag of the data field by which a shape's `when` tells that a body is of this shape, where
    no selector of the envelope looks at anything else that is in a record; "" where `when` does not
    look there either, and None where one of them may.
    """
    if any(parse.get(key) for key in ("next", "warning", "bare")):
        return None
    when = str(parse.get("when") or "")
    field = _FIELD.search(when)
    region = when[: field.start()] if field else when
    if field and field.end() < len(when):
        return None
    if region.startswith("(") and region.endswith(")"):
        region = region[1:-1]
    paths = [region, *(str(parse.get(key) or "") for key in ("records", "total", "unescape"))]
    if not all(_stays_outside(path) for path in paths if path):
        return None
    return field[1] if field else ""


def _stays_outside(expression: str) -> bool:
    """Whether an expression finds the same elements whatever is in the MARC records of a page."""
    return all(_path_stays_outside(path.strip()) for path in alternatives(expression))


def _path_stays_outside(path: str) -> bool:
    at, above = 0, {_RECORD}  # what is above the first step is not known
    while at < len(path):
        step = _ENVELOPE_STEP.match(path, at)
        if step is None:
            return False
        names = set(_NAMED.findall(step["names"])) if step["names"] else {step["name"]} - {None}
        if names & _INSIDE:
            return False
        if not names and (_RECORD in above or step["deep"] or step["axis"] == "//"):
            return False
        if step["empty"] and (not names or _RECORD in names):
            return False
        at, above = step.end(), names or {_RECORD}
    return at > 0


# CSS and XPath over HTML: parsed as parsel parses it, selected by lxml with expressions that are
# compiled once. A selector that begins with `/`, `./` or `(` is XPath, everything else CSS
# (parsel's `::text` and `::attr(name)` work).

_FORBIDDEN = late_pattern(r"\bre:|document\s*\(")
#: Bytes of a page that is not made a text first, and those that are decoded at once.
_LONG_PAGE, _STRETCH = 1_000_000, 65_536
_NAMESPACES = {"set": "http://exslt.org/sets"}


def parse_html(body: bytes) -> Any:
    """The root element of the page; HTML is always readable, so nothing is raised."""
    from parsel import Selector as Page

    if len(body) > _LONG_PAGE and _is_utf8(body):
        return Page(
            body=body, encoding="utf8", type="html"
        ).root  # its text may take four times as many bytes
    return Page(text=body.decode("utf-8", "replace") or "<html/>", type="html").root


def _is_utf8(body: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), _STRETCH):
            decoder.decode(body[start : start + _STRETCH], final=start + _STRETCH >= len(body))
    except UnicodeDecodeError:
        return False
    return True


def compile_html(expression: str) -> Selector:
    """A selector over an element; that returns a list of elements or strings. Raises ValueError:
    neither CSS nor XPath, or it uses a regular expression.
    """
    if _FORBIDDEN.search(expression):
        raise ValueError("regular expressions and document() are not allowed in a selector")
    from lxml import etree
    from parsel.csstranslator import css2xpath

    as_xpath = expression.startswith(("/", "./", "("))
    try:
        path = expression if as_xpath else css2xpath(expression)
        search = etree.XPath(path, namespaces=_NAMESPACES, regexp=False, smart_strings=False)
        # lxml reports an unknown prefix or function only when the expression runs.
        search(etree.Element("none"))
    except Exception as exc:  # cssselect and lxml each have their own family of errors
        raise ValueError(f"not {'XPath' if as_xpath else 'CSS'}: {exc}") from exc

    def select(element: Any) -> list[Any]:
        found = search(element)
        return found if isinstance(found, list) else [found]

    return Selector(select)


def html_texts(selected: Any) -> Any:
    """What was selected, with elements turned into their texts; a number becomes a text."""
    if selected is None or isinstance(selected, bool):
        return selected
    if isinstance(selected, (str, float, int)):
        return text_of(selected)
    return [html_text(item) for item in selected]


def html_text(node: Any) -> str:
    """The text of what was found: an element's whole text, or the string itself."""
    if isinstance(node, (str, int, float)):
        return text_of(node)
    return "".join(node.itertext()) if len(node) else node.text or ""
