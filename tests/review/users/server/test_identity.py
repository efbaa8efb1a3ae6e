"""Who a request is from."""

from __future__ import annotations

from aiohttp.test_utils import make_mocked_request

from metasearch.review.users.identification import may
from metasearch.server import search
from metasearch.server.identity import IDENTITY, Identity, is_allowed, who
from tests.review.users.server.served import Served

ANN = Identity(
    uid="k3x",
    name="ann",
    shown="安 <Ann>",
    role="user",
    scopes=frozenset({"read", "search"}),
    preferences=(("language", "zh-Hans"), ("sources", ["alpha", "beta"])),
    means="token",
)


def test_an_identity_is_passed_on_to_another_worker():
    """As it is, on one line of ASCII; preferences that no header holds stay behind."""
    text = ANN.dump()

    assert text.isascii()
    assert text.isprintable()
    assert Identity.load(text) == ANN
    assert Identity.load(Identity().dump()) == Identity()
    long = Identity(uid="k3x", role="user", preferences=(("sources", ["x" * 7_000]),))
    assert Identity.load(long.dump()) == Identity(uid="k3x", role="user")


async def test_a_worker_that_continues_a_page_knows_whose_it_is(local: Served, monkeypatch):
    """The databases and the language of the account are those of the page."""
    seen = {}

    async def answered(request):
        seen.update(who=who(request), visit=search.visit_of(request))

    monkeypatch.setattr(search, "_answer_updates", answered)
    headers = {"X-Metasearch-Site": local.base, "X-Metasearch-Identity": ANN.dump()}
    request = make_mocked_request("GET", "/updates?q=mice", headers=headers, app=local.app)
    await search.answer_peer_updates(request)

    assert seen["who"] == "k3x"
    assert seen["visit"].preferences.sources == ("alpha", "beta")
    assert seen["visit"].language.tag == "zh-Hans"


def test_without_users_everything_is_allowed():
    """And every change is by nobody."""
    request = make_mocked_request("POST", "/projects")

    assert who(request) == ""
    assert all(is_allowed(request, action) for action in ("administer", "delete", "search"))


def test_scopes_narrow_a_role_and_add_nothing():
    """What a handler asks itself follows the same table."""
    post, get = make_mocked_request("POST", "/x"), make_mocked_request("GET", "/x")
    for request in (post, get):
        request[IDENTITY] = ANN
    assert may(get, "make project")  # the list of one's own
    assert not may(post, "make project")
    assert not may(get, "account")
    assert not may(get, "administer")
    assert not may(get, "read")  # no project, no role in it
