"""Two words of titles: whether they are one word, misspelt, inflected or spelt otherwise; two
opposites; two things of one class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from metasearch.bib import normalise, numbering, word_list
from metasearch.late_pattern import late_pattern

#: Words that turn round what a title says.
NEGATIONS = frozenset("no non not without nicht ohne sans sin 非 不 未 无 亚".split())
#: Words that say the opposite, or which of two or three.
RELATIONS = ("with without", "before after during", "pre post", "versus and")

#: Endings of names of medicines in Chinese, as above.
MEDICINES_HAN = re.compile(
    r"[\u4e00-\u9fff](?:沙坦|地平|洛尔|普利|他汀|西林|霉素|沙星|拉唑|替丁|格列|单抗|替尼|他滨|铂|韦|泮|卡因|"
    r"可松|尼松|米松|洛芬|昔布|唑仑|西汀|平|康唑|噻嗪|列净|列汀)"
)
#: Countries whose names are one word; some differ in a letter.
PLACES = frozenset(
    """
    afghanistan albania algeria andorra angola anguilla antarctica argentina armenia aruba
    australasia australia austria azerbaijan bahamas bahrain bangladesh barbados belarus
    belgium belize benin bermuda bhutan bolivia botswana brazil brunei bulgaria burundi
    cambodia cameroon canada chad chile china colombia comoros croatia cuba cyprus czechia
    denmark djibouti dominica ecuador egypt eritrea estonia eswatini ethiopia fiji finland
    france gabon gambia georgia germany ghana gibraltar greece greenland grenada guadeloupe
    guam guatemala guernsey guinea guyana haiti honduras hungary iceland india indonesia
    iran iraq ireland israel italy jamaica japan jersey jordan kazakhstan kenya kiribati
    kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein
    lithuania luxembourg madagascar malawi malaysia maldives mali malta martinique
    mauritania mauritius mayotte mexico micronesia moldova monaco mongolia montenegro
    montserrat morocco mozambique namibia nauru nepal netherlands nicaragua niger nigeria
    niue norway oman pakistan palau panama paraguay peru philippines poland portugal qatar
    romania russia rwanda samoa sark senegal serbia seychelles singapore slovakia slovenia
    somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania
    thailand togo tokelau tonga tunisia turkmenistan tuvalu uganda ukraine uruguay
    uzbekistan vanuatu venezuela vietnam yemen zambia zimbabwe
""".split()
)
#: Provinces and the like of China, which differ in a character.
PLACES_HAN = frozenset(
    """
    北京 天津 上海 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东
    海南 四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆 香港 澳门
