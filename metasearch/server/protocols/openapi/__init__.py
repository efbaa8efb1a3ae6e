"""The description of this server for programs and people: OpenAPI 3.1, the page of it, and the
catalogue of all interfaces; docs/openapi.md.

To add a path, append an `Operation` to one of the lists in `paths.py`. A path that the server does
not have is left out of the document.
"""
