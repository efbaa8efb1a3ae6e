"""Spec files of the user's own: by path, in a folder, extending one another; what a name means
then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metasearch.adapters.specs import specfile
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.specfile import LONGEST_CHAIN
from metasearch.engine.dry_run import explain_plan
from metasearch.engine.engine import Engine
from metasearch.errors import SettingsError, SpecError, UnknownSource, UsageError
from metasearch.settings import Settings
from tests.cases import each

SPEC = """\
name = "{name}"
label = "{label}"
[request]
url = "https://api.example.org/{name}"
params = {{ q = "{{query}}" }}
[query]
style = "expression"
fields = {{ any = "{{x}}" }}
[parse]
body = "json"
records = "results"
[fields]
title = "title"
"""


def write(folder: Path, name: str = "fx", label: str = "Mine", file: str = "") -> Path:
    """A spec in a file; where it lies."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (file or f"{name}.toml")
    path.write_text(SPEC.format(name=name, label=label), encoding="utf-8")
    return path


def named(settings: Settings, *names: str | Path) -> tuple[Registry, list[str]]:
    """A registry that was told these names, and what they mean."""
    registry = Registry(settings).with_files(names)
    return registry, [registry.name_of(name) for name in names]


def loaded(folder: Path, text: str = "") -> Settings:
    """The settings of a configuration file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return Settings.load(file, {})


# --------------------------------------------------------------------------- by path


@each("name", ["./fx.toml", "fx.toml", "folder/fx", "C:\\fx", Path("fx")])
def test_what_is_a_path(name: str | Path) -> None:
    """A slash of either kind or the ending .toml makes a path; a `Path` is one anyway."""
    assert specfile.is_path(name)


def test_a_name_is_never_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file called "fx" in the folder where a command runs is not the source "fx"."""
    write(tmp_path, file="fx")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownSource):
        named(Settings(), "fx")[0].spec("fx")


def test_a_path_names_a_source(tmp_path: Path) -> None:
    """Beside names and groups; the source is called as the spec says, whatever the file is
    called."""
    path = write(tmp_path, file="a draft.toml")

    registry, names = named(Settings(), "crossref", path, "books")

    assert names == ["crossref", "fx", "books"]
    assert registry.spec("fx").label == "Mine"
    assert registry.expand(names)[:2] == ["crossref", "fx"]


def test_a_spec_without_a_name_is_called_as_its_file(tmp_path: Path) -> None:
    """The newcomer who leaves `name` out has a source all the same."""
    path = write(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace('name = "fx"\n', ""), encoding="utf-8")

    assert named(Settings(), path)[1] == ["fx"]


def test_a_file_is_seen_by_the_search_that_names_it_alone(tmp_path: Path) -> None:
    """The registry of others does not know it, and has the shipped source where the file took its
    place."""
    registry = Registry(Settings())
    shipped = registry.spec("crossref")

    told = registry.with_files([write(tmp_path, "crossref")])

    assert told.spec("crossref").label == "Mine"
    assert registry.spec("crossref") is shipped
    assert "fx" not in registry.names()


def test_own_file_wins_over_a_shipped_source_and_says_so(tmp_path: Path) -> None:
    """Whoever names a file means that file; a note says which source it stands for."""
    path = write(tmp_path, "crossref")
    search = Engine(Settings(), single=True).search("jazz", sources=[path])

    (report,) = search.partial().sources

    assert report.notes == (f"{path} replaces another source of the same name",)


@pytest.mark.parametrize("other", ["crossref", "other/crossref.toml"])
def test_two_sources_of_one_name_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Of two that are named together none may be left out in silence."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "crossref")
    write(tmp_path / "other", "crossref")

    with pytest.raises(UsageError, match="are both called 'crossref'"):
        named(Settings(), other, "crossref.toml")


def test_a_file_twice_is_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However its path is written."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path)

    registry, names = named(Settings(), "./fx.toml", "fx.toml")

    assert registry.expand(names) == ["fx"]


def test_no_such_file(tmp_path: Path) -> None:
    """The error names the path as it was written."""
    with pytest.raises(UsageError, match=r"there is no spec file .*nothing\.toml"):
        named(Settings(), tmp_path / "nothing.toml")