""".split()
)

#: Endings of names of medicines, after the stems of international nonproprietary names (World
#: Health Organization, "The use of stems in the selection of INN", 2018).
MEDICINES = (
    "mab", "nib", "pril", "sartan", "olol", "statin", "azole", "cillin", "mycin", "oxacin", "vir",
    "tidine", "prazole", "gliptin", "gliflozin", "dipine", "azepam", "caine", "cort", "sone",
    "solone", "olone", "profen", "oxicam", "coxib", "triptan", "setron", "xaban", "parin", "platin",
    "rubicin", "taxel", "poside", "tecan", "xime", "cycline", "thiazide", "semide", "dronate",
    "phylline", "terol", "tropium", "lukast", "zosin", "barbital", "curium", "fungin", "quine",
    "formin", "glitazone", "tinib", "ciclib", "kinra", "cept", "etine", "opram", "pramine",
    "triptyline", "peridol", "azine", "apine", "idone", "lisib", "parib", "zomib", "limus",
    "penem", "flurane", "fentanil", "fentanyl", "gatran",
    "grel", "glutide", "relin", "tadine", "astine",
    "oxetine", "citabine", "vudine", "nidazole",
    "conazole", "fenac", "orphine", "orphan", "stigmine",
    "vaptan", "entan", "mustine", "trexate", "trexed", "fibrate", "micin", "kacin", "curonium",
    "zolam", "zepam", "bactam", "zolid", "rinone",
    "prost", "tocin", "retin", "lamide", "idine", "codone",
    "morphone", "cycline", "floxacin", "poetin", "grastim", "ectin", "bendazole", "sulfan",
)  # fmt: skip
#: Endings of chemical names that say which of several compounds.
COMPOUNDS = frozenset("ate ite ide ane ene yne ose ase ine one ol al".split())


@cache
def _groups() -> Mapping[str, list[str]]:
    return word_list.read_sections(Path(__file__).with_name("words.txt"))


@cache
def interchangeable() -> Mapping[str, frozenset[int]]:
    """Word -> the numbers of its groups; words of one group may stand for one another."""
    return _in_lines((*_groups()["interchangeable"], *_groups()["synonyms"]))


@cache
def beginnings() -> Mapping[str, frozenset[int]]:
    """Beginning of words -> the numbers of its lines."""
    return _in_lines(_groups()["beginnings"])


@cache
def endings() -> Mapping[str, frozenset[int]]:
    """Ending of words -> the numbers of its lines."""
    return _in_lines(_groups()["endings"])


@cache
def number_words() -> Mapping[str, str]:
    """Word -> the number that it is, in digits."""
    *lines, tens = _groups()["numbers"]
    found = {
        word: str(number)
        for line in lines
        for number, word in enumerate(line.split(), 1)
        if word != "un"
    }
    return found | {word: str(30 + 10 * place) for place, word in enumerate(tens.split())}


@cache
def weak() -> frozenset[str]:
    """Words by which one paper of a team is not told from another."""
    lines = (*_groups()["weak"], *_groups()["interchangeable"])
    return frozenset(word for line in lines for word in line.split())


@cache
def classes() -> Mapping[str, frozenset[int]]:
    """Word -> the numbers of its classes; two words of one class name two things."""
    return _in_lines((*RELATIONS, *_groups()["classes"]))


def _in_lines(lines: Iterable[str]) -> Mapping[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for number, line in enumerate(lines):
        for word in line.split():
            found[word] = found.get(word, frozenset()) | {number}
    return found


#: Of more than one letter, up to 39: beyond that they are words and measures ("li", "xl", "mm").
ROMAN_NUMBERS = frozenset(
    (tens + ones)
    for tens in ("", "x", "xx", "xxx")
    for ones in ("", *"i ii iii iv v vi vii viii ix".split())
) - {"", "i", "v", "x"}
#: Words without which a title says the same.
SMALL_WORDS = frozenset(
    "the a an of and for in on to with by from at as is are or its der die das und le la les des "
    "du de et el los las y "
    "en il e un une ein eine".split()
)
#: Further words of two letters in several languages; others are names: "ct" and "mr".
_SHORT_WORDS = frozenset(
    "am an au be da de di do du er es et go he if im is it me my na ne ni no nu oh ob og om op or "
    "os ou pa po se si so su te ti tu um un up ut va ve we wo za ze zu".split()
)
#: Chinese characters without which a title says the same.
SMALL_HAN = frozenset("的之及与和了在其于对以")
# Different in few letters, and the very opposite.
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in """
    hypo/hyper pre/post intra/inter intra/extra inter/extra macro/micro mono/poly endo/exo uni/bi
    uni/multi ante/post anti/pro over/under male/female males/females men/women man/woman boys/girls
    mother/father mothers/fathers maternal/paternal north/south east/west northern/southern
    eastern/western upper/lower left/right increase/decrease increased/decreased
    increasing/decreasing high/low acute/chronic homo/hetero iso/aniso syn/anti cis/trans in/ex
    deductive/inductive forward/backward symmetric/asymmetric linear/nonlinear invasive/noninvasive
    dependent/independent stable/unstable reversible/irreversible regular/irregular cohort/control
    widow/widower widows/widowers
""".split()
)
# Lost where a PDF writes them as one character: "five" -> "ve", "buffering" -> "bufering".
_LIGATURES = late_pattern("ff[il]?|f[il]")
PREFIXES = frozenset(
    """
    a an anti auto bi bio co counter de di dis down endo extra fe hetero homo hyper hypo il im in
    inter intra ir macro micro mis mono multi neo non over poly post pre proto pseudo re semi sub
    super supra trans tri ultra un under uni up wo
