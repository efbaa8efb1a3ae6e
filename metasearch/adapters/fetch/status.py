"""The status of an exchange: whether a page is an answer, a refusal, a bot wall or a fault."""

from __future__ import annotations

from contextlib import suppress

import orjson

from metasearch.adapters.fetch.health import Health
from metasearch.adapters.request import Page, without_secrets
from metasearch.adapters.spec import Limits
from metasearch.bib.texts import plain
from metasearch.errors import (
    AccessDenied,
    Blocked,
    ConnectFailed,
    RateLimited,
    Refused,
    ServerFault,
    SourceError,
    Unreachable,
)
from metasearch.late_pattern import late_pattern
from metasearch.message import message

# Is this page a bot wall instead of an answer? Pure and bounded: looks at the first 64 KB, in
# linear time. A result list may speak about captchas, and ordinary pages load a captcha's script
# for their contact form. So there are two kinds of evidence: marks that only the wall itself has
# count anywhere; words and widgets count only on a page with little else.

LOOKED_AT = 64 * 1024
#: A page with more visible characters than this is content; walls are short.
SHORT = 1500

#: In the markup, lower case: what nothing but the wall itself has.
_MARKS = (
    ("/.within.website/x/cmd/anubis", "an Anubis challenge"),
    ('id="anubis_challenge"', "an Anubis challenge"),
    ("_cf_chl_opt", "a Cloudflare challenge"),
    ("/cdn-cgi/challenge-platform/h/", "a Cloudflare challenge"),
    ("cf-browser-verification", "a Cloudflare challenge"),
    ("unusual traffic from your computer network", "an 'unusual traffic' captcha"),
    ('id="captcha-form"', "a captcha page"),
    ("_incapsula_resource", "an Imperva challenge"),
    ("geo.captcha-delivery.com", "a DataDome challenge"),
)

#: In the markup of a short page.
_WIDGETS = (
    ("h-captcha", "an hCaptcha page"),
    ("hcaptcha.com/", "an hCaptcha page"),
    ("g-recaptcha", "a reCAPTCHA page"),
    ("/recaptcha/", "a reCAPTCHA page"),
    ("cf-turnstile", "a Cloudflare challenge"),
    ("challenges.cloudflare.com", "a Cloudflare challenge"),
)

#: In the title, the headings or the text of a short page. Only a bot wall writes such words to its
#: reader.
_WORDS = tuple(
    (late_pattern(pattern), name)
    for pattern, name in (
        (r"just a moment|attention required! \| cloudflare", "a Cloudflare challenge"),
        (r"making sure you(?:'|’|&#39;)?re not a bot", "an Anubis challenge"),
        (
            r"unusual (?:traffic|activity)|automated (?:queries|requests|access)",
            "an 'unusual traffic' page",
        ),
        (
            r"ddos[- ]guard|checking (?:if the site connection is secure|your browser)",
            "a browser check",
        ),
        (
            (
                r"(?:are|if) you(?:'re| are)? (?:a |an? )?(?:robot|human)|"
                r"not a (?:robot|bot)|robot check"
            ),
            "a captcha page",
        ),
        (
            r"(?:verify|confirm|prove)(?: that)? you(?:'re| are) (?:a )?(?:human|not)",
            "a captcha page",
        ),
        (r"human verification|security check|bot (?:check|detection)", "a captcha page"),
        (r"(?:complete|solve|enter|type|pass)[^<.]{0,40}captcha", "a captcha page"),
        (
            r"安全验证|人机验证|滑块验证|拼图验证|请输入验证码|拖动(?:下方)?滑块|访问过于频繁|異常流量",
            "a captcha page",
        ),
        (r"access (?:to this (?:page|site) )?(?:is |has been )?denied", "an 'access denied' page"),
        (r"your (?:request|ip|access) (?:was |is |has been )?blocked", "an 'access denied' page"),
    )
)

_CAPTCHA_PART = late_pattern(r"""(?:id|class|name|src)\s{0,3}=\s{0,3}["']?[^"'<>]{0,80}captcha""")
_HTML_ROOT = late_pattern(r"<(?:!doctype\s+html|html|head|body|title|meta|h1|main|div|script)[\s>]")
_TAG = late_pattern(r"<[^<>]*>")


def challenge(body: bytes, content_type: str) -> str | None:
    """Names the bot wall that an HTML body is, with its article ("a Cloudflare challenge").

    None for a plain page, and for whatever is not HTML, even if its content type is HTML:
    interfaces that call their JSON text/html exist.
    """
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start.startswith(b"<"):
        return None
    shown = start.decode("latin-1")
    if start.startswith(b"<?xml") and "<html" not in shown:
        return None
    if "html" not in content_type.lower() and not _HTML_ROOT.match(_after_comments(shown)):
        return None
    return _wall(_decode(body[:LOOKED_AT]).lower(), whole=len(body) <= LOOKED_AT)


