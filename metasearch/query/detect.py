"""Which syntax a text is in. `auto` is conservative: in doubt it is our own.

Ours takes nearly every text, so a text is read in another only where it bears a mark that nobody
means literally, and marks of one kind only. What stands in double quotes is no mark.

- **cnki**: a field with its sign (`TI='...'`, `题名=...`, `题名:(...)`, `YE BETWEEN (`), or a `*`
  between Chinese words, brackets and quotes. A lone `+` is no mark, for 互联网+教育 is a name; nor
  is a code before plain letters, for AB=CD is geometry.
- **cql**: an index with its context set and a relation (`dc.title =`, `bath.isbn any`), a prefix
  assignment at the beginning, or a well-known index with an equals sign where a clause begins
  (`title = "x"`). `cat and dog` are three words, and so is `the relation author=reader`.
- **pubmed**: a tag of PubMed in square brackets, directly after a word or quote and before a blank,
  bracket or the end. So benzo[ab]pyrene has none; nor have [Au] and [Pt], which are gold and
  platinum.
- **ovid**, **scopus**, **wos**, **ebsco**, **embase**, **cochrane**, **proquest**, **ieee**: their
  marks stand in `_DATABASES`. A text with marks of several is in the first that has a mark of its
  own, in the order of that table.
- Lines with numbers, of which one names another, are a strategy: `metasearch.query.lines`.

Each pattern looks at a bounded stretch, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from functools import cache

from metasearch.query.tree import FIELDS, MAX_LENGTH

_QUOTED = re.compile(r'(["＂“„])([^"＂“”„]*)(["＂”“])')
_HAN = re.compile(r"[\u3400-\u9fff]")
_STAR = re.compile(r"[\u3400-\u9fff)）'’\"”]\s?[*＊]\s?[\u3400-\u9fff(（'‘\"“]")
_EXPERT = (
    re.compile(r"(?<!\w)([A-Z]{2,3})\s?[%％]?[=＝]\s?(?=[(（]{0,20}['‘\"“\u3400-\u9fff])"),
    re.compile(r"(?<!\w)(TI|KY|AU|SU|JN|TKA)[%％]?[=＝](?=[^\W\d_])"),
    re.compile(r"(?<!\w)(YE|PT)\s{1,5}BETWEEN\s{0,5}[(（'‘]", re.IGNORECASE),
    re.compile(r"(?<!\w)(YE|年|年份)\s?[<>=＝]{1,2}\s?['‘]?[12][0-9]{3}"),
    re.compile(r"(?<!\w)([MKRATSJF])\s?[=＝]\s?[(（'‘\"“]{0,5}(?=[\u4e00-\u9fff])"),
)
_CQL = (
    re.compile(
        r"(?<![\w.])(?:dc|cql|bath|srw|bib|dcterms)\.[A-Za-z]{2,30}\s{0,5}"
        r"(?:[=<>/]|(?:any|all|adj|exact|within|encloses|scr)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\A\s{0,50}>\s{0,5}\w{1,20}\s{0,5}=\s{0,5}\S"),
    re.compile(
        r"(?:\A|[(]|\b(?:and|or|not|prox)\s)\s{0,5}(?:title|creator|author|subject|isbn|issn|doi)\s{0,5}==?\s{0,5}[\w\"]",
        re.IGNORECASE,
    ),
)
_ASCII = r"[\"“]?[A-Za-z*$?_]"
#: Syntax -> its marks: those that no other has, and those that several have; both in a text without
#: what is in quotes.
_DATABASES: dict[str, tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]] = {
    "ieee": ((re.compile(r'["“]_{0,60}["”]\s?:["“(\w]'),), ()),
    "europepmc": (
        (
            re.compile(
                r"(?<![\w.-])(?:[A-Z]{1,8}_(?:ABS|YEAR|TYPE|P?DATE|ACCESS|ID|AGENCY|PROTEIN|FUND|"
                r"FIRST|LAST|PUBS|E?PMC)|HAS_[A-Z]{2,10}|AUTHORID|AUTH|KW|MESH):"
                r"(?=[\"“(\[A-Za-z0-9])|(?<![\w.-])SRC:(?:MED|PMC|PPR|PAT|AGR|NBK|ETH)\b"
            ),
        ),
        (),
    ),
    "acm": (
        (
            re.compile(
                r"\[\s?(?:Title|Abstract|All|Keywords?|Full ?Text|Author Keywords?|Authors?|"
                r"Publication Title|(?:E-)?Publication Date|CCS 2012)\s?:\s?[\"“'(\w*]"
            ),
            re.compile(
                r"(?<!\w)(?:AllField|Fulltext|Keyword|ContribAuthor|E-Publication Date):\s?\("
            ),
        ),
        (),
    ),
    "vhl": (
        (
            re.compile(
                r"(?<![\w.:'’\")[])(?:(?:tw|mh|mj|db|fulltext|collection|instance|mh_cluster|"
                r"clinical_aspect):\s?\(?\s?[\"“]|(?:tw|mh|mj):[(\w]"
                r"|(?:type_of_study|year_cluster):\s?[\"(\[\w])"
                r"|\[(?:Words|Palavras|Palabras|(?:Subject d|D)escriptor(?: de asunto)?|"
                r"Descritor de assunto)\]"
            ),
        ),
        (),
    ),
    "ovid": (
        (
            re.compile(
                r"(?<=[\w*$?#)\"”])\s?\.(?:ti|ab|tw|mp|kw|kf|sh|hw|pt|af|au|jw|jn|ot|nm|fs|yr|lg|id|px|rn|in|dt|ui|is)"
                r"(?:,\s?[a-z]{2}){0,20}\.(?=[\s)\]]|\Z)",
                re.IGNORECASE,
            ),
            re.compile(
                r"(?<=\))\.(?:ti|ab|tw|mp|kw|kf|sh|hw|ot|ed|ep|dp|da|dt|up|yr|lg|pt|tn|mf|dv|rx)"
                r"(?:(?:[.,]\s?[a-z]{2}){1,20}\.?|\.)(?=[\s)\]]|\Z)|(?<=\))\.mp(?=[\s)]|\Z)",
                re.IGNORECASE,
            ),
            re.compile(
                r"(?<![\w/'])exp\s{1,5}\*?[\"A-Za-z][^/\n]{0,150}/(?=[\s)a-z]|\Z)", re.IGNORECASE
            ),
            re.compile(r"(?<=[\w*$?#)\"”]) adj[0-9]{1,2} (?=[\w(\"“])", re.IGNORECASE),
            re.compile(r"(?<![\w/])(?:or|and)/\s?[0-9]{1,4}\s?[-,]\s?[0-9]", re.IGNORECASE),
            re.compile(r"(?<!\w)limit\s[0-9]{1,4}\sto\s", re.IGNORECASE),
            re.compile(
                r"(?<=\w\")/(?=[\s)]|\Z)|(?:\A|[(\s])\*?[A-Z][\w ,-]{2,80}/ "
                r"(?:and|or|not|AND|OR|NOT) "
            ),
        ),
        (),
    ),
    "scopus": (
        (
            re.compile(
                r"(?<![\w-])(?:TITLE-ABS(?:-KEY(?:-AUTH)?)?|AUTHKEY|INDEXTERMS|SRCTITLE|AFFILCOUNTRY|AUTHLASTNAME)\s?\(",
                re.IGNORECASE,
            ),
            re.compile(r"(?<!\w)PUBYEAR\s{0,5}(?:[<>=]|AFT|BEF|IS)", re.IGNORECASE),
            re.compile(r"(?<!\w)(?:LIMIT-TO|EXCLUDE)\s?\(\s?[A-Z]{2,15}\s?,"),
            re.compile(r"(?<![\w-])(?:TITLE|ABS|KEY)\s?\(\s?[\"“{(]?[A-Za-z_]{3}"),
        ),
        (re.compile(r"(?<=[\w*?)\"”]) W/[0-9]{1,3} (?=[\w(\"“{*])", re.IGNORECASE),),
    ),
    "cochrane": (
        (
            re.compile(r"(?<!\w)MeSH\s{1,3}descriptor:?\s{0,3}\[", re.IGNORECASE),
            re.compile(r"\[mh\s{1,3}\^?[\"“A-Za-z]", re.IGNORECASE),
            re.compile(r"\{\s?(?:OR|AND)\s{1,3}#[0-9]", re.IGNORECASE),
            re.compile(
                r"MeSH\sdescriptor\s[^\n]{1,150}(?:explode\s|this\sterm\sonly)", re.IGNORECASE
            ),
            re.compile(r"\(Word\svariations\s(?:have|were|will)\s|in\sTitle,?\sAbstract,?\s"),
            re.compile(
                r"with\s(?:Cochrane\sLibrary\s)?publication\s(?:year|date)\s(?:from|between)\s",
                re.IGNORECASE,
            ),
        ),
        (),
    ),
    "embase": (
        (
            re.compile(r"['’]/(?:exp|de|mj|syn|br)\b", re.IGNORECASE),
            re.compile(r"\][ ]?/(?:lim|py|sd)\b", re.IGNORECASE),
            re.compile(
                r"(?<=[\w*?$)'’\"”]):(?:ti|ab|kw|de|tt|it)(?:,[a-z]{2}){1,20}(?![\w,])",
                re.IGNORECASE,
            ),
            re.compile(r"(?<=[*?$)'’\"”]):(?:ti|ab|kw|de|tt|it|py|jt|au)(?!\w)", re.IGNORECASE),
        ),
        (),
    ),
    "proquest": (
        (
            re.compile(
                r"(?<![\w.])(?:(?:SU|MESH|EMB|MJMESH|MAINSUBJECT|MJMAINSUBJECT|SUBJECT|MJSUB|AT|STYPE|DTYPE|RTYPE|PUB)\.EXACT"
                r"(?:\.EXPLODE)?|noft|tiab|mainsubject|diskw|ti\s?,\s?ab(?:\s?,\s?[a-z]{2}){0,10}|ab\s?,\s?ti)\(",
                re.IGNORECASE,
            ),
            re.compile(
                r"(?<![\w.\\])(?:ti|ab|su|if|TI|AB|SU|IF)\(\s?[\"“(]?[A-Za-z_]{3,40}[\s*?)\"”_]"
            ),
            re.compile(r"(?<!\w)DE\s?=\s?\(?\s?\(?[\"“]"),
        ),
        (),
    ),
    "wos": (
        (
            re.compile(r"(?<!\w)TS\s?==?\s{0,3}\(?['‘]?[A-Za-z]"),
            re.compile(r"(?<!\w)(?:TOPIC|LANGUAGES?|DOCUMENT TYPES?):\s{0,3}\("),
            re.compile(rf"(?<!\w)(?:TS|ALL|AK|KP)\s?=\s?\(?\s?\(?\s?{_ASCII}"),
            re.compile(rf"(?<!\w)(?:ts=\(\s?{_ASCII}|TS\s?=\s?\(?')"),
            re.compile(r"(?<!\w)(?:TI|AB|AU|SO)=[A-Za-z][\w-]{2,40}\*(?=[\s)]|\Z)"),
            re.compile(
                r"(?<=\S )\((?:Topic|All Fields|Publication Years"
                r"|Document Types)\)(?=\s(?:and|or|not)\s|[\s)]{0,3}\Z)"
            ),
            re.compile(
                rf"(?<!\w)(?:TI|AB|AU|SO|DT|LA|PY|AD|WC|OG|CU|SU)\s?=\s?\(\s?\(?\s?(?:{_ASCII}|[12][0-9]{{3}})"
            ),
        ),
        (
            re.compile(
                r"(?<=[\w*?$)\"”]) (?:NEAR|ONEAR|NEXT)/[0-9]{1,3} (?=[\w(\"“*])", re.IGNORECASE
            ),
            re.compile(r"(?<=[\w*?$)\"”]) PRE/[0-9]{1,3} (?=[\w(\"“*])"),
        ),
    ),
    "ebsco": (
        (
            re.compile(
                r"(?<!\w)(?:MH|MM|MJ|DE|SU|TI|AB|TX|KW|AU|SO|JN|ZU)\s{1,3}\(?[\"“]_{0,150}[\"”+]"
            ),
            re.compile(
                r"(?<!\w)(?:TI|AB|SU|TX|MH|KW|DE)\s{0,3}\([^()]{0,200}\s(?:OR|AND|or|and|[NW][0-9]{1,2})\s"
            ),
            re.compile(
                r"(?<!\w)(?:TI|AB|XB|SU|TX|MH|KW)\s[\w*][^\n]{0,150}\s(?:OR|AND|or|and|NOT)\s"
                r"(?:(?:TI|AB|XB|SU|TX|MH|KW)\s[\w*(\"]|(?:FT|RV)\sY(?!\w))"
            ),
            re.compile(r"(?:Limiters|Expanders|Search modes) - [A-Z]"),
        ),
        (),
    ),
}
_SINOMED = (
    r"(?<=[\w\"”'’)%?])\s?\[(?:不?加权|常用字段|核心字段|全部字段|缺省|(?:中文|英文)?标题|摘要|关键词|主题词|特征词|作者|作者单位|刊名|日期|出版年|文献类型)"
    r"(?:[:：][\u4e00-\u9fff]{2,4})?\]"
)
_DATABASES["sinomed"] = ((re.compile(_SINOMED),), ())
#: A field of our own syntax, which has signs of proximity as well.
_OURS = re.compile(rf"(?<![\w.\"“])(?:{'|'.join((*FIELDS, 'year'))}):[\w\"(]")
_TAG = re.compile(r"(?<=[\w\"”*.])(\s?)\[([A-Za-z1][A-Za-z /:~0-9-]{0,40})\](?![\w-])")
_IEEE = re.compile(
    r'["“](?:Document Title|Abstract|All Metadata|Author Keywords|Index Terms|Publication '
    r"Title|IEEE Terms|Authors|"
    r'Full Text (?:&|\.AND\.) Metadata|Mesh_Terms)["”]\s?:',
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s{1,3}(?:AND|OR|NOT)\s|[\s)]{0,5}\Z")
#: Tags that mean nothing else, wherever they stand.
_PUBMED_ALONE = frozenset(
    ("mesh", "mesh terms", "mesh:noexp", "mesh terms:noexp", "tiab", "title/abstract", "majr")
)
_ELEMENT = re.compile(r"[A-Z][a-z]")


def detect(text: str) -> str:
    """The syntax that a text is in, a key of `metasearch.query.syntaxes.SYNTAXES`."""
    if len(text) > MAX_LENGTH:
        return "simple"
    if text[:30].lstrip("\ufeff \r\n").casefold().startswith("search number,"):
        return "pubmed"  # its history as a file
    bare = _QUOTED.sub(lambda match: f"{match[1]}{'_' * len(match[2])}{match[3]}", text)
    if any(map(str.isdigit, text)) and "\n" in text and (lined := _of_lines(bare, text)):
        return lined
    marks = {"cnki": _is_expert(bare, text), "cql": _is_cql(bare), "pubmed": _is_pubmed(bare)}
    marked = [name for name, found in marks.items() if found]
    database = _database(bare, text)
    if database == "wos" and marked == ["cnki"] and not _HAN.search(text):
        marked = []  # TI="x" is a field of both
    if database and not marked:
        return database
    return marked[0] if len(marked) == 1 and not database else "simple"


def _database(bare: str, text: str) -> str | None:
    """The syntax of a database whose marks a text bears."""
    for shared in (False, True):
        if shared and _OURS.search(bare):
            return None
        for name, marks in _DATABASES.items():
            if any(mark.search(bare) for mark in marks[shared]) and (
                name != "ieee" or _IEEE.search(text)
            ):
                return name
    return None


def _of_lines(bare: str, text: str) -> str | None:
    """The syntax of a strategy whose lines have numbers; None where the text is none."""
    from metasearch.query.lines import numbered_lines

    cut = numbered_lines(text)
    if cut is None:
        return None
    if _is_pubmed(bare, lined=True):
        return "pubmed"
    if _is_expert(bare, text) and _HAN.search(text):
        return "cnki"
    if database := _database(bare, text):
        return database
    if _is_expert(bare, text):
        return None
    signs = {"#": "cochrane", "S": "ebsco"}
    return signs.get(cut.lines[0].sign, "ovid") if cut.plainly_refer() else None


def _is_expert(bare: str, text: str) -> bool:
    han = _HAN.search(text) is not None
    if han and _STAR.search(bare):
        return True
    if han:
        from metasearch.bib.normalise import simplified

        bare = simplified(bare)
    patterns = (*_EXPERT, *_named_fields()) if han else _EXPERT
    return any(_is_expert_field(mark[1]) for pattern in patterns for mark in pattern.finditer(bare))


@cache
def _named_fields() -> tuple[re.Pattern[str], ...]:
    """Fields with a Chinese name, before their sign."""
    from metasearch.query.cnki_fields import FOLDED_FIELDS

    han = sorted((name for name in FOLDED_FIELDS if _HAN.match(name)), key=len, reverse=True)
    names = "|".join(han)
    return (
        re.compile(rf"(?<!\w)({names})\s?[%％]?[=＝]"),
        re.compile(rf"(?<!\w)({names})[:：]\s?[(（\"“'‘]"),
        re.compile(
            rf"(?<!\w)({names})[:：][^\s:：]{{1,60}}\s(?i:and|or|not|与|或|非)\s[(（]{{0,5}}(?:{names})[:：]"
        ),
    )


def _is_expert_field(name: str) -> bool:
    from metasearch.query.cnki_fields import named

    return named(name) is not None


def _is_cql(bare: str) -> bool:
    return any(pattern.search(bare) for pattern in _CQL)


def _is_pubmed(bare: str, *, lined: bool = False) -> bool:
    """Whether a tag of PubMed stands there; behind a blank only in quotes or in lines of a
    strategy, or where none but PubMed has it.
    """
    joined = 0
    for tag in _TAG.finditer(bare):
        name = tag[2].strip()
        if _JOINED.match(bare, tag.end()) and not _ELEMENT.fullmatch(name):
            joined += _is_pubmed_tag(name)
            if joined > 1:  # a tag behind a blank may be an editor's remark: two are not
                return True
        spaced = tag[1] and not (
            lined or bare[tag.start() - 1] in '"”' or name.casefold() in _PUBMED_ALONE
        )
        if not spaced and not _ELEMENT.fullmatch(name) and _is_pubmed_tag(name):
            return True
    return False


def _is_pubmed_tag(name: str) -> bool:
    from metasearch.query.pubmed_tags import tag_named

    return tag_named(name) is not None
