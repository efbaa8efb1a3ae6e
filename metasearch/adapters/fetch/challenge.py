"""Is this page a bot wall instead of an answer? Pure and bounded: looks at the first 64 KB, in
linear time.

A result list may speak about captchas, and ordinary pages load a captcha's script for their contact
form. So there are two kinds of evidence: marks that only the wall itself has count anywhere; words
and widgets count only on a page with little else.
"""

from __future__ import annotations

from metasearch.late_pattern import late_pattern

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
    return _wall(_decoded(body[:LOOKED_AT]).lower(), whole=len(body) <= LOOKED_AT)


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


def _decoded(body: bytes) -> str:
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
