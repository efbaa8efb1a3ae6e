"""Changes by the interface that were made with what does not stand any more."""

from __future__ import annotations

from tests.review.api.conftest import Api


async def test_objects_have_versions_which_bodies_may_send(api: Api):
    """Without one a change is made in any case; with an old one the answer is 409 with both."""
    made = await api.post("", 201, name="lakes")
    assert made["version"] == 1
    assert (await api.post("/lakes", title="Rivers", version=1))["version"] == 2

    refused = await api.post("/lakes", 409, title="Ponds", version=1)

    assert refused["type"] == "urn:metasearch:problem:conflict"
    assert refused["yours"] == {"title": "Ponds"}
    assert refused["theirs"] == {"title": "Rivers", "version": 2}
    assert (await api.get("/lakes"))["title"] == "Rivers"
    assert (await api.post("/lakes", title="Ponds", version=2))["title"] == "Ponds"
    assert (await api.post("/lakes", title="Seas"))["title"] == "Seas"


async def test_a_version_is_a_whole_number(api: Api):
    """Anything else is told, and nothing is changed."""
    await api.post("", 201, name="lakes")

    for wrong in ("1", -1, 1.5, True, 2**60):
        problem = await api.post("/lakes", 400, title="Rivers", version=wrong)
        assert problem["errors"][0]["parameter"] == "version"
    assert (await api.get("/lakes"))["title"] == "lakes"


async def test_steps_and_strategies_have_their_own(api: Api):
    """A step is neither changed nor removed over what somebody has not seen."""
    await api.post("", 201, name="lakes")
    strategy = await api.post("/lakes/strategies", 201, name="main")
    step = await api.post("/lakes/strategies/main/steps", 201, text="lakes")
    assert (strategy["version"], step["version"]) == (1, 1)
    place = "/lakes/strategies/main"
    await api.post(f"{place}/steps/1", text="rivers", version=1)
    await api.post(place, years="2000-", version=1)

    refused = await api.post(f"{place}/steps/1", 409, removed=True, version=1)
    assert refused["theirs"]["text"] == "rivers"
    refused = await api.post(place, 409, years="2010-", version=1)
    assert refused["theirs"] == {"years": "2000-", "version": 2}
    shown = await api.get(place)
    assert (shown["version"], shown["steps"][0]["version"]) == (2, 2)
    assert await api.post(f"{place}/steps/1", removed=True, version=2) == {"removed": 1}


async def test_answers_to_questions_have_the_version_of_the_project(api: Api):
    """The list of questions tells it."""
    await api.post("", 201, name="lakes", kind="review")
    key = "prisma_s.online"
    first = await api.get("/lakes/questions")
    given = await api.post("/lakes/questions", answers={key: "a"}, version=first["version"])
    assert given["version"] == first["version"] + 1

    refused = await api.post("/lakes/questions", 409, answers={key: "b"}, version=first["version"])

    assert refused["yours"] == {key: "b"}
    assert refused["theirs"] == {key: "a", "version": given["version"]}


async def test_other_sources_have_versions(api: Api):
    """As the list shows them."""
    await api.post("", 201, name="lakes")
    made = await api.post("/lakes/other-sources", 201, kind="website", name="A", identified=1)
    assert made["version"] == 1
    place = f"/lakes/other-sources/{made['id']}"
    assert (await api.post(place, identified=2, version=1))["version"] == 2

    assert (await api.post(place, 409, identified=3, version=1))["theirs"]["identified"] == 2
    assert (await api.post(place, 409, removed=True, version=1))["theirs"]["identified"] == 2


async def test_notes_have_versions(api: Api):
    """The work tells that of its note, and the answer to a note the new one."""
    await api.post("", 201, name="lakes")
    await api.post("/lakes/strategies", 201, name="main")
    await api.post(
        "/lakes/imports",
        201,
        name="a.ris",
        text="TY  - JOUR\nTI  - Lakes\nDO  - 10.1000/1\nER  - \n",
        source="CNKI",
        searched="2026-05-03",
    )
    (work,) = (await api.get("/lakes/works"))["works"]
    assert work["note_version"] == 0
    first = await api.post("/lakes/notes", work=work["uid"], text="one", version=0)

    refused = await api.post("/lakes/notes", 409, work=work["uid"], text="two", version=0)

    assert refused["theirs"] == {"text": "one", "version": first["change"]}
    (now,) = (await api.get("/lakes/works"))["works"]
    assert now["note_version"] == first["change"]
    await api.post("/lakes/notes", work=work["uid"], text="two", version=first["change"])


async def test_decisions_have_versions(api: Api):
    """The work tells that of its decision; one that stands already is no conflict."""
    await api.post("", 201, name="lakes")
    ris = "TY  - JOUR\nTI  - Lakes {0}\nER  - \n".format
    await api.post("/lakes/strategies", 201, name="main")
    await api.post(
        "/lakes/imports",
        201,
        name="1.ris",
        text=ris(1) + ris(22),
        source="CNKI",
        searched="2026-05-03",
    )
    uids = [work["uid"] for work in (await api.get("/lakes/works"))["works"]]
    given = {"works": uids[:1], "verdict": "excluded", "reason": "mice", "version": 0}
    first = await api.post("/lakes/decisions", **given)
    again = await api.post("/lakes/decisions", **given)
    assert (first["works"], again["works"], again["change"]) == (1, 0, None)

    refused = await api.post("/lakes/decisions", 409, **given | {"verdict": "relevant"})

    work = await api.get(f"/lakes/works/{uids[0]}")
    assert refused["theirs"]["version"] == work["decisions"]["title"]["version"] != 0
    assert refused["theirs"]["verdict"] == "excluded"
    both = await api.post("/lakes/decisions", 400, **given | {"works": uids})
    assert both["errors"][0]["parameter"] == "version"
