"""What a person did for a work (editor, translator, publisher): relators of catalogues, and the
words for roles that stand beside names.
"""

from __future__ import annotations

from typing import get_args

from metasearch.bib.marc import Part

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


# --------------------------------------------------------------------------- beside names

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
