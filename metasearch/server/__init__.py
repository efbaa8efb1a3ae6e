"""The HTTP server: `/search` in many formats, pages for browsers, and the routes beside them.

`app.py` has the routes and the life of a server. `search.py` answers a search, `answering.py` and
`live.py` while it runs. `pages/` renders HTML from `templates/`, `protocols/` answers in those of
other software. `middleware.py` counts and logs each request, and turns errors into answers.
`limits/` holds what protects a server; `supervisor.py` and `peers.py` let several processes serve
one address. `docs/server.md` describes all of it from outside.
"""
