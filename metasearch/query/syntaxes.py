"""What the syntaxes of queries are called, and how they look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from metasearch.message import N_


class Syntax(NamedTuple):
    """What a syntax is called, and how it looks.

    Attributes:
        label: In a list to choose from.
        example: A query in it; "" where it is only written.
        written: What it is called as a target of `translate`, and how that writes `salt AND marsh`;
            "" where it is only read.
        title: What it is called in a sentence; `label` if nothing else.
        short: The same in notes on what it cannot say.
        sign: What its database writes before the number of a line; None where its lines have none.
    """

    label: str
    example: str
    written: str = ""
    title: str = ""
    short: str = ""
    sign: str | None = None

    @property
    def in_sentence(self) -> str:
        return self.title or self.label


#: Name -> syntax: those that can be read, and Wanfang's, which is read as CNKI's.
NAMES: Mapping[str, Syntax] = {
    "simple": Syntax("metasearch", "words, AND OR NOT, title:word", "our own: salt marsh"),
    "cql": Syntax(N_("CQL (library catalogues)"), 'dc.title any "fish frog"',
        'CQL 1.2: cql.anywhere = "carbon"'),
    "ccl": Syntax(N_("CCL (Z39.50)"), "ti=(gene drive) and au=burt"),
    "cnki": Syntax(N_("CNKI, Wanfang, VIP"), "TI='生态'*(水质+贝类)", "CNKI: SU%=('盐沼'*'碳')",
        short="CNKI"),
    "pubmed": Syntax("PubMed", "heart attack[tiab] AND 2015:2020[dp]", 'PubMed: "salt marsh"[tw]',
        sign="#"),
    "ovid": Syntax("Ovid", "exp Gambling/ and (harm* adj3 reduc*).ti,ab.",
        "Ovid: (salt and marsh).ti,ab.", sign=""),
    "scopus": Syntax("Scopus", "TITLE-ABS-KEY(gambl* W/3 harm) AND PUBYEAR > 2009",
        "Scopus: TITLE-ABS-KEY(salt AND marsh)", sign="#"),
    "wos": Syntax("Web of Science", "TS=(gambl* NEAR/3 harm) AND PY=2010-2020",
        "Web of Science: TS=(salt AND marsh)", sign="#"),
    "ebsco": Syntax("EBSCOhost", '(MH "Gambling+") AND TI (harm* N3 reduc*)',
        "EBSCOhost: TI (salt AND marsh)", sign="S"),
    "embase": Syntax("Embase", "'gambling'/exp AND (harm* NEAR/3 reduc*):ti,ab",
        "Embase.com: (salt AND marsh):ti,ab,kw", sign="#"),
    "cochrane": Syntax("Cochrane Library", "[mh Gambling] AND (harm* NEAR/3 reduc*):ti,ab,kw",
        "the Cochrane Library: (salt AND marsh):ti,ab,kw", title="the Cochrane Library"),
    "proquest": Syntax("ProQuest", 'ti,ab(gambl* NEAR/3 harm) AND MESH.EXACT("Gambling")',
        "ProQuest: noft(salt AND marsh)", sign="S"),
    "ieee": Syntax("IEEE Xplore", '"Document Title":gambling AND "Abstract":harm',
        'IEEE Xplore: "All Metadata":(salt AND marsh)'),
    "europepmc": Syntax("Europe PMC", "TITLE_ABS:(gambl* OR bet) AND PUB_YEAR:[2015 TO 2020]",
        "Europe PMC: salt AND marsh"),
    "acm": Syntax("ACM Digital Library", "Title:(gambl*) AND Abstract:(harm OR loss)",
        "ACM Digital Library: AllField:(salt AND marsh)", title="the ACM Digital Library",
        short="ACM"),
    "vhl": Syntax(N_("LILACS, VHL"), 'mh:"Gambling" OR tw:(jogo$)',
        "LILACS and the Virtual Health Library: tw:(salt AND marsh)",
        title="the Virtual Health Library", short="VHL"),
    "sinomed": Syntax("SinoMed", '"肝肿瘤"[不加权:扩展] OR "肝癌"[常用字段:智能]',
        'SinoMed: "盐沼"[常用字段]', sign="#"),
    "wanfang": Syntax("Wanfang", "", 'Wanfang: 主题:("盐沼" AND "碳")'),
}  # fmt: skip
#: Those that can be read.
SYNTAXES = {name: syntax for name, syntax in NAMES.items() if syntax.example}
#: Those that strategies for one database are written in.
DATABASES = tuple(
    name for name in SYNTAXES if name not in ("simple", "cql", "ccl", "cnki", "pubmed")
)
#: What may be asked for: one of them, "expert" (another name of cnki), or "auto".
CHOICES = ("auto", *SYNTAXES, "expert")
#: Those that can be written -> what is written, in a few words; in the order of a list of all.
TARGETS: Mapping[str, str] = {
    name: NAMES[name].written
    for name in (
        "ovid pubmed scopus wos ebsco embase cochrane proquest ieee europepmc acm vhl cnki sinomed "
        "wanfang cql simple".split()
    )
}
