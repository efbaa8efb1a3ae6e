"""Registration numbers of clinical trials, and of reviews in PROSPERO: one table of registries, and
the numbers of a text.

They stand in `Record.ids` by registry, several of one registry as "NCT01234567, NCT07654321". Many
articles report one trial, and one article may report several: a number names no work. So what uses
identifiers to tell works apart, or to hold them for one, leaves out `SCHEMES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from metasearch.late_pattern import late_pattern

#: Between two numbers of one registry in a value of `Record.ids`.
SEPARATOR = ", "
#: Numbers of one registry that are kept: a review of reviews lists hundreds, and a value of
#: `Record.ids` has 1,000 characters.
MOST = 40
#: Characters of a text that are looked at; an abstract has no more.
LONGEST = 50_000
#: What stands between the letters of a number and its digits: "NCT 01234567", "ISRCTN No.: 1".
_GAP = r"(?: regist(?:ry|er))?(?: ?(?:no\.?|number|identifier|id))?[ :#-]{0,3}"


class TrialRegistry(NamedTuple):
    """A registry, and how its numbers look.

    Attributes:
        scheme: Key of `Record.ids`.
        name: As people call it, and as PubMed does in its list of data banks, where it is there.
        forms: Pattern of a number as it is published -> the usual form, of the groups.
        link: The address of a registration; {} is the number.
        names: Pattern of the names of the registry, one of which must stand before a number in a
            text, because the number alone may be anything; "" for numbers that tell it themselves.
    """

    scheme: str
    name: str
    forms: Mapping[str, str]
    link: str = ""
    names: str = ""


_ICTRP = "https://trialsearch.who.int/Trial2.aspx?TrialID={}"
_EU_SEARCH = "https://www.clinicaltrialsregister.eu/ctr-search/search?query={}"
_EUDRACT = r"(20[0-2][0-9])-(0[0-9]{5})-([0-9]{2})"
_PROSPERO = "https://www.crd.york.ac.uk/PROSPERO/view/{}"

#: Patterns are read without regard to case; none of them begins or ends within a word or a number.
REGISTRIES: tuple[TrialRegistry, ...] = (
    TrialRegistry(
        "nct",
        "ClinicalTrials.gov",
        {rf"NCT{_GAP}([0-9]{{8}})": "NCT{}"},
        "https://clinicaltrials.gov/study/{}",
    ),
    TrialRegistry(
        "isrctn",
        "ISRCTN",
        {rf"ISRCTN{_GAP}([0-9]{{8}})": "ISRCTN{}"},
        "https://www.isrctn.com/{}",
    ),
    # A zero, or the letter, before the number was usual until 2008; "p" is a provisional one.
    TrialRegistry(
        "actrn",
        "ANZCTR",
        {rf"ACTRN{_GAP}[O0]?(126[0-9]{{11}})[ap]?": "ACTRN{}"},
        "https://www.anzctr.org.au/{}.aspx",
    ),
    TrialRegistry(
        "drks",
        "DRKS",
        {rf"DRKS{_GAP}([0-9]{{8}})": "DRKS{}"},
        "https://drks.de/search/en/trial/{}",
    ),
    # The kind of trial stood in a number until 2017.
    TrialRegistry(
        "chictr",
        "ChiCTR",
        {
            r"ChiCTR ?-([A-Z]{2,5})-([0-9]{8})": "ChiCTR-{}-{}",
            rf"ChiCTR{_GAP}([0-9]{{10}})": "ChiCTR{}",
        },
        _ICTRP,
    ),
    TrialRegistry("itmctr", "ITMCTR", {rf"ITMCTR{_GAP}([0-9]{{10}})": "ITMCTR{}"}, _ICTRP),
    # A country may follow, where the trial was registered.
    TrialRegistry(
        "eudract",
        "EudraCT",
        {rf"{_EUDRACT}(?:-[A-Z]{{2,3}})?": "{}-{}-{}"},
        _EU_SEARCH,
        r"eu ?dra ?ct|eu-?ctr?\b|eu (?:clinical trials?|ct)\b|clinicaltrialsregister",
    ),
    TrialRegistry(
        "eudract",
        "EudraCT",
        {rf"EU(?:CTR|draCT)[ :-]{{0,2}}{_EUDRACT}(?:-[A-Z]{{2,3}})?": "{}-{}-{}"},
        _EU_SEARCH,
    ),
    # Numbers of the register that came after, which the first 5 tells; with that of the submission.
    TrialRegistry(
        "ctis",
        "CTIS",
        {r"(?:EUCT|CTIS)?(20[2-9][0-9])-(5[0-9]{5})-([0-9]{2}-[0-9]{2})": "{}-{}-{}"},
        "https://euclinicaltrials.eu/search-for-clinical-trials/?lang=en&EUCT={}",
    ),
    TrialRegistry(
        "umin",
        "UMIN CTR",
        {rf"UMIN(?:-?CTR)?{_GAP}(C?[0-9]{{9}})": "UMIN{}"},
        _ICTRP.replace("{}", "JPRN-{}"),
    ),
    TrialRegistry(
        "japiccti",
        "JapicCTI",
        {r"JapicCTI[ :-]{0,2}([0-9]{6})": "JapicCTI-{}"},
        _ICTRP.replace("{}", "JPRN-{}"),
    ),
    TrialRegistry(
        "jmaiia",
        "JMACCT",
        {r"JMA-?IIA ?([0-9]{5})": "JMA-IIA{}"},
        _ICTRP.replace("{}", "JPRN-{}"),
    ),
    TrialRegistry(
        "jrct",
        "jRCT",
        {rf"jRCT{_GAP}([0-9]{{10}})": "jRCT{}", r"jRCTs ?([0-9]{9})": "jRCTs{}"},
        "https://jrct.mhlw.go.jp/en-latest-detail/{}",
    ),
    TrialRegistry(
        "ctri",
        "CTRI",
        {r"CTRI ?[/-](20[0-9]{2})[/-]([0-9]{2,3})[/-]([0-9]{6})": "CTRI/{}/{}/{}"},
        _ICTRP,
    ),
    TrialRegistry("irct", "IRCT", {rf"IRCT{_GAP}([0-9]{{8,17}}N[0-9]{{1,3}})": "IRCT{}"}, _ICTRP),
    TrialRegistry(
        "kct",
        "CRiS",
        {r"KCT ?(00[0-9]{5})": "KCT{}"},
        _ICTRP,
    ),
    TrialRegistry("pactr", "PACTR", {rf"PACTR{_GAP}(20[0-9]{{13,14}})": "PACTR{}"}, _ICTRP),
    # The first character is a digit: "RBR-related" is about a protein.
    TrialRegistry(
        "rebec",
        "ReBec",
        {r"RBR-([0-9][0-9a-z]{5,8})": "RBR-{}"},
        "https://ensaiosclinicos.gov.br/rg/{}",
    ),
    # NTR1234 and NL1234 are also genes, cells and grants.
    TrialRegistry(
        "ntr",
        "NTR",
        {r"NTR[ -]?([0-9]{3,4})": "NTR{}", r"NL[ -]?([0-9]{3,4})": "NL{}"},
        _ICTRP,
        r"ntr[/:(]|(?:netherlands|dutch|nederlands)[ a-z]{0,20} ?trial|trialregister",
    ),
    TrialRegistry("ntr", "NTR", {r"NL-OMON([0-9]{4,6})": "NL-OMON{}"}, _ICTRP),
    TrialRegistry(
        "slctr", "SLCTR", {r"SLCTR[/-](20[0-9]{2})[/-]([0-9]{3})": "SLCTR/{}/{}"}, _ICTRP
    ),
    TrialRegistry("tctr", "TCTR", {rf"TCTR{_GAP}(20[0-9]{{9}})": "TCTR{}"}, _ICTRP),
    TrialRegistry("lbctr", "LBCTR", {rf"LBCTR{_GAP}(20[0-9]{{8}})": "LBCTR{}"}, _ICTRP),
    TrialRegistry(
        "rpcec",
        "RPCEC",
        {rf"RPCEC{_GAP}([0-9]{{8}})": "RPCEC{}"},
        "https://rpcec.sld.cu/en/trials/{}-En",
    ),
    TrialRegistry(
        "repec", "REPEC", {r"PER-([0-9]{3})-([0-9]{2})": "PER-{}-{}"}, _ICTRP, r"repec|peru|ensayos"
    ),
    TrialRegistry(
        "hkuctr",
        "HKUCTR",
        {r"HKUCTR[ -]{0,2}([0-9]{1,5})": "HKUCTR-{}"},
        "http://www.hkuctr.com/Study/Show/{}",
    ),
    # A registration of a review, not of a trial: its protocol, the review and what brings the
    # review up to date share it.
    TrialRegistry("prospero", "PROSPERO", {r"CRD ?(42[0-9]{9,10})": "CRD{}"}, _PROSPERO),
)

#: The schemes of registration numbers: never evidence that two records are of one work.
SCHEMES = frozenset(registry.scheme for registry in REGISTRIES)
_BY_SCHEME = {registry.scheme: registry for registry in reversed(REGISTRIES)}

#: Each form apart: (registry, pattern, usual form).
_FORMS = tuple(
    (registry, pattern, form) for registry in REGISTRIES for pattern, form in registry.forms.items()
)
#: One group for each form, within which are those of the form itself.
_ALL = late_pattern(
    "(?<![0-9A-Za-z])(?:"
    + "|".join(f"(?P<f{place}>{pattern})" for place, (_, pattern, _) in enumerate(_FORMS))
    + ")(?![0-9A-Za-z]|-[0-9])",
    re.IGNORECASE,
)
_ONE = tuple(late_pattern(pattern, re.IGNORECASE) for _, pattern, _ in _FORMS)
#: Characters before a number in which the name of its registry is looked for.
_BEFORE = 100
_NAMES = {one.scheme: late_pattern(one.names, re.IGNORECASE) for one in REGISTRIES if one.names}
#: Other hyphens, other blanks, and letters and digits of full width, as Chinese texts have them.
_PLAIN = (
    dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE63, 0xFF0D], "-")
    | dict.fromkeys([0xA0, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000, 0x0A, 0x0D, 0x09], " ")
    | {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B)}
)


def registrations(text: str, *, alone: bool = False) -> dict[str, str]:
    """The registration numbers in a text by registry, each once, in order.

    `alone`: the text is of a field for nothing else, so that no name need stand beside a number.

    >>> registrations("ClinicalTrials.gov (NCT01234567 and nct 07654321), ISRCTN12345678")
    {'nct': 'NCT01234567, NCT07654321', 'isrctn': 'ISRCTN12345678'}
    """
    if not _may_hold_one(text):
        return {}
    found = _numbers_in(_plain(text), alone=alone)
    return _by_registry((scheme, number) for scheme, number, _, _ in found)


#: Digits that a number may begin with, or the only ones of ReBec's and of Hong Kong's.
_PART = late_pattern(
    r"[0-9](?:[0-9]{2,}|(?<=RBR-[0-9])|(?<=rbr-[0-9])|(?<=HKUCTR-[0-9])|(?<=hkuctr-[0-9]))"
)


def _may_hold_one(text: str) -> bool:
    """Whether a text has digits of which one of the numbers may be made; a cheap question."""
    return not text.isascii() or _PART.search(text, 0, LONGEST) is not None


#: The letters before such digits, backwards, so that they are compared at one place: most digits of
#: a text are years, and to try all forms around each of them takes a hundred times as long.
_LETTERS_BEFORE = late_pattern(
    r"C?[ :#/-]{0,3}(?:(?:\.?on|rebmun|reifitnedi|di) ?)?(?:(?:yrt|ret)siger )?"
    r"(?:TCN|NTCR|[O0]?NRTC|SKRD|RTC|[A-Z]{2,5}- ?RTC|NIMU|ITC|AII"
    r"|s? ?TCR|IRTC|TCK|RTN|LN|NOMO|CEC|REP|DRC|RBR)",
    re.IGNORECASE,
)
#: The sign and digit behind the year of a European number.
_BEHIND_YEAR = ("-0", "-5")
#: Characters before such digits, and behind them, in which the whole number lies.
_AROUND = 50


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers may be: begin and end of each stretch, none of which overlap."""
    begin, end = 0, -1
    for hit in _PART.finditer(text):
        start = hit.start()
        before = text[max(0, start - _AROUND) : start][::-1]
        digits = hit.end() - start
        if (
            digits >= 3
            and not _LETTERS_BEFORE.match(before)
            and not (digits == 4 and text.startswith(_BEHIND_YEAR, hit.end()))
        ):
            continue
        if start - _AROUND > end:
            if end >= 0:
                yield begin, end
            begin = max(0, start - _AROUND)
        end = hit.end() + _AROUND
    if end >= 0:
        yield begin, end


