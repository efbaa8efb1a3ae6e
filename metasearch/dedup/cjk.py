"""What fingerprints and relations do otherwise for Chinese, Japanese and Korean text; see
`metasearch.bib.chinese_characters`.

The modules of that package are imported when the first such text comes.
"""

from __future__ import annotations

from typing import Literal

from metasearch.bib import normalise
from metasearch.record import Author, Record

#: Shorter parts of a title in two languages are not compared as titles.
SHORTEST_TITLE = 4


def titles(
    title: str, subtitle: str | None
) -> tuple[tuple[str, ...], frozenset[int], tuple[str, ...]]:
    """(words of the title, numbers of words after which a part of it ends, its form in another
    language).

    In simplified characters, without column heads.
    """
    from metasearch.bib.chinese_titles import marked, split_titles, with_digits, without_sections

    first, *others = split_titles(without_sections(title))
    words: list[str] = []
    breaks: list[int] = []
    for part in [
        *marked(with_digits(simplified(first))).split("\n"),
        with_digits(simplified(subtitle or "")),
    ]:
        found = normalise.words(part)
        if (
            found and words[-len(found) :] != found
        ):  # some sources repeat the subtitle inside the title
            words += found
            breaks.append(len(words))
    return tuple(words), frozenset(breaks), tuple(simplified(other) for other in others)


def is_generic(title: str) -> bool:
    """Whether a title stands on many works: 编者按, 2019年总目次."""
    from metasearch.bib import chinese_titles

    return chinese_titles.is_generic(title)


def notice(title: str) -> str:
    """What kind of notice about another work a title announces, "" for a work of its own."""
    from metasearch.bib import chinese_titles

    return chinese_titles.notice(title)


def parts(title: str) -> frozenset[str]:
    """The numbers of the parts that a title names."""
    from metasearch.bib.chinese_titles import part_number

    return part_number(title)


def numbers(title: str) -> frozenset[str]:
    """All numbers in a title, those of parts apart."""
    from metasearch.bib import chinese_titles

    return chinese_titles.numbers(title) - chinese_titles.part_number(title)


def edition(record: Record) -> str:
    """The edition that a title names, and the degree of a thesis: both make another work."""
    from metasearch.bib.chinese_titles import edition as named
    from metasearch.bib.chinese_venues import thesis_degree

    degree = thesis_degree(record.venue, record.publisher) if record.type == "thesis" else ""
    return " ".join(sorted({*named(record.title), degree} - {""}))


def venue(record: Record) -> tuple[str, ...]:
    """(name, edition) of a journal, (university + 学位论文,) of a thesis."""
    from metasearch.bib.chinese_venues import journal, thesis_container

    if record.type == "thesis" and (container := thesis_container(record.venue, record.publisher)):
        return (simplified(container),)
    if not record.venue:
        return ()
    found = journal(simplified(record.venue))
    return tuple(filter(None, (found.name, found.edition)))


def same_venue(a: tuple[str, ...], b: tuple[str, ...]) -> bool | None:
    """Whether two venues are one, of which at least one is in characters."""
    if normalise.has_cjk(a[0]) != normalise.has_cjk(b[0]):
        return None  # the journal's own English name, perhaps
    if a[0] != b[0] and not (
        min(len(a[0]), len(b[0])) > 3 and (a[0].startswith(b[0]) or b[0].startswith(a[0]))
    ):
        return False
    return None if len(a) != len(b) else a[1:] == b[1:]


def simplified(text: str) -> str:
    """The text in simplified characters."""
    from metasearch.bib import chinese_characters

    return chinese_characters.simplified(text)


def people_relation(
    a: tuple[Author, ...], b: tuple[Author, ...]
) -> Literal["team", "all", "first"] | None:
    """How a list of names in characters and one in Latin letters relate; None where they do not
    agree.

    Nothing contradicts here: a name that is not read may be romanised in another way.
    """
    from metasearch.bib.chinese_names import authors_agree, common_people

    chinese, other = (a, b) if normalise.has_cjk(a[0].name) else (b, a)
    han, latin = [author.name for author in chinese], [_written(author) for author in other]
    if not authors_agree(han, latin):
        return None
    found = common_people(han, latin)
    return "team" if found > 2 else "all" if found > 1 else "first"


def _written(author: Author) -> str:
    return f"{author.family}, {author.given}" if author.family and author.given else author.name
