"""What `metasearch sources new` writes: a spec for each kind of body, or a family's member."""

from __future__ import annotations

_HEAD = """\
#:schema spec.schema.json
# `metasearch sources schema > spec.schema.json` lets your editor complete and check it; docs/adapters.md explains
# every key. Then: metasearch sources check {name}.toml; metasearch parse {name}.toml answer.{body}
name      = "{name}"                        # as in -s {name}
label     = "{label}"
homepage  = "https://www.example.org"
docs      = "https://www.example.org/api"       # where request, fields and limits are documented
terms     = "https://www.example.org/terms"     # or a sentence, where they forbid something
coverage  = "What is in it, since when, how much"
languages = ["*"]                               # ISO 639-1 codes; ["*"] for many
syntax    = "What the database's own query language is"

[request]
url = "https://api.example.org/search"
# Placeholders: {{query}} or a field such as {{any}}, {{title}}; {{years}}; {{size}}, {{start}} (from 0), {{start1}},
# {{page}}, {{page0}}, {{end}}, {{cursor}}. A parameter whose placeholders are all empty is left out.
params = {{ q = "{{query}}", rows = "{{size}}", start = "{{start}}" }}

[query]
style       = "expression"                      # or "params": words in one parameter for each field, no operators
conjunction = " AND "                           # between parts, with blanks; leave out what the database cannot say:
disjunction = " OR "                            # it is filtered afterwards, and told
negation    = " NOT {{x}}"
phrase      = '"{{x}}"'
strip       = '"()[]{{}}:*?^~\\'                   # what would be taken for syntax and cannot be quoted
fields      = {{ any = "{{x}}", title = "title:{{x}}", author = "author:{{x}}" }}
years.both  = "year:[{{first}} TO {{last}}]"
years.since = "year:[{{first}} TO *]"
years.until = "year:[* TO {{last}}]"

[paging]
kind   = "offset"                               # none, page, offset, cursor (with `next`), link (with `next`)
size   = 50                                     # most records of one page
window = 10000                                  # most that can be reached

# [auth.api_key]                                # the parameter's name; in = "headers" for a header
# env      = "METASEARCH_{upper}_KEY"
# required = true
# get      = "https://www.example.org/keys"     # where whoever has none gets one

[limits]
requests = 1                                    # that may start in `per` seconds
per      = 1.0
timeout  = 10.0
stated   = "https://www.example.org/api#limits" # leave it out where no limit is stated

"""
_PARSE = {
    "json": """\
[parse]                                         # JMESPath: https://jmespath.org
body    = "json"
records = "results"
total   = "total"
error   = "error.message"                       # used where there are no records

[fields]                                        # the first selector of a list that finds something counts
source_id = "id"
url       = "url"
title     = "title"
authors   = { each = "authors", family = "last", given = "first", name = "name", orcid = "orcid" }
date      = ["published", "year"]               # never more precise than it is known
venue     = "journal"
doi       = "doi"
abstract  = "abstract"
type      = { at = "kind", map = { "paper" = "article", "talk" = "conference-paper", "*" = "other" } }
""",
    "xml": """\
[parse]                                         # XPath 1.0; *[local-name()='x'] for unknown namespaces
body    = "xml"
records = "//item"
total   = "//total"
error   = "//error/message"

[fields]                                        # from the record's element
source_id = "id"
url       = "link"
title     = "title"
authors   = { each = "author", name = "name" }
date      = "published"
venue     = "journal"
doi       = "identifier[@type='doi']"
abstract  = "abstract"
type      = { at = "type", map = { "paper" = "article", "*" = "other" } }
""",
    "html": """\
[parse]                                         # CSS with ::text and ::attr(x), or XPath that begins with / or ./
body    = "html"
when    = "#results"                            # what every page of results has: all else is reported
records = "#results .hit"
total   = ".count::text"

[fields]
source_id = "a.title::attr(data-id)"
url       = "a.title::attr(href)"
title     = "a.title"
authors   = { at = ".authors::text", as = "names-semicolon" }
year      = ".year::text"
venue     = ".journal::text"
""",
}
_MEMBER = """\
#:schema spec.schema.json
# Only what this one does otherwise than what it extends needs to stand here; docs/adapters.md explains every key.
# Then: metasearch sources check {name}.toml; metasearch parse {name}.toml answer
extends   = "{family}"
name      = "{name}"
label     = "{label}"
homepage  = "https://www.example.org"
docs      = "https://www.example.org/api"
terms     = "https://www.example.org/terms"
coverage  = "What is in it, since when, how much"
languages = ["*"]

[request]
url = "https://api.example.org/search"

[limits]
requests = 1
per      = 1.0
"""


def of_body(name: str, body: str) -> str:
    """A spec for answers of a kind: "json", "xml" or "html"."""
    return _HEAD.format(name=name, label=_label(name), upper=_upper(name), body=body) + _PARSE[body]


def of_family(name: str, family: str) -> str:
    """The spec of a member of a family."""
    return _MEMBER.format(name=name, family=family, label=_label(name))


def _label(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").title()


def _upper(name: str) -> str:
    return name.replace("-", "_").upper()
