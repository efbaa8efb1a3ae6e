from __future__ import annotations

from metasearch.replicas.connection import PREFIX, KeyNames, secret_of


def test_a_name_tells_nothing_of_what_it_names() -> None:
    """Neither a query nor a source can be read in it, nor found by trying without the secret."""
    name = KeyNames(b"one").of("page", "crossref", "depression after stroke")

    assert name.startswith(PREFIX)
    assert "crossref" not in name
    assert "stroke" not in name
    assert name != KeyNames(b"two").of("page", "crossref", "depression after stroke")


def test_replicas_with_one_secret_use_one_name() -> None:
    """The same thing has the same name in all of them."""
    assert KeyNames(b"one").of("starts", "arxiv") == KeyNames(b"one").of("starts", "arxiv")


def test_different_things_have_different_names() -> None:
    """The kind, each part, and where one part ends and the next begins all count."""
    names = KeyNames(b"one")

    assert len({
        names.of("a", "bc", "d"), names.of("a", "b", "cd"), names.of("ab", "c", "d"),
        names.of("a", "bcd"), names.of("a"),
    }) == 5  # fmt: skip


def test_several_names_of_one_thing_differ_by_their_kind_and_by_the_thing() -> None:
    """As each name by itself; they tell as little."""
    names = KeyNames(b"one")
    page, flight = names.all_of(("page", "flight"), "stroke")

    assert page.startswith(f"{PREFIX}page:".encode())
    assert b"stroke" not in page
    assert len({page, flight, *names.all_of(("page", "flight"), "stroke", "")}) == 4
    assert [page, flight] == KeyNames(b"one").all_of(("page", "flight"), "stroke")
    assert page not in KeyNames(b"two").all_of(("page", "flight"), "stroke")


def test_without_a_secret_the_password_of_the_server_is_one() -> None:
    """Replicas that know the password agree; who reads the server only does not."""
    assert secret_of("redis://u:secret@a/0") == secret_of("redis://u:secret@b/1")
    assert secret_of("redis://u:secret@a/0") != secret_of("redis://u:other@a/0")
    assert secret_of("redis://u:secret@a/0", "own") == secret_of("redis://b", "own")


def test_half_a_character_has_a_name() -> None:
    """A surrogate, which no encoding writes, raises nothing."""
    assert KeyNames(b"one").of("page", "\udcff")
