"""The HTTP face: `/search` in many formats, a page for browsers, and what stands around them.

`app.py` has the routes and the life of a server, `api.py` answers a search, `stream.py` and
`live.py` while it runs, `page.py` and `results.py` as HTML. Around every request: `access.py`
counts and logs it, `middleware.py` turns errors into answers, and turns away with `keys.py`,
`rate.py` and `clients.py`; below requests, `connections.py`. `docs/server.md` describes all of it
from outside.
"""
