"""Words that stand in names of people and bodies, or beside them: one table each.

All words are in lower case. Where two readers need different selections, both are derived here,
and a comment says why they differ. The words for what somebody did (editor, translator, 著) stand
below.
"""

from __future__ import annotations

from typing import get_args

from metasearch.bib.marc import Part

# --------------------------------------------------------------------------- parts of names

#: Words before a family name that belong to it: "van der Berg".
PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le ter ten zu zur al el bin ibn af av".split()
)
#: Words behind a family name that tell father from son. Ids of works (dedup/hits.py) are made
#: without these and no other words, so a new word here changes ids.
GENERATIONS = frozenset("jr sr ii iii iv".split())
#: All forms of such words -> the one that a record has. "V" is no such word, because it may be an
#: initial.
SUFFIXES = {
    **dict.fromkeys(("jr", "jnr"), "Jr."),
    **dict.fromkeys(("sr", "snr"), "Sr."),
    **dict.fromkeys(("ii", "2nd", "2d"), "II"),
    **dict.fromkeys(("iii", "3rd", "3d"), "III"),
    **dict.fromkeys(("iv", "4th"), "IV"),
    "5th": "V",
}
#: Degrees that stand behind names.
DEGREES = frozenset("md phd msc bsc mph mba frcp facp dds dvm rn pharmd dphil mbbs ma ba".split())
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


#: Ranks of those who reign, which stand behind their country: "Viktoria, Großbritannien, Königin".
RULERS = frozenset("könig königin kaiser kaiserin zar zarin erzherzog erzherzogin".split())
#: Titles that may stand behind a given name, too: more of nobility, of churches, of courtesy.
TITLES = (
    NOBILITY
    | RULERS
    | HONORIFICS
    | frozenset(
        """
    comtesse vicomte vicomtesse duchesse baronne chevalier seigneur sieur marquise prinz
    prinzessin fürst fürstin herzogin freifrau ritter edler landgraf markgraf kurfürst conte
    contessa duca marchese principe conde condesa duque marqués príncipe graaf ridder jonkheer
    roi reine rey reina re regina cardinal kardinal papst pape papa san santo santa sainte
    heiliger heilige empereur impératrice emperador imperatore abbé abbot bp abp rev reverend
    rabbi imam sultan shah emir mme mlle frau herr miss esq esquire captain colonel general
    admiral sj osb ofm
""".split()
    )
)
#: What stands between a title and its place: "Earl of", "duc de", "Freiherr vom".
OF_TITLES = frozenset("of de du des d' von vom zu di da do van the".split())
#: Words that stand beside years of life, as they are written: "b.", "ca.", "active".
DATES = frozenset(
    """
    b d fl c ca cca m n ur nar um active approximately approx born died flourished circa before
    after between and or geb geboren gest gestorben né née nato nata nacido fallecido vor nach oder
    et ou v chr B C A D BC AD BCE CE century cent centuries Jh Jhdt Jahrhundert siècle secolo siglo
    s sec early late mid January February March April May June July August September October
    November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
""".split()
)
#: Those of them that make a year of a number of one or two digits.
CENTURIES = frozenset("century cent centuries Jh Jhdt Jahrhundert siècle secolo siglo".split())


# --------------------------------------------------------------------------- in place of names

