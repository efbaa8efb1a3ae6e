"""The pages hang together, and say what the code says; pages with much to check have a test file of
their own."""

from __future__ import annotations

import inspect
import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from metasearch import errors
from metasearch.adapters.specs.registry import Registry
from metasearch.cli.root import root
from metasearch.settings import Settings
from metasearch.settings.settings import keys
from tests.cases import each
from tests.extras import EXTRAS, FOR_TESTS

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
CHORES = runpy.run_path(str(ROOT / "tasks.py"))
TASKS = set(CHORES["TASKS"])


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links() -> Iterator[tuple[Path, str]]:
    """Every relative link of every page."""
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                yield page, target


def leads_nowhere(page: Path, target: str) -> bool:
    """Whether the file of a link is not there, or the heading not in it."""
    path, _, anchor = unquote(target).partition("#")
    file = (page.parent / path).resolve() if path else page
    return not file.exists() or bool(anchor and anchor not in anchors(file))


def test_every_link_leads_somewhere() -> None:
    """The file is there, and the heading in it."""
    assert [f"{page.name}: {to}" for page, to in links() if leads_nowhere(page, to)] == []
    assert leads_nowhere(ROOT / "README.md", "docs/no-such-page.md")
    assert leads_nowhere(ROOT / "README.md", "#no-such-heading")


#: Where a newcomer looks first for the answer to a question about the code.
QUESTIONS = {
    "Where is RIS read?": "metasearch/formats/ris.py",
    "Where is Crossref's rate limit?": "adapter_specs/crossref.toml",
    "Where does it say why two records were merged?": "metasearch/dedup/explain.py",
    "Which file decides the order of hits?": "metasearch/engine/rank.py",
    "Where is CQL read?": "metasearch/query/cql.py",
    "Where is an address refused that is inside our network?": "metasearch/adapters/fetch/guard.py",
    "Where are names in Pinyin compared?": "metasearch/bib/chinese_names.py",
    "Where is a DOI brought into its usual form?": "metasearch/bib/identifiers.py",
    "Where does a person's decision about two records hold?": "metasearch/dedup/pins.py",
    "Where is an OAI-PMH repository harvested?": "metasearch/collections/harvest.py",
    "Where is the cache key of a page made?": "metasearch/adapters/fetch/page_cache.py",
}


@each("question", QUESTIONS)
def test_questions_of_a_newcomer(question: str) -> None:
    """The file that answers it is there, and docs/architecture.md names its folder."""
    path = Path(QUESTIONS[question])
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

    assert (ROOT / path).is_file()
    assert any(
        f"`{folder.as_posix().removeprefix('metasearch/')}/" in page
        for folder in path.parents
        if folder.name not in ("", "metasearch")
    )


def named_paths(page: str) -> list[str]:
    """The files and folders that the tables of a page name; `NAME` stands for any."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\|$", text, re.MULTILINE)
    return sorted(set(re.findall(r"`([\w/]+(?:/|\.py|\.toml))`", "\n".join(rows))))


@each(
    ("page", "path"),
    [(page, path) for page in ("architecture.md", "glossary.md") for path in named_paths(page)],
)
def test_files_that_the_tables_name_are_there(page: str, path: str) -> None:
    """A path is below the root, below the package, or (a bare name) in a folder of its row."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|") and f"`{path}`" in line]
    folders = ["", "metasearch/"]
    folders += [f"metasearch/{name}" for row in rows for name in re.findall(r"`([\w/]+/)`", row)]

    assert any(
        next(ROOT.glob((folder + path).replace("NAME", "*").rstrip("/")), None)
        for folder in folders
    )


def test_every_page_can_be_found() -> None:
    """README names every page of docs/, and the folder of decisions."""
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page, target in links()
        if page.name == "README.md"
    }

    assert set((ROOT / "docs").glob("*.md")) | {ROOT / "docs" / "decisions"} <= linked


@each("page", PAGES, ids=lambda page: page.name)
def test_every_task_that_a_page_names_is_there(page: Path) -> None:
    """`tasks.py WORD` is a task."""
    assert set(re.findall(r"tasks\.py ([a-z]+)", page.read_text(encoding="utf-8"))) <= TASKS


def test_readme_begins_with_two_commands_that_work() -> None:
    """The first two commands are a demo search and all tests."""
    assert re.findall(r"^    python3 tasks\.py (\w+)", README, re.MULTILINE)[:2] == ["demo", "test"]


