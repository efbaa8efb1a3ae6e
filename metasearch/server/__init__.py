"""The HTTP face: `/search` in many formats, a page for browsers, and what stands around them.

`app.py` has the routes and the life of a server, `api.py` answers a search, `stream.py` and `live.py` while it runs,
`page.py` and `results.py` as HTML; `docs/server.md` describes all of it from outside.
"""
