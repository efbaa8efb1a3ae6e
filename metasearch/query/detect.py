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
- **cochrane**, **ovid**, **scopus**, **wos**, **ebsco**, **embase**, **proquest**, **ieee**: their
  marks stand in `_OWN_MARKS`. A text with marks of several is in the first that has a mark of its
  own, in the order of that table.
- Lines with numbers, of which one names another, are a strategy: `metasearch.query.strategy_lines`.

Each pattern looks at a bounded stretch, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from functools import cache

from metasearch.query.tree import FIELDS, MAX_LENGTH

_QUOTED = re.compile(r'(["＂“„])([^"＂“”„]*)(["＂”“])')
_HAN = re.compile(r"[\u3400-\u9fff]")
_STAR = re.compile(r"[\u3400-\u9fff)）'’\"”]\s?[*＊]\s?[\u3400-\u9fff(（'‘\"“]")
#: Words that join, with blanks round them; beside a bracket or quote one blank is enough.
_JOINS = re.compile(
    r"(?<=[\u3400-\u9fff]) (?:与|或|非) (?=[\u3400-\u9fff(\"'])"
    r"|(?<=[)\"'])(?: (?:与|或|非) ?| ?(?:与|或|非) )(?=[\u3400-\u9fff(\"'])"
)
_EXPERT = (
    re.compile(r"(?<!\w)([A-Z]{2,3})\s?[%％]?[=＝]\s?(?=[(（]{0,20}['‘\"“\u3400-\u9fff])"),
    re.compile(r"(?<!\w)(TI|KY|AU|SU|JN|TKA)[%％]?[=＝](?=[^\W\d_])"),
    re.compile(r"(?<!\w)(YE|PT)\s{1,5}BETWEEN\s{0,5}[(（'‘]", re.IGNORECASE),
    re.compile(r"(?<!\w)(YE|年|年份)\s?[<>=＝]{1,2}\s?['‘]?[12][0-9]{3}"),
    re.compile(r"(?<!\w)([MKRATSJFU])\s?[=＝]\s?[(（'‘\"“]{0,5}(?=[\u4e00-\u9fff])"),
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
#: Syntax -> marks that no other has, in a text without what is in quotes.
_OWN_MARKS = {
    "ieee": (r'["“]_{0,60}["”]\s?:["“(\w]',),
    "europepmc": (
        (
            r"(?<![\w.-])(?:[A-Z]{1,8}_(?:ABS|YEAR|TYPE|P?DATE|ACCESS|ID|AGENCY|PROTEIN|FUND|"
            r"FIRST|LAST|PUBS|E?PMC)|HAS_[A-Z]{2,10}|AUTHORID|AUTH|KW|MESH):"
            r"(?=[\"“(\[A-Za-z0-9])|(?<![\w.-])SRC:(?:MED|PMC|PPR|PAT|AGR|NBK|ETH)\b"
        ),
    ),
    "acm": (
        (
            r"\[\s?(?:Title|Abstract|All|Keywords?|Full ?Text|Author Keywords?|Authors?|"
            r"Publication Title|(?:E-)?Publication Date|CCS 2012)\s?:\s?[\"“'(\w*]"
        ),
        r"(?<!\w)(?:AllField|Fulltext|Keyword|ContribAuthor|E-Publication Date):\s?\(",
    ),
    "vhl": (
        (
            r"(?<![\w.:'’\")[])(?:(?:tw|mh|mj|db|fulltext|collection|instance|mh_cluster|"
            r"clinical_aspect):\s?\(?\s?[\"“]|(?:tw|mh|mj):[(\w]"
            r"|(?:type_of_study|year_cluster):\s?[\"(\[\w])"
            r"|\[(?:Words|Palavras|Palabras|(?:Subject d|D)escriptor(?: de asunto)?|"
            r"Descritor de assunto)\]"
        ),
    ),
    "cochrane": (
        r"(?i)(?<!\w)MeSH\s{1,3}descriptor:?\s{0,3}\[",
        r"(?i)\[mh\s{1,3}\^?[\"“A-Za-z]",
        r"(?i)\{\s?(?:OR|AND)\s{1,3}#[0-9]",
        r"(?i)MeSH\sdescriptor\s[^\n]{1,150}(?:explode\s|this\sterm\sonly)",
        (
            r"\(Word\svariations\s(?:have|were|will)\s|in\sTitle,?\sAbstract,?\s"
            r"|(?<=[\w*)\"”]) in (?:All Text|Record Title|Publication Type)"
            r"(?=\s(?:AND|OR|NOT|in|-)\s|\Z)"
        ),
        # Fields and words of proximity that Embase does not have; the databases of CRD.
        r"(?<=[*?)\"”]):(?:so|an|yr)(?=[\s)]{0,5}(?:\Z|\)|\s(?:and|or|not|AND|OR|NOT)\b|\n))|(?:pubmed|embase|medline):an\b|:(?:[a-z]{2,3},){1,9}(?:so|mh|mc|emt|ky)\b|[A-Z]:TARGET\b",
        r"(?<=[\w*?)\"”]) (?:near|next|NEAR|NEXT) (?=[\w(\"“*])[^\n:]{0,150}:(?:ti|ab|kw)\b",
        r"(?<=[*)]) (?:IN|in) (?:DARE|NHS ?EED|HTA)(?=[\s,)]|\Z)",
        r"(?i)with\s(?:Cochrane\sLibrary\s)?publication\s(?:year|date)\s(?:from|between)\s",
    ),
    "ovid": (
        (
            r"(?i)(?<=[\w*$?#:)\"”])\s?\.(?:ti|ab|tw|mp|kw|kf|sh|hw|pt|af|au|jw|jn|ot|nm|fs|yr|lg|id|px|rn|in|dt|ui|is)"
            r"(?:,\s?[a-z]{2}){0,20}\.(?=[\s)\];]|\Z)"
        ),
        (
            r"(?i)(?<=\))\.(?:ti|ab|tw|mp|kw|kf|sh|hw|ot|ed|ep|dp|da|dt|up|yr|lg|pt|tn|mf|dv|rx)"
            r"(?:(?:[.,]\s?[a-z]{2}){1,20}\.?|\.)(?=[\s)\]]|\Z)"
            r"|\s[\w*$?:\"”-]{3,60}\){1,5}\.(?:mp|tw|ti|ab|kw|kf|af|sh|pt|hw)(?=[\s)]|\Z)"
            r"|(?<=\w)\.(?:ti|ab|tw|kw|mp|kf) (?:and|or|not) [^\n]{1,150}?[\w)]"
            r"\.(?:ti|ab|tw|kw|mp|kf)(?=[\s)]|\Z)"
            r"|\{(?:Including|No)(?: Limited)? Related Terms\}"
        ),
        r"(?i)(?<![\w/'])exp\s{1,5}\*?[\"A-Za-z][^/\n]{0,150}/(?=[\s)a-z;.]|\Z)",
        r"(?i)(?<=[\w*$?#)\"”]) adj[0-9]{1,2} (?=[\w(\"“])",
        r"(?i)(?<![\w/])(?:or|and)/\s?[0-9]{1,4}\s?[-,]\s?[0-9]",
        r"(?i)(?<!\w)limit\s[0-9]{1,4}\sto\s|\s(?:and|not)\s(?:yr|dp|lg)\s?=\s?\"?[0-9_]",
        (
            r"(?<=\w\")/(?=[\s)]|\Z)|(?:\A|[(\s])\*?[A-Z][\w ,-]{2,80}/ "
            r"(?:and|or|not|AND|OR|NOT) "
        ),
        (
            r"(?<=\w)/ (?:and|or|not) (?:exp )?[A-Za-z][\w ,-]{2,80}/(?=[\s)]|\Z)"
            r"|(?:\A|[(\s])\*[A-Za-z][\w ,-]{2,80}/(?=[\s)]|\Z)"
        ),
        r"(?<=[\w*?$)\"])\.(?:ti|ab|tw|mp|kf)(?:,(?:ti|ab|kw|kf|hw|ot|sh)){1,6}(?=[\s)]|\Z)",
    ),
    "scopus": (
        r"(?i)(?<![\w-])(?:TITLE-ABS(?:-KEY(?:-AUTH)?)?|AUTHKEY|INDEXTERMS|SRCTITLE|AFFILCOUNTRY|AUTHLASTNAME)\s?\(",
        r"(?i)(?<!\w)PUBYEAR\s{0,5}(?:[<>=]|AFT|BEF|IS)",
        r"(?<!\w)(?:LIMIT-TO|EXCLUDE)\s?\(\s?[A-Z]{2,15}\s?,",
        r"(?:\A|[(\n]|\b(?:AND|OR|NOT)\s)\s{0,5}ALL\([\"{(]?[A-Za-z_]{3}",
        r"(?<![\w-])(?:TITLE|ABS|KEY)\s?\(\s?[\"“{(]?[A-Za-z_]{3}",
    ),
    "embase": (
        r"(?i)['’] ?/ ?(?:exp|de|mj|syn|br)\b|(?<=\w)/exp(?:/mj)?(?=[\s)]|\Z)",
        r"(?i)\][ ]?/(?:lim|py|sd)\b",
        (
            r"(?i)(?<=[\w*?$)'’\"”])(?:(?<=\)) )?:(?:ti|ab|kw|de|tt|it)"
            r"(?:[,:] ?(?:[a-z]{2}|lnk|exp)){1,20}(?![\w,])"
        ),
        # A year, language, title or number of a record, where the word is no field of ours.
        (
            r"(?<![\w.:-])(?!(?:any|title|author|venue|abstract|subject|type|"
            r"lang|language|year|site|filetype|ext|url|inurl)\b)"
            r"(?:[\w-]{3,40}:(?:ti|ab|kw|de|la|it|exp)|[12][0-9]{3}:py|l[0-9]{6,10}:id)(?=[\s)]|\Z)"
        ),
        r"(?i)(?<=[*?$)'’\"”]):(?:ti|ab|kw|de|tt|it|py|jt|au|pt|la)(?!\w)",
    ),
    "proquest": (
        (
            r"(?i)(?<![\w.])(?:(?:SU|MESH|EMB|MJMESH|MAINSUBJECT|MJMAINSUBJECT|SUBJECT|MJSUB|AT|STYPE|DTYPE|RTYPE|PUB)\.EXACT"
            r"(?:\.EXPLODE)?|noft|tiab|mainsubject|diskw|ti\s?,\s?ab(?:\s?,\s?[a-z]{2}){0,10}|ab\s?,\s?ti)\("
        ),
        r"(?<![\w.\\])(?:ti|ab|su|if|TI|AB|SU|IF)\(\s?[\"“(]?[A-Za-z_]{3,40}[\s*?)\"”_]",
        r"(?<!\w)DE\s?=\s?\(?\s?\(?[\"“]",
    ),
    "wos": (
        r"(?<!\w)TS\s?==?\s{0,3}\(?['‘]?[A-Za-z]",
        r"(?<!\w)(?:TOPIC|LANGUAGES?|DOCUMENT TYPES?):\s{0,3}\(",
        rf"(?<!\w)(?:TS|ALL|AK|KP)\s?=\s?\(?\s?\(?\s?{_ASCII}",
        rf"(?<!\w)(?:ts=(?:\(\s?{_ASCII}|\")|TS\s?=\s?\(?['\u4e00-\u9fff])",
        r"(?<!\w)(?:TI|AB|AU|SO)=[A-Za-z][\w-]{2,40}\*(?=[\s)]|\Z)",
        (
            r"(?<!\w)(?:PY\s?=\s?\(?[12][0-9]{3}|(?:DT|WC|OG)=\(?[\"A-Za-z])|"
            r"(?<!\w)(?:TI|AB|AK|AU|SO)=[A-Za-z][\w*$?-]{1,40}\)?\s(?:AND|OR|NOT)\s\(?[A-Z]{2}="
        ),
        (
            r"(?i)(?<=\S )\((?:Title|Abstract|Author Keywords|Author)\)\s(?:and|or|not)\s"
            r"[^()\n]{1,200}\((?:Topic|Title|Abstract|Author Keywords|Author|All Fields)\)"
        ),
        (
            r"(?<=\S )\((?:Topic|All Fields|Publication Years"
            r"|Document Types)\)(?=\s(?:and|or|not)\s|[\s)]{0,3}(?:\n|\Z))"
        ),
        rf"(?<!\w)(?:TI|AB|AU|SO|DT|LA|PY|AD|WC|OG|CU|SU)\s?=\s?\(\s?\(?\s?(?:{_ASCII}|[12][0-9]{{3}})",
    ),
    "ebsco": (
        r"(?<!\w)(?:MH|MM|MJ|DE|SU|TI|AB|TX|KW|AU|SO|JN|ZU)\s{1,3}\(?[\"“]_{0,150}[\"”+]",
        r"(?<!\w)(?:TI|AB|SU|TX|MH|KW|DE)\s{0,3}\([^()]{0,200}\s(?:OR|AND|or|and|[NW][0-9]{1,2})\s",
        (
            r"(?<!\w)(?:TI|AB|XB|SU|TX|MH|KW)\s[\w*][^\n]{0,150}\s(?:OR|AND|or|and|NOT)\s"
            r"(?:(?:TI|AB|XB|SU|TX|MH|KW)\s[\w*(\"]|(?:FT|RV)\sY(?!\w))"
        ),
        r"(?:Limiters|Expanders|Search modes) - [A-Z]",
    ),
    "sinomed": (
        (
            r"(?<=[\w\"”'’)%?])\s?\[(?:不?加权|常用字段|核心字段|全部字段|缺省|(?:中文|英文)?标题|摘要|关键词|主题词|特征词|作者|作者单位|刊名|日期|出版年|文献类型)"
            r"(?:[:：][\u4e00-\u9fff]{2,4})?\]"
        ),
    ),
}
#: Syntax -> marks that several have.
_SHARED_MARKS = {
    "scopus": (r"(?i)(?<=[\w*?)\"”]) W/[0-9]{1,3} (?=[\w(\"“{*])",),
    "wos": (
        r"(?i)(?<=[\w*?$)\"”]) (?:NEAR|ONEAR|NEXT)/[0-9]{1,3} (?=[\w(\"“*])",
        r"(?<=[\w*?$)\"”]) PRE/[0-9]{1,3} (?=[\w(\"“*])",
    ),
}
_MARKS = tuple(
    {name: tuple(map(re.compile, marks)) for name, marks in table.items()}
    for table in (_OWN_MARKS, _SHARED_MARKS)
)
#: In lines without other marks: fields of the Virtual Health Library, sets of EBSCOhost.
_OF_VHL = re.compile(r"(?<![\w.])(?:ti|ab|tw|mh|au):[\"(\w]")
_NAMES_SET = re.compile(r"(?:^|[\s(])S[0-9]{1,3}\s(?:AND|OR|NOT|and|or|not)\s\(?S[0-9]")
#: What PubMed prints below a query whose words have no tags.
_FILTERS = re.compile(r"(?:\n|\s\s|\) ?)Filters(?: applied)?:\s[A-Z]|\nSort by: Most Recent")
_TOPIC = re.compile(r"(?<!\w)(?:TS|ALL)\s?=")
#: A field of our own syntax, which has signs of proximity as well.
_OURS = re.compile(rf"(?<![\w.\"“])(?:{'|'.join((*FIELDS, 'year'))}):[\w\"(]")
_TAG = re.compile(r"(?<=[\w\"”*.?$])(\s?)\[([A-Za-z1][A-Za-z /:~0-9,-]{0,40})\](?![\w-])")
_IEEE = re.compile(
    r'["“](?:Document Title|Abstract|All Metadata|Author Keywords|Index Terms|Publication '
    r"Title|IEEE Terms|Authors|"
    r'Full Text (?:&|\.AND\.) Metadata|Mesh_Terms)["”]\s?:',
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s{1,3}(?:(?:AND|OR|NOT)\s|:\s?[12])|[\s)]{0,5}\Z")
#: What PubMed itself prints below a search without tags, and a word of its own.
_PUBMED_PRINTS = re.compile(
    r"\sFilters(?: applied)?: ?(?:from [12][0-9]{3}|in the last |"
    r"(?:Humans|English|(?:Free )?[Ff]ull text|Abstract|(?:Systematic )?Review|Meta-Analysis|Male|"
    r"Female|Adult|Child|Clinical (?:Trial|Study)|Randomized Controlled Trial)\b"
    r"[^,\n]{0,40}(?:,|\s{0,9}\Z))"
    r"|\sSort by: (?:Most Recent|Best Match|Publication Date|First Author|Journal)\b"
    r"|(?:AND|\A) hasabstract\b"
)
#: Tags that mean nothing else, wherever they stand.
_PUBMED_ALONE = frozenset(
    "mesh|mesh terms|mesh:noexp|mesh terms:noexp|tiab|title/abstract|majr|all fields|text word|"
    "mesh major topic|publication type|mesh subheading|date - publication".split("|")
)
_ELEMENT = re.compile(r"[A-Z][a-z]")


def detect(text: str) -> str:
    """The syntax that a text is in, a key of `metasearch.query.syntaxes.SYNTAXES`."""
    if len(text) > MAX_LENGTH:
        return "simple"
    if text[:30].lstrip("\ufeff \r\n").casefold().startswith("search number,"):
        return "pubmed"  # its history as a file
    bare = _without_quotes(text)
    if any(map(str.isdigit, text)) and "\n" in text and (lined := _of_lines(bare, text)):
        return lined
    marks = {"cnki": _is_expert(bare, text), "cql": _is_cql(bare), "pubmed": _is_pubmed(bare)}
    marked = [name for name, found in marks.items() if found]
    database = _database(bare, text)
    if database == "wos" and marked == ["cnki"]:  # TI="x" is a field of both
        if _HAN.search(text) and not _TOPIC.search(bare):
            database = None
        else:
            marked = []
    if database and not marked:
        return database
    if not marked and not database and _FILTERS.search(bare):
        return "pubmed"
    return marked[0] if len(marked) == 1 and not database else "simple"


def _without_quotes(text: str) -> str:
    return _QUOTED.sub(lambda match: f"{match[1]}{'_' * len(match[2])}{match[3]}", text)


def _database(bare: str, text: str) -> str | None:
    """The syntax of a database whose marks a text bears."""
    for shared in (False, True):
        if shared and _OURS.search(bare):
            return None
        for name, marks in _MARKS[shared].items():
            if any(mark.search(bare) for mark in marks) and (name != "ieee" or _IEEE.search(text)):
                return name
    return None


def _of_lines(bare: str, text: str) -> str | None:
    """The syntax of a strategy whose lines have numbers; None where the text is none."""
    from metasearch.query.strategy_lines import numbered_lines

    cut = numbered_lines(text)
    if cut is None:
        return None
    # The queries alone: hits and labels stand between the marks, and may look like some.
    queries = "\n".join(line.text for line in cut.lines)
    alone = _without_quotes(queries)
    if _is_pubmed(alone):
        return "pubmed"
    if _is_expert(alone, queries) and _HAN.search(queries):
        return "cnki"
    if database := _database(alone, queries) or _database(bare, text):
        return database
    if _is_pubmed(alone, lined=True) and cut.refer():
        return "pubmed"  # a tag behind a blank may be a remark in Ovid
    if _is_expert(bare, text):
        return None
    if _OF_VHL.search(alone):
        return "vhl"
    signs = {"#": "cochrane", "S": "ebsco"}
    sign = "S" if _NAMES_SET.search(alone) else cut.lines[0].sign
    return signs.get(sign, "ovid") if cut.plainly_refer() else None


def _is_expert(bare: str, text: str) -> bool:
    han = _HAN.search(text) is not None
    if han and (_STAR.search(bare) or _JOINS.search(bare)):
        return True
    if han:
        from metasearch.bib.normalise import simplify

        bare = simplify(bare)
    patterns = (*_EXPERT, *_field_patterns()) if han else _EXPERT
    return any(_is_expert_field(mark[1]) for pattern in patterns for mark in pattern.finditer(bare))


@cache
def _field_patterns() -> tuple[re.Pattern[str], ...]:
    """Fields with a Chinese name, before their sign."""
    from metasearch.query.cnki_fields import FOLDED_FIELDS

    han = sorted((name for name in FOLDED_FIELDS if _HAN.match(name)), key=len, reverse=True)
    names = "|".join(han)
    return (
        re.compile(rf"(?<!\w)({names})\s?[%％]?[=＝]"),
        re.compile(rf"(?<!\w)({names})[:：]\s?[(（\"“'‘]"),
        # In titles the colon is one of full width.
        re.compile(rf"\A[(\s]{{0,9}}({names}):(?=[\u3400-\u9fff][^\n]{{0,40}}\Z)"),
        re.compile(
            rf"(?<!\w)({names})[:：][^\s:：()（）]{{1,60}}(?:\s|[)）]{{1,5}}\s{{0,3}})"
            rf"(?:(?i:and|or|not|与|或|非)\s{{0,3}}[(（]{{0,5}}(?:{names})[:：]"
            r"|(?:时间|年份?|发表时间|出版年份?)[:：]\s?[12][0-9]{3})"
        ),
    )


def _is_expert_field(name: str) -> bool:
    from metasearch.query.cnki_fields import target_of_name

    return target_of_name(name) is not None


def _is_cql(bare: str) -> bool:
    return any(pattern.search(bare) for pattern in _CQL)


def _is_pubmed(bare: str, *, lined: bool = False) -> bool:
    """Whether a tag of PubMed stands there; behind a blank only in quotes or in lines of a
    strategy, or where none but PubMed has it.
    """
    if _PUBMED_PRINTS.search(bare):
        return True
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
    from metasearch.query.pubmed import target_of_tag

    return target_of_tag(name) is not None
