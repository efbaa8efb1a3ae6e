"""Languages of works: what people and databases call them -> ISO 639-1, and back.

The table is that of the Library of Congress, the registration authority of ISO 639-2
(https://www.loc.gov/standards/iso639-2/php/code_list.php), as far as a language has a code of two
letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from metasearch.late_pattern import late_pattern

# ISO 639-1, 639-2 bibliographic, 639-2 terminological where that is another one, name.
_TABLE = """
aa aar Afar|ab abk Abkhazian|ae ave Avestan|af afr Afrikaans|ak aka Akan|am amh Amharic
an arg Aragonese|ar ara Arabic|as asm Assamese|av ava Avaric|ay aym Aymara|az aze Azerbaijani
ba bak Bashkir|be bel Belarusian|bg bul Bulgarian|bi bis Bislama|bm bam Bambara|bn ben Bengali
bo tib bod Tibetan|br bre Breton|bs bos Bosnian|ca cat Catalan|ce che Chechen|ch cha Chamorro
co cos Corsican|cr cre Cree|cs cze ces Czech|cu chu Church Slavic|cv chv Chuvash|cy wel cym Welsh
da dan Danish|de ger deu German|dv div Divehi|dz dzo Dzongkha|ee ewe Ewe|el gre ell Greek
en eng English|eo epo Esperanto|es spa Spanish|et est Estonian|eu baq eus Basque|fa per fas Persian
ff ful Fulah|fi fin Finnish|fj fij Fijian|fo fao Faroese|fr fre fra French|fy fry Western Frisian
ga gle Irish|gd gla Gaelic|gl glg Galician|gn grn Guarani|gu guj Gujarati|gv glv Manx|ha hau Hausa
he heb Hebrew|hi hin Hindi|ho hmo Hiri Motu|hr hrv Croatian|ht hat Haitian|hu hun Hungarian
hy arm hye Armenian|hz her Herero|ia ina Interlingua|id ind Indonesian|ie ile Interlingue
ig ibo Igbo|ii iii Sichuan Yi|ik ipk Inupiaq|io ido Ido|is ice isl Icelandic|it ita Italian
iu iku Inuktitut|ja jpn Japanese|jv jav Javanese|ka geo kat Georgian|kg kon Kongo|ki kik Kikuyu
kj kua Kuanyama|kk kaz Kazakh|kl kal Greenlandic|km khm Khmer|kn kan Kannada|ko kor Korean
kr kau Kanuri|ks kas Kashmiri|ku kur Kurdish|kv kom Komi|kw cor Cornish|ky kir Kirghiz|la lat Latin
lb ltz Luxembourgish|lg lug Ganda|li lim Limburgish|ln lin Lingala|lo lao Lao|lt lit Lithuanian
lu lub Luba-Katanga|lv lav Latvian|mg mlg Malagasy|mh mah Marshallese|mi mao mri Maori
mk mac mkd Macedonian|ml mal Malayalam|mn mon Mongolian|mr mar Marathi|ms may msa Malay
mt mlt Maltese|my bur mya Burmese|na nau Nauru|nb nob Norwegian Bokmål|nd nde North Ndebele
ne nep Nepali|ng ndo Ndonga|nl dut nld Dutch|nn nno Norwegian Nynorsk|no nor Norwegian
nr nbl South Ndebele|nv nav Navajo|ny nya Chichewa|oc oci Occitan|oj oji Ojibwa|om orm Oromo
or ori Oriya|os oss Ossetian|pa pan Punjabi|pi pli Pali|pl pol Polish|ps pus Pashto
pt por Portuguese|qu que Quechua|rm roh Romansh|rn run Rundi|ro rum ron Romanian|ru rus Russian
rw kin Kinyarwanda|sa san Sanskrit|sc srd Sardinian|sd snd Sindhi|se sme Northern Sami|sg sag Sango
si sin Sinhala|sk slo slk Slovak|sl slv Slovenian|sm smo Samoan|sn sna Shona|so som Somali
sq alb sqi Albanian|sr srp Serbian|ss ssw Swati|st sot Southern Sotho|su sun Sundanese
sv swe Swedish|sw swa Swahili|ta tam Tamil|te tel Telugu|tg tgk Tajik|th tha Thai|ti tir Tigrinya
tk tuk Turkmen|tl tgl Tagalog|tn tsn Tswana|to ton Tonga|tr tur Turkish|ts tso Tsonga|tt tat Tatar
tw twi Twi|ty tah Tahitian|ug uig Uighur|uk ukr Ukrainian|ur urd Urdu|uz uzb Uzbek|ve ven Venda
vi vie Vietnamese|vo vol Volapük|wa wln Walloon|wo wol Wolof|xh xho Xhosa|yi yid Yiddish
yo yor Yoruba|za zha Zhuang|zh chi zho Chinese|zu zul Zulu
"""
# Other names: in the language itself where many people write it, and in Chinese.
_OTHER_NAMES = """
zh 中文 汉语 漢語 mandarin|en 英文 英语 英語|ja 日文 日语 日本語|de deutsch 德文 德语
fr français francais 法文 法语|es español espanol castilian 西班牙文 西班牙语|ru русский 俄文 俄语
ko 한국어 韩文 韩语 朝鲜语|pt português portugues 葡萄牙语|it italiano 意大利语|ar العربية 阿拉伯语
nl nederlands flemish|pl polski|sv svenska|tr türkçe|uk українська|el ελληνικά|fa farsi|cs čeština
ro moldavian|si sinhalese|my myanmar|ky kyrgyz|ug uyghur 维吾尔语|mn 蒙古语|bo 藏语|vi 越南语
th 泰语|la 拉丁语|nb bokmål bokmal|nn nynorsk
"""
#: How databases write languages -> the attribute of `Language`.
SCHEMES: Mapping[str, str] = {
    "iso639-1": "code",
    "iso639-2b": "bibliographic",
    "iso639-2t": "terminological",
    "english": "name",
}


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        code: ISO 639-1, "zh".
        bibliographic: ISO 639-2/B, as MARC has it: "chi".
        terminological: ISO 639-2/T, which is ISO 639-3 as well: "zho".
        name: In English: "Chinese".
    """

    code: str
    bibliographic: str
    terminological: str
    name: str


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Language]:
    """All of them, by ISO 639-1."""
    found = {}
    for entry in _entries(_TABLE):
        code, first, *rest = entry.split()
        second = rest.pop(0) if rest[0].islower() and len(rest) > 1 else first
        found[code] = Language(code, first, second, " ".join(rest))
    return found