""".split()
)


#: Words this alike are one word with a typo.
SPELLING = 78
#: Letters from which on a word is misspelt in one letter, and in two.
ONE_WRONG, TWO_WRONG = 4, 10
#: Letters in which spellings of a word differ at most, "oesophageal", where the first one does.
MOST_WRONG = 3
#: How alike in per cent two words are of which one may be the other, misread.
ALIKE = 70
#: Letters that two forms of a word share at least.
LEAST_STEM = 4
#: Letters that opposite beginnings or endings have in common: "meth" and "eth".
LONGEST_SHARED = 4
NO_CLASS: frozenset[int] = frozenset()
#: Letters of a word to which one letter before it gives another meaning: "a", "synchronous".
LEAST_AFTER_A = 6
#: Letters at the end by which two words are alike though their beginnings are other ones, and of
#: such beginnings: "latifolia" and "angustifolia".
LEAST_END, BEGINNINGS = 4, ((2, 4), (3, 3))
#: Letters that stand before several words.
LEAST_BEFORE = 4
#: Letters of an ending that two words have in common, "e" of "ed" and "es".
LONGEST_ENDING = 3
_ENDINGS = frozenset(
    """
    s es e ed er ers ing ion ions al ally ic ical y ies ity ly ment ments ive ance ence ant ent or
    ors ar ary ous ation ations ations al's ist ists ism ting ted ning ned ling led able ability ful
    ness ise ize ised ized ising izing isation ization en is a um us i ae
