"""The workspace as a JSON interface: projects, strategies, runs, works and reports.

Each module answers the addresses of one thing. What it takes is declared as `members.Member`, what
it answers is `metasearch.workspace.objects`, and both are described in the OpenAPI document.

GET reads, POST changes. A POST needs `Content-Type: application/json`, that of an archive
`application/zip`: a page of another site cannot send these without a preflight, and no cookie has a
part in what may be done.
"""
