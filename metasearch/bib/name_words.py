"""Words that stand in names of people and bodies, or beside them: one table each.

All words are in lower case. Where two readers need different selections, both are derived here,
and a comment says why they differ. The words for what somebody did (editor, translator, 著) stand
below.
"""

from __future__ import annotations

import re
from typing import get_args

from metasearch.bib.marc import Part
from metasearch.late_pattern import late_pattern

# --------------------------------------------------------------------------- parts of names

#: Words before a family name that belong to it: "van der Berg".
PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le ter ten zu zur al el bin ibn af av".split()
)
#: Words behind a family name that tell father from son. Ids of works (dedup/naming.py) are made
#: without these and no other words, so a new word here changes ids.
GENERATIONS = frozenset("jr sr ii iii iv".split())
_ORDINAL = "[1-4](?:st|nd|rd|th)"
#: Degrees that stand behind names.
DEGREES = frozenset("md phd msc bsc mph mba frcp facp dds dvm rn pharmd dphil mbbs ma ba".split())
# Behind a comma most degrees may be given names or initials ("Lee, Ma", "Smith, BA"); these may
# not.
_SURE_DEGREES = r"ph\.?d|m\.?d"
_SUFFIX = late_pattern(
    rf"(?:{'|'.join(sorted(GENERATIONS))}|{_ORDINAL}|{_SURE_DEGREES})\.?", re.IGNORECASE
)
#: A generation behind a name without a comma: in capitals, because "Ii" is a name.
GENERATION_PATTERN = rf"(?:Jr|Sr|{'|'.join(sorted(GENERATIONS - {'jr', 'sr'})).upper()}|{_ORDINAL})"
#: Forms of address before a name, or behind a comma.
HONORIFICS = frozenset("prof professor dr mr mrs ms".split())
#: Titles of nobility and office, which hold "of": "Chesterfield, Philip Stanhope, Earl of".
NOBILITY = frozenset(
    """
    earl duke duchess baron baroness marquis marquess marchioness count countess viscount
    viscountess prince princess king queen emperor empress bishop archbishop pope saint lord lady
    sir dame graf gräfin freiherr herzog comte duc
""".split()
)


def is_suffix(part: str) -> bool:
    """Whether a text between commas is "Jr.", "III", "3rd" or "Ph.D.", and no given name."""
    return _SUFFIX.fullmatch(part) is not None


# --------------------------------------------------------------------------- in place of names

#: "et al." within a longer text, as a pattern.
ET_AL = r"\bet\.?\s+al\b\.?"
#: The same in Chinese, at the end of a name.
HAN_ET_AL = "等人?"
_OTHERS = frozenset(("et al", "et. al", "others", "and others", "等", "等人"))
_LONGEST_OTHERS = max(map(len, _OTHERS))
#: An editor's mark in brackets, as a pattern.
EDITOR_IN_BRACKETS = r"[\[(]eds?\.?[\])]"
#: Whole names that stand where no author is known.
ANONYMOUS = frozenset(
    "anon anonim anonym anonyme anonymous anonymus unbekannt unknown 佚名 无".split()
)
#: Words that no name holds: where names are compared, an author with one of them is no person. A
#: reader keeps such an author, because "Editorial Board" is what the page shows.
NOT_IN_NAMES = ANONYMOUS | frozenset(
    """
    abstract anthology author authors coauthors edition editorial editors introduction listed org
    overview portal proposal staff untitled www
""".split()
)


def means_others(name: str) -> bool:
    """Whether a name is "et al.", "others" or 等, which stand for further authors."""
    return len(name) <= _LONGEST_OTHERS + 1 and name.rstrip(".").lower() in _OTHERS


#: Words of institutions in the languages of catalogues; none is usual as a family or given name.
BODIES = frozenset(
    """
    academy academies academie académie academia accademia akademie akademia administration agency
    agencies agence agencia association associations associação asociación associazione authority
    bundesamt campus campuses collaboration commission commissions commissie kommission comisión
    comissão committee committees comité comitato komitee conference congress consortium corporation
    council councils department departments departamento dept dept. département direktion direction
    directorate division faculty fakultät faculté facultad federation fédération föreningen
    foundation fondation fondazione fundación stiftung gesellschaft government hochschule hospital
    institut institute institutes institutet institution institutions instituto istituto instytut
    laboratory laboratories laboratoire laboratorio library libraries bibliothek bibliothèque
    biblioteca ministry ministerium ministère ministerio ministerstvo museum museums musée museo
    nations network observatory office offices organisation organization organisations organizations
    parliament programme secretariat society societies société sociedad sociedade società selskab
    survey team universität université university universities universidad universidade università
    universiteit universitet universitetet uniwersytet univerzita verband verein vereniging
    vereinigung yliopisto zentrum
""".split()
)
#: Words of institutions that are names of people, too: they tell a body as the last of several
#: words ("Elsevier Research"), or where a source did not split the name.
BODIES_OR_NAMES = frozenset(
    """
    amt board bureau center centre college company group labs press research school section service
    services trust union
""".split()
)
#: How names of Chinese bodies end.
HAN_BODY_ENDINGS = (
    "局",
    "委员会",
    "协会",
    "学会",
    "公司",
    "研究院",
    "研究所",
    "中心",
    "大学",
    "出版社",
)
#: What binds the words of a body's name, and not those of a person's.
BETWEEN_BODIES = frozenset("of for and the & für pour para".split())
#: Words that name a body in a byline, of which no part has initials. "and" and "&" are left out,
#: because they divide its names; of the words that may be names only "group" is sure
#: enough.
BODIES_IN_BYLINES = BODIES | (BETWEEN_BODIES - {"and", "&"}) | frozenset(("on", "group"))
#: Legal forms that stand behind the name of a firm.
FIRMS = frozenset("inc ltd llc plc corp co gmbh".split())
#: The same behind a comma, where "Co" may be a given name: "Adriaanse, Co".
FIRMS_BEHIND_COMMA = FIRMS - {"co"}
_UNITS = frozenset("dept department division faculty".split())
#: Units of a body that a heading names behind it: "Australia. Dept. of Communications".
UNITS = _UNITS | frozenset("ministry office bureau committee commission".split())
#: Parts of addresses that a clumsy export takes for authors. Ministries and committees are not
#: among them, because they publish under their own names.
ADDRESSES = _UNITS | frozenset("hospital klinik clinic laboratory street university school".split())


