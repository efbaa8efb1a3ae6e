"""Harvesting a repository on a loopback socket: all of it, what is new, what is gone, and what goes
wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.specs.specfile import build, shipped_table
from metasearch.collections.harvest import (
    MOST_EMPTY,
    Harvest,
    HarvestReport,
    HarvestRequest,
)
from metasearch.collections.oai import LONGEST_WAIT, TRIES, OaiClient, date_of
from metasearch.collections.search import PageOrder, search
from metasearch.collections.store import Collection
from metasearch.errors import (
    BadAnswer,
    CollectionError,
    NotAllowed,
    NotParsable,
    ServerFault,
    SourceSaysError,
)
from tests.cases import each
from tests.collections.harvest.repository import HEAD, Item, Reply, Repository, dublin_core

LATER = "2024-06-01T00:00:00Z"


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as made:
        yield made


class Harvester:
    """Harvests into one collection; waits are remembered and not waited for."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.repository = repository
        self.folder = folder
        self.waits: list[float] = []
        self.told: list[str] = []
        self.allow = frozenset({repository.netloc})
        self.last: Harvest | None = None
        self.now = datetime(2025, 1, 1, tzinfo=UTC)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def __call__(self, **order: object) -> HarvestReport:
        spec = build(
            {"extends": "oai", "name": "repo", "url": self.repository.url}, "test", shipped_table
        )
        transport = HttpTransport(allow=self.allow)
        client = OaiClient(self.repository.url, spec, transport, self.told.append, self.sleep)
        try:
            with Collection.open(self.folder, "repo", "oai") as collection:
                wanted = HarvestRequest(self.repository.url, **order)  # type: ignore[arg-type]
                self.last = Harvest(wanted, collection, client, now=lambda: self.now)
                return await self.last.run()
        finally:
            await transport.close()

    def titles(self) -> list[str]:
        found = orjson.loads(search(self.folder / "repo.sqlite", PageOrder(size=100)))
        return sorted(it["title"] for it in found["records"])


@pytest.fixture
def harvest(repository: Repository, tmp_path: Path) -> Harvester:
    return Harvester(repository, tmp_path)


# ----------------------------------------------------------------------- the whole, and what is new


async def test_all_pages_are_fetched(repository: Repository, harvest: Harvester) -> None:
    """A token stands alone in its request, and the empty one is the end."""
    repository.fill(5)

    done = await harvest()

    assert (done.seen, done.added, done.pages, done.size, done.lost) == (5, 5, 3, 5, 0)
    assert harvest.titles() == [f"Work number {number}" for number in range(1, 6)]
    assert repository.lists == [
        {"metadataPrefix": "oai_dc"},
        {"resumptionToken": "2!!!"},
        {"resumptionToken": "4!!!"},
    ]


async def test_second_time_only_what_has_changed(
    repository: Repository, harvest: Harvester
) -> None:
    """It asks from an hour before the first one began: new and changed records come, deleted ones
    go."""
    repository.fill(4)
    await harvest()
    repository.items["oai:x:2"] = Item(LATER, dublin_core(title="Changed"))
    repository.items["oai:x:3"] = Item(LATER, None)
    repository.items["oai:x:9"] = Item(LATER, dublin_core(title="New"))
    repository.seen.clear()
    repository.now = "2024-06-02T00:00:00Z"

    done = await harvest()

    assert repository.lists[0] == {"metadataPrefix": "oai_dc", "from": "2024-05-01T11:00:00Z"}
    assert (done.added, done.changed, done.deleted, done.unchanged) == (1, 1, 1, 0)
    assert harvest.titles() == ["Changed", "New", "Work number 1", "Work number 4"]


async def test_nothing_new_is_no_failure(repository: Repository, harvest: Harvester) -> None:
    """`noRecordsMatch` is an empty list, and the next harvest asks from then on."""
    repository.fill(1)
    await harvest()
    repository.now = "2024-07-01T00:00:00Z"

    done = await harvest()
    await harvest()

    assert (done.seen, done.pages) == (0, 1)
    assert (
        repository.lists[-1]["from"] == "2024-05-01T11:00:00Z"
    )  # that answer bore no records, and so no clock to trust


async def test_what_comes_twice_is_kept_once(repository: Repository, harvest: Harvester) -> None:
    """Two harvests overlap, and an unchanged record is counted as such."""
    repository.fill(2, "2024-05-01T11:30:00Z")
    await harvest()

    done = await harvest()

    assert (done.seen, done.unchanged, done.added) == (2, 2, 0)