def test_a_device_and_a_huge_file_are_not_read(tmp_path: Path) -> None:
    """Spec files are opened as all files of others are: regular ones, up to a bound."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "huge.toml").write_bytes(b"#" * 300_000)

    for name, what in (("pipe", "named pipe"), ("huge", "larger than")):
        with pytest.raises(SpecError, match=what):
            named(Settings(), tmp_path / f"{name}.toml")


def test_where_only_some_sources_may_be_asked_no_file_is_one(tmp_path: Path) -> None:
    """The demo sends nothing, and a server takes no path from a request, whoever forgets to look at
    it before."""
    path = write(tmp_path)

    with pytest.raises(UsageError, match="only names"):
        named(Settings(shipped=False), path)
    with pytest.raises(UsageError, match="only names"):
        Engine(Settings(), spec_files=False).search("jazz", sources=[str(path)])
    with pytest.raises(UsageError, match="only names"):
        explain_plan("jazz", registry=Engine(Settings(), spec_files=False).registry, sources=path)


def test_an_edited_spec_is_another_search(tmp_path: Path) -> None:
    """The answer of a moment ago is not given again for a file that was changed, or for the source
    it stood for."""
    engine = Engine(Settings(), single=True)
    path = write(tmp_path, "crossref")
    before, shipped = (
        engine.search("jazz", sources=it)._resolved.name for it in (path, "crossref")
    )
    os.utime(path, (1, 1))

    assert len({before, shipped, engine.search("jazz", sources=path)._resolved.name}) == 3


# --------------------------------------------------------------------------- extends


def test_a_spec_extends_a_file_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path begins in the folder of the file that says so, not in that of the command."""
    write(tmp_path / "specs")
    child = tmp_path / "specs" / "child.toml"
    child.write_text('extends = "./fx.toml"\nname = "child"\nlabel = "Child"\n', encoding="utf-8")
    monkeypatch.chdir("/")

    spec = named(Settings(), child)[0].spec("child")

    assert (spec.label, spec.request.url) == ("Child", "https://api.example.org/fx")


def test_a_spec_of_a_shipped_name_extends_the_shipped_one(tmp_path: Path) -> None:
    """`extends = "crossref"` in a crossref.toml of one's own is no ring: a name is a shipped
    spec."""
    path = tmp_path / "crossref.toml"
    path.write_text('extends = "crossref"\nlabel = "Crossref, changed"\n', encoding="utf-8")

    assert named(Settings(), path)[0].spec("crossref").label == "Crossref, changed"


def test_a_ring_of_files_is_told(tmp_path: Path) -> None:
    """Two files that extend each other, or one that extends itself."""
    for name, other in (("a", "b"), ("b", "a"), ("c", "c")):
        (tmp_path / f"{name}.toml").write_text(
            f'extends = "./{other}.toml"\nname = "{name}"\n', encoding="utf-8"
        )

    for name in "ac":
        with pytest.raises(SpecError, match="extends itself"):
            named(Settings(), tmp_path / f"{name}.toml")[0].spec(name)


def test_a_tower_of_files_ends(tmp_path: Path) -> None:
    """More layers than anybody writes are refused."""
    for number in range(LONGEST_CHAIN + 5):
        text = f'extends = "./f{number + 1}.toml"\nname = "f{number}"\n'
        (tmp_path / f"f{number}.toml").write_text(text, encoding="utf-8")

    with pytest.raises(SpecError, match="extends"):
        named(Settings(), tmp_path / "f0.toml")[0].spec("f0")


def test_a_missing_base_is_named(tmp_path: Path) -> None:
    """With its whole path, because it may be another one than was meant."""
    path = tmp_path / "fx.toml"
    path.write_text('extends = "./gone.toml"\n', encoding="utf-8")

    with pytest.raises(SpecError, match=rf"{tmp_path}/gone.toml: 1 problem\n.*no such file"):
        named(Settings(), path)[0].spec("fx")


def test_the_configuration_extends_a_file_beside_it(tmp_path: Path) -> None:
    """`[sources.NAME] extends = "./fx.toml"` begins at the configuration file."""
    write(tmp_path)

    settings = loaded(tmp_path, '[sources.mine]\nextends = "./fx.toml"\n')

    assert Registry(settings).spec("mine").request.url == "https://api.example.org/fx"


# --------------------------------------------------------------------------- the folder