""".split()
) | {""}
#: British and American spellings, and what is written in two ways.
_SPELLINGS = (
    ("ae", "e"), ("oe", "e"), ("our", "or"), ("is", "iz"), ("ys", "yz"), ("ph", "f"), ("re", "er"),
    ("ogue", "og"), ("ll", "l"), ("mme", "m"), ("c", "k"), ("y", "i"), ("x", "ks"), ("ß", "ss"),
)  # fmt: skip


def numeral(word: str) -> str:
    """The number that a folded word is, in digits, also of Roman ones of several letters; or ""."""
    if word.isdecimal():
        return word.lstrip("0") or "0"
    return str(numbering.roman(word)) if word in ROMAN_NUMBERS else ""


def is_changed(word: str, other: str) -> bool:
    """Whether a word is another one with a syllable before it that changes its meaning."""
    return other != word and other.endswith(word) and other[: -len(word)] in PREFIXES


def one_word(x: str, y: str) -> bool:
    """Whether two words are one, misspelt or inflected, and not opposites of one another."""
    if x in SMALL_WORDS and y in SMALL_WORDS:
        return True
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    alike = (len(short) >= 4 and long.startswith(short)) or fuzz.ratio(x, y) >= SPELLING
    if not alike:
        return "f" in long and _LIGATURES.sub("", x) == _LIGATURES.sub("", y)
    return not are_opposites(short, long) and not is_changed(short, long)


#: Shorter words that differ in a letter are two words: "east" and "last"; letters of an ending:
#: "teacher" and "teachers", "fishery" and "fisherys".
SHORTEST_MISSPELT, LONGEST_PLURAL = 5, 2


def differ_by_a_slip(x: str, y: str) -> bool:
    """Whether a letter is wrong in a word, or its ending is another."""
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    if long.startswith(short):
        return len(long) - len(short) <= LONGEST_PLURAL
    return (
        len(short) >= SHORTEST_MISSPELT
        and one_word(x, y)
        and OSA.distance(x, y, score_cutoff=1) <= 1
    )


@lru_cache(maxsize=2_000)
def are_opposites(x: str, y: str) -> bool:
    """Whether two words are opposites, or have opposite beginnings before one ending, or endings
    of two things behind one beginning.
    """
    x, y = sorted((x, y), key=len)
    if frozenset((x, y)) in _OPPOSITES:
        return True
    same = _same_end(x, y)
    # The same ending behind opposite beginnings, with or without letters in common between them.
    forms = beginnings()
    for more in range(min(LONGEST_SHARED, same) + 1):
        one, other = x[: len(x) - same + more], y[: len(y) - same + more]
        if more < 3 and frozenset((one, other)) in _OPPOSITES:
            return True
        if same - more >= 2 and not forms.get(one, NO_CLASS).isdisjoint(forms.get(other, NO_CLASS)):
            return True
    return _end_otherwise(x, y)


def _end_otherwise(x: str, y: str) -> bool:
    """Whether words that begin alike end as the names of two things do: "osteoblast", "-clast"."""
    ends = endings()
    same = _same_beginning(x, y)
    return any(
        not ends.get(x[cut:], NO_CLASS).isdisjoint(ends.get(y[cut:], NO_CLASS))
        for cut in range(same, max(LEAST_STEM, same - LONGEST_SHARED) - 1, -1)
    )


def _same_beginning(x: str, y: str) -> int:
    same, most = 0, min(len(x), len(y))
    while same < most and x[same] == y[same]:
        same += 1
    return same


def _same_end(x: str, y: str) -> int:
    same, most = 0, min(len(x), len(y))
    while same < most and x[-1 - same] == y[-1 - same]:
        same += 1
    return same


@lru_cache(maxsize=2_000)
def is_one(x: str, y: str) -> bool:
    """Whether two words are one, misspelt, inflected or spelt otherwise."""
    if x == y or (_any_numeral(x) and _any_numeral(x) == _any_numeral(y)):
        return True
    if normalise.has_cjk(x) or normalise.has_cjk(y):
        # A character is easily taken for another one.
        return len(x) == len(y) == 1 and not are_of_one_class(x, y)
    # Nearly all words begin in other letters and are far from one another.
    if x[0] != y[0] and OSA.distance(x, y, score_cutoff=MOST_WRONG) > MOST_WRONG:
        return False
    if are_opposites(x, y) or are_of_one_class(x, y):
        return False
    plain, other = plain_spelling(x), plain_spelling(y)
    if plain == other or _are_forms(x, y) or _are_forms(plain, other):
        return True
    if _has_more_before(x, y):
        return False
    if _as_read(x) == _as_read(y) and not _are_two_words(x, y):
        return True
    wrong = OSA.distance(x, y, score_cutoff=2)
    least = min(len(x), len(y))
    if wrong > 2 or least < (ONE_WRONG if wrong == 1 else TWO_WRONG):
        return False
    return not (wrong == 2 and _is_medicine(x) and _is_medicine(y)) and not _are_two_words(x, y)


def _has_more_before(x: str, y: str) -> bool:
    """Whether one word is the other with something before it that makes another word of it:
    "employed" and "unemployed", "elastic" and "viscoelastic".
    """
    short, long = (x, y) if len(x) < len(y) else (y, x)
    before = long[: -len(short)] if long.endswith(short) else ""
    if not before or len(short) < ONE_WRONG or short.startswith(before):
        return False
    if len(before) == 1:
        return before == "a" and len(short) >= LEAST_AFTER_A and not _is_cut(short, long)
    # "ofchildren": a blank is lost.
    return (before in PREFIXES or before not in SMALL_WORDS) and not _is_cut(short, long)


def _is_cut(short: str, long: str) -> bool:
    """Whether the list has the long word and not the short one."""
    return bool(word_list.stems_of(long)) and not word_list.stems_of(short)


def _as_read(word: str) -> str:
    """The word as a machine may have read it from paper: "burnt" as "bumt", "law" as "1aw"."""
    if len(word) > 2 and not word.isalpha() and not word.isdecimal():
        word = word.translate(_MISREAD)
    for one, other in _MISREAD_PAIRS:
        word = word.replace(one, other)
    return word


_MISREAD = str.maketrans("105", "los")
_MISREAD_PAIRS = (("rn", "m"), ("cl", "d"), ("vv", "w"))


def plain_spelling(word: str) -> str:
    for one, other in _SPELLINGS:
        word = word.replace(one, other)
    return word


def _are_forms(x: str, y: str) -> bool:
    """Whether two words differ in their endings alone."""
    same = _same_beginning(x, y)
    return any(
        _is_ending(x[cut:]) and _is_ending(y[cut:])
        for cut in range(same, max(LEAST_STEM, same - LONGEST_ENDING) - 1, -1)
    )


@lru_cache(maxsize=2_000)
def _is_ending(letters: str) -> bool:
    """Whether the letters are an ending, or two: "ational"."""
    return letters in _ENDINGS or any(
        letters[:cut] in _ENDINGS and letters[cut:] in _ENDINGS for cut in range(1, len(letters))
    )


def are_of_one_class(x: str, y: str) -> bool:
    """Whether the words name two things of one kind: two places, two groups, two sides."""
    classes_ = classes()
    if x in classes_ and not classes_[x].isdisjoint(classes_.get(y, NO_CLASS)):
        return not _are_forms(x, y) and plain_spelling(x) != plain_spelling(y)
    if _DESIGNATION.fullmatch(x) and _DESIGNATION.fullmatch(y):
        return x != y  # "hepatitis B" and "hepatitis C"
    if (number := _any_numeral(x)) and (other := _any_numeral(y)):
        return number != other
    if x in PLACES and y in PLACES:
        return True
    stem = max(len(x), len(y)) - 3
    ends = COMPOUNDS
    return stem > 2 and x[:stem] == y[:stem] and x[stem:] in ends and y[stem:] in ends


#: A letter, or letters and a number, that say which of several types: "B", "B12", "H1N1".
_DESIGNATION = re.compile(r"[a-z](?:[a-z]{0,2}\d{1,3}[a-z]?\d?)?", re.ASCII)


def are_alike(x: str, y: str) -> bool:
    """Whether one of the words may be the other, badly misspelt or misread: of two words of the
    list only where letters are lost, "seeking" as "sing".
    """
    return (
        min(len(x), len(y)) >= ONE_WRONG
        and not (_are_two_words(x, y) and not _has_lost_letters(x, y))
        and max(fuzz.ratio(x, y), fuzz.ratio(plain_spelling(x), plain_spelling(y))) >= ALIKE
        and not (_is_medicine(x) and _is_medicine(y))
        and not _has_more_before(x, y)
        and not _end_alike_alone(x, y)
        and not _begin_alike_alone(x, y)
    )


def _has_lost_letters(x: str, y: str) -> bool:
    """Whether the letters of one word stand in the other in their order."""
    short, long = sorted((x, y), key=len)
    rest = iter(long)
    return all(letter in rest for letter in short)


def _end_alike_alone(x: str, y: str) -> bool:
    """Whether words are alike by an ending behind other beginnings: "latifolia", "angustifolia"."""
    begin, end = _same_beginning(x, y), _same_end(x, y)
    one, other = sorted((len(x) - begin - end, len(y) - begin - end))
    return (
        begin < 2
        and end >= LEAST_END
        and any(one >= least and other >= longer for least, longer in BEGINNINGS)
    )


def _begin_alike_alone(x: str, y: str) -> bool:
    """Whether words are alike by what stands before other words: "transrectal", "transperineal"."""
    same = _same_beginning(x, y)
    cut = next((cut for cut in range(same, LEAST_BEFORE - 1, -1) if x[:cut] in PREFIXES), 0)
    return bool(cut) and fuzz.ratio(x[cut:], y[cut:]) < ALIKE


def _any_numeral(word: str) -> str:
    """As `numeral`, also of Roman numbers of one letter, which stand against another number, of
    words ("fifteenth") and of digits with an ending ("15th").
    """
    if word[:1].isdecimal():
        found = _ORDINAL.fullmatch(word)
        return numeral(found[1]) if found else ""
    return {"i": "1", "v": "5", "x": "10"}.get(word) or number_words().get(word) or numeral(word)


_ORDINAL = re.compile(r"([0-9]{1,6})(?:st|nd|rd|th|s)?")


def _are_two_words(x: str, y: str) -> bool:
    """Whether the list has both, as two words; "trail" may be "trial", mistyped."""
    one, other = word_list.stems_of(x), word_list.stems_of(y)
    return bool(one and other) and one.isdisjoint(other) and not _are_turned_letters(x, y)


def _are_turned_letters(x: str, y: str) -> bool:
    """Whether two letters beside one another changed places."""
    return sorted(x) == sorted(y) and OSA.distance(x, y, score_cutoff=1) == 1


def _is_medicine(word: str) -> bool:
    return word.rstrip("s").endswith(MEDICINES)


def is_weak(word: str) -> bool:
    """Whether a word says nothing by which a paper is told from another one of its team."""
    return word in weak() or word in SMALL_WORDS or word in _SHORT_WORDS