def _numbers_in(text: str, *, alone: bool) -> Iterator[tuple[str, str, int, int]]:
    """(registry, number, where it begins and ends) in a text that is plain."""
    for stretch in _stretches(text):
        for hit in _ALL.finditer(text, *stretch):
            place = int((hit.lastgroup or "f0")[1:])
            registry, _, form = _FORMS[place]
            start = hit.start()
            if registry.names and not alone:
                before = text[max(0, start - _BEFORE) : start]
                if not _NAMES[registry.scheme].search(before):
                    continue
            one = _ONE[place].fullmatch(hit.group())
            if one is not None:
                number = form.format(*map(_as_registry_writes, one.groups()))
                yield registry.scheme, number, start, hit.end()


def _as_registry_writes(part: str) -> str:
    """ "TRC" in capitals, "6gk3g9" in small letters, as the registries write them."""
    return part.lower() if _SMALL.fullmatch(part) else part.upper()


_SMALL = re.compile(r"[0-9][0-9a-z]{5,8}", re.IGNORECASE)


def _plain(text: str) -> str:
    """The same text, of as many characters, with plain hyphens, blanks and digits."""
    text = text[:LONGEST]
    return text.translate(_PLAIN) if not text.isascii() or "\n" in text or "\t" in text else text


def _by_registry(found: Iterator[tuple[str, str]]) -> dict[str, str]:
    numbers: dict[str, dict[str, None]] = {}
    for scheme, number in found:
        of_registry = numbers.setdefault(scheme, {})
        if len(of_registry) < MOST:
            of_registry[number] = None
    return {scheme: SEPARATOR.join(several) for scheme, several in numbers.items()}