def test_specs_beside_the_configuration_are_sources(tmp_path: Path) -> None:
    """Listed, and asked by default, as whatever the configuration adds."""
    write(tmp_path / "specs")

    registry = Registry(loaded(tmp_path))

    assert "fx" in registry.names()
    assert "fx" in registry.default()
    assert registry.spec("fx").label == "Mine"


def test_specs_beside_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    """The user's folder may hold specs and no config.toml."""
    write(tmp_path / "metasearch" / "specs")
    before = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path)
    try:
        settings = Settings.load(None, {})
    finally:
        os.environ.pop("XDG_CONFIG_HOME") if before is None else os.environ.update(
            XDG_CONFIG_HOME=before
        )

    assert "fx" in Registry(settings).names()


def test_the_folder_can_be_named(tmp_path: Path) -> None:
    """Relative to the configuration; `folder` is a text, and a table of that name is a source."""
    write(tmp_path / "mine")

    assert "fx" in Registry(loaded(tmp_path, '[sources]\nfolder = "mine"\n')).names()
    assert Registry(loaded(tmp_path, '[sources.folder]\nextends = "crossref"\n')).additions == [
        "folder"
    ]
    with pytest.raises(SettingsError, match=r"sources.folder: there is no folder 'gone'"):
        loaded(tmp_path, '[sources]\nfolder = "gone"\n')


def test_a_spec_of_the_folder_wins_over_a_shipped_one_and_says_so(tmp_path: Path) -> None:
    """As a [sources.NAME] table does."""
    path = write(tmp_path / "specs", "crossref")

    registry = Registry(loaded(tmp_path))

    assert registry.spec("crossref").label == "Mine"
    assert registry.stands_for("crossref") == f"{path} replaces another source of the same name"


def test_a_table_of_the_configuration_lies_on_top_of_the_file(tmp_path: Path) -> None:
    """`[sources.fx]` changes specs/fx.toml key by key, and keeps its label."""
    write(tmp_path / "specs")

    registry = Registry(loaded(tmp_path, "[sources.fx]\nweight = 0.5\nenabled = false\n"))

    assert (registry.spec("fx").weight, registry.spec("fx").label) == (0.5, "Mine")
    assert "fx" not in registry.default()


@pytest.mark.parametrize("key", ["enabled", "default"])
def test_a_spec_of_the_folder_can_be_switched_off(tmp_path: Path, key: str) -> None:
    """In the file itself; it is asked where it is named."""
    path = write(tmp_path / "specs")
    path.write_text(f"{key} = false\n{path.read_text(encoding='utf-8')}", encoding="utf-8")

    registry = Registry(loaded(tmp_path))

    assert "fx" not in registry.default()
    assert registry.spec("fx").name == "fx"


@pytest.mark.parametrize(
    ("file", "what"),
    [("other.toml", "the name of the file"), ("My Source.toml", "name of its source")],
)
def test_a_file_of_the_folder_is_called_as_its_source(tmp_path: Path, file: str, what: str) -> None:
    """Names are known without reading the files; one that says otherwise is an error and no
    riddle."""
    write(tmp_path / "specs", file=file)

    with pytest.raises(SpecError, match=what):
        Registry(loaded(tmp_path)).default()


def test_the_demo_does_not_see_the_folder(tmp_path: Path) -> None:
    """Where only the sources of the settings are, a file of the user's is none of them."""
    write(tmp_path / "specs")

    assert Registry(Settings(spec_dir=tmp_path / "specs", shipped=False)).names() == []


# --------------------------------------------------------------------------- names in a program


@each(
    ("given", "names"),
    [
        (None, None),
        ("crossref", ("crossref",)),
        ("crossref, ./fx.toml,crossref", ("crossref", "./fx.toml")),
        (Path("a,b.toml"), (Path("a,b.toml"),)),
        (["a,b.toml"], ("a,b.toml",)),
        (("a", Path("b")), ("a", Path("b"))),
        ("", ()),
    ],
)
def test_names_of(given: specfile.SourcesLike | None, names: tuple[str | Path, ...] | None) -> None:
    """One text is one source, or several with commas; in a list nothing is parted."""
    assert specfile.names_of(given) == names


def test_what_is_no_name() -> None:
    """A number among the sources is told, not asked for."""
    with pytest.raises(UsageError, match="sources: 5 is neither"):
        specfile.names_of([5])  # type: ignore[list-item]
