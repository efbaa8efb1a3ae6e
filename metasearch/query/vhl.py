"""The syntax of the Virtual Health Library, which LILACS is searched in:
`(mh:"Gambling" OR tw:(jogo$ OR apost*)) AND year_cluster:[2015 TO 2020]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from metasearch.query.clauses import IGNORED, Clause, wider
from metasearch.query.field_values import with_narrower
from metasearch.query.grammar import (
    BY_TOPIC,
    DOUBLE,
    Booleans,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
)
from metasearch.query.lucene import LuceneReader
from metasearch.query.reader import ReadQuery
from metasearch.query.scanner import Sign

# https://lilacs.bvsalud.org/en/how-do-you-search-in-lilacs-database/, and the older interface of
# LILACS, whose codes stand before a blank (`Tw asthma$`).

#: A number of the tree of headings.
_TREE = re.compile(r"[A-Z]{1,2}[0-9]{1,3}(?:\.[0-9]{3}){0,12}[.$*]?", re.IGNORECASE)

VHL = DatabaseGrammar(
    "vhl",
    codes("""
    topic: tw
    title: ti ti_pt ti_es ti_en ti_fr reference_title
    abstract: ab ab_pt ab_es ab_en ab_fr reference_abstract
    heading: mh mh_cluster mj mj_cluster ex ex_mh sh qualifier
    subject: kw keyword
    author: au author
    venue: ta ta_cluster journal
    year: year_cluster dp pd year py publication_year
    entry date: da entry_date ed updated_date
    language: la lang
    type: pt type type_of_study
    doi: doi
    issn: is issn
    isbn: isbn
    pmid: pmid
    number: id
    nowhere: db db_cluster instance collection collection_bioetica cc fulltext fo limit lim ct
      clinical_aspect pais_assunto pais_afiliacao pais_publicacao cp country afiliacao_autor af
      affiliation services_platform network thematic_area collection_vhl ec nivel wlang
      treatment_type mesh_terms_cluster rct st ur link entry_month subject_area
      sms_national_network tag pr jd
    any: all
    # Names that the older interface prints behind what they hold for.
    topic: words|palavras|palabras
    title: title words|palavras do título|palabras del título
    abstract: abstract words|palavras do resumo|palabras del resumen
    heading: subject descriptor|descritor de assunto|descriptor de asunto|exact descriptor|
      descritor exato|descriptor exacto
    author: autor
    type: publication type|tipo de publicação|tipo de publicación
    language: language|idioma
    nowhere: limits|limites|límites|year publication|ano publicação|año publicación|país|pais
    """),
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
            clause = with_narrower(clause)
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

    def combine(self, operands: Sequence[Clause], operators: Sequence[Sign]) -> Clause:
        """Beside the heading itself, its number in the tree is its explosion, which is told and not
        added; elsewhere it cannot be asked.
        """
        trees = [self.numbers_of_trees.get(id(operand)) for operand in operands]
        if len(operands) == 1:
            return super().combine(operands, operators)
        beside = all(sign.name == "OR" for sign in operators) and not all(trees)
        for tree in filter(None, trees):
            self.losses.add("explosion" if beside else "nowhere", tree[1])
        if not beside:
            return super().combine(operands, operators)
        kept = [one for one, tree in zip(operands, trees, strict=True) if tree is None]
        return super().combine(kept, list(operators)[: len(kept) - 1])

    def result_of(self, clause: Clause) -> ReadQuery:
        if tree := self.numbers_of_trees.get(id(clause)):
            self.losses.add("nowhere", tree[1])
        return super().result_of(clause)

    def type(self, text: str) -> Clause:
        name = text.casefold().replace("_", " ")
        return super().type(_TYPES.get(name, name))


STYLE = SyntaxStyle(
    name="vhl",
    bracketed=True,
    fields=fields_of(VHL, "{code}:({x})", any="tw", subject="mh", venue="ta"),
    losses=BY_TOPIC,
    booleans=Booleans(without=" AND NOT "),
    stems_in_phrases=False,
    headings={"exact": 'mh:"{x}"'},
    lost=rf"[{DOUBLE}*?$\\]",
    years=YearRanges("year_cluster:[{first} TO {last}]", only="year_cluster:({first})"),
    types={
        "article": ("article",),
        "thesis": ("thesis",),
        "book": ("monography",),
        "preprint": ("preprint",),
    },
    languages="code",
)
