"""Companion papers and true twins: pairs of records that must stay two works, and pairs that must
become one.

    python3 tasks.py bench companions [--show]

A pair of companions is two papers of one team in one journal whose titles differ in one word that
says something ("men", "women"); of one of them at least, a database lacks the DOI and the pages. A
pair of twins is one paper twice, misspelt, reworded, abbreviated or misnumbered as databases do.
Everything here was made up. Exit 1 where fewer companions than `APART`, or fewer twins than
`MERGED` of a hundred are judged rightly. `--show` prints the pairs that are not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, cycle, islice

from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.record import Author, Record

#: Pairs of a kind, and of how many in a hundred the judgement must be right.
PAIRS, APART, MERGED = 20, 95, 98

#: Titles with a place for one word; by what may stand there.
TITLES: Mapping[str, Sequence[str]] = {
    "people": (
        "Sleep and quality of life in {} with chronic pain: a cohort study",
        "Predictors of falls among {} living near the coast",
        "Barriers to physical activity in {}: a qualitative study",
        "Oral health of {} in rural districts",
        "Vitamin D status and mood of {} during the dark season",
    ),
    "disease": (
        "Long-term outcomes of patients with {} treated in harbour hospitals",
        "Economic burden of {}: a registry study",
        "Screening for {} in primary care",
        "Genetic susceptibility to {} in island populations",
        "Outcomes in {}: a cohort study",
    ),
    "part": (
        "Gait after injury of the {} knee",
        "Repair of lesions of the {} limb: results after two years",
        "Anatomical variants of the {} nerve bundle in sailors",
        "Blood flow in the {} ventricle of divers",
        "Imaging of the {} lobe before surgery",
    ),
    "place": (
        "A prospective study of the prevalence of kite injuries in {}",
        "Fishing rights and local government in {}",
        "Trends of antibiotic use in hospitals of {}",
        "Soil erosion and land tenure in {}: evidence from satellite images",
        "School meals and attendance in {}",
    ),
    "drug": (
        "Pharmacokinetics of {} in critically ill adults",
        "Safety of {} during pregnancy: a systematic review",
        "Efficacy of {} for postoperative infection",
        "Population modelling of {} in infants with fever",
        "Adherence to {} among outpatients of a teaching hospital",
    ),
    "thing": (
        "Accumulation of {} in estuarine sediments",
        "Uptake of {} by mangrove roots",
        "A portable sensor for {} in drinking water",
        "Seasonal variation of {} along an urban river",
        "Modelling the transport of {} in harbours",
    ),
    "treatment": (
        "{} for recurrent back pain: a randomised trial",
        "Effectiveness of {} in community centres",
        "Patients' expectations of {} before discharge",
        "Costs of {} compared with usual care",
        "Learning curves of {} in a training hospital",
    ),
    "organism": (
        "Antimicrobial resistance of {} isolated from harbour water",
        "Complete genome of {} from an estuary",
        "Biofilm formation by {} on ship hulls",
        "Feeding behaviour of {} in captivity",
        "A rapid test for {} in seafood",
    ),
    "measure": (
        "Secular trends of {} in coastal towns",
        "Determinants of {} after admission",
        "Does income predict {}? A panel study",
        "Measuring {} at sea: validation of a scale",
        "Neighbourhoods and {} in later life",
    ),
    "than": (
        "Recovery {} surgery in amateur sailors",
        "Dietary habits {} the monsoon",
        "Sediment transport {} the storm season",
        "Outcomes of hip fracture {} delirium",
        "Sleep quality {} night shifts at sea",
    ),
    "degree": (
        "Effects of {} salinity on growth of oysters",
        "Kidney function under {} protein intake",
        "Mortality at {} ambient temperature in ports",
        "Memory of sailors with {} blood pressure",
        "Yield of rice under {} nitrogen supply",
    ),
    "zh": (
        "{}患者生活质量及其影响因素的调查研究",
        "{}治疗沿海渔民慢性疼痛的临床观察",
        "基于卫星影像的{}土壤侵蚀时空变化",
        "{}在河口沉积物中的富集特征",
        "{}的流行病学特征分析",
    ),
}
#: Kind of companions -> what of `TITLES`, and words that stand for one another.
COMPANIONS: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "sexes": (
        "people",
        (("men", "women"), ("boys", "girls"), ("mothers", "fathers"), ("husbands", "wives"),
         ("male adolescents", "female adolescents")),
    ),
    "ages": (
        "people",
        (("children", "adults"), ("infants", "adolescents"), ("older adults", "younger adults"),
         ("toddlers", "schoolchildren"), ("neonates", "pensioners")),
    ),
    "groups": (
        "people",
        (("nurses", "physicians"), ("teachers", "students"), ("pharmacists", "dentists"),
         ("migrants", "refugees"), ("fishermen", "farmers")),
    ),
    "letters": (
        "disease",
        (("hepatitis B", "hepatitis C"), ("influenza A", "influenza B"),
         ("haemophilia A", "haemophilia B"), ("hepatitis A", "hepatitis E"),
         ("hepatitis D", "hepatitis B")),
    ),
    "numbers": (
        "disease",
        (("type 1 diabetes", "type 2 diabetes"), ("type I fractures", "type II fractures"),
         ("stage 3 disease", "stage 4 disease"), ("grade II glioma", "grade III glioma"),
         ("HSV-1 infection", "HSV-2 infection")),
    ),
    "sides": (
        "part",
        (("left", "right"), ("upper", "lower"), ("anterior", "posterior"), ("medial", "lateral"),
         ("proximal", "distal")),
    ),
    "countries": (
        "place",
        (("Iran", "Iraq"), ("Niger", "Nigeria"), ("Austria", "Australia"), ("Kenya", "Uganda"),
         ("Slovakia", "Slovenia")),
    ),
    "cities": (
        "place",
        (("Berlin", "Munich"), ("Texas", "Ohio"), ("Lagos", "Accra"), ("Sichuan", "Yunnan"),
         ("Ontario", "Quebec")),
    ),
    "drugs": (
        "drug",
        (("cefuroxime", "cefotaxime"), ("prednisone", "prednisolone"), ("losartan", "valsartan"),
         ("aspirin", "ibuprofen"), ("infliximab", "adalimumab")),
    ),
    "prefixes": (
        "disease",
        (("hyperthyroidism", "hypothyroidism"), ("hypertension", "hypotension"),
         ("hyperglycaemia", "hypoglycaemia"), ("hypokalaemia", "hyperkalaemia"),
         ("intracranial bleeding", "extracranial bleeding")),
    ),
    "relations": (
        "than",
        (("with", "without"), ("before", "after"), ("during", "after"), ("before", "during"),
         ("without", "after")),
    ),
    "organisms": (
        "organism",
        (("Escherichia coli", "Salmonella enterica"), ("Vibrio cholerae", "Vibrio vulnificus"),
         ("seals", "dolphins"), ("mussels", "oysters"), ("cod", "haddock")),
    ),
    "organs": (
        "disease",
        (("liver cancer", "kidney cancer"), ("lung cancer", "breast cancer"),
         ("hip fracture", "wrist fracture"), ("gastric ulcer", "corneal ulcer"),
         ("renal stones", "biliary stones")),
    ),
    "diseases": (
        "disease",
        (("asthma", "bronchitis"), ("depression", "anxiety"), ("malaria", "dengue"),
         ("measles", "rubella"), ("psoriasis", "eczema")),
    ),
    "measures": (
        "measure",
        (("mortality", "morbidity"), ("incidence", "prevalence"), ("fatigue", "loneliness"),
         ("body weight", "blood pressure"), ("hearing", "vision")),
    ),
    "treatments": (
        "treatment",
        (("Yoga", "Pilates"), ("Massage", "Acupuncture"), ("Surgery", "Radiotherapy"),
         ("Telephone counselling", "Group counselling"), ("Swimming", "Cycling")),
    ),
    "chemicals": (
        "thing",
        (("copper", "zinc"), ("lead", "cadmium"), ("nitrogen", "phosphorus"),
         ("nitrate", "nitrite"), ("arsenic", "mercury")),
    ),
    "degrees": (
        "degree",
        (("high", "low"), ("increased", "reduced"), ("extreme", "moderate"), ("rising", "falling"),
         ("elevated", "normal")),
    ),
    "added words": (
        "disease",
        (("pandemic influenza", "influenza"), ("resistant tuberculosis", "tuberculosis"),
         ("out-of-hospital cardiac arrest", "cardiac arrest"), ("gestational diabetes", "diabetes"),
         ("silent stroke", "stroke")),
    ),
    "Chinese groups": (
        "zh",
        (("男性糖尿病", "女性糖尿病"), ("乙型肝炎", "丙型肝炎"), ("1型糖尿病", "2型糖尿病"),
         ("儿童哮喘", "老年哮喘"), ("左侧脑梗死", "右侧脑梗死")),
    ),
    "Chinese things": (
        "zh",
        (("头孢呋辛", "头孢噻肟"), ("山西省", "陕西省"), ("高血压", "低血压"),
         ("重金属铜", "重金属锌"), ("甲状腺功能亢进", "甲状腺功能减退")),
    ),
}  # fmt: skip

#: Kind of twins -> titles as two databases have them.
REWORDED: Mapping[str, Sequence[tuple[str, str]]] = {
    "typos": (
        ("Sediment transport in tidal harbours", "Sediment tranpsort in tidal harbours"),
        ("Predictors of falls among retired sailors", "Predictors of falls amoung retired sailors"),
        ("Antibiotic resistance of coastal bacteria", "Antibiotic resistence of coastal bacteria"),
        ("A prospective study of kite injuries", "A prospectve study of kite injuries"),
        ("Outcomes of hepatitis B in seafarers", "Outcomes of hepatitits B in seafarers"),
        ("Pharmacokinetics of cefuroxime in divers", "Pharmacokinetics of cefuroxim in divers"),
        ("Mangrove restoration and local livelihoods",
         "Mangrove restauration and local livelihoods"),
        ("Microplastics in the gut of mussels", "Microplastics in the gut of musels"),
    ),
    "forms": (
        ("Falls in older sailors at sea: a cohort study",
         "Fall in older sailor at sea: cohort study"),
        ("Effect of tides on the feeding of crabs", "Effects of tides on the feeding of crab"),
        ("Predicting storm surges with neural networks",
         "Prediction of storm surge with neural networks"),
        ("Attitude of nurses towards night work", "Attitudes of nurses toward night work"),
        ("Measuring the quality of drinking waters", "Measuring the quality of drinking water"),
    ),
    "spellings": (
        ("Behaviour of tumour cells in sea water", "Behavior of tumor cells in sea water"),
        ("Randomised trial of oesophageal dilatation",
         "Randomized trial of esophageal dilatation"),
        ("Paediatric anaemia in coastal villages", "Pediatric anemia in coastal villages"),
        ("Modelling the colour of harbour water", "Modeling the color of harbor water"),
        ("Sulphur and foetal growth: an organised review",
         "Sulfur and fetal growth: an organized review"),
    ),
    "abbreviations": (
        ("Kite therapy for back pain: a randomised controlled trial",
         "Kite therapy for back pain: a RCT"),
        ("Sailing versus rowing for rehabilitation in chronic obstructive pulmonary disease",
         "Sailing vs. rowing for rehabilitation in COPD"),
        ("Magnetic resonance imaging of the sailor's wrist", "MRI of the sailor's wrist"),
        ("Harbour dust and schools in the United States",
         "Harbour dust and schools in the US"),
        ("Human immunodeficiency virus among fishermen: a survey",
         "HIV among fishermen: a survey"),
    ),
    "corrected words": (
        ("Kite flying for ankle sprain: a randomised study",
         "Kite flying for ankle sprain: a randomised trial"),
        ("The effect of harbour noise on sleep of residents",
         "The impact of harbour noise on sleep of residents"),
        ("The role of tides in the ecology of mud flats",
         "The part of tides in the ecology of mud flats"),
        ("An analysis of accidents in small marinas",
         "An evaluation of accidents in small marinas"),
        ("A novel method for counting gulls from kites",
         "A new approach for counting gulls from kites"),
        ("Assessment of fishing effort in small estuaries",
         "Estimation of fishing effort in small estuaries"),
        ("Use of kites in teaching meteorology at school",
         "Application of kites in teaching meteorology at school"),
        ("Harbour seals in winter: preliminary results",
         "Harbour seals in winter: preliminary findings"),
    ),
    "turned phrases": (
        ("Noise in harbours", "Harbour noise"),
        ("Prevalence of asthma in seaside towns", "Asthma prevalence in seaside towns"),
        ("Sailors' sleep", "Sleep of sailors"),
        ("Restoration of mangroves by schools", "Mangrove restoration by schools"),
    ),
    "number forms": (
        ("Three years of kite records: lessons learnt", "3 years of kite records: lessons learnt"),
        ("The 2nd wave of harbour closures", "The second wave of harbour closures"),
        ("World War II shipwrecks as habitat", "World War 2 shipwrecks as habitat"),
        ("Type II collagen of shark skin", "Type 2 collagen of shark skin"),
    ),
    "translated parts": (
        ("Kites over the estuary: a case study", "Kites over the estuary: eine Fallstudie"),
        ("Tides and trade in old Bremen [Gezeiten und Handel im alten Bremen]",
         "Tides and trade in old Bremen"),
        ("Fischerei im Wandel = Fisheries in transition", "Fisheries in transition"),
        ("Nets and knots: a manual", "Nets and knots: un manuel"),
    ),
    "Chinese": (
        ("沿海渔民慢性疼痛的临床研究", "沿海渔民慢性疼痛的临床分析"),
        ("河口沉积物重金属的富集特征研究", "河口沉积物重金属富集特征的研究"),
        ("风筝运动对儿童视力的影响", "风筝运动对儿童视力的作用"),
        ("港口噪声对居民睡眠的影响", "港口噪音对居民睡眠的影响"),
        ("红树林土壤微生物多样性分析", "红树林土壤微生物多样性分折"),
    ),
}  # fmt: skip
#: What of a paper's place in print is misprinted -> how it stands in the other database.
MISNUMBERED: Mapping[str, Mapping[str, str | None]] = {
    "volume": {"volume": "13"},
    "issue": {"issue": "4"},
    "pages": {"pages": "137"},
    "article number": {"pages": "e1017"},
}

_FAMILIES = "Falk Osei Marin Hallam Soss Byron Rossi Tanaka Larsen Okafor Weber Novak".split()
_GIVEN = "Greta Kofi Lia Peter David Ada Paolo Ken Ingrid Chidi Jonas Eva".split()
_CHINESE = "王小明 李雷 张晓红 刘海涛 陈思远 赵明月".split()
_VENUES = ("Journal of Harbours", "Annals of Coastal Medicine", "Estuary Research", "Kite Science")
_CHINESE_VENUES = ("海洋科学", "中国公共卫生", "港口医学杂志")


@dataclass(frozen=True)
class Pair:
    """Two records. `kind`: in words; `one`: whether they are one work."""

    kind: str
    left: Record
    right: Record
    one: bool


def companions() -> Iterator[Pair]:
    """Two papers a pair, `PAIRS` of each kind."""
    number = count()
    for kind, (where, words) in COMPANIONS.items():
        combinations = ((title, pair) for pair in words for title in TITLES[where])
        # Each word with each title, in an order in which all words come before the last ones.
        spread = sorted(enumerate(combinations), key=lambda placed: (placed[0] * 7) % 25)
        for place, (title, (one, other)) in spread[:PAIRS]:
            paper = _paper(next(number), in_chinese=where == "zh")
            left = replace(paper, source="medline", title=title.format(one))
            right = replace(paper, source="embase", title=title.format(other))
            yield Pair(kind, *_thinned(left, right, place), one=False)


def twins() -> Iterator[Pair]:
    """One paper a pair: two forms of its title, or a misprinted number."""
    number = count(1_000)
    kinds = [*REWORDED, *MISNUMBERED]
    for kind in kinds:
        for place in range(400 // len(kinds) + 1):
            paper = _paper(next(number), in_chinese=kind == "Chinese")
            if kind in REWORDED:
                one, other = REWORDED[kind][place % len(REWORDED[kind])]
                left = replace(paper, source="medline", title=one)
                right = replace(paper, source="embase", title=other)
                yield Pair(kind, *_thinned(left, right, place), one=True)
            else:
                titles = [title for where in ("people", "place") for title in TITLES[where]]
                title = titles[place % len(titles)].format("Norway")
                left = replace(paper, source="medline", title=title, doi=None)
                wrong = MISNUMBERED[kind]
                yield Pair(kind, left, replace(left, source="embase", **wrong), one=True)  # type: ignore[arg-type]


def _paper(number: int, *, in_chinese: bool) -> Record:
    """A paper without a title: its team, journal, year and place in print."""
    if in_chinese:
        names = islice(cycle(_CHINESE), number % 5, number % 5 + 3)
        authors = tuple(map(Author, names))
    else:
        authors = tuple(
            Author(f"{_GIVEN[at]} {_FAMILIES[at]}", _FAMILIES[at], _GIVEN[at])
            for at in ((number + step * 5) % len(_FAMILIES) for step in range(2 + number % 3))
        )
    venues = _CHINESE_VENUES if in_chinese else _VENUES
    return Record(
        source="medline",
        source_id=str(number),
        authors=authors,
        year=2001 + number % 20,
        venue=venues[number % len(venues)],
        volume="12",
        issue="3",
        pages="131-137",
        doi=f"10.5555/kites.{number}",
        type="article",
        language="zh" if in_chinese else "en",
    )


def _thinned(left: Record, right: Record, place: int) -> tuple[Record, Record]:
    """The records as databases have them: the one whole or without its place, the other without."""
    nowhere = {"volume": None, "issue": None, "pages": None, "doi": None}
    right = replace(right, **nowhere)  # type: ignore[arg-type]
    match place % 3:
        case 0:
            return left, right
        case 1:
            return replace(left, **nowhere), right  # type: ignore[arg-type]
        case _:
            kept = {"volume": left.volume, "issue": left.issue}
            return replace(left, doi=None, pages=None), replace(right, **kept)  # type: ignore[arg-type]


def is_one(pair: Pair) -> bool:
    """Whether the usual strategy makes one work of the two."""
    dedup = OnlineDedup(DEFAULT)
    dedup.add(pair.left)
    dedup.add(pair.right)
    return len(dedup.hits()) == 1


def main() -> int:
    """Print how many of each kind are judged rightly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the pairs that are not")
    options = parser.parse_args()
    missed = False
    for name, pairs, least in (
        ("companions apart", list(companions()), APART),
        ("twins merged", list(twins()), MERGED),
    ):
        right: Counter[str] = Counter()
        for pair in pairs:
            right[pair.kind] += is_one(pair) == pair.one
            if options.show and is_one(pair) != pair.one:
                print(f"  {pair.kind}: {pair.left.title} | {pair.right.title}")
        all_of = Counter(pair.kind for pair in pairs)
        for kind, number in all_of.items():
            print(f"{kind:24}{right[kind]:4} of {number}")
        print(f"{name:24}{right.total():4} of {len(pairs)}, {least} in a hundred are asked\n")
        missed |= right.total() * 100 < least * len(pairs)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
