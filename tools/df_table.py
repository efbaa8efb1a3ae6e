"""Write metasearch/bulk/published/frequencies.txt: in how many documents each word occurs.

    pip install rjieba==0.2.2 -e .
    python tools/df_table.py CSL/base_zh.jsonl.gz PAYLOADS

The first is a file of Chinese records (JSON lines with title, abstract and `half`, of which "dev"
is counted, so that the other half stays unseen by what is tested on it). The second holds real
answers of open databases, a folder each; those of sources with a spec are read by it, Dublin Core
by its elements. Nothing but counts is written. What was counted and why:
docs/decisions/0010-segmentation-and-frequencies.md.
"""

from __future__ import annotations

import gzip
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson
from lxml import etree

from metasearch import errors
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.bib import normalise, texts
from metasearch.bib.normalise import has_han
from metasearch.bulk.published import words as frequencies
from metasearch.bulk.published import words as segment
from metasearch.settings import Settings

HEADER = """
In how many documents a word occurs: sections "= NAME DOCUMENTS", then "COUNT WORD WORD ...". Words that occur in fewer
than {least} documents, hold a digit or have more than {longest} characters are left out. Written by tools/df_table.py;
do not edit.

zh: titles and abstracts of the dev half of a sample of CSL, A Large-scale Chinese Scientific Literature Dataset (COLING
2022), https://github.com/ydli-ai/CSL, Apache License 2.0; cut by {segmenter}.

en: English titles and abstracts of open databases: {sources}.

Only counts were taken, which are facts; no text is reproduced.
"""
#: A word in a single document tells no more than one in none, and would treble the table.
LEAST = 2
LONGEST = 30
SHORTEST_ABSTRACT = 200
#: Sources whose answers are Dublin Core (OAI-PMH, OSTI), by their folders.
DUBLIN_CORE = {
    "arxiv-oai-pmh": "arXiv (OAI-PMH)",
    "datacite-oai": "DataCite (OAI-PMH)",
    "erudit-oai": "Érudit",
    "oai-repositories": "institutional repositories",
    "osti": "OSTI",
    "pmc-oai": "PubMed Central",
}
DC = "{http://purl.org/dc/elements/1.1/}"

#: Title and abstract.
Document = tuple[str, str]


def main(chinese: Path, payloads: Path) -> None:
    if not segment.segmenter().startswith("rjieba"):
        sys.exit(
            "Install rjieba: the table is counted with it, so that it is the same wherever it is "
            "written."
        )
    zh = list(chinese_documents(chinese))
    found = {source: list(documents) for source, documents in open_documents(payloads)}
    seen: set[str] = set()
    en = {
        source: [document for document in found[source] if is_new_english(document, seen)]
        for source in found
    }
    sources = ", ".join(
        f"{source} ({len(documents)})" for source, documents in en.items() if documents
    )
    said = HEADER.format(
        least=LEAST, longest=LONGEST, segmenter=segment.segmenter(), sources=sources
    )
    header = [
        line for paragraph in said.strip().split("\n\n") for line in textwrap.wrap(paragraph, 116)
    ]
    text = "".join(f"# {line}\n" for line in header)
    text += section("zh", zh, han=True)
    text += section(
        "en", [document for documents in en.values() for document in documents], han=False
    )
    table = frequencies.read_frequencies(text)
    target = Path(frequencies.__file__).with_name("frequencies.txt")
    target.write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{table.id}, {target.stat().st_size} bytes\n{sources}\n")


def section(name: str, documents: list[Document], *, han: bool) -> str:
    """One section as text, the commonest words first."""
    counts = document_frequencies(documents, han=han)
    words: defaultdict[int, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= LEAST:
            words[count].append(word)
    lines = [f"{count} {' '.join(sorted(words[count]))}\n" for count in sorted(words, reverse=True)]
    return f"= {name} {len(documents)}\n" + "".join(lines)


def document_frequencies(documents: Iterable[Document], *, han: bool) -> Counter[str]:
    """In how many documents each word of one script occurs."""
    counts: Counter[str] = Counter()
    for title, abstract in documents:
        counts.update(
            word
            for word in set(segment.words(f"{title}\n{abstract}"))
            if has_han(word) == han and len(word) <= LONGEST and not any(map(str.isdigit, word))
        )
    return counts


def chinese_documents(path: Path) -> Iterator[Document]:
    with gzip.open(path) as lines:
        for line in lines:
            row = orjson.loads(line)
            if row["half"] == "dev":
                yield row["title"], row["abstract"]


def open_documents(payloads: Path) -> Iterator[tuple[str, Iterator[Document]]]:
    """Each source's name and what its files hold."""
    registry = Registry(Settings())
    for name in registry.names():
        yield registry.spec(name).label, records(registry, name, payloads / name)
    for folder, label in DUBLIN_CORE.items():
        yield label, dublin_core(payloads / folder)


def records(registry: Registry, source: str, folder: Path) -> Iterator[Document]:
    for path in sorted(folder.glob("*")):
        request = Request(
            source=source, url=f"https://{source}.example.org/", size=1000, wanted=1000
        )
        try:
            parsed = parse(Page(request=request, body=path.read_bytes()), registry.spec(source))
        except errors.SourceError:
            continue  # many files are a source's errors, or no records
        yield from ((record.title, record.abstract or "") for record in parsed.records)


def dublin_core(folder: Path) -> Iterator[Document]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    for path in sorted(folder.glob("*.xml")):
        try:
            tree = etree.fromstring(path.read_bytes(), parser)
        except etree.XMLSyntaxError:
            continue
        for title in tree.iter(f"{DC}title"):
            descriptions = title.getparent().iterfind(f"{DC}description")
            abstract = max(
                (text for one in descriptions if (text := one.text)), key=len, default=""
            )
            yield texts.without_markup(title.text or ""), texts.without_markup(abstract)


def is_new_english(document: Document, seen: set[str]) -> bool:
    """Whether this is a real abstract in English that no other source has given; function words
    tell the language.
    """
    _, abstract = document
    words = segment.words(abstract)
    key = "".join(words)[:100]
    if len(abstract) < SHORTEST_ABSTRACT or key in seen or normalise.has_cjk(abstract):
        return False
    seen.add(key)
    return sum(map(segment.is_stop, words)) > 0.25 * len(words)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
