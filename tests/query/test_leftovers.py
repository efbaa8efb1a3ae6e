"""Words that look like operators of another syntax; what is told of them is tested by queries in
`tests/query/test_syntaxes.py`.
"""

from __future__ import annotations

import string

from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.query.leftovers import _OF_LETTERS, _SIGNS

WORDS = st.one_of(
    st.text(string.ascii_letters, min_size=1, max_size=8),
    st.sampled_from(sorted(_OF_LETTERS)).flatmap(
        lambda word: st.sampled_from([word, word.lower(), word.title(), f"{word}s", f"x{word}"])
    ),
)


@given(WORDS)
@example("exp")
@example("near")
@example("pubyear")
def test_no_other_word_of_letters_is_an_operator(word: str) -> None:
    """So the patterns need not be asked about such a word."""
    if word.upper() not in _OF_LETTERS:
        assert not any(pattern.fullmatch(word) for pattern in _SIGNS.values())


def test_each_of_the_words_is_an_operator() -> None:
    """In one of the two cases."""
    for word in _OF_LETTERS:
        assert any(
            pattern.fullmatch(form) for pattern in _SIGNS.values() for form in (word, word.lower())
        )
