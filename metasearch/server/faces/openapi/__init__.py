"""The description of this server for programs and people: OpenAPI 3.1, the page of it, and the
catalogue of all interfaces.

`operations.py` and `protocols.py` list what can be asked; `parameters.py` makes parameters from
their declarations; `answers.py`, `events.py` and `listings.py` have the shapes of what comes back;
`document.py` puts them together, and `routes.py` answers. `docs/openapi.md` describes it from
outside.

To add a path, append an `Operation` to `OPERATIONS` of one of the two lists. A path that the server
does not have is left out of the document.
"""
