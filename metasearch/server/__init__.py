"""The HTTP server: `/search` in many formats, pages for browsers, and the routes beside them.

`app.py` has the routes and the life of a server. `api.py` answers a search, `stream.py` and
`live.py` while it runs. `pages/` renders HTML from `templates/`. `access.py` counts and logs each
request, and `middleware.py` turns errors into answers. `limits/` holds what protects a server, and
`workers/` runs several processes at one address. `wing.py` is what an extra wing may add to all of
this. `docs/server.md` describes all of it from outside.
"""