#: "et al." within a longer text, as a pattern.
ET_AL = r"\bet(?:\.|\.?\s+)al\b\.?"
#: The same in Chinese, Japanese and Korean, at the end of a name. What may be the last character of
#: a name stands behind a blank.
HAN_ET_AL = r"(?:等|ほか|(?<![^\s\[])[他外외등])(?:\s?\d{0,4}\s?[人名명])?"
#: Words for further authors in the languages of catalogues, with a blank for all marks.
OTHERS = frozenset(
    " ".join(words.split())
    for words in """
    et al/et alii/et aliae/et alia/et ál/others/and others/and more/and colleagues/more authors
    /and more authors/and other authors/et autres/und andere/y otros/y otras/e outros/e outras
    /e altri/ed altri/i altres/en anderen/med flera/med flere/og andre/och andra/ja muut/ynnä muut
    /i inni/i pozostałe/a další/a iní/i drugi/in drugi/és munkatársai/és társai/és mások/și alții
    /ve diğerleri/ve arkadaşları/dan lain lain/và cộng sự/ir kiti/un citi/ja teised
    /и другие/та інші/και άλλοι/ואחרים/وآخرون/و آخرون/و دیگران/و همکاران
    /等/等人/他/ほか/外/외/등
""".split("/")
)
#: The same, shortened: in capitals, or without a mark behind a name, these may be initials.
OTHERS_SHORT = frozenset(
    " ".join(words.split())
    for words in """
    etc/usw/u a/u v a/e a/m fl/mfl/ym/i in/a kol/i dr/és mtsai/ş a/ș a/ve diğ/ve ark/dkk/ir kt
    /et coll/y col/y cols/e col/e cols/и др/та ін/і інш/και ά/κ ά
""".split("/")
)
#: What stands behind a number of them: "et al. (12 more)", "외 2명".
COUNTED_OTHERS = frozenset("more others authors 人 名 명".split())
#: An editor's mark in brackets, as a pattern.
EDITOR_IN_BRACKETS = r"[\[(]eds?\.?[\])]"
#: Words that no name holds: where names are compared, an author with one of them is no person. A
#: reader keeps such an author, because "Editorial Board" is what the page shows.
NOT_IN_NAMES = frozenset(
    """
    abstract anthology author authors authorship coauthors edition editorial editors introduction
    listed org overview portal proposal staff untitled www
""".split()
)


