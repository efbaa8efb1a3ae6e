"""Registration numbers of trials: in texts, in abstracts, in records."""

from __future__ import annotations

from metasearch.bib import trials
from metasearch.bib.trials import merge_ids, of_abstract, registrations
from tests.cases import each


@each(
    ("text", "scheme", "number"),
    [
        ("NCT03456789", "nct", "NCT03456789"),
        ("nct 03456789", "nct", "NCT03456789"),
        ("https://clinicaltrials.gov/ct2/show/NCT03456789?rank=1", "nct", "NCT03456789"),
        ("ＮＣＴ０３４５６７８９", "nct", "NCT03456789"),
        ("ISRCTN: 24680135", "isrctn", "ISRCTN24680135"),
        ("ISRCTN registry number 24680135", "isrctn", "ISRCTN24680135"),
        ("ACTRN012607000123456", "actrn", "ACTRN12607000123456"),
        ("ACTRN12615000001549p", "actrn", "ACTRN12615000001549"),
        ("DRKS00012345", "drks", "DRKS00012345"),
        ("ChiCTR-TRC-09000543", "chictr", "ChiCTR-TRC-09000543"),
        ("ChiCTR\u2010IOR\u201016009876", "chictr", "ChiCTR-IOR-16009876"),
        ("注册号chictr2100045678。", "chictr", "ChiCTR2100045678"),
        ("ITMCTR2023000012", "itmctr", "ITMCTR2023000012"),
        ("EUCTR2009-012345-31-DE", "eudract", "2009-012345-31"),
        ("EudraCT number: 2009-012345-31", "eudract", "2009-012345-31"),
        ("2022-500444-12-01", "ctis", "2022-500444-12-01"),
        ("JPRN-UMIN000004321", "umin", "UMIN000004321"),
        ("UMIN-CTR: C000000123", "umin", "UMINC000000123"),
        ("JapicCTI-101234", "japiccti", "JapicCTI-101234"),
        ("JMA-IIA00012", "jmaiia", "JMA-IIA00012"),
        ("jRCT2080223456", "jrct", "jRCT2080223456"),
        ("jRCTs041180012", "jrct", "jRCTs041180012"),
        ("CTRI/2011/091/000123", "ctri", "CTRI/2011/091/000123"),
        ("IRCT20120520009801N7", "irct", "IRCT20120520009801N7"),
        ("KCT0004567", "kct", "KCT0004567"),
        ("PACTR201105000292708", "pactr", "PACTR201105000292708"),
        ("RBR-7TQ9Xp", "rebec", "RBR-7tq9xp"),
        ("Netherlands Trial Register (NTR4567)", "ntr", "NTR4567"),
        ("Dutch trial register, number NL8765", "ntr", "NL8765"),
        ("SLCTR/2014/011", "slctr", "SLCTR/2014/011"),
        ("TCTR20190512003", "tctr", "TCTR20190512003"),
        ("LBCTR2020043210", "lbctr", "LBCTR2020043210"),
        ("RPCEC00000321", "rpcec", "RPCEC00000321"),
        ("REPEC/PER-045-11", "repec", "PER-045-11"),
        ("HKUCTR-2345", "hkuctr", "HKUCTR-2345"),
        ("PROSPERO CRD42017054321", "prospero", "CRD42017054321"),
    ],
)
def test_numbers_as_they_are_published(text: str, scheme: str, number: str) -> None:
    assert registrations(text) == {scheme: number}
    assert (scheme, number) in [
        *registrations(f"{trials.name_of(scheme)}/{number}").items(),
        *registrations(number, alone=True).items(),
    ]
    address = trials.link(scheme, number)
    assert address is not None
    assert number in address


@each(
    "text",
    [
        "NCT034567890",
        "XNCT03456789",
        "R01 NCT0345678",
        "2009-012345-31",  # no name of a register beside
        "call +49 30 2009-012345-31",
        "NTR1234 and NL1234 are receptors",
        "RBR-related and RBR-binding proteins",
        "order PER-045-11",
        "10.1016/j.cct.2010.01.001",
        "ACTRN99",
        "KCT1234567",
        "the grants DFG NL-62-1234, R01-CA012345, 2012-67013-19363",
        "978-3-16-148410-0; 0028-0836; 2021-03-15",
        "",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert registrations(text) == {}


def test_several_numbers_of_several_registries() -> None:
    text = "NCT03456789, NCT01112223, NCT03456789; ISRCTN24680135; EudraCT 2009-012345-31"

    assert registrations(text) == {
        "nct": "NCT03456789, NCT01112223",
        "isrctn": "ISRCTN24680135",
        "eudract": "2009-012345-31",
    }
    assert trials.numbers(registrations(text)["nct"]) == ["NCT03456789", "NCT01112223"]


def test_a_field_for_nothing_else_needs_no_name() -> None:
    assert registrations("2009-012345-31; NTR4567", alone=True) == {
        "eudract": "2009-012345-31",
        "ntr": "NTR4567",
    }


@each(
    ("abstract", "expected"),
    [
        ("TRIAL REGISTRATION: ClinicalTrials.gov, NCT03456789.", "NCT03456789"),
        ("Trial registration. Clinicaltrials.gov NCT03456789 and NCT01112223.",
         "NCT03456789, NCT01112223"),
        ("It is registered with ClinicalTrials.gov, number NCT03456789.", "NCT03456789"),
        ("(Funded by none; LAKES ClinicalTrials.gov number, NCT03456789.)", "NCT03456789"),
        ("ClinicalTrials.gov Identifier: NCT03456789", "NCT03456789"),
        ("It worked. ClinicalTrials.gov: NCT03456789.", "NCT03456789"),
        ("URL: https://www.clinicaltrials.gov. Unique identifier: NCT03456789.", "NCT03456789"),
        ("Registered at the U.S. National Library (NCT03456789). Unlike NCT01112223, it ended.",
         "NCT03456789"),
        ("试验注册号：NCT03456789。", "NCT03456789"),
        ("Registro del ensayo: NCT03456789", "NCT03456789"),
        ("臨床試験登録 NCT03456789", "NCT03456789"),
    ],
)  # fmt: skip
def test_what_an_abstract_says_of_its_own_trial(abstract: str, expected: str) -> None:
    assert of_abstract(abstract) == {"nct": expected}


@each(
    "abstract",
    [
        "Background: NCT03456789 and NCT01112223 found no effect.",
        "Earlier trials (ClinicalTrials.gov NCT03456789) were too small.",
        "We searched trial registries; NCT03456789 was included.",
        "We identified NCT03456789.",
        "All trials were registered. In contrast, NCT03456789 was not.",
    ],
)
def test_other_trials_that_an_abstract_mentions_are_not_its_own(abstract: str) -> None:
    assert of_abstract(abstract) == {}


def test_numbers_of_one_registry_come_together_and_other_identifiers_do_not() -> None:
    first = {"pmid": "1", "nct": "NCT03456789"}
    second = {"pmid": "2", "nct": "NCT01112223, NCT03456789", "isrctn": "ISRCTN24680135"}

    assert merge_ids(first, second) == {
        "pmid": "1",
        "nct": "NCT03456789, NCT01112223",
        "isrctn": "ISRCTN24680135",
    }


def test_so_many_numbers_that_no_record_holds_them() -> None:
    text = " ".join(f"NCT{number:08}" for number in range(10_000_000, 10_000_500))

    found = trials.numbers(registrations(text)["nct"])
    assert len(found) == trials.MOST
    assert len(registrations(text)["nct"]) < 1_000
