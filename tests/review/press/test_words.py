"""Rules on the words of a strategy: misspelt words, other forms, signs for letters, synonyms."""

from __future__ import annotations

import tomllib
from pathlib import Path

from metasearch.review.press.answer import with_mends
from metasearch.review.press.english import PATH, english_words
from metasearch.review.press.findings import Finding, Fix
from metasearch.review.press.form_rules import spellings
from metasearch.review.press.reading import read
from metasearch.review.press.rules import review
from tests.cases import each

STRATEGIES = Path(__file__).parents[2] / "query" / "strategies.toml"
#: Codes of the rules on words.
OF_WORDS = frozenset(
    "cut-root quoted-stem idle-stem other-spelling other-number other-compound misspelling".split()
)


def findings(text: str, syntax: str, code: str) -> list[Finding]:
    """What is found of one code."""
    return [one for one in review(read(text, syntax)) if one.code == code]


def taken(text: str, fix: Fix | None) -> str:
    """The text with a mend taken."""
    assert fix is not None
    return text[: fix.start] + fix.replacement + text[fix.end :]


# ---------------------------------------------------------------- misspelt words


@each(
    ("text", "right"),
    [
        ("hypertenssion.ti.", "hypertension.ti."),
        ("(asthma or treatmnet).ti.", "(asthma or treatment).ti."),
        ("randomzied.ti.", "randomized.ti."),
        ("pschological.ti.", "psychological.ti."),
        ("rehabilitaiton.ti.", "rehabilitation.ti."),
        ("pregnnc*.ti.", "pregnanc*.ti."),
        ("adolesecnt*.ti.", "adolescent*.ti."),
        ("HYPERTENSSION.ti.", "HYPERTENSION.ti."),
        # The strategy has the word itself.
        ("(salt marsh or saltmrash).ti.", "(salt marsh or saltmarsh).ti."),
    ],
)
def test_a_word_one_slip_away_from_a_usual_one_is_a_warning(text: str, right: str) -> None:
    """Its mend is that word, in the same place."""
    [finding] = findings(text, "ovid", "misspelling")

    assert finding.severity == "warning"
    assert taken(text, finding.fix) == right


@each(
    ("text", "syntax"),
    [
        ("(asthma or hypertension or randomised or oesophageal).ti.", "ovid"),
        ("(omeprazole or esomeprazole or sildenafil or tocilizumab).ti.", "ovid"),
        ("(BRCA1 or IL6 or CD4 or T2DM or NIDDM).ti.", "ovid"),
        ("(Fournier or Castleman or Gardner).ti.", "ovid"),
        ("(coinfection or upregulated or neurofeedback or telerehabilitation).ti.", "ovid"),
        ("(pectins or malariae or interferons or integrins or synthases).ti.", "ovid"),
        ("(behavior* or behaviour* or leucocyt* or leukocyt*).ti.", "ovid"),
        ("(tratamento or infantil or gravidez or doença or criança).ti.", "ovid"),
        ("高血压[标题] OR 冠心病[标题]", "sinomed"),
    ],
)
def test_names_drugs_and_other_languages_are_not_misspelt(text: str, syntax: str) -> None:
    """A word that is in no list need not be wrong."""
    assert [one for one in findings(text, syntax, "misspelling") if one.severity != "hint"] == []


def test_of_several_likely_words_none_is_a_mend() -> None:
    """The finding is a hint that names them."""
    [finding] = findings("setlers.ti.", "ovid", "misspelling")

    assert finding.severity == "hint"
    assert "settlers" in finding.message
    assert finding.fix is None


def test_a_misspelling_beside_its_word_is_a_hint() -> None:
    """Whoever looks for both may mean it."""
    [finding] = findings("(ophthalmology or opthalmology).ti.", "ovid", "misspelling")

    assert finding.severity == "hint"


def test_a_misspelt_heading_is_a_hint_without_a_vocabulary() -> None:
    """A vocabulary might have that word."""
    [finding] = findings("exp Hypertenssion/", "ovid", "misspelling")

    assert finding.severity == "hint"


# ---------------------------------------------------------------- signs for letters


@each(
    ("text", "right"),
    [
        ("cat*.ti.", "(cat.ti. OR cats.ti.)"),
        ("(cat* or kitten*).ti.", "(cat OR cats or kitten*).ti."),
        ("rat*.ti.", "(rat.ti. OR rats.ti.)"),
    ],
)
def test_a_stem_of_many_families_is_a_warning(text: str, right: str) -> None:
    """Its mend is the word and its plural."""
    [finding] = findings(text, "ovid", "cut-root")

    assert finding.severity == "warning"
    assert taken(text, finding.fix) == right