def _wall(page: str, *, whole: bool) -> str | None:
    for mark, name in _MARKS:
        if mark in page:
            return name
    if not whole:
        return None
    text = _visible(page)
    if len(text) > SHORT:
        return None
    for widget, name in _WIDGETS:
        if widget in page:
            return name
    for pattern, name in _WORDS:
        if pattern.search(text):
            return name
    return "a captcha page" if _CAPTCHA_PART.search(page) else None


def _decode(body: bytes) -> str:
    """Text for looking up words: UTF-8, else the Chinese encodings, which hold ASCII unchanged."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("gb18030", "replace")


def _after_comments(start: str) -> str:
    while start.startswith(("<!--", "<?xml")):
        start = start.partition(">" if start.startswith("<?") else "-->")[2].lstrip()
    return start


def _visible(page: str) -> str:
    """What a reader sees, title included: no scripts, no styles, no tags, single blanks."""
    for element in ("script", "style", "svg"):
        first, *others = page.split(f"<{element}")
        page = first + "".join(other.partition(f"</{element}")[2] for other in others)
    return " ".join(_TAG.sub(" ", page).split())


#: Characters of a refusal's own words that are passed on.
LONGEST_MESSAGE = 200
#: Bytes of a body that is looked into for such words.
LARGEST_REFUSAL = 20_000
#: What is renewed within so many seconds is a rate, which our own limits keep to.
RATE_SECONDS = 5.0
#: Faults that pass; a 500 or 501 is more likely to be about the request.
_PASSING = frozenset({502, 503, 504})


def judge(page: Page, limits: Limits, health: Health, env_name: str | None) -> Page:
    """The page, if it may be an answer; informs `health` of what it means for the source. Raises
    SourceError: the page is none: `Blocked`, `RateLimited`, `AccessDenied` or `ServerFault`.
    """
    error = objection(page, env_name)
    if page.budget is not None:
        health.note_budget(page.budget)
    if error is None:
        health.note_answer()
        if (pause := seconds_until_renewal(page)) > max(limits.per, RATE_SECONDS):
            health.note_empty_budget(pause)
        return page
    if isinstance(error, Blocked | RateLimited) or page.retry_after is not None:
        health.note_refusal(error, limits.pause if page.pause is None else page.pause)
    elif isinstance(error, Refused):
        health.note_answer()
        health.note_error(error)
    else:
        health.note_failure(error)
    raise error


def objection(page: Page, env_name: str | None = None) -> SourceError | None:
    """Why the page cannot be an answer; None where it may be one."""
    request, status = page.request, page.status
    wall = challenge(page.body, page.content_type)
    if wall is not None:
        return Blocked(
            request.source,
            message(
                "a human check came instead of an answer ({wall}, HTTP {status})",
                wall=wall,
                status=status,
            ),
            url=request.log_url,
        )
    if status == 429 or (status in (402, 403) and seconds_until_renewal(page) > 0):
        return RateLimited(request.source, page.pause, url=request.log_url)
    if status in (401, 403):
        return AccessDenied(
            request.source, status, url=request.log_url, env_name=env_name, said=message_of(page)
        )
    if status >= 500:
        return ServerFault(
            request.source, status, url=request.log_url, retry_after=page.retry_after
        )
    return None


def seconds_until_renewal(page: Page) -> float:
    """Seconds until what the source allows is renewed; 0.0 where it is not used up."""
    budget = page.budget
    return (budget.renewed or 0.0) if budget is not None and budget.is_spent else 0.0


def message_of(page: Page) -> str:
    """The message in a JSON body, as interfaces send it with a refusal; "" where there is none."""
    with suppress(ValueError):
        facts = orjson.loads(page.body) if len(page.body) <= LARGEST_REFUSAL else None
        texts = (
            [facts.get(name) for name in ("error", "message", "detail")]
            if isinstance(facts, dict)
            else []
        )
        message = " ".join(dict.fromkeys(plain(text) for text in texts if isinstance(text, str)))
        return without_secrets(message, page.request)[:LONGEST_MESSAGE]
    return ""


def may_pass(error: Unreachable) -> bool:
    """Whether the same request may succeed in a moment."""
    if isinstance(error, ServerFault):
        return error.code in _PASSING and error.retry_after is None
    return isinstance(error, ConnectFailed)


def is_overload(error: SourceError) -> bool:
    """Whether the source is overloaded, and does not say for how long."""
    return isinstance(error, ServerFault) and error.code == 503 and error.retry_after is None