def numbers(value: str) -> list[str]:
    """The numbers in a value of `Record.ids`."""
    return value.split(SEPARATOR)


def each_identifier(ids: Mapping[str, str]) -> list[tuple[str, str]]:
    """Scheme and identifier of each, sorted, several numbers of one registry one by one."""
    return [
        (scheme, number)
        for scheme, value in sorted(ids.items())
        for number in (numbers(value) if scheme in SCHEMES else (value,))
    ]


def merge_ids(*ids: Mapping[str, str]) -> dict[str, str]:
    """Identifiers of several sayings about one work: all registration numbers; of any other scheme
    what the first one says.
    """
    out: dict[str, str] = {}
    for some in ids:
        for scheme, value in some.items():
            if scheme not in out:
                out[scheme] = value
            elif scheme in SCHEMES and out[scheme] != value:
                several = dict.fromkeys([*numbers(out[scheme]), *numbers(value)])
                out[scheme] = SEPARATOR.join([*several][:MOST])
    return out


def link(scheme: str, number: str) -> str | None:
    registry = _BY_SCHEME.get(scheme)
    return registry.link.format(number) if registry and registry.link else None


def name_of(scheme: str) -> str:
    """What the registry of a scheme is called; the scheme itself where it is none."""
    registry = _BY_SCHEME.get(scheme)
    return registry.name if registry else scheme