@each(
    "stem",
    "gambl harm child adult surg polic univers prevent asthma random school nurs educat depress "
    "tumo exercis pregnan stress diet work tele neuro".split(),
)
def test_a_root_takes_its_own_family(stem: str) -> None:
    """Stems that good strategies have are no mistake."""
    found = findings(f"{stem}*.ti,ab.", "ovid", "cut-root")

    assert [one for one in found if one.severity != "hint"] == []


@each(
    ("syntax", "text", "right"),
    [
        ("cochrane", '"heart attack*":ti', "(heart NEXT attack*):ti"),
        ("cochrane", '"harm*":ti', "harm*:ti"),
        ("scopus", "TITLE({heart attack*})", 'TITLE("heart attack*")'),
    ],
)
def test_signs_that_quotes_make_void_are_warnings(syntax: str, text: str, right: str) -> None:
    """Their mend says the same where the sign counts."""
    [finding] = findings(text, syntax, "quoted-stem")

    assert finding.severity == "warning"
    assert taken(text, finding.fix) == right


@each(("syntax", "text"), [("pubmed", '"heart attack*"[tiab]'), ("scopus", 'TITLE("heart att*")')])
def test_signs_in_quotes_count_on_other_platforms(syntax: str, text: str) -> None:
    """Only where the platform's own syntax says otherwise they are told."""
    assert findings(text, syntax, "quoted-stem") == []


def test_a_sign_behind_a_plural_is_told() -> None:
    """Before its ending it finds both."""
    [finding] = findings("treatments*.ti.", "ovid", "idle-stem")

    assert taken("treatments*.ti.", finding.fix) == "treatment*.ti."


# ---------------------------------------------------------------- other forms


@each(
    ("text", "right"),
    [
        ("(tumour or cancer).ti.", "(tumour OR tumor or cancer).ti."),
        ("paediatr*.ti.", "(paediatr*.ti. OR pediatr*.ti.)"),
        ("randomised.ti.", "(randomised.ti. OR randomized.ti.)"),
    ],
)
def test_the_other_spelling_is_offered(text: str, right: str) -> None:
    """British and American, of words and of stems."""
    [finding] = findings(text, "ovid", "other-spelling")

    assert finding.severity == "hint"
    assert taken(text, finding.fix) == right


@each(
    ("text", "syntax"),
    [
        ("(tumour or tumor).ti.", "ovid"),
        ("tumo?r.ti.", "ovid"),
        ("tumo*.ti.", "ovid"),
        ("(tumour* or tumor*).ti.", "ovid"),
        # The database does it.
        ("TS=(tumour)", "wos"),
        ("TITLE(tumour)", "scopus"),
        ("tumour", "pubmed"),
    ],
)
def test_a_spelling_that_is_there_is_not_offered(text: str, syntax: str) -> None:
    """Nor one that the database finds by itself."""
    assert findings(text, syntax, "other-spelling") == []


def test_web_of_science_takes_quotes_at_their_word() -> None:
    """Between quotes it finds no other spelling."""
    assert findings('TS=("brain tumour")', "wos", "other-spelling") != []


@each(
    ("word", "cut", "others"),
    [
        ("haemorrhage", False, ["hemorrhage"]),
        ("esophageal", False, ["oesophageal"]),
        ("hyperkalaemia", False, ["hyperkalemia"]),
        ("organis", True, ["organiz"]),
        ("colo", True, []),
        ("academic", False, []),
        ("promise", False, []),
        ("exercise", False, []),
    ],
)
def test_spellings_come_from_the_list_and_from_parts_of_words(
    word: str, cut: bool, others: list[str]
) -> None:
    """A beginning of both spellings has no other."""
    assert list(spellings(english_words(), word, cut=cut)) == others


@each(
    ("text", "right"),
    [
        ("(knee or hip*).ti.", "(knee OR knees or hip*).ti."),
        ("heart attack.ti.", "(heart attack.ti. OR heart attacks.ti.)"),
        ("therapies.ti.", "(therapies.ti. OR therapy.ti.)"),
    ],
)
def test_the_other_number_is_offered(text: str, right: str) -> None:
    """The plural of a singular, and the reverse."""
    [finding] = findings(text, "ovid", "other-number")

    assert finding.severity == "hint"
    assert taken(text, finding.fix) == right


