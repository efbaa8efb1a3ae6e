"""The description of this server for programs and people: OpenAPI 3.1, the page of it, and the
catalogue of all interfaces.

`searches.py`, `protocols.py` and `about.py` list what can be asked; `parameters.py` makes the
parameters from their declarations; `answers.py`, `events.py`, `problems.py` and `listings.py` have
the shapes of what comes back; `document.py` puts them together, `page.py` shows them, `catalog.py`
lists interfaces, and `routes.py` answers. `docs/openapi.md` describes it from outside.

To add a path, append an `Operation` to one of the three lists. A path that the server does not have
is left out of the document.
"""
