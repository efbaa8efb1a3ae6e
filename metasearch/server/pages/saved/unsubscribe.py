"""The page behind the address in each e-mail that ends them."""

from __future__ import annotations

from metasearch.server.pages.page import page
from metasearch.server.visit import Visit


def unsubscribe_page(visit: Visit, here: str, *, done: bool) -> str:
    """The whole page."""
    title = "No more e-mails" if done else "Switch e-mails off?"
    return page("saved/unsubscribe.html", visit, visit.language.said(title), here=here, done=done)
