"""select/xml.py: the one parser that reads XML from outside, and XPath over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.adapters.select.xml import compile_xml, parse_xml, text_of
from tests.cases import each


def test_external_entities_are_not_loaded(tmp_path: Path) -> None:
    """A file that an entity names is not read, and its text is not in the tree (XXE)."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    body = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a>before &x; after</a>'.encode()

    root = parse_xml(body)

    assert "secret" not in "".join(root.itertext())


def test_external_dtds_and_parameter_entities_are_not_loaded(tmp_path: Path) -> None:
    """A DTD outside the body is not fetched, so nothing that it declares takes effect."""
    dtd = tmp_path / "evil.dtd"
    dtd.write_text('<!ENTITY y "from the dtd">')
    body = (
        f'<!DOCTYPE a SYSTEM "{dtd.as_uri()}" [<!ENTITY % p SYSTEM "{dtd.as_uri()}"> '
        f"%p;]><a>text</a>"
    ).encode()

    assert "".join(parse_xml(body).itertext()) == "text"


def test_entities_that_multiply_are_not_expanded() -> None:
    """A billion laughs stays a reference, or is refused; it never becomes text."""
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    body = f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><a>&l9;</a>'.encode()

    try:
        root = parse_xml(body)
    except ValueError:
        return
    assert len("".join(root.itertext())) < 100


def test_nesting_beyond_the_limit_is_refused() -> None:
    """100,000 elements inside one another are an error with a message, not a crash."""
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_xml(b"<a>" * 100_000 + b"</a>" * 100_000)


@each(
    "body",
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"<a>\x01</a>",
        b"not xml",
        b'<?xml version="1.0" encoding="x"?><a/>',
    ],
)
def test_what_is_not_well_formed_is_refused_and_not_repaired(body: bytes) -> None:
    """A repaired body would lose records in silence."""
    with pytest.raises(ValueError, match=r"."):
        parse_xml(body)


def test_comments_and_processing_instructions_do_not_cut_texts() -> None:
    """They are taken out, so that an element's text is in one piece."""
    root = parse_xml(b"<a>one <!-- no --><?pi no?>two</a>")

    assert root.text == "one two"


@each(
    "expression",
    [
        "re:test(., 'x')",
        "//a[re:match(., '(a+)+$')]",
        "regexp:test('a', 'a')",
        "str:tokenize('a b')",
        "document('file:///x')",
    ],
)
def test_functions_that_could_hang_or_load_are_refused(expression: str) -> None:
    """Regular expressions and document() are told at load time, by name."""
    with pytest.raises(ValueError, match="not allowed"):
        compile_xml(expression)


@each("expression", ["//a[", "unknown:a", "nosuch(.)", "$variable"])
def test_what_is_not_usable_xpath_is_refused_when_compiled(expression: str) -> None:
    """A wrong expression, prefix, function or variable is found before any body is."""
    with pytest.raises(ValueError, match=r"not (?:XPath|usable)"):
        compile_xml(expression)


def test_known_prefixes_need_no_declaration() -> None:
    """Atom, OpenSearch, Dublin Core, MODS and the like are known by their usual prefixes."""
    feed = parse_xml(
        b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">'
        b'<o:totalResults>7</o:totalResults><entry xml:lang="fr"><title>T '
        b"<i>x</i></title></entry></feed>"
    )

    assert [text_of(n) for n in compile_xml("os:totalResults")(feed)] == ["7"]
    assert [text_of(n) for n in compile_xml("atom:entry/atom:title")(feed)] == ["T x"]
    assert compile_xml("atom:entry/@xml:lang")(feed) == ["fr"]


def test_elements_are_found_by_local_name_whatever_their_namespace() -> None:
    """What the SRU family rests on."""
    for namespace in (
        b"http://www.loc.gov/zing/srw/",
        b"http://docs.oasis-open.org/ns/search-ws/sruResponse",
    ):
        root = parse_xml(b'<z:r xmlns:z="' + namespace + b'"><z:n>3</z:n></z:r>')

        assert [
            text_of(n) for n in compile_xml("/*[local-name()='r']/*[local-name()='n']")(root)
        ] == ["3"]


def test_texts_of_numbers_strings_and_elements() -> None:
    """XPath gives numbers as floats; whole ones are shown without a point."""
    root = parse_xml(b"<a><b>x<c>y</c>z</b><b/></a>")

    assert text_of(compile_xml("count(b)")(root)) == "2"
    assert text_of(compile_xml("string(b)")(root)) == "xyz"
    assert text_of(compile_xml("0.5 + 0.25")(root)) == "0.75"
    assert [text_of(n) for n in compile_xml("b")(root)] == ["xyz", ""]