async def test_a_repository_that_knows_only_days(tmp_path: Path) -> None:
    """Dates are sent in the granularity that it states."""
    with Repository(granularity="YYYY-MM-DD") as repository:
        repository.fill(1, "2024-05-01")
        harvest = Harvester(repository, tmp_path)
        await harvest()
        await harvest()

        assert repository.lists[1]["from"] == "2024-05-01"


async def test_full_takes_out_what_is_no_longer_there(
    repository: Repository, harvest: Harvester
) -> None:
    """Where deletions are not told, only a full harvest finds them; one with dates takes nothing
    out."""
    repository.fill(4)
    await harvest()
    del repository.items["oai:x:1"]

    assert (await harvest()).deleted == 0
    assert (await harvest(first="2023-01-01")).deleted == 0
    assert len(harvest.titles()) == 4
    done = await harvest(full=True)

    assert (done.deleted, done.unchanged) == (1, 3)
    assert harvest.titles() == ["Work number 2", "Work number 3", "Work number 4"]


async def test_a_clock_that_is_ahead_hides_nothing(
    repository: Repository, harvest: Harvester
) -> None:
    """By a repository's clock of another century nothing would ever be new; ours is asked, too."""
    repository.fill(1)
    repository.now = "2199-01-01T00:00:00Z"
    harvest.now = datetime(2024, 5, 1, 12, tzinfo=UTC)
    await harvest()

    await harvest()

    assert repository.lists[1]["from"] == "2024-05-01T11:00:00Z"


@pytest.mark.parametrize("clock", ["yesterday", "", "0001-01-01T00:00:00Z", "9" * 5000])
async def test_a_clock_that_tells_no_time(
    repository: Repository, harvest: Harvester, clock: str
) -> None:
    """Then everything is fetched again."""
    repository.fill(1)
    repository.now = clock
    await harvest()

    await harvest()

    assert repository.lists == [{"metadataPrefix": "oai_dc"}] * 2


async def test_a_list_shorter_than_its_size_takes_nothing_out(
    repository: Repository, harvest: Harvester
) -> None:
    """A repository that says that there are four, and stops after two, has not deleted the
    others."""
    repository.fill(4)
    await harvest()
    cut = repository.answer({"verb": "ListRecords", "metadataPrefix": "oai_dc"}).body
    repository.replies = [Reply(body=cut.replace(b"2!!!", b""))]

    done = await harvest(full=True)

    assert (done.deleted, len(harvest.titles())) == (0, 4)
    assert done.notes == ["the repository listed 2 of 4 records; the others were kept"]


async def test_pages_without_records_have_an_end(
    repository: Repository, harvest: Harvester
) -> None:
    """A server that gives a new token each time would be asked for ever."""
    page = "<ListRecords><resumptionToken>{}</resumptionToken></ListRecords>"
    repository.replies = [
        Reply(body=HEAD.format(repository.now, page.format(f"t{number}")).encode())
        for number in range(MOST_EMPTY + 5)
    ]

    with pytest.raises(BadAnswer, match="many pages without a record"):
        await harvest()

    assert len(repository.lists) == MOST_EMPTY


async def test_set_and_dates_are_sent(repository: Repository, harvest: Harvester) -> None:
    """`--set`, `--from` and `--until` are the protocol's own."""
    repository.fill(3)
    repository.items["oai:x:2"].sets = ("theses",)

    await harvest(set="theses", first="2023-01-01", until="2024-12-31")

    assert repository.lists == [
        {"metadataPrefix": "oai_dc", "set": "theses", "from": "2023-01-01", "until": "2024-12-31"}
    ]
    assert harvest.titles() == ["Work number 2"]


async def test_a_later_from_leaves_no_gap_for_the_next(
    repository: Repository, harvest: Harvester
) -> None:
    """Who asks for later dates only does not lose what lies between."""
    repository.fill(1)
    await harvest()
    repository.fill(2, LATER)
    repository.now = "2024-09-01T00:00:00Z"
    await harvest(first="2024-08-01")

    await harvest()

    assert repository.lists[-1]["from"] == "2024-05-01T11:00:00Z"
    assert len(harvest.titles()) == 2


async def test_an_empty_repository_empties_no_collection(
    repository: Repository, harvest: Harvester
) -> None:
    """A full harvest that finds nothing at all is more likely a fault than the truth."""
    repository.fill(2)
    await harvest()
    repository.items.clear()

    done = await harvest(full=True)

    assert len(harvest.titles()) == 2
    assert done.notes == [
        "the repository now lists no records; the records of the collection were kept"
    ]