# What an abstract says of its own registration. It may name other trials too, so a number counts
# only behind a word that says that it is one: "Trial registration: ...", "registered with ...
# (NCT...)", "ClinicalTrials.gov Identifier: ...", "注册号".

#: "registries" and "registers" are what a review has searched. The name of the registry is such a
#: word where a sentence begins with it, or "number" follows.
_WORDS = late_pattern(
    r"regist(?!ries|ers\b)|identifier|identificador|identifiant|prospero"
    r"|(?:^|[.;!?)\]] ?)clinical ?trials(?:\.gov)?"
    r"|clinical ?trials?(?:\.gov)? (?:number|no\b|id\b|#)"
    r"|\btrial (?:number|no\b|id\b)|reg\.? ?no"
    r"|注册|登记|註冊|登記|登録|등록|регистр",
    re.IGNORECASE,
)
#: Characters between such a word and the number, and between a number and the next one.
_BEHIND, _NEXT = 120, 60
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]])[.!?] +(?=[A-Z])|。")


def of_abstract(text: str) -> dict[str, str]:
    """The registration numbers that an abstract says are those of the work, by registry.

    >>> of_abstract("NCT00000001 was stopped. Trial registration: NCT01234567, NCT07654321.")
    {'nct': 'NCT01234567, NCT07654321'}
    """
    return _by_registry(_own(_plain(text))) if _may_hold_one(text) else {}


def _own(text: str) -> Iterator[tuple[str, str]]:
    last = -1  # where the last number of the work ends
    for scheme, number, start, end in _numbers_in(text, alone=False):
        begin = max(0, start - _BEHIND)
        said = None
        # The nearest word is what matters: another sentence may lie behind one before.
        for said in _WORDS.finditer(text, begin, start):  # noqa: B007
            pass
        follows = (
            0 <= last and start - last <= _NEXT and not _SENTENCE_END.search(text, last - 1, start)
        )
        if follows or (said is not None and not _ends(text[said.end() : start])):
            last = end
            yield scheme, number


def _ends(behind: str) -> bool:
    """Whether a sentence ends between such a word, or the rest of one, and a number.

    A full stop behind a noun is that of a heading: "Trial registration. NCT...".
    """
    rest = behind.lstrip(_LETTERS)
    heading = not behind[: len(behind) - len(rest)].lower().endswith("ed")
    return _SENTENCE_END.search(behind, len(behind) - len(rest) + heading) is not None


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def with_own(ids: dict[str, str], title: str | None, abstract: str | None) -> dict[str, str]:
    """The identifiers of a record, and the registration numbers that its title and abstract say are
    those of the work; the same table where there are none.
    """
    named = registrations(title) if title else {}
    own = of_abstract(abstract) if abstract else {}
    return merge_ids(ids, named, own) if named or own else ids


#: Identifiers of a spec under which registration numbers of any registry stand.
ANY = "trials"


def of_record(ids: dict[str, Any], title: str | None, abstract: str | None) -> dict[str, Any]:
    """`with_own` of what was found in the answer of a database, where `ANY` holds a table."""
    if ANY in ids:
        found = ids.pop(ANY)
        ids = merge_ids(ids, found)
    return with_own(ids, title, abstract)
