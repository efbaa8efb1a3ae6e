"""The syntax of Europe PMC: `TITLE_ABS:(gambl* OR betting) AND PUB_YEAR:[2015 TO 2020]`."""

from __future__ import annotations

import re

from metasearch.query.clauses import Clause, exact
from metasearch.query.grammar import (
    DOUBLE,
    LANGUAGE,
    MEDLINE_TYPES,
    DatabaseGrammar,
    FieldTarget,
    SyntaxStyle,
    YearRanges,
    codes,
    fields_of,
)
from metasearch.query.lucene import LuceneReader, near_words
from metasearch.query.tree import Term

# https://europepmc.org/searchsyntax, and `listSearchFields` of its web service.

EUROPEPMC = DatabaseGrammar(
    "europepmc",
    codes("""
    title: title
    abstract: abstract
    title abstract: title_abs
    author: auth auth_exact aurg_list auth_collective_list
    first author: auth_first auth_last
    venue: journal jour
    subject: kw keyword
    heading: mesh chem eurofir_kw
    year: pub_year
    year: first_pdate e_pdate p_pdate
    entry date: creation_date creation_date_num update_date update_date_num ts_lastupdate
      first_idate ft_cdate
    language: lang
    type: pub_type
    doi: doi
    issn: issn essn
    isbn: isbn
    pmid: ext_id pmid
    pmcid: pmcid
    trial: accession_id
    number: book_id auth_man_id pprid
    # Parts of the full text, and what is mined from it.
    everywhere: body back back_noref abbr ack_fund appendix auth_con case comp_int com_int concl
      data_availability discuss fig intro methods other ref results suppl table disease disease_id
      gene_protein goterm goterm_id organism organism_id chebiterm chebiterm_id chemical efo efo_id
      experimental_method experimental_method_id text_hl text_synonyms ctx section_title
    nowhere: aff org_id investigator authorid authorid_type author_role volume issue spage
      page_info jrnl_iss_id license grant_agency grant_agency_id grant_id funder_initiative ed
      publisher sb src accession_type annotation_type annotation_provider cites cited reffed_by
      citation_count embargo_date embargoed_man auth_man epmc_auth_man nih_auth_man is_scanned
      open_access public_access in_pmc in_epmc preprint_publisher retracted_article qn1 qn2
      resource_name subset fulltext_site ft_id pdf
    nowhere: has_abstract has_arxpr has_book has_chebi has_chembl has_crd has_data has_doi has_embl
      has_free_fulltext has_ft has_full_text has_fulltext has_fulltextdata has_intact has_interpro
      has_labslinks has_omim has_pdb has_pdf has_preprint has_published_version has_reflist
      has_suppl has_tm has_uniprot has_xrefs has_version_evaluations has_pride has_versions
    nowhere: arxpr_pubs chebi_pubs chembl_pubs embl_pubs intact_pubs interpro_pubs labs_pubs
      omim_pubs pdb_pubs uniprot_pubs crd_links pride_pubs
    nowhere: sort_date sort_cited
    any: all
    """),
    prefix=re.compile(r"([A-Za-z][A-Za-z0-9_]{1,40}):(?!//)"),
)

#: Collections that hold works of one type.
_COLLECTIONS = {"ppr": "preprint", "pat": "patent", "eth": "thesis", "nbk": "book"}
#: What the form of Europe PMC writes beside `LANG:"eng"`.
_ENGLISH = frozenset({"us"})


class EuropepmcReader(LuceneReader):
    grammar = EUROPEPMC

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        name, word = shown.strip(" (:").casefold(), text.casefold()
        if name.startswith("sort_"):
            return self.ignore("settings", f"{shown}{text}")
        if name == "src" and word in _COLLECTIONS:
            self.count(*where)
            return exact(Term(_COLLECTIONS[word], "type"))
        if tag is LANGUAGE and word in _ENGLISH:
            text = "en"
        return super().value(text, tag, shown, where, quoted=quoted)


_FIELDS = fields_of(EUROPEPMC, "{CODE}:({x})", author="auth") | {"any": "{x}"}
STYLE = SyntaxStyle(
    name="europepmc",
    bracketed=True,
    fields=_FIELDS,
    near_words=near_words(_FIELDS),
    stems_in_phrases=False,
    lost=rf"[{DOUBLE}*?\\]",
    years=YearRanges("PUB_YEAR:[{first} TO {last}]", only="PUB_YEAR:{first}"),
    types={
        **MEDLINE_TYPES,
        "article": ("Journal Article", "Review"),
        "patent": ("Patent",),
        "thesis": ("Thesis",),
    },
    languages="bibliographic",
)
