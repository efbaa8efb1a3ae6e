"""Secrets that somebody else keeps: those of sessions, tokens and links. The workspace has their
digests alone, so that who reads the file can use none of them.
"""

from __future__ import annotations

import hashlib
import secrets

#: Random bytes of a secret. So many need no slow digest: nobody tries them all.
_BYTES = 32
#: Characters of what is looked at: a secret with what stands before it is far shorter.
LONGEST = 200


def new() -> str:
    """A new one: 43 letters, digits, "-" and "_"."""
    return secrets.token_urlsafe(_BYTES)


def digest(text: str) -> bytes:
    """The 32 bytes that are kept of a secret. Any text has some; one that is too long, or no
    Unicode, has those of the empty text, which is never a secret.
    """
    if len(text) > LONGEST:
        text = ""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