def test_every_task_explains_itself() -> None:
    """The help of tasks.py names every task, and each knows what it needs."""
    assert set(re.findall(r"tasks\.py (\w+)", CHORES["__doc__"])) == TASKS == set(CHORES["NEEDS"])


def test_the_options_in_readme_are_there() -> None:
    """Every option in an example of README belongs to some command."""
    known = {
        name
        for command in root.commands.values()
        for option in command.params
        for name in option.opts
    }
    lines = re.findall(r"^    metasearch (.*?)(?:  +#.*)?$", README, re.MULTILINE)

    assert len(lines) >= 3
    for line in lines:
        assert {word for word in shlex.split(line) if word.startswith("-")} <= known


def test_changelog_has_a_place_for_what_is_new() -> None:
    """What is not released yet stands first."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.findall(r"^## (.*)$", changelog, re.MULTILINE)[0].endswith("(unreleased)")


@each(("table", "key"), [(table, key) for table, of_one in keys().items() for key in of_one])
def test_every_setting_is_explained(table: str, key: str) -> None:
    """A key that the configuration may have is in the example, under its table."""
    example = CONFIGURATION.partition("```toml")[2].partition("```")[0]
    block = example.partition(f"[{table}]")[2].partition("\n[")[0]

    assert re.search(rf"^{key} *= ", block, re.MULTILINE)


def test_the_example_of_a_configuration_can_be_used(tmp_path: Path) -> None:
    """Copied as it stands it has no problem, and neither have the sources that it adds and
    changes."""
    file = tmp_path / "config.toml"
    file.write_text(CONFIGURATION.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")

    registry = Registry(Settings.load(file, {}))

    assert registry.spec("mylibrary").label == "My Library"
    assert registry.spec("crossref").weight == 0.5
    assert "mylibrary" in registry.default()


def test_every_variable_is_explained() -> None:
    """A METASEARCH_ variable that the package reads is on the page."""
    sources = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "metasearch").rglob("*.py")
    )
    read = set(re.findall(r'"(METASEARCH_[A-Z_]+)"', sources))

    assert len(read) >= 5
    assert read <= set(re.findall(r"METASEARCH_[A-Z_]+", CONFIGURATION))


def test_every_extra_is_explained() -> None:
    """The table of optional packages has the extras of pyproject.toml."""
    table = CONFIGURATION.partition("## Optional packages")[2]

    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(EXTRAS)


def test_every_extra_is_tested() -> None:
    """The test group has the packages of all extras, in the same versions."""
    versions = {line.partition(";")[0] for line in FOR_TESTS}

    assert {line.partition(";")[0] for lines in EXTRAS.values() for line in lines} <= versions


ERRORS = {
    name: it
    for name, it in inspect.getmembers(errors, inspect.isclass)
    if issubclass(it, errors.MetasearchError)
}
ROWS = {
    cells[1].strip("()`"): cells[2:-1]
    for line in (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \(?`[A-Z]", line) and (cells := [cell.strip() for cell in line.split("|")])
}


def test_every_error_has_its_row() -> None:
    """The tables of docs/errors.md and the tree of errors.py have the same classes."""
    assert set(ROWS) == set(ERRORS)


@each("error", ERRORS.values(), ids=ERRORS)
def test_rows_of_errors(error: type[errors.MetasearchError]) -> None:
    """The facts in a row are the attributes of the class; status word and HTTP status are its
    own."""
    facts, *rest = ROWS[error.__name__]
    made = inspect.getsource(error.__init__) if "__init__" in vars(error) else ""
    own = [error.outcome] if issubclass(error, errors.SourceError) else []

    assert re.findall(r"`(\w+)`", facts) == re.findall(r"self\.(\w+) = ", made)
    assert [cell.strip("`") for cell in rest[: len(own) + 1]] == [*own, str(error.status)]


def test_the_tree_is_drawn() -> None:
    """The drawing at the top of errors.py is the tree of the classes."""
    path, drawn = [], {}
    for indent, name in re.findall(
        r"^    ([│├└─ ]*)([A-Z]\w+)(?:  |$)", errors.__doc__ or "", re.MULTILINE
    ):
        path[len(indent) // 4 :] = [name]
        drawn[name] = path[-2] if len(path) > 1 else "Exception"

    assert drawn == {name: error.__bases__[0].__name__ for name, error in ERRORS.items()}