@each("text", ["(knee or knees).ti.", "knee*.ti.", "gambling.ti.", "cardiac.ti.", "obesity.ti."])
def test_a_number_that_is_there_is_not_offered(text: str) -> None:
    """Nor one that there is not."""
    assert findings(text, "ovid", "other-number") == []


@each(
    ("text", "right"),
    [
        ("health care.ti.", "(health care.ti. OR healthcare.ti.)"),
        ("post-operative.ti.", "(post-operative.ti. OR postoperative.ti.)"),
        ("tele-medicin*.ti.", "(tele-medicin*.ti. OR telemedicin*.ti.)"),
        ("burnout.ti.", "(burnout.ti. OR burn-out.ti.)"),
    ],
)
def test_words_apart_and_in_one_are_offered(text: str, right: str) -> None:
    """Each beside the other."""
    [finding] = findings(text, "ovid", "other-compound")

    assert finding.severity == "hint"
    assert taken(text, finding.fix) == right


def test_offers_are_no_mends_of_the_whole() -> None:
    """`--fix` takes what is sure: the misspelt word, not the plural that may be wanted."""
    text, count = with_mends("(knee or hypertenssion).ti.", "ovid")

    assert (text, count) == ("(knee or hypertension).ti.", 1)


def test_each_mend_leaves_a_text_that_can_be_read() -> None:
    """Of all strategies that the tests of queries have, in every syntax."""
    table = tomllib.loads(STRATEGIES.read_text(encoding="utf-8"))["strategy"]
    mends = 0
    for each_one in table:
        strategy = read(each_one["text"], each_one["syntax"])
        wrong = sum(line.error is not None for line in strategy.lines)
        for finding in review(strategy):
            if finding.code in OF_WORDS and finding.fix is not None:
                again = read(taken(strategy.text, finding.fix), strategy.syntax)
                assert sum(line.error is not None for line in again.lines) <= wrong, finding
                mends += 1

    assert mends > 10


# ---------------------------------------------------------------- concepts and synonyms

LINES = (
    "1 exp Asthma/\n2 asthma*.ti.\n3 1 or 2\n4 exp Exercise/\n5 exercis*.ti.\n6 4 or 5\n7 3 and 6"
)


@each(
    ("old", "new", "code", "line"),
    [
        ("3 1 or 2", "3 1 or 1", "heading-alone", 1),
        ("3 1 or 2", "3 or/1", "heading-alone", 1),
        ("4 exp Exercise/", "4 (sport* or fitness).ti.", "missing-heading", 4),
    ],
)
def test_a_concept_of_one_kind_among_others_is_told(
    old: str, new: str, code: str, line: int
) -> None:
    """Of headings alone, or of words alone, where others have both."""
    assert findings(LINES, "ovid", code) == []

    [finding] = findings(LINES.replace(old, new), "ovid", code)
    assert (finding.line, finding.severity) == (line, "hint")


@each("text", ["(asthma* or wheez*).ti.", "exp Asthma/ or exp Exercise/"])
def test_a_strategy_of_one_kind_says_nothing_of_concepts(text: str) -> None:
    """A database may have no headings."""
    assert findings(text, "ovid", "missing-heading") == []
    assert findings(text, "ovid", "heading-alone") == []


@each(
    ("syntax", "text", "words"),
    [
        ("pubmed", "stroke[tiab]", "cerebrovascular accident"),
        ("cnki", "TI='中风'+'卒中'", "脑血管意外"),
        ("sinomed", '"心肌梗死"[标题] OR "heart attack"[标题]', "myocardial infarction; 心肌梗塞"),
    ],
)
def test_missing_synonyms_are_told_in_the_languages_of_the_strategy(
    syntax: str, text: str, words: str
) -> None:
    """English ones, Chinese ones, or both."""
    [finding] = findings(text, syntax, "missing-synonym")

    assert str(finding.message).endswith(f": {words}")


# ---------------------------------------------------------------- the list


def test_the_list_of_words_is_small_and_says_where_it_is_from() -> None:
    """400 kB at most; its sections hold what they should."""
    assert PATH.stat().st_size <= 400_000
    words = english_words()

    assert {"treatment", "hospital"} <= words.frequent
    assert "arthroplasty" in words.known | words.usual
    assert not words.frequent & words.usual | words.frequent & words.known
    assert all(
        word in words.spellings[other]
        for word in ("tumor", "center")
        for other in words.spellings[word]
    )
