"""The characters of a query as every reader expects them, be it copied out of Word, a PDF or a web
page, or typed with a Chinese keyboard.

Each becomes the sign of ASCII that is meant: `child∗`, `TITLE（child＊）`, `or/1–4`, `“x”`,
`PUBYEAR &gt; 2010`, a no-break space, a ligature. What parts sentences stays: ，。！ everywhere,
？ and ： wherever they can be no sign of a query. Letters come composed (NFC). What is read is this
text, so an error names its places.
"""

from __future__ import annotations

import re

from metasearch.late_pattern import late_pattern


def plain_characters(text: str) -> str:
    """The text in such characters; the same object where there is nothing to do, as mostly."""
    if text.isascii() and "&" not in text:
        return text
    if "&" in text:
        text = _without_entities(text)
    return text if text.isascii() else _in_ascii(text)


# Entities of HTML, with their semicolon: `AT&T` has none.

_ENTITY = late_pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: How often one text is a page's source once more: `&amp;gt;` is `>`.
_NESTED = 3


def _without_entities(text: str) -> str:
    from html import unescape

    for _ in range(_NESTED):
        before, text = text, _ENTITY.sub(lambda match: unescape(match[0]), text)
        if text == before:
            break
    return text


# Single characters, wherever they stand.

#: What is meant -> the characters that are it.
_MEANT = {
    "*": "∗＊⁎﹡✱⋆٭", "-": "‐‑−﹣", "'": "‘’‚‛′＇´ʼ", '"': "＂‟", "/": "／⁄∕", "~": "～∼˜",
    "(": "（﹙", ")": "）﹚", "[": "［", "]": "］", "{": "｛", "}": "｝", "=": "＝﹦", "+": "＋﹢",
    "<": "＜", ">": "＞", "#": "＃", "$": "＄", "%": "％", "^": "＾ˆ", "_": "＿", "|": "｜",
    # Blanks of Unicode and what cannot be seen but parts words, as `tree.is_blank` has it.
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
    "\u202f\u205f\u3000",
    "\n": "\u0085\u2028\u2029",
    # Marks of direction, the byte order mark and the joiner of words part nothing.
    "": "\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
    "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ", "st": "ﬅﬆ",
}  # fmt: skip
_FULL_WIDTH = ("Ａ", "Ｚ"), ("ａ", "ｚ"), ("０", "９")
_TABLE = str.maketrans(
    {char: meant for meant, chars in _MEANT.items() for char in chars}
    | {
        chr(code): chr(code - 0xFEE0)
        for first, last in _FULL_WIDTH
        for code in range(ord(first), ord(last) + 1)
    }
)

# Characters that are a sign of a query in some places only.

#: A soft hyphen where a word is broken: it goes on in the next line of a PDF.
_BROKEN = late_pattern(r"\u00ad[ \t]{0,4}\r?\n[ \t]{0,8}(?=[^\W\d_])")
#: A dash that is wider than a hyphen joins numbers and words. One that begins a word would be a
#: NOT, which nobody means by it: it stays.
_EN_DASH = late_pattern(r"(?<=[0-9])[ ]{1,3}[‒–－](?=[0-9])|(?<=[^\s(])[‒–－]|[‒–－](?=\s|\Z)")
#: A long one joins years and numbers only; between words it is a pause.
_EM_DASH = late_pattern(
    r"(?<=[0-9:=/\"'(])[—―]{1,2}(?=[0-9])|(?<=[0-9]{4})[—―]{1,2}(?=[\s)\"'\]]|\Z)"
)
_PAUSE = late_pattern(r"[—―]+")
#: A sign for letters stands between those of a word.
_LETTERS_SIGN = late_pattern(r"(?<=[A-Za-z])？(?=[A-Za-z])")
#: A colon stands between years, or before a field that follows its words.
_COLON = late_pattern(
    r"(?<=[0-9\]\"'])：(?=[0-9\"'])|(?<=[)\"'*?$\]\w])：(?=(?:ti|ab|kw|tw|au|de|tt|py|pt|it|la|jt|so)\b)",
    re.IGNORECASE,
)
#: A comma stands between fields: `.ti，ab.`
_COMMA = late_pattern(r"(?<=[.:,．，][A-Za-z]{2})，(?=[A-Za-z]{2}(?![A-Za-z]))")
#: A stop stands before and after a field of Ovid's.
_STOP = late_pattern(r"(?<=[A-Za-z)*?$\"'/])．(?=[A-Za-z])|(?<=[a-z])．(?=[\s)\]]|\Z)")
#: Pairs of quotes of other languages, and of two primes or single quotes for a double one.
_PAIRS = late_pattern(
    r"«[ \u00a0\u202f]?([^«»\n]{1,300}?)[ \u00a0\u202f]?»"
    r"|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』|〝([^〝〞〟\n]{1,300})[〞〟]"
    r"|(?<!\w)″([^″\n]{1,300})″(?!\w)"
    r"|(?<!\w)‘‘([^‘’\n]{1,300})’’|(?<!\w)’’([^‘’\n]{1,300})’’(?!\w)"
)
#: A stretch in straight quotes, one in curly quotes that holds straight ones, or a curly one alone.
_QUOTED = late_pattern(
    r'"[^"\n]*"|“[^“”"\n]*(?:(?<![^\s(])"[^\s“”"][^“”"\n]*"(?!\w)[^“”"\n]*)+”|[“”„]'
)
_INNER = late_pattern(r'"[^“”„]*(?:[“„][^“”„]*[“”][^“”„]*)+"')
#: Marks on one letter by the dozen: composing them takes quadratic time.
_PILED = late_pattern(r"([^\w\s!-~]{30,})")


def _in_ascii(text: str) -> str:
    from unicodedata import is_normalized, normalize

    text = _PAIRS.sub(_in_quotes, _BROKEN.sub("", text)).translate(_TABLE)
    if text.isascii():
        return text
    if not is_normalized("NFC", text):
        pieces = _PILED.split(text)
        pieces[::2] = [normalize("NFC", piece) for piece in pieces[::2]]
        text = "".join(pieces)
    text = _QUOTED.sub(_straight, text)
    text = _EN_DASH.sub("-", _PAUSE.sub(" ", _EM_DASH.sub("-", text)))
    text = _COMMA.sub(",", text)
    return _STOP.sub(".", _COLON.sub(":", _LETTERS_SIGN.sub("?", text)))


def _in_quotes(match: re.Match[str]) -> str:
    return f'"{match[match.lastindex or 0]}"'


def _straight(match: re.Match[str]) -> str:
    """Quotes as straight ones; those inside of others are curly and belong to the phrase."""
    shown = match[0]
    if len(shown) > 1 and shown[0] != '"':
        inner = shown[1:-1].split('"')
        within = (text + "”“"[at % 2 == 0] * (at < len(inner) - 1) for at, text in enumerate(inner))
        return f'"{"".join(within)}"'
    return shown if _INNER.fullmatch(shown) else shown.translate(_CURLY)


_CURLY = str.maketrans("“”„", '"""')
