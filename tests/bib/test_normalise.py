"""One form for identifiers, URLs, texts and names, whatever a database writes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import identifiers, normalise, numbering, texts
from tests.cases import each
from tests.growth import MOST, growth


@each(
    ("value", "expected"),
    [
        ("https://doi.org/10.1000/ABC.", "10.1000/abc"),
        ("doi:10.1000/abc", "10.1000/abc"),
        ("http://dx.doi.org/10.1000%2Fabc", "10.1000/abc"),
        (
            "10.1002/(sici)1097-461x(1998)66:4<261::aid-qua1>3.0.co;2-t",
            "10.1002/(sici)1097-461x(1998)66:4<261::aid-qua1>3.0.co;2-t",
        ),
        ("(see 10.1016/S0140-6736(96)07492-2)", "10.1016/s0140-6736(96)07492-2"),
        ("http://doi.acm.org/10.1145/1400214.1400231", "10.1145/1400214.1400231"),
        ("10.1000/", None),
        ("10.1000/...", None),
        ("(10.1000/)", None),
        ("10.1/x", None),
        ("", None),
        (None, None),
    ],
)
def test_doi(value: str | None, expected: str | None) -> None:
    """A DOI is bare and lower case, whatever stands around it."""
    assert expected == identifiers.doi(value)


@given(
    st.sampled_from(("", "https://doi.org/", "http://dx.doi.org/", "doi:", "(")),
    st.from_regex(r"10\.[0-9]{4,5}(?:\.[0-9]{1,3})?/", fullmatch=True),
    st.text(st.characters(max_codepoint=0x17F) | st.sampled_from("%<>()[]{}\u212a\u200b.;")),
    st.sampled_from(("", "x", ")", "]", ".", "&lt;", "%2F", '"')),
)
def test_a_plain_doi(before: str, prefix: str, suffix: str, end: str) -> None:
    """It is recognised as a whole, and is what is found in a text that is more than a DOI."""
    value = f"{before}{prefix}{suffix}{end}"
    assert identifiers.doi(value) == identifiers.doi(f" {value}")


@each(
    ("value", "expected"),
    [
        ("arXiv:2104.12255v1", "2104.12255"),
        ("http://arxiv.org/abs/cs/0102003v1", "cs/0102003"),
        ("math.GT/0309136", "math.gt/0309136"),
        ("x", None),
    ],
)
def test_arxiv_id(value: str, expected: str | None) -> None:
    """An arXiv identifier has no version."""
    assert expected == identifiers.arxiv_id(value)


@each(
    ("value", "expected"),
    [
        ("978-3-16-148410-0 (pbk.)", "9783161484100"),
        ("ISBN 0-306-40615-2", "9780306406157"),
        ("0306406153", None),
        ("080442957X", "9780804429573"),
        ("9783161484101", None),
    ],
)
def test_isbn(value: str, expected: str | None) -> None:
    """A valid ISBN is an ISBN-13 of digits; a wrong check digit is no ISBN."""
    assert expected == identifiers.isbn(value)


def test_issn_and_orcid() -> None:
    """ISSNs and ORCIDs have their hyphens and nothing else."""
    assert "1234-567X" == identifiers.issn("ISSN 1234567x")
    assert "0000-0002-1825-0097" == identifiers.orcid("http://orcid.org/0000-0002-1825-0097")
    assert identifiers.orcid("0000-0000-0000-0000") is None


@each(
    ("value", "expected"),
    [
        ("https://a.org/x", "https://a.org/x"),
        ("https://user:secret@a.org/x", "https://a.org/x"),
        ("https://a.org/<script>", "https://a.org/%3Cscript%3E"),
        ("javascript:alert(1)", None),
        ("//a.org/x", None),
        ("http://", None),
        ("http://[::1", None),
    ],
)
def test_web_url(value: str, expected: str | None) -> None:
    """Only http(s) URLs become links, and never with user info."""
    assert expected == identifiers.web_url(value)


def test_url_key() -> None:
    """Spellings of one address have one key; a DOI link and a bare host have none."""
    keys = {
        identifiers.url_key(url)
        for url in ("http://www.a.org/x/?utm_source=y#z", "https://a.org/x", "https://A.org:443/x/")
    }

    assert {"a.org/x"} == keys
    assert identifiers.url_key("https://doi.org/10.1000/x") is None
    assert identifiers.url_key("https://a.org/") is None


@each(
    ("value", "expected"),
    [
        ("CO<sub>2</sub> &amp; H<sup>+</sup>", "CO2 & H+"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("&amp;lt;i&amp;gt;in&amp;lt;/i&amp;gt;", "in"),
        ("p &lt; 0.05", "p < 0.05"),
        ("R&AMP;D", "R&D"),
        ("CAF&EACUTE; &NBSP;&MDASH; STRA&SZLIG;E", "CAFÉ — STRASSE"),
        ("AT&T; R&DX; Q&A;", "AT&T; R&DX; Q&A;"),
        ("for n<m and m>k", "for n<m and m>k"),
        ("a <y> b", "a <y> b"),
        ("<!-- no -->yes<![CDATA[ too]]>", "yes too"),
        ("<!-- never closed", "<!-- never closed"),
        ("<mml:math><mml:mi>x</mml:mi><mml:annotation>\\TeX</mml:annotation></mml:math>", "x"),
        (
            "<jats:alternatives><jats:tex-math>$x$</jats:tex-math><mml:math><mml:mi>x</mml:mi></mml:math></jats:alternatives>",
            "x",
        ),
        ("<tex-math>$x$</tex-math>", "$x$"),
        ("<inline-formula>x</inline-formula>", "x"),
        ("  a\u00a0\n b\u200b\x00\u202e ", "a b"),
    ],
)
def test_without_markup(value: str, expected: str) -> None:
    """Tags and entities vanish, text and mathematics stay."""
    assert expected == texts.without_markup(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["<!--", "<a ", "<", "&", "&amp;", "<tex-math math", "<mml:annotation math"]
)
def test_markup_in_linear_time(piece: str) -> None:
    """Four times the hostile text takes about four times as long."""

    def cleaning(size: int) -> Callable[[], object]:
        return partial(texts.without_markup, piece * (size // len(piece)))

    assert growth(cleaning, 25_000) <= MOST


@given(st.text())
def test_plain_is_stable(value: str) -> None:
    """Plain text is its own plain text, without control characters or surrogates."""
    once = texts.plain(value)

    assert once == texts.plain(once)
    assert once == once.strip()
    assert not any(c < " " for c in once)


@each(
    ("value", "expected"),
    [
        ("Müller", "muller"),
        ("ＡＢＣ", "abc"),
        ("Straße", "strasse"),
        ("β-carotene", "beta-carotene"),
        ("한국어", "한국어"),
        ("Ελλάς", "ελλας"),
    ],
)
def test_fold(value: str, expected: str) -> None:
    """Case, width and diacritics go; a lone Greek letter becomes its name; other scripts stay."""
    assert expected == normalise.fold(value)


@given(
    st.text(
        alphabet=st.sampled_from(
            [*" aBİıßσΣς'&.`´¨·ΐαΑμé한글文", "\u0301", "\u0345", "\u00a0", "\u2003", "\uff9e"]
        )
        | st.characters(),
        max_size=80,
    )
)
def test_a_word_is_folded_as_in_its_text(text: str) -> None:
    """What stands before and after a blank changes nothing: and words are remembered."""
    whole = normalise._FOLDED.sub(normalise._other_spelling, normalise._plain(text))

    assert normalise.fold(text) == whole
    assert normalise.fold(text) == whole


def test_words_and_compact() -> None:
    """Punctuation parts words, and vanishes from compact text."""
    assert ["o", "neill", "2"] == normalise.words("O_Neill: (2)")
    assert normalise.compact("Self-attention!") == normalise.compact("self attention")
    assert normalise.has_cjk("深度 learning")
    assert not normalise.has_cjk("café")


@each(
    ("value", "expected"),
    [("van der Berg", "berg"), ("O'Neill", "oneill"), ("De La", "dela"), ("", "")],
)
def test_family_key(value: str, expected: str) -> None:
    """A family name without its particles, unless it has nothing else."""
    assert expected == normalise.family_key(value)


@each(
    ("value", "expected"),
    [("Vol. 012", "12"), ("XIV", "14"), ("abs/1", "1"), ("Suppl.", "suppl"), (None, "")],
)
def test_number_key(value: str | None, expected: str) -> None:
    """A volume is a number where it is one."""
    assert expected == numbering.number_key(value)


@each(
    ("value", "expected"),
    [
        ("123-8", ("123", "128")),
        ("e1001", ("e1001", "e1001")),
        ("1–11", ("1", "11")),
        ("S12-S19", ("s12", "s19")),
        ("-331", ("", "")),
        ("xii–331", ("", "")),
        ("C-326", ("", "")),
        ("No-C-93", ("93", "93")),
        (None, ("", "")),
    ],
)
def test_pages_key(value: str | None, expected: tuple[str, str]) -> None:
    """First and last page, the short last one completed."""
    assert expected == numbering.pages_key(value)
