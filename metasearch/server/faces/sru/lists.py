"""How many records of each source the pages of a list are made of, as the first page wanted.

A page is filled by the first records of each source, so a large one asks each source for more
(docs/paging.md). With another number the list would be another one. Clients change
`maximumRecords` from page to page (YAZ asks for what is missing of a page, people for the next
five), so the number of the first page holds for the pages behind it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from metasearch.engine.options import SearchOptions

#: Lists that are remembered, in some 100 bytes each; the one that was used longest ago is forgotten
#: first.
MOST_LISTS = 1_000


class Lists:
    """The lists that clients have begun; only hashes are kept, of queries too."""

    def __init__(self) -> None:
        self._depths: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._depths)

    async def close(self) -> None:
        """Forget all."""
        self._depths.clear()

    def depth(self, user: Hashable, options: SearchOptions, wanted: int) -> int:
        """Records that each source is asked for in a round. `wanted`: records that would fill the
        page of this request.
        """
        name = _name(user, options)
        known = self._depths.pop(name, wanted)
        depth = known if options.start else wanted
        self._depths[name] = depth
        if len(self._depths) > MOST_LISTS:
            del self._depths[next(iter(self._depths))]
        return depth


def _name(user: Hashable, options: SearchOptions) -> bytes:
    """Of a list: a user, and what decides which works are listed and how."""
    parts = repr((user, options.query, options.sources, options.filter, options.sort))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