async def test_what_cannot_be_read_this_time_is_not_taken_for_deleted(
    repository: Repository, harvest: Harvester
) -> None:
    """A full harvest keeps what the repository still names."""
    repository.fill(2)
    await harvest()
    repository.items["oai:x:1"].metadata = ""

    done = await harvest(full=True)

    assert (done.deleted, done.lost) == (0, 1)
    assert harvest.titles() == ["Work number 1", "Work number 2"]


async def test_a_list_that_ends_before_its_time_takes_nothing_out(
    repository: Repository, harvest: Harvester
) -> None:
    """A repository that forgets the rest of its list has not deleted it."""
    repository.fill(4)
    await harvest()
    repository.replies = [
        _page(repository, "0"),
        Reply(body=HEAD.format("x", '<error code="noRecordsMatch"/>').encode()),
    ]

    done = await harvest(full=True)

    assert done.deleted == 0
    assert len(harvest.titles()) == 4


# --------------------------------------------------------------------------- patience


async def test_it_waits_as_long_as_it_is_asked_to(
    repository: Repository, harvest: Harvester
) -> None:
    """503 and 429 with Retry-After are patience, on every page anew."""
    repository.fill(3)
    repository.replies = [
        Reply(503, headers={"Retry-After": "7"}),
        Reply(429, headers={"Retry-After": "3"}),
    ]

    done = await harvest()

    assert done.added == 3
    assert harvest.waits == [7, 3]
    assert harvest.told == [
        "the repository requests a pause: waiting for 7 s",
        "the repository requests a pause: waiting for 3 s",
    ]


async def test_it_gives_up_where_that_takes_too_long(
    repository: Repository, harvest: Harvester
) -> None:
    """A longer wait than any is no harvest's; what follows is for another run."""
    repository.fill(3)
    repository.replies = [Reply(503, headers={"Retry-After": str(int(LONGEST_WAIT) + 1)})]

    with pytest.raises(ServerFault):
        await harvest()

    assert harvest.waits == []


async def test_it_does_not_try_for_ever(repository: Repository, harvest: Harvester) -> None:
    """A repository that fails each time is left alone after some tries, with longer and longer
    waits between."""
    repository.replies = [Reply(500)] * 50

    with pytest.raises(ServerFault):
        await harvest()

    assert len(repository.lists) == TRIES
    assert harvest.waits == sorted(harvest.waits)


# --------------------------------------------------------------------------- broken off


async def test_a_second_run_goes_on_where_the_first_was_broken_off(
    repository: Repository, harvest: Harvester
) -> None:
    """A page is one transaction: what came is kept, and the token with it."""
    repository.fill(6)
    repository.replies = [_page(repository, "0"), _page(repository, "2"), Reply(404)]
    with pytest.raises(SourceSaysError):
        await harvest()
    assert len(harvest.titles()) == 4

    done = await harvest()

    assert done.resumed
    assert (done.added, done.pages) == (2, 1)
    assert repository.lists[-1] == {"resumptionToken": "4!!!"}
    await harvest()
    assert repository.lists[-1]["from"] == "2024-05-01T11:00:00Z"  # when the first run began


async def test_an_expired_token_begins_anew_once(
    repository: Repository, harvest: Harvester
) -> None:
    """From where the last whole harvest ended; the second time it is an error."""
    repository.fill(6)
    repository.expired = {"2!!!"}
    with pytest.raises(SourceSaysError, match="badResumptionToken"):
        await harvest()
    assert [it.get("resumptionToken") for it in repository.lists] == [None, "2!!!", None, "2!!!"]
    repository.expired.clear()

    done = await harvest()

    assert len(harvest.titles()) == 6
    assert done.lost == 0


async def test_the_same_page_again_and_again_is_an_end(
    repository: Repository, harvest: Harvester
) -> None:
    """A server that does not heed its own token would be asked for ever."""
    repository.fill(6)
    repository.replies = [_page(repository, "2")] * 20

    with pytest.raises(BadAnswer, match="the same page twice"):
        await harvest()

    assert len(repository.lists) == 2


def _page(repository: Repository, start: str) -> Reply:
    """The answer to the token of a page, whatever is asked."""
    reply = (
        repository.answer({"verb": "ListRecords", "resumptionToken": f"{start}!!!"})
        if not repository.replies
        else None
    )
    assert reply is not None
    repository.seen.pop()
    return reply


