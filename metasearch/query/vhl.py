"""The syntax of the Virtual Health Library, which LILACS is searched in:
`(mh:"Gambling" OR tw:(jogo$ OR apost*)) AND year_cluster:[2015 TO 2020]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, wider
from metasearch.query.field_values import exploded
from metasearch.query.grammar import (
    ABSTRACT,
    ANY,
    AUTHOR,
    DOI,
    DOUBLE,
    ENTRY_DATE,
    HEADING,
    ISBN,
    ISSN,
    LANGUAGE,
    NOWHERE,
    NUMBER,
    PMID,
    SUBJECT,
    TITLE,
    TOPIC,
    TYPE,
    VENUE,
    YEAR,
    Booleans,
    DatabaseGrammar,
    FieldTarget,
    Style,
    YearRanges,
    codes,
    fields_of,
)
from metasearch.query.lucene import LuceneReader
from metasearch.query.reading import ReadQuery
from metasearch.query.scanner import Sign

# https://lilacs.bvsalud.org/en/how-do-you-search-in-lilacs-database/, and the older interface of
# LILACS, whose codes stand before a blank (`Tw asthma$`).

#: Names that the older interface prints behind what they hold for.
_PRINTED = (
    ("words|palavras|palabras", TOPIC),
    ("title words|palavras do título|palabras del título", TITLE),
    ("abstract words|palavras do resumo|palabras del resumen", ABSTRACT),
    (
        (
            "subject descriptor|descritor de assunto|descriptor de asunto|exact descriptor|"
            "descritor exato|descriptor exacto"
        ),
        HEADING,
    ),
    ("autor", AUTHOR),
    ("publication type|tipo de publicação|tipo de publicación", TYPE),
    ("language|idioma", LANGUAGE),
    ("limits|limites|límites|year publication|ano publicação|año publicación|país|pais", NOWHERE),
)
#: A number of the tree of headings.
_TREE = re.compile(r"[A-Z]{1,2}[0-9]{1,3}(?:\.[0-9]{3}){0,12}[.$*]?", re.IGNORECASE)

VHL = DatabaseGrammar(
    "vhl",
    "the Virtual Health Library",
    dict(
        codes(
            ("tw", TOPIC),
            ("ti ti_pt ti_es ti_en ti_fr reference_title", TITLE),
            ("ab ab_pt ab_es ab_en ab_fr reference_abstract", ABSTRACT),
            ("mh mh_cluster mj mj_cluster ex ex_mh sh qualifier", HEADING),
            ("kw keyword", SUBJECT),
            ("au author", AUTHOR),
            ("ta ta_cluster journal", VENUE),
            ("year_cluster dp pd year py publication_year", YEAR),
            ("da entry_date ed updated_date", ENTRY_DATE),
            ("la lang", LANGUAGE),
            ("pt type type_of_study", TYPE),
            ("doi", DOI),
            ("is issn", ISSN),
            ("isbn", ISBN),
            ("pmid", PMID),
            ("id", NUMBER),
            (
                (
                    "db db_cluster instance collection collection_bioetica cc fulltext fo limit "
                    "lim ct clinical_aspect pais_assunto pais_afiliacao pais_publicacao cp country "
                    "afiliacao_autor af affiliation services_platform network thematic_area "
                    "collection_vhl ec nivel wlang treatment_type mesh_terms_cluster rct st ur "
                    "link entry_month subject_area sms_national_network tag pr jd"
                ),
                NOWHERE,
            ),
            ("all", ANY),
        )
    )
    | {name: tag for names, tag in _PRINTED for name in names.split("|")},
    suffix=re.compile(r"\s{0,3}\[([^\W\d][^\[\]]{1,40})\]"),
    prefix=re.compile(
        r"([A-Za-z][A-Za-z_]{1,30})(?:\s{0,2}[:=](?!//)\s{0,3}"
        r"|(?<=\b(?:Tw|Mh|Ti|Ab|Au|Pt|Ct|Ex|TW|MH|PT|CT|EX))\s{1,3}(?=\S))"
    ),
    wild="*?$",
    endless="*$",
)

#: What the Virtual Health Library calls a type of works or studies.
_TYPES = {
    "monography": "book",
    "guideline": "practice guideline",
    "clinical trials": "clinical trial",
    "congress and conference": "congress",
    "incidence studies": "observational study",
}


class VhlReader(LuceneReader):
    """One text in the syntax of the Virtual Health Library."""

    grammar = VHL
    #: Its help has `ti: heat stress`.
    for_one_word = False

    @cached_property
    def numbers_of_trees(self) -> dict[int, tuple[Clause, str]]:
        """Clauses that are numbers of the tree of headings, by identity, and how they stand."""
        return {}

    def suffix_in(self, start: int, end: int) -> tuple[FieldTarget, str] | None:
        self.cut_at = self.at = end
        return self.suffix_here()

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        name, narrowed = shown.strip(" (:=").casefold(), ""
        if tag.heading and _TREE.fullmatch(text):
            self.count(*where)
            return self.narrower(f"{shown.strip(' (:=')} {text}")
        if tag.heading:
            text, _, narrowed = text.partition("/")
        clause = super().value(text or narrowed, tag, shown, where, quoted=quoted)
        if name.startswith("ex"):
            self.losses.add("explosion", f"{shown}{text}")
            clause = exploded(clause)
        if narrowed:
            self.losses.add("subheading", f"/{narrowed}")
        if name.startswith("mj"):
            self.losses.add("focus", f"{shown}{text}")
        inexact = narrowed or name.startswith("mj")
        return wider(clause.widest) if inexact else clause

    def narrower(self, shown: str) -> Clause:
        """The headings under a number of their tree."""
        clause = replace(IGNORED)
        self.numbers_of_trees[id(clause)] = clause, shown
        return clause

    def combined(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        """Beside the heading itself, its number in the tree is its explosion, which is told and not
        added; elsewhere it cannot be asked.
        """
        trees = [self.numbers_of_trees.get(id(operand)) for operand in operands]
        if len(operands) == 1:
            return super().combined(operands, operators)
        beside = all(sign.name == "OR" for sign in operators) and not all(trees)
        for tree in filter(None, trees):
            self.losses.add("explosion" if beside else "nowhere", tree[1])
        if not beside:
            return super().combined(operands, operators)
        kept = [one for one, tree in zip(operands, trees, strict=True) if tree is None]
        return super().combined(kept, list(operators)[: len(kept) - 1])

    def ended(self, clause: Clause) -> ReadQuery:
        if tree := self.numbers_of_trees.get(id(clause)):
            self.losses.add("nowhere", tree[1])
        return super().ended(clause)

    def type(self, text: str) -> Clause:
        name = text.casefold().replace("_", " ")
        return super().type(_TYPES.get(name, name))


STYLE = Style(
    name="vhl",
    label="VHL",
    bracketed=True,
    fields=fields_of(VHL, "{code}:({x})", any="tw", subject="mh", venue="ta"),
    losses={
        "any": message(
            "VHL: what is looked for everywhere is looked for in titles, abstracts and keywords"
        )
    },
    booleans=Booleans(without=" AND NOT "),
    stems_in_phrases=False,
    headings={"exact": 'mh:"{x}"'},
    lost=rf"[{DOUBLE}*?$\\]",
    years=YearRanges(
        only=("year_cluster:({first})",),
        both=("year_cluster:[{first} TO {last}]",),
        since=("year_cluster:[{first} TO 3000]",),
        until=("year_cluster:[1000 TO {last}]",),
    ),
    types={
        "article": ("article",),
        "thesis": ("thesis",),
        "book": ("monography",),
        "preprint": ("preprint",),
    },
    languages="code",
)
