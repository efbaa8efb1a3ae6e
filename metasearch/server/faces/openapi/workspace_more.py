"""What can be asked of the workspace: known works, other sources, strategies as texts, archives."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.server.faces.openapi.operation import JSON, Example, Operation
from metasearch.server.faces.openapi.parameters import parameter
from metasearch.server.faces.openapi.schema import ref, whole
from metasearch.server.faces.openapi.workspace_operation import (
    CHANGED,
    OF_PROJECT,
    OF_STRATEGY,
    PROJECT,
    STRATEGY,
    TAG,
    body,
    operation,
    query,
)
from metasearch.server.faces.workspace import (
    archive,
    known,
    other_sources,
    strategies,
    strategy_texts,
)
from metasearch.server.workspace_routes import BASE

_HERE = f"{BASE}/{PROJECT}"
_STRATEGIES = "/{project}/strategies/{strategy}"
_COPY = "second"


def operations() -> Iterator[Operation]:
    """All of them. An example may need what those before it have made."""
    yield from _known()
    yield from _texts()
    yield from _other_sources()
    yield from _archives()


def _known() -> Iterator[Operation]:
    yield operation(
        "/{project}/known",
        "addKnownWorks",
        "Add works that the searches are expected to find",
        "AddedKnownWorks",
        body=body(known.ADD),
        description="As lines, or as a file of references. What is there already adds nothing.",
        examples=(
            Example(
                name="known-add",
                summary="By a DOI and by a title",
                address=f"{_HERE}/known",
                json={"lines": "10.1000/182\nBetting at night (2021)"},
            ),
            Example(
                name="known-wrong",
                summary="A line that is no DOI",
                address=f"{_HERE}/known",
                json={"lines": "doi:182"},
                status=400,
            ),
        ),
    )
    yield operation(
        "/{project}/known",
        "knownWorks",
        "The works that the searches are expected to find",
        "KnownWorks",
        examples=(Example(name="known", summary="Two works", address=f"{_HERE}/known"),),
    )
    yield operation(
        f"{_STRATEGIES}/validation",
        "validation",
        "Which step and source finds or misses each known work",
        "Validation",
        OF_STRATEGY,
        examples=(
            Example(
                name="validation",
                summary="One is found",
                address=f"{_HERE}/strategies/{STRATEGY}/validation",
            ),
        ),
    )
    yield operation(
        "/{project}/known/remove",
        "removeKnownWorks",
        "Remove known works",
        "RemovedKnownWorks",
        body=body(known.REMOVE),
        description="By their names; all that are named, or none where there is none of a name.",
        examples=(
            Example(
                name="known-remove",
                summary="One work",
                address=f"{_HERE}/known/remove",
                json={"names": ["Betting at night (2021)"]},
            ),
        ),
    )


def _texts() -> Iterator[Operation]:
    in_example = f"{_HERE}/strategies"
    yield operation(
        f"{_STRATEGIES}/copy",
        "copyStrategy",
        "Copy a strategy",
        "Strategy",
        OF_STRATEGY,
        body=body(strategies.COPY),
        status=201,
        description="With the same numbers, or with its steps in another order and new numbers, "
        "which are put into what names them. Imported files are not copied.",
        examples=(
            Example(
                name="strategy-copy",
                summary="With the same numbers",
                address=f"{in_example}/{STRATEGY}/copy",
                json={"name": _COPY},
                status=201,
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/paste",
        "pasteSteps",
        "Add a step for each line of a strategy of another database",
        "PastedSteps",
        OF_STRATEGY,
        body=body(strategy_texts.PASTE),
        status=201,
        description="All lines are added, or none where one cannot be read. They keep their "
        "numbers where these are free; the hits that they show are kept in `details`.",
        examples=(
            Example(
                name="steps-paste",
                summary="Lines of Ovid",
                address=f"{in_example}/{_COPY}/paste",
                json={"text": "1. gambling.ti,ab. 120\n2. debt*.ti,ab. 45\n3. 1 and 2 7"},
                status=201,
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/written",
        "writtenStrategy",
        "A strategy in the syntax of a database that is searched by hand",
        "WrittenStrategy",
        OF_STRATEGY,
        *query(strategy_texts.WRITE),
        further=(400,),
        description="`notes` say what that syntax cannot say.",
        examples=(
            Example(
                name="strategy-written",
                summary="Lines to be typed in Ovid",
                address=f"{in_example}/{STRATEGY}/written?syntax=ovid",
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/search-file",
        "searchFile",
        "A strategy as a JSON search file",
        "SearchFile",
        OF_STRATEGY,
        *query(strategy_texts.WRITE_FILE),
        headers=("Content-Disposition",),
        further=(400,),
        description="As search-query and searchRxiv have them: the search string of one step, and "
        "beside it all steps as they are.",
    )
    yield operation(
        "/{project}/search-files",
        "readSearchFile",
        "Make a strategy of each search of a JSON search file",
        "ReadSearchFile",
        body=body(strategy_texts.READ_FILE),
        status=201,
        description="All of them, or none where one cannot be read.",
        examples=(
            Example(
                name="search-file-read",
                summary="One search of PubMed",
                address=f"{_HERE}/search-files",
                json={
                    "name": "search.json",
                    "text": '{"platform": "pubmed", "database": ["MEDLINE"], '
                    '"search_string": "gambling[ti] AND debt[ti]"}',
                    "strategy": "of-others",
                },
                status=201,
            ),
        ),
    )


def _other_sources() -> Iterator[Operation]:
    place = "/{project}/other-sources"
    yield operation(
        place,
        "addOtherSource",
        "Add another way of searching",
        "OtherSource",
        body=body(other_sources.NEW),
        status=201,
        description="Websites, organisations, citations, contacts: reports count them in a column "
        "of their own. The numbers are yours, and must not contradict one another.",
        examples=(
            Example(
                name="other-source-new",
                summary="A website",
                address=f"{_HERE}/other-sources",
                json={
                    "kind": "website",
                    "name": "Gambling commission",
                    "date": "2026-05-03",
                    "identified": 12,
                    "sought": 3,
                    "excluded": {"wrong population": 2},
                },
                status=201,
            ),
            Example(
                name="other-source-wrong",
                summary="More were sought than identified",
                address=f"{_HERE}/other-sources",
                json={"kind": "contact", "name": "Jane Doe", "identified": 1, "sought": 2},
                status=400,
            ),
        ),
    )
    yield operation(
        place,
        "otherSources",
        "Other ways of searching",
        "OtherSources",
        examples=(Example(name="other-sources", summary="One", address=f"{_HERE}/other-sources"),),
    )
    yield Operation(
        path=f"{BASE}{place}/{{number}}",
        id="changeOtherSource",
        tag=TAG,
        summary="Change or remove another way of searching",
        parameters=(
            OF_PROJECT,
            parameter("number", whole(minimum=1), "Its `id` in the list.", place="path"),
        ),
        answer={JSON: {"anyOf": [ref("OtherSource"), ref("RemovedOtherSource")]}},
        method="post",
        body=body(other_sources.CHANGED),
        errors=(*CHANGED, 409),
        examples=(
            Example(
                name="other-source-change",
                summary="One report could not be had",
                address=f"{_HERE}/other-sources/1",
                json={"not_retrieved": 1},
            ),
        ),
    )


def _archives() -> Iterator[Operation]:
    yield operation(
        "/{project}/archive",
        "exportProject",
        "Everything of a project as one archive",
        "",
        content={archive.ZIP: {}},
        headers=("Content-Disposition", "Lacking-Runs"),
        description="Strategies, runs, records, works, decisions, reports, the log, and recorded "
        "pages. The same project gives the same bytes.",
    )
    yield operation(
        "/import",
        "importProject",
        "Make a project of an archive",
        "ImportedProject",
        *query(archive.IMPORT),
        body={archive.ZIP: {}},
        status=201,
        description="The whole of it is imported, or nothing. Uids of works stay unless another "
        "project of the workspace has them.",
    )
