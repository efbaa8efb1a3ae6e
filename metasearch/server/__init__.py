"""The HTTP server: `/search` in many formats, pages for browsers, and the routes beside them.
`docs/server.md` describes all of it from outside.
"""
