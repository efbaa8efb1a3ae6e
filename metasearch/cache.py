"""Keeps bytes under a key for a while: `Store`, on disk (`DiskStore`) and in memory
(`MemoryStore`).

A cache must not harm a search. So nothing here raises into it: a value that cannot be read is a
miss and is deleted, a file that is broken is begun anew, and a store that cannot work logs that
once and is silent from then on. No byte of the cache is ever unpickled.
"""

from __future__ import annotations

from metasearch.cache.store import CacheStats, DiskStore, MemoryStore, Store

__all__ = ["CacheStats", "DiskStore", "MemoryStore", "Store"]