@lru_cache(maxsize=1)
def language_words() -> Mapping[str, str]:
    """Every known word for a language, in small letters -> ISO 639-1."""
    words: dict[str, str] = {}
    for code, names in (entry.split(maxsplit=1) for entry in _entries(_OTHER_NAMES)):
        words |= dict.fromkeys(names.split(), code)
    for language in languages().values():
        words |= dict.fromkeys(
            (
                language.name.casefold(),
                language.bibliographic,
                language.terminological,
                language.code,
            ),
            language.code,
        )
    return words


def language_code(word: str) -> str | None:
    """ISO 639-1 of "zh", "zh-CN", "chi", "zho", "Chinese", "中文", or None."""
    plain = " ".join(word.replace("_", "-").casefold().split())
    words = language_words()
    return words.get(plain) or words.get(plain.partition("-")[0])


_CODES = late_pattern(r"[a-z]{3}(?: ?[a-z]{3}){1,20}")


def codes_in(word: str) -> list[str]:
    """The codes of several languages in one word, as MARC 041 had them: "engfre" -> ["eng", "fre"];
    [] for all others, among them names: "norwegian".
    """
    plain = word.strip().casefold()
    if language_code(plain) or _CODES.fullmatch(plain) is None:
        return []
    joined = plain.replace(" ", "")
    return [joined[at : at + 3] for at in range(0, len(joined), 3)]


@lru_cache(maxsize=32)
def language_table(schemes: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """ISO 639-1 -> words of all `schemes`, each once: {"zh": ("zh", "chi"), ...}."""
    names = [SCHEMES[scheme] for scheme in schemes]
    return {
        code: tuple(dict.fromkeys(getattr(language, name) for name in names))
        for code, language in languages().items()
    }


def _entries(table: str) -> list[str]:
    return table.strip().replace("\n", "|").split("|")
