"""LaTeX in titles and names becomes the text that it prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.formats import bibtex
from metasearch.formats.latex import decode
from metasearch.formats.text import line
from tests.cases import each
from tests.formats.samples import hit
from tests.growth import MOST, growth


@each(
    ("written", "text"),
    [
        (r"M{\"u}ller, M\"{u}ller, M\"uller, M{\"{u}}ller", "Müller, Müller, Müller, Müller"),
        (r"\'{\i} {\'\i} \v{\i} \.I", "í í ǐ İ"),
        (r"\c{c} \c c \H{o} \k{a} \r{u} \d{t} \u{g} \v{s} \=a \~n", "ç ç ő ą ů ṭ ğ š ā ñ"),
        (r"{\ss} {\o} \AA{} {\OE}uvre \l{}od\'z Stra\ss e", "ß ø Å Œuvre łodź Straße"),
        (r"\& \% \$ \# \_ \{a\} \textbackslash{} \textbraceleft{}", "& % $ # _ {a} \\ {"),
        (r"\textasciitilde{} \textasciicircum{} \~{} \^{}", "~ ^ ~ ^"),
        (
            r"50% of $p<0.05$ and H$_2$O, 10$^{-3}$, $\alpha$-helix",
            "50% of p<0.05 and H2O, 10-3, α-helix",
        ),
        (
            r"\emph{in vivo} {\it in vitro} \textsubscript{2} \texttt{x} \unknown{kept}",
            "in vivo in vitro 2 x kept",
        ),
        (r"a--b a---b ``quoted'' don't", "a–b a—b “quoted” don't"),
        (
            (
                r"\textendash{} \textless{}b\textgreater{} \textdegree{}C \textmu{}m \copyright{} "
                r"\pounds{}"
            ),
            "– <b> °C µm © £",
        ),
        (
            r"\url{https://example.org/a_b} \href{https://example.org}{here}",
            "https://example.org/a_b here",
        ),
        (r"self\-evident A~B a\,b", "selfevident A B a b"),
        ("{DNA} and {RNA}", "DNA and RNA"),
        ("plain text, 中文", "plain text, 中文"),
        (r"\( x_1 \) outside_of", " x1  outside_of"),
    ],
)
def test_commands_become_characters(written: str, text: str) -> None:
    """Accents in every way of writing them, letters, symbols, simple formulas; other commands leave
    their argument."""
    assert decode(written) == text


@each("end", ["\\", "\\'", "{", "}", "$", "\\href{", '\\"', "{\\", "``", "^"])
def test_what_breaks_off_is_no_error(end: str) -> None:
    """A value that was cut anywhere still gives its text."""
    assert decode(f"Title {end}").startswith("Title")


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
def test_our_own_writing_comes_back(title: str) -> None:
    """Whatever our writer escapes is unescaped to the same text."""
    if not line(title) or line(title) != title or "--" in title or "``" in title or "''" in title:
        # the writer tidies blanks and controls; dashes and quotes are meant as TeX prints them
        return
    if title.endswith("."):
        return  # of a title's end the writer takes the full stop
    written = bibtex.write([hit(title=title)]).decode()
    value = written.partition("title = {")[2].partition("},\n")[0].removesuffix("}\n}\n")

    assert decode(value) in (title, unicodedata.normalize("NFC", title))


@given(
    st.lists(
        st.sampled_from(
            ["\\", "{", "}", "$", "'", '"', "a", " ", "\\c", "\\href", "^", "~", "-", "é"]
        )
    ).map("".join)
)
def test_nothing_raises(value: str) -> None:
    """No order of special characters does."""
    assert isinstance(decode(value), str)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["{", "}", "\\", "$", '\\"', "\\emph{", "\\href{", "-", "'", "`", "\\a ", "{\\'", "a"]
)
def test_time_is_linear_and_depth_no_matter(piece: str) -> None:
    """Four times the characters take about four times as long; nested braces are no recursion."""

    def decoding(size: int) -> Callable[[], object]:
        return partial(decode, piece * (size // len(piece)))

    assert growth(decoding, 12_500) <= MOST
