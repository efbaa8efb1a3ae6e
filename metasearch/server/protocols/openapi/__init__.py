"""The description of this server for programs and people: OpenAPI 3.1, the page of it, and the
catalogue of all interfaces.

`paths.py` lists what can be asked, `answers.py` has the shapes of what comes back, and
`operation.py` the words of both; `parameters.py` makes the parameters of searches from their
declarations; `document.py` puts them together, and `routes.py` answers with the document, its page
and the catalogue. `docs/openapi.md` describes it from outside.

To add a path, append an `Operation` to one of the lists in `paths.py`. A path that the server does
not have is left out of the document.
"""