# -------------------------------------------------------------------------- odd and hostile answers


async def test_illegal_characters_are_taken_out_and_told(
    repository: Repository, harvest: Harvester
) -> None:
    """One control character costs no page."""
    repository.fill(1)
    repository.decorate = lambda body: body.replace("Work", "W\x0bork")

    done = await harvest()

    assert harvest.titles() == ["Work number 1"]
    assert done.notes == ["the answer held characters that are not legal; they were replaced"]


async def test_a_bare_ampersand_ends_no_harvest(repository: Repository, harvest: Harvester) -> None:
    """All pages are fetched, and the token after it is found."""
    repository.fill(5)
    repository.decorate = lambda body: body.replace("Work", "R&D")

    done = await harvest()

    assert len(harvest.titles()) == 5
    assert harvest.titles()[0] == "R&D number 1"
    assert done.notes == ["the answer held characters that are not legal; they were replaced"]


async def test_compressed_answers(tmp_path: Path) -> None:
    """gzip is unpacked."""
    with Repository(compress=True) as repository:
        repository.fill(3)

        assert (await Harvester(repository, tmp_path)()).added == 3


async def test_what_cannot_be_read_is_counted(repository: Repository, harvest: Harvester) -> None:
    """A record without identifier, without metadata or without anything that tells a work costs no
    other one."""
    repository.fill(1)
    repository.items[""] = Item("2024-01-01T00:00:00Z", dublin_core(title="Nameless"))
    repository.items["oai:x:bare"] = Item("2024-01-01T00:00:00Z", "")
    repository.items["oai:x:empty"] = Item("2024-01-01T00:00:00Z", dublin_core(format="text/html"))
    repository.items["x" * 3000] = Item(
        "2024-01-01T00:00:00Z", dublin_core(title="Too long a name")
    )
    repository.page = 10

    done = await harvest()

    assert (done.added, done.lost, done.seen) == (1, 4, 5)
    assert sorted(it.reason for it in done.unread) == [
        "it has no identifier",
        "its identifier is too long",
        "oai:x:bare has no metadata",
        "oai:x:empty has neither title nor people nor identifiers",
    ]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html><body>Welcome</body></html>", NotParsable),
        (b"no XML at all", NotParsable),
        (b"", NotParsable),
        (b"<OAI-PMH><ListRecords><record>", NotParsable),
        (
            HEAD.format("x", '<error code="badArgument">no such set</error>').encode(),
            SourceSaysError,
        ),
        (HEAD.format("x", "<Identify/>").encode(), NotParsable),
    ],
)
async def test_no_answer(
    repository: Repository, harvest: Harvester, body: bytes, error: type[Exception]
) -> None:
    """What is no list of records is an error, and not the end of one."""
    repository.replies = [Reply(body=body)]

    with pytest.raises(error):
        await harvest()


async def test_entities_of_a_hostile_body_are_not_read(
    repository: Repository, harvest: Harvester, tmp_path: Path
) -> None:
    """Neither files nor billions of laughs come out of an answer."""
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    repository.fill(1)
    repository.decorate = lambda body: body.replace(
        "?>", f'?><!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>', 1
    ).replace("Work", "&e;Work", 1)

    try:
        await harvest()
    except NotParsable:
        return
    assert "SECRET" not in "".join(harvest.titles())


async def test_an_address_inside_the_network_is_refused(
    repository: Repository, harvest: Harvester
) -> None:
    """The guard stands before a harvest as before a search."""
    harvest.allow = frozenset()

    with pytest.raises(NotAllowed):
        await harvest()

    assert repository.seen == []


async def test_a_collection_holds_one_repository(
    repository: Repository, harvest: Harvester
) -> None:
    """Another set or format would mix what cannot be told apart afterwards."""
    repository.fill(1)
    await harvest()

    with pytest.raises(
        CollectionError, match="the set of this collection is everything, not theses"
    ):
        await harvest(set="theses")


async def test_two_at_once(repository: Repository, harvest: Harvester, tmp_path: Path) -> None:
    """The second one is refused while the first one runs."""
    with (
        Collection.open(tmp_path, "repo", "oai"),
        pytest.raises(CollectionError, match="another process"),
    ):
        await harvest()


@each("text", ["yesterday", "2024", "2024-13-01", "2024-01-01T10:00", "2024-01-01 OR 1"])
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ValueError):
        date_of(text)
