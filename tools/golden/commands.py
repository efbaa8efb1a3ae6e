"""Goldens of commands: what they print, and what they write and read."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from golden.tree import QUERY, Tree, named, prepare

#: Searches by the functions of the package.
LIBRARY = Path(__file__).resolve().parent / "library.py"


def helps(tree: Tree) -> None:
    """`--help` of every command."""
    coming: list[tuple[str, ...]] = [()]
    with ThreadPoolExecutor(2) as pool:
        while coming:
            texts = pool.map(lambda words: tree.command(*words, "--help", folder="help"), coming)
            coming = [
                (*words, name)
                for words, text in zip(coming, list(texts), strict=True)
                for name in below(text)
            ]


def below(text: bytes) -> list[str]:
    """The commands that a help names."""
    part = re.search(r"(?m)^Commands:\n((?:  .*\n)+)", text.decode())
    return re.findall(r"(?m)^  (\S+)", part[1]) if part else []


QUERIES = (
    QUERY,
    '"salt marsh"[tiab] AND carbon[tiab]',
    "title:(salt marsh*) year:2018-",
    "TITLE-ABS-KEY(gambling AND harm*) AND PUBYEAR > 2015",
    "TS=(gambling NEAR/3 harm*)",
    "(gambl* adj3 harm*).ti,ab.",
    "SU=('水质'+'水体')*'贝类'",
    "dc.title=drive and dc.creator=burt",
    'gene drive author:burt NOT "gene therapy" year:2015-',
    "(gambling",
    "doi:10.1000/182",
)
#: Commands of a machine without anything.
COMMANDS = (
    ("--version",),
    ("sources", "lst"),
    ("--demo", "srch", "x"),
    ("sources", "list"),
    ("sources", "list", "--json"),
    ("sources", "show", "crossref"),
    ("sources", "show", "cnki", "--json"),
    ("sources", "check"),
    ("sources", "schema"),
    ("sources", "new", "my-source", "--like", "json"),
    ("strategies",),
    ("strategies", "--json"),
    ("completion", "bash"),
    ("cache", "stats"),
    ("collections", "list"),
    ("--demo", QUERY),
    ("--demo", QUERY, "--explain", "--json"),
    ("--demo", QUERY, "--explain"),
    ("--demo", QUERY, "--explain-plan"),
    ("--demo", QUERY, "--explain-plan", "--json"),
    ("--demo", "wetland carbon", "--facets", "all", "--versions", "separate", "--sort", "date"),
    ("--demo", "浅水湖泊", "--json", "--facets", "all"),
    ("--demo", "machine learning", "--json", "--dedup", "default", "--rank", "positions"),
    ("--demo", QUERY, "--wait", "0.2", "--json"),
    ("--demo", "(gambling"),
    ("--demo", QUERY, "-s", "nowhere"),
    *(("translate", query, "--json") for query in QUERIES),
    *(("translate", query) for query in QUERIES[:4]),
)
#: Commands of a machine with both examples.
OF_A_REVIEW = (
    ("project", "list"),
    ("project", "list", "--json"),
    ("project", "show"),
    ("project", "show", "--json"),
    ("project", "log"),
    ("project", "log", "--json"),
    ("project", "questions"),
    ("project", "questions", "--json"),
    ("project", "other", "list"),
    ("project", "other", "list", "--json"),
    ("strategy", "list"),
    ("strategy", "list", "--json"),
    ("strategy", "show"),
    ("strategy", "show", "--json"),
    ("strategy", "counts"),
    ("strategy", "counts", "--json"),
    ("strategy", "validate"),
    ("strategy", "validate", "--json"),
    ("strategy", "known", "list"),
    ("strategy", "write", "--syntax", "ovid"),
    ("strategy", "search-file", "write"),
    ("works", "list"),
    ("works", "list", "--json"),
    ("works", "export", "-f", "ris"),
    ("works", "export", "-f", "asreview"),
    ("works", "export", "-f", "csv"),
    ("works", "agreement"),
    ("works", "agreement", "--json"),
    ("works", "conflicts"),
    ("works", "conflicts", "--json"),
    ("works", "pins"),
    ("works", "pins", "--json"),
    ("report", "list"),
    ("report", "list", "--json"),
    ("report", "verify"),
    ("report", "missed"),
    ("report", "missed", "--json"),
    *(
        ("report", kind, "-o", f"{kind}.{ending}")
        for kind in ("appendix", "chaxin", "prisma-flow", "prisma-s")
        for ending in ("html", "md", "json", "docx")
    ),
    ("saved", "list"),
    ("saved", "list", "--json"),
    ("saved", "show", "drives"),
    ("saved", "show", "drives", "--json"),
    ("saved", "news", "drives", "--json"),
    ("user", "list", "--json"),
    ("workspace", "where"),
    ("workspace", "check"),
    ("alerts", "run", "--json"),
)


def commands(tree: Tree) -> None:
    """What commands print that need no workspace."""
    for words in COMMANDS:
        tree.command(*words)


def review_commands(tree: Tree) -> None:
    """Both examples, as they are stored, and what commands say about them."""
    prepare(tree)
    with sqlite3.connect(tree.work / "workspace.sqlite3") as database:
        dump = "\n".join(database.iterdump()).encode("utf-8", "surrogateescape")
    tree.write("workspaces/dump.sql", dump)
    projects = json.loads(tree.run("project", "list", "--json").stdout)
    for name in sorted(project["name"] for project in projects):
        tree.run("project", "use", name)
        archive = tree.work / f"{name}.zip"
        tree.command("project", "export", archive.name, folder=f"commands/{name}")
        with zipfile.ZipFile(archive) as files:
            for member in files.infolist():
                tree.write(f"workspaces/{name}/{member.filename}", files.read(member))
        for words in OF_A_REVIEW:
            before = set(tree.work.iterdir())
            tree.command(*words, folder=f"commands/{name}")
            for file in sorted(set(tree.work.iterdir()) - before):
                if file.name in words:
                    tree.write(f"commands/{name}/files/{file.name}", file.read_bytes())
                    file.unlink()


# --------------------------------------------------------------------------- formats


def formats(tree: Tree) -> None:
    """A search in every format, and what each file is read back as."""
    text = tree.run("search", "--help").stdout.decode()
    found = re.search(r"--format \[([^\]]*)\]", text)
    assert found is not None, text
    for name in re.sub(r"\s", "", found[1]).split("|"):
        for query in (QUERY, "浅水湖泊"):
            file = tree.work / f"hits.{name}"
            done = tree.run("--demo", query, "--format", name, "-o", file.name, "--allow-partial")
            shown = f"exit {done.returncode}\n".encode() + done.stderr
            tree.write(f"formats/{name}/{query}.said", shown)
            if not file.exists():
                continue
            tree.write(f"formats/{name}/{query}", file.read_bytes())
            read = tree.run("dedup", file.name, "--json", "--report")
            tree.write(f"formats/{name}/{query}.read", b"\n".join((read.stdout, read.stderr)))


def library(tree: Tree) -> None:
    """Searches and queries by the functions of the package."""
    done = subprocess.run(
        [tree.python, str(LIBRARY), json.dumps(QUERIES)],
        env=tree.env("library"),
        cwd=tree.work,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    for part, values in json.loads(done.stdout).items():
        for name, value in values.items():
            text = json.dumps(value, ensure_ascii=False, indent=1)
            tree.write(f"library/{part}/{named(name)}", text.encode())


def evaluate(tree: Tree) -> None:
    """Figures of labelled sets."""
    for path in tree.sets:
        done = tree.run("evaluate", str(path), "--json", "--errors")
        tree.write(f"evaluate/{path.name}", done.stdout + b"\n" + done.stderr)