#: Words of institutions in the languages of catalogues; none is usual as a family or given name.
BODIES = frozenset(
    """
    academy academies academie académie academia accademia akademie akademia administration agency
    collaborators ecole école escuela investigators scuola trialists
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
FIRMS = frozenset("inc ltd llc llp plc corp co gmbh limited incorporated".split())
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
            "author", "aut", "cre", "auteur", "autor", "autora", "autore", "verfasser",
            "verfasserin", "автор", "compiler", "photographer", "cartographer", "composer",
            "performer",
            "conductor", "director", "producer", "interviewer", "interviewee", "creator",
            "issuing body", "sponsoring body",
            "kirjoittaja", "tekijä", "valokuvaaja", "säveltäjä", "sanoittaja", "sovittaja",
            "esittäjä", "ohjaaja", "författare", "utgivare",
        ),
        "author",
    ),
    **dict.fromkeys(("editor", "toimittaja", "redaktör"), "editor"),
    **dict.fromkeys(("translator", "kääntäjä", "suomentaja", "översättare"), "translator"),
    **dict.fromkeys(("illustrator", "contributor", "kuvittaja", "illustratör"), "helper"),
    **dict.fromkeys(("publisher", "printer", "host institution", "kustantaja", "lukija"), "none"),
}  # fmt: skip

#: Codes of https://www.loc.gov/marc/relators/, numbers of UNIMARC, and the words for them that
#: catalogues write in their relator fields only. What is in no table is an author.
_CODES: dict[Part, str] = {
    "author": """070|著者|author of text""",
    "editor": """edt|edc|edm|ed|eds|edd|pbd|editor of compilation|joint editor|volume editor
        |general editor|editor in chief|editor-in-chief|academic editor|scientific editor
        |editor of moving image work|editorial director|hrsg|hg|herausgeber|herausgeberin
        |herausgebendes organ|éd|éditeur|éditeur scientifique|éditeur intellectuel
        |éd scientifique|dir
        |directeur de publication|directeur de la publication|directeur scientifique
        |editor literario|editor científico|director literario|coord|coordinador|coordinadora
        |coordenador|coordenadora|org|organizador|organizadora|curatore|curatrice|cur|a cura di
        |redacteur|redactor|redaktør|redaktor naukowy|szerkesztő|szerk|editör|уредник|urednik
        |редактор|ред|ответственный редактор|научный редактор|340|651""",
    "translator": """trl|tr|trad|trans|transl|übers|übersetzer|übersetzerin|traducteur|traductrice
        |traductor|traductora|tradutor|tradutora|traduttore|traduttrice|vertaler|oversetter
        |oversætter|tłumacz|tłum|překladatel|prekladateľ|переводчик|пер|перекладач|fordító
        |çeviren|çevirmen|prevoditelj|prevodilac|prevajalec|מתרגם|مترجم|730""",
    "helper": """ill|440|aui|author of introduction|080|aft|author of afterword|win|wpr|wst|wat
        |writer of introduction|writer of preface|writer of foreword|verfasser von vorwort
        |verfasserin von vorwort|verfasser von geleitwort|verfasser von nachwort|préfacier
        |préfacière|postfacier|prologuista|prefatore|illustrateur|illustratrice|ilustrador
        |ilustradora|illustratore|bkd|book designer|cov|cover designer|pfr|proofreader|red|redaktor
        |ctb|clb|oth|collaborator|mitwirkender|mitwirkende|beiträger|beiträgerin|mitarbeiter
        |mitarbeiterin|collaborateur|collaboratrice|colaborador|colaboradora|collaboratore
        |sonstige|205""",
    "none": """pbl|prt|own|fmo|bsl|dst|dgg|dgs|ths|dte|hnr|rps|lbr|ins|opn|spn|fnd|his|sht
        |verlag|drucker|bookseller|distributor|owner|former owner|dedicatee|widmungsempfänger
        |degree granting institution|degree supervisor|thesis advisor|hochschule
        |160|280|295|310|320|390|610|650|723|727""",
}
_RELATORS: dict[str, Part] = WRITTEN_OUT | {
    word.strip(): part for part, words in _CODES.items() for word in words.split("|")
}


#: What a relator in characters holds that means a part, in the order in which they are tried.
_HAN_PARTS: tuple[tuple[Part, str], ...] = (
    ("none", "导师|導師|指导|指導|出版|收藏|主办"),
    ("translator", "译|譯|訳|역|옮김"),
    ("helper", "绘|繪|画|畫|図|图|插|校|注|註|审|審|序|跋|摄|그림"),
    ("author", "著|写|寫|作|剧|劇|撰|述|지음"),
    ("editor", "编|編|辑|輯|편|엮음|監修|监修"),
)
#: The same behind a name in a statement of responsibility, as a pattern.
HAN_ROLES = (
    "[总總副执執]?[主选選合]?[编編](?:[著写寫译譯绘繪剧劇撰者辑輯集纂选選注註校]|訳)?|監修|监修"
    "|[原合共编]?著|[编合共主]?[译譯訳](?:[注註者著]|校)?|翻[译譯訳]|[绘繪](?:[画畫图圖])?|插[图圖画畫]"
    "|[点點]?校(?:[注註点點])?|[注註](?:[释釋])?|撰(?:[写寫文])?|[审審](?:校|定)?|主[审審]|口述|整理"
    "|改[编編]|作序|序|选[编注]|[编編]?[辑輯](?:录)?|摄影|攝影|续|續|지음|옮김|엮음|편|역|저"
)


#: The words and abbreviations for parts that stand behind a name in files of catalogues, beside
#: `WRITTEN_OUT`. Codes are not among them, because "Ed" and "Win" are names, too.
RELATORS = frozenset(
    " ".join(words.split())
    for words in """
    joint author|coauthor|co-author|ill|illus|trans|transl|trad|comp|eds|editeur|joint editor
    |editor in chief|editor-in-chief|volume editor|series editor|corresponding author|collaborator
    |illustrator|annotator|adapter|commentator|compiler|narrator|respondent|dissertant|praeses
    |author of introduction|author of afterword|writer of introduction|writer of preface
    |hg|hgg|hrsgg|verfasser|verfasserin|verf|autor|autorin|hrsg|herausgeber|herausgeberin|übersetzer
    |übersetzerin|übers|mitwirkender|mitwirkende|mitarb|mitarbeiter|bearb|bearbeiter|beiträger
    |illustratorin|komponist|fotograf|redakteur|red|redaktor
    |auteur|autrice|éditeur|éditrice|éditeur scientifique|directeur de publication|traducteur
    |traductrice|illustrateur|illustratrice|préfacier|postfacier|collaborateur|photographe
    |autore|curatore|curatrice|a cura di|traduttore|traduttrice|illustratore|prefatore
    |autora|coautor|editora|compilador|compiladora|traductor|traductora|coordinador|coordinadora
    |director|ilustrador|ilustradora|prologuista|coord|org|organizador|organizadora|tradutor
    |tradutora|coordenador|redacteur|vertaler|bewerker|forfatter|oversætter|oversetter|redaktør
    |utg|övers|förf|автор|редактор|ред|сост|составитель|пер|переводчик
""".split("|")
)


def part_of(relator: str) -> Part:
    """The part that a relator's code or word means, in small letters; "author" for unknown ones."""
    return part_or_none(relator) or "author"


def part_or_none(relator: str) -> Part | None:
    """The same; None for unknown ones."""
    if relator.isascii() or relator in _RELATORS:
        return _RELATORS.get(relator)
    for part, words in _HAN_PARTS:
        if any(word in relator for word in words.split("|")):
            return part
    return None


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
