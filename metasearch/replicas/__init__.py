"""What several processes that ask the same sources share: how often a source is asked, pauses, and
who probes.

`Sharing` is all that the fetch path knows of it. `Alone` shares nothing and costs nothing; between
replicas, on one machine or many, `RedisSharing` (redis.py, imported when it is used) does it
through a server of Redis or Valkey. Docs: docs/replicas.md, docs/decisions/0043.
"""

from metasearch.replicas.sharing import Alone, Away, SharedLimits, Sharing, SharingState, Start

__all__ = ["Alone", "Away", "SharedLimits", "Sharing", "SharingState", "Start"]
