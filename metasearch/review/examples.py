"""Two worked examples over the demo's databases, for a first look, for docs and for tests:
`metasearch project demo` installs them.

review.py   a systematic review on gambling harms, with an update search
novelty.py  a novelty search (查新) on the restoration of shallow lakes
demo.py     what both are made with
files/      what "was searched by hand"; made up, as the works on lakes of the demo are
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.review.examples import novelty, review
from metasearch.review.examples.demo import Example

#: Name of an example, and of the project that it makes -> how it is made.
EXAMPLES: Mapping[str, Example] = {review.NAME: review.install, novelty.NAME: novelty.install}