# What a person did for a work (editor, translator, publisher): relators of catalogues, and the
# words for roles that stand beside names.

#: In the order in which they count where a person has several.
PARTS: tuple[Part, ...] = get_args(Part)

#: Words of RDA (MARC 21 $e) that stand behind a name, in the languages of catalogues that leave
#: them there ("Doe, Jane, author"; "A Survey, issuing body"), and the part that each means.
WRITTEN_OUT: dict[str, Part] = {
    **dict.fromkeys(
        (
            "author", "compiler", "photographer", "cartographer", "composer", "performer",
            "conductor", "director", "producer", "interviewer", "interviewee", "contributor",
            "creator", "issuing body", "sponsoring body",
            "kirjoittaja", "tekijä", "valokuvaaja", "säveltäjä", "sanoittaja", "sovittaja",
            "esittäjä", "ohjaaja", "författare", "utgivare",
        ),
        "author",
    ),
    **dict.fromkeys(("editor", "toimittaja", "redaktör"), "editor"),
    **dict.fromkeys(
        (
            "translator", "illustrator", "kääntäjä", "suomentaja", "kuvittaja", "översättare",
            "illustratör",
        ),
        "helper",
    ),
    **dict.fromkeys(("publisher", "printer", "host institution", "kustantaja", "lukija"), "none"),
}  # fmt: skip

#: Codes of https://www.loc.gov/marc/relators/, numbers of UNIMARC, and the words for them that
#: catalogues write in their relator fields only. What is in no table is an author.
_CODES: dict[Part, str] = {
    "editor": """edt|edc|edm|ed|eds|editor of compilation|joint editor|hrsg|hg|herausgeber
        |herausgeberin|herausgebendes organ|éditeur scientifique|directeur de publication
        |340|651""",
    "helper": """trl|tr|übers|übersetzer|übersetzerin|traducteur|730|ill|440|aui
        |author of introduction|080|aft|author of afterword|win|wpr|writer of introduction
        |writer of preface|bkd|book designer|cov|cover designer|pfr|proofreader|red|redaktor""",
    "none": """pbl|prt|own|fmo|bsl|dst|dgg|dgs|ths|dte|hnr|oth|rps|lbr|ins|opn|spn|fnd|his|sht
        |verlag|drucker|bookseller|distributor|owner|former owner|dedicatee|widmungsempfänger
        |degree granting institution|degree supervisor|thesis advisor|hochschule
        |160|280|295|310|320|390|610|650|723|727""",
}
_RELATORS: dict[str, Part] = WRITTEN_OUT | {
    word.strip(): part for part, words in _CODES.items() for word in words.split("|")
}


def part_of(relator: str) -> Part:
    """The part that a relator's code or word means, in small letters; "author" for unknown ones."""
    return _RELATORS.get(relator, "author")


#: Codes that Dublin Core made from MARC hangs onto a name: "Doe, Jane.prf".
CODES_BEHIND_NAMES = "prf cmp aut edt trl itr voc cnd arr lyr ill drt nrt".split()
#: Words behind Japanese names, of which a blank divides them: "山田太郎 著". They are in the forms
#: that Japan writes; the Chinese rules below would break Japanese names.
JAPANESE = """
    著 著者 原著 共著 編著 編 編集 訳 監訳 監修 校訂 校注 解説 作 原作 文 絵 画 原画 作画 写真 撮影
    音楽 作曲 作詞 編曲 監督 脚本 出演
""".split()
#: Words before or behind Chinese names, simplified.
CHINESE = """
    通讯作者 第一作者 责任作者 总主编 副主编 执行主编 主编 编著 编译 译注 译著 校注 校译 译校 主译
    审校 主审 编撰 编写 编纂 撰写 撰文 执笔 口述 整理 整理者 选编 辑录 摄影 绘图 插图 改编 导演
    指导教师 指导 导师 作者 译者 编者 主持 合著 合编 合译 等著 等编 等译
""".split()
#: Single characters behind Chinese names. Each may be the end of a name ("王著"), so it needs a
#: blank, a bracket or three characters before it.
CHINESE_SHORT = "著编译撰校注绘辑"
#: Those of them that no usual given name ends with.
CHINESE_SURE = ("著", "编", "撰")
