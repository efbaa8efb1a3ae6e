"""Fifty files that somebody may give as a list of references: broken, endless, nested, or no list.

`FILES`: what is hostile -> the file.
`python -m tests.references.hostile FOLDER [SIZE]` writes them.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.references.test_reader import archive, docx

RIS = "TY  - JOUR\nTI  - Salt marshes {n}\nAU  - Byron, Ada\n"
ENTRY = "@article{{k{n}, title = {{Salt marshes of the coast {n}}}, year = {{2015}}}}\n"
LINE = "[{n}] Byron A. Salt marshes of the coast {n}. J Coast. 2015;1:2-3.\n"
CHINESE = "[1] 刘国钧, 陈绍业. 图书馆目录[M]. 北京: 高等教育出版社, 1957.\n"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


class HostileFile(NamedTuple):
    """`make`: its bytes, of some such size. `works`: the references that are read of it; None where
    it holds none, or they are refused.
    """

    make: Callable[[int], bytes]
    name: str = "refs.bib"
    works: int | None = None
    size: int = 50_000


def _each(template: str, count: int = 3) -> str:
    return "".join(template.format(n=number) for number in range(1, count + 1))


def _bomb(size: int) -> bytes:
    """A document of Word that unpacks to a hundred times its size and more."""
    return archive("word/document.xml", f"<w:document {W}><w:body>" + " " * size * 100)


def _nested_archive(size: int) -> bytes:
    inner = archive("word/document.xml", " " * size)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for number in range(50):
            file.writestr(f"word/{number}.docx", inner)
    return out.getvalue()


def _entities(_: int) -> bytes:
    """Entities of entities: a "billion laughs"."""
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY e0 "salt">{names}]><w:document {W}><w:body><w:p><w:r><w:t>&e9;'
    return archive("word/document.xml", text + "</w:t></w:r></w:p></w:body></w:document>")


def _strings(_: int) -> bytes:
    """Each macro is twice the one before it."""
    some = "".join(f"@string{{s{n} = s{n - 1} # s{n - 1}}}\n" for n in range(1, 60))
    return f'@string{{s0 = "salt"}}\n{some}@article{{a, title = s59, year = 2015}}\n'.encode()


FILES: Mapping[str, HostileFile] = {
    # Bytes.
    "empty": HostileFile(lambda size: b""),
    "blanks": HostileFile(lambda size: b" \n\t\r\n" * (size // 5)),
    "zeros": HostileFile(lambda size: b"\0" * size),
    "zeros in text": HostileFile(
        lambda size: b"\0" + _each(LINE).replace("a", "a\0").encode(), "refs.txt", 3
    ),
    "latin 1": HostileFile(
        lambda size: _each(ENTRY).replace("coast", "cöast").encode("latin-1"), works=3
    ),
    "broken UTF-8": HostileFile(
        lambda size: _each(LINE).encode().replace(b"coast", b"co\xff\xfe\xc3t"), "refs.txt", 3
    ),
    "UTF-16": HostileFile(lambda size: _each(LINE).encode("utf-16"), "refs.txt", 3),
    "half of UTF-16": HostileFile(lambda size: _each(LINE).encode("utf-16")[:-1], "refs.txt", 3),
    "GB 18030": HostileFile(lambda size: CHINESE.encode("gb18030") * 3, "refs.txt", 3),
    "cut GB 18030": HostileFile(lambda size: (CHINESE * 3).encode("gb18030")[1:], "refs.txt", 3),
    "lone surrogates": HostileFile(
        lambda size: b"\xff\xfe" + b"\x00\xd8" * (size // 2), "r.txt", works=1
    ),
    "image": HostileFile(lambda size: b"\x89PNG\r\n\x1a\n" + b"\x00\xff" * (size // 2), "a.png"),
    "PDF": HostileFile(lambda size: b"%PDF-1.7\n" + b"\xe2\xe3" * (size // 2), "a.pdf"),
    "web page": HostileFile(lambda size: b"<!DOCTYPE html><p>" + b"<b>a" * (size // 4), "a.html"),
    "controls": HostileFile(
        lambda size: _each(LINE).replace("Salt", "\x1b[31mSalt\x07\u202e").encode(), "a.txt", 3
    ),
    # Lines.
    "one line": HostileFile(lambda size: b"a" * size * 5, "a.txt", works=1),
    "one line of words": HostileFile(
        lambda size: b"Smith J. A title. " * (size // 18), "a.txt", works=1
    ),
    "empty lines": HostileFile(lambda size: b"\n" * size + _each(LINE).encode(), "a.txt", 3),
    "too many lines": HostileFile(lambda size: _each(LINE, 20_100).encode(), "a.txt"),
    "long reference": HostileFile(
        lambda size: b"[1] " + b"x" * 30_000 + b"\n[2] Byron A. Salt. 2015.\n", "a.txt", 2
    ),
    # BibTeX.
    "open brace": HostileFile(
        lambda size: _each(ENTRY).encode() + b"@article{x, title = {" + b"{" * size, works=3
    ),
    "closed braces": HostileFile(lambda size: b"}" * size + _each(ENTRY).encode(), works=3),
    "nested braces": HostileFile(
        lambda size: b"@article{a, title = " + b"{" * size + b"Salt" + b"}" * size + b"}\n", works=1
    ),
    "open quote": HostileFile(lambda size: b'@article{a, title = "' + b"salt " * (size // 5)),
    "entries without an end": HostileFile(lambda size: b"@article{a, " * (size // 12)),
    "signs of entries": HostileFile(lambda size: b"@" * size),
    "empty entries": HostileFile(lambda size: b"@article{a,}\n" * (size // 13)),
    "doubled macros": HostileFile(_strings, works=1),
    "cyclic macros": HostileFile(
        lambda size: b"@string{a = b # b}\n@string{b = a # a}\n@article{k, title = a # b}\n",
        works=1,
    ),
    "cyclic crossrefs": HostileFile(
        lambda size: (
            b"@article{a, title = {Salt}, crossref = {b}}\n"
            b"@article{b, title = {Sand}, crossref = {a}}\n"
            b"@article{c, title = {Mud}, crossref = {c}}\n"
        ),
        works=3,
    ),
    "long chain of crossrefs": HostileFile(
        lambda size: "".join(
            f"@article{{k{n}, title = {{Salt {n}}}, crossref = {{k{n + 1}}}}}\n" for n in range(500)
        ).encode(),
        works=500,
    ),
    "very many authors": HostileFile(
        lambda size: (
            b"@article{a, title = {Salt}, author = {"
            + b"Byron, Ada and " * (size // 15)
            + b"Byron, Ada}}"
        ),
        works=1,
    ),
    "one key": HostileFile(lambda size: ENTRY.format(n=1).encode() * 300, works=300),
    "nested commands": HostileFile(
        lambda size: (
            b"@article{a, title = {Salt " + b"\\textbf{" * (size // 8) + b"}" * (size // 8) + b"}}"
        ),
        works=1,
    ),
    # Tags, JSON, tables.
    "RIS without ER": HostileFile(lambda size: _each(RIS).encode(), "refs.ris", 3),
    "RIS of one record": HostileFile(
        lambda size: (RIS.format(n=1) + "AU  - Byron, Ada\n" * (size // 17)).encode(), "a.ris", 1
    ),
    "nested CSL-JSON": HostileFile(
        lambda size: b'[{"id": "a", "title": ' + b"[" * size + b"]" * size + b"}]", "a.json"
    ),
    "cut CSL-JSON": HostileFile(
        lambda size: json.dumps([{"id": str(n), "title": f"Salt {n}"} for n in range(3)]).encode()[
            :-9
        ],
        "a.json",
        works=2,
    ),
    "CSV of one row": HostileFile(
        lambda size: b"Title,Authors,Year\n" + b'"Salt' + b"," * size, "a.csv", works=1
    ),
    "CSV of many columns": HostileFile(
        lambda size: b"Title," * (size // 6) + b"\n" + b"Salt," * (size // 6) + b"\n",
        "a.csv",
        works=1,
    ),
    # Archives.
    "bomb": HostileFile(_bomb, "a.docx"),
    "archives in an archive": HostileFile(_nested_archive, "a.docx"),
    "entities": HostileFile(_entities, "a.docx"),
    "nested paragraphs": HostileFile(
        lambda size: archive("word/document.xml", f"<w:p {W}>" * (size // 100)), "a.docx"
    ),
    "cut document": HostileFile(lambda size: docx("Salt")[:-30], "a.docx"),
    "zip": HostileFile(lambda size: archive("a.txt", "Salt"), "a.zip"),
    "gzip bomb": HostileFile(lambda size: gzip.compress(b" " * size * 200), "a.bib.gz"),
    "broken gzip": HostileFile(lambda size: b"\x1f\x8b\x08\x00broken", "a.bib.gz"),
    "gzipped twice": HostileFile(
        lambda size: gzip.compress(gzip.compress(_each(ENTRY).encode())), "a.bib.gz"
    ),
}


if __name__ == "__main__":
    folder, *sizes = sys.argv[1:]
    for title, made in FILES.items():
        place = Path(folder) / title.replace(" ", "-")
        place.mkdir(parents=True, exist_ok=True)
        (place / made.name).write_bytes(made.make(int(sizes[0]) if sizes else made.size))
