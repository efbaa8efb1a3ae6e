"""Files that are sent: written to a temporary file first, so that a failure is an answer, and a
slow reader holds up nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO

from aiohttp import web

#: Bytes that are sent at a time.
_PART = 262_144


async def send_file(
    request: web.Request,
    file: IO[bytes],
    media_type: str,
    name: str,
    headers: Mapping[str, str] | None = None,
) -> web.StreamResponse:
    """Send a file that has just been written, from its beginning; to a HEAD only what it is.
    `name`: under which a browser saves it, in ASCII.
    """
    file.seek(0, os.SEEK_END)
    response = web.StreamResponse(
        headers={
            "Cache-Control": "no-store",
            "Content-Type": media_type,
            "Content-Length": str(file.tell()),
            "Content-Disposition": f'attachment; filename="{name}"',
            **(headers or {}),
        }
    )
    file.seek(0)
    await response.prepare(request)
    # What followed the head of an answer to HEAD would be read as the next answer.
    while request.method != "HEAD" and (part := file.read(_PART)):
        await response.write(part)
    await response.write_eof()
    return response
