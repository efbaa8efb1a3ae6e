"""Real clients against `metasearch serve --demo`: `python3 tasks.py clients` runs them and prints
what came out, a row a test.

One file a protocol. A test begins its row with `tried`, which skips where the client is not
installed, and ends it with what came out:

    def test_some_client(server, tried):
        row = tried("some client", "search and next page", package="some-client")
        ...
        row.came(f"{len(works)} works")

Clients of Python run in a process of their own (`programs.python`), so that neither their plugins
nor their warnings reach these tests.
"""
