"""Bytes to text: the encoding is found where the bytes give it away, and a guess is told as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import FileFormatError
from metasearch.formats.reading.encodings import MOST_LINES, FileText, decode, find
from tests.cases import each

CHINESE = "{Title}: 水生植物群落构建对入湖河流污染物的净化效应——以某湖为例\n{Author}: 张三；李四\n"
TRADITIONAL = (
    "TI  - 本研究旨在探討資訊科技對於大學圖書館讀者服務品質的影響\nAB  - "
    "結果顯示，讀者對於線上目錄的使用滿意度\n"
)
GERMAN = "AU  - Müller, Jörg\nTI  - Über “Größe” à la carte: ÄÖÜ in Écoles\n"


@each(
    ("text", "encoding", "found"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8"),
        (CHINESE, "gbk", "gb18030"),
        (CHINESE, "gb18030", "gb18030"),
        (TRADITIONAL, "gbk", "gb18030"),
        (CHINESE, "utf-16", "utf-16-le"),
        (CHINESE, "utf-16-be", "utf-16-be"),
        (CHINESE, "utf-16-le", "utf-16-le"),
        (CHINESE, "utf-32", "utf-32-le"),
        (CHINESE, "utf-32-be", "utf-32-be"),
        ("目次目次", "utf-32-le", "utf-32-le"),
        (f"{'水生植物群落构建' * 9}\n" * 20, "utf-16-le", "utf-16-le"),
        ("TI  - 水生植物\n", "iso2022_jp", "iso2022_jp_ext"),
        (GERMAN, "utf-8", "utf-8"),
        (GERMAN, "cp1252", "cp1252"),
        ("plain", "ascii", "utf-8"),
    ],
)
def test_the_encoding_is_found(text: str, encoding: str, found: str) -> None:
    """Byte order mark, UTF-8, UTF-16 without mark, GB 18030, Windows-1252."""
    decoded = decode(text.encode(encoding), "a.txt")

    assert (decoded.text, decoded.encoding) == (text, found)


@each(("text", "encoding"), [(CHINESE, "gbk"), (GERMAN, "latin-1")])
def test_a_guess_is_told(text: str, encoding: str) -> None:
    """Neither mark nor UTF-8: the reader is told what was assumed, and how to say better."""
    (problem,) = decode(text.encode(encoding, "replace"), "a.txt").problems

    assert problem.line == 0
    assert "guess" in problem.message
    assert "--encoding" in problem.message


@each(
    ("text", "encoding"),
    [
        ("Целью настоящей работы является исследование влияния температуры. РЕЗУЛЬТАТЫ", "koi8-r"),
        ("Целью настоящей работы является исследование влияния температуры. РЕЗУЛЬТАТЫ", "cp1251"),
        (
            "L'été dernier, l'élève a réussi à résoudre le problème posé; où êtes-vous allé?",
            "cp1252",
        ),
        ("본 연구의 목적은 한국어 문장을 분석하는 것이다", "euc-kr"),
        ("本研究の目的は、日本語の文章を解析することである。", "shift_jis"),
    ],
)
def test_other_text_is_not_taken_for_chinese(text: str, encoding: str) -> None:
    """Nearly all bytes can be read as GB 18030; only Chinese becomes everyday words by it."""
    assert decode(text.encode(encoding), "a.txt").text == text


def test_what_the_user_says_is_not_questioned() -> None:
    """An encoding that is given wins over what the bytes look like."""
    assert decode("題名".encode("big5"), "a.txt", "big5").text == "題名"
    assert decode("é".encode(), "a.txt", "latin-1").text == "Ã©"
    assert decode("\ufeffé".encode(), "a.txt", "UTF-8").text == "é"


@each("name", ["no-such", "zip", "rot13", "undefined", "idna", "punycode", "", "x" * 5000])
def test_an_encoding_that_does_not_exist(name: str) -> None:
    """It is refused, and some are named that do."""
    with pytest.raises(FileFormatError, match="there is no encoding") as caught:
        decode(b"a", "a.txt", name)

    assert "gb18030" in caught.value.advice


def test_damaged_characters_are_told_with_their_line() -> None:
    """A damaged UTF-8 file stays UTF-8; what could not be read is U+FFFD in its place."""
    data = CHINESE.encode() + b"line \xff\xfe three\r\n" + b"four\rfive \xe4\n"
    decoded = decode(data, "a.txt")

    assert decoded.encoding == "utf-8"
    assert decoded.text.startswith(CHINESE)
    assert "line \ufffd\ufffd three" in decoded.text
    assert [(p.line, p.lost) for p in decoded.problems] == [(3, 0), (5, 0)]
    assert decoded.problems[0].message.startswith("2 character(s) that are not legal utf-8")


MIXED = [
    ("l’été", "l\x92\xe9t\xe9"),
    ("“Études” – à Nîmes…", "\x93\xc9tudes\x94 \x96 \xe0 N\xeemes\x85"),
    ("André’s", "Andr\xe9\x92s"),
    ("Café", "Caf\xe9"),
    ("20 °C, 5 µg, «ja»", "20 \xb0C, 5 \xb5g, \xabja\xbb"),
]


@each(("right", "written"), MIXED)
@each("size", [1, 2, 3, 7, 10_000])
def test_bytes_of_windows_1252_among_utf_8_are_read_and_told(
    right: str, written: str, size: int
) -> None:
    """However the file comes in pieces."""
    data = "AU  - Müller\nTI  - ".encode() + written.encode("latin-1") + "\nJO  - é\n".encode()
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    text = FileText(lambda: blocks, "a.txt", find(lambda: blocks, "a.txt"))

    assert text.encoding == "utf-8"
    assert text.whole() == f"AU  - Müller\nTI  - {right}\nJO  - é\n"
    (problem,) = text.problems
    assert problem.line == 2
    number = sum(char > "\x7f" for char in written)
    assert problem.message.startswith(
        f"{number} byte(s) that are not UTF-8 were read as Windows-1252: "
    )


@each("cut", [b"\xe4\n", b"\xe4\xb8\n", "水".encode()[:1] + b"\n", b"a\xc3\n", b" \xf0\x9f\n"])
def test_a_character_that_was_cut_is_no_windows_1252(cut: bytes) -> None:
    """Programs that count bytes cut the last character of a field."""
    decoded = decode(CHINESE.encode() + b"TI  - " + cut, "a.txt")

    assert decoded.text.endswith("\ufffd\n")
    assert "replaced by \ufffd" in decoded.problems[0].message


def test_files_of_two_encodings_that_were_put_together() -> None:
    """What is UTF-8 in one half stays, and the other half is read."""
    text = "AU  - Müller, Jörg\nTI  - Über “Größe” à la carte\n"
    decoded = decode(text.encode() + text.encode("cp1252"), "a.txt")

    assert (decoded.text, decoded.encoding) == (text * 2, "utf-8")
    assert [problem.line for problem in decoded.problems] == [3, 4]


def test_utf_8_that_was_encoded_twice_is_told() -> None:
    """It stays, because a capital before a mark looks the same."""
    text = "TI  - An\nAU  - Lefèvre, François\nTI  - l’été\n".encode().decode("cp1252")
    decoded = decode(text.encode(), "a.txt")

    assert decoded.text == text
    (problem,) = decoded.problems
    assert problem.line == 2
    assert problem.message.startswith("5 character(s), first here, look as if UTF-8")


def test_many_damaged_lines_are_counted() -> None:
    """The first hundred are named, the others counted: none is forgotten, and the list stays
    short."""
    decoded = decode(("é\n" * 1000).encode() + b"\xff\n" * (MOST_LINES + 23), "a.txt")

    assert len(decoded.problems) == MOST_LINES + 1
    assert decoded.problems[-1].message.startswith("23 more line(s)")


def test_the_end_of_file_mark_of_old_systems_is_no_text() -> None:
    assert decode(b"a\x1a", "a.txt").text == "a"


@given(st.binary(max_size=400))
def test_any_bytes_become_text(data: bytes) -> None:
    """Nothing is raised, and text that was UTF-8 comes back as it was."""
    decoded = decode(data, "a.txt")
    try:
        strict = data.decode()
    except UnicodeDecodeError:
        assert decoded.problems or decoded.encoding.startswith(("utf-16", "utf-32"))
    else:
        if decoded.encoding == "utf-8":
            assert decoded.text == strict.removeprefix("\ufeff").rstrip("\x1a")
            assert decoded.problems == []


@each(
    ("encoding", "text"),
    [
        ("iso8859_2", "Zawartość żelaza w wodzie, Święcki; Ąnna Żółć; głębokości jeziora"),
        ("iso8859_5", "Содержание железа в воде озера зависит от температуры"),
        ("iso8859_7", "Η περιεκτικότητα σε σίδηρο του νερού, Άννα Παπαδοπούλου"),
        ("cp866", "Содержание железа в воде озера зависит от температуры"),
        ("mac_cyrillic", "Содержание Железа в воде Озера зависит от Температуры"),
    ],
)
def test_neighbours_of_the_encodings_of_windows_are_told(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), "a.txt").text == text
