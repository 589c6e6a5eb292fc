"""Who may ask the server for anything, and what browsers may do with its answers.

Every request, a websocket's too, passes one place before any handler sees it. Refused are: a Host that is not a name of
this server (another name may have been bent to this address, "DNS rebinding"), an Origin that is another page, a
session id from outside (two browsers would share a session), and whoever has neither the token nor its cookie.
"""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from panel.io.server import DocHandler, Server
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import OutputTransform, RequestHandler

__all__ = ["Guard", "GuardedServer", "is_local"]

LOCAL = ("localhost", "127.0.0.1", "::1")
ANY = ("", "0.0.0.0", "::")  # addresses of all networks of this computer
HEALTH = "/health"
EMBEDDING = "/autoload.js"  # which hands sessions to pages of other servers
ENTER = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>jaxlda</title></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem">
<h1>jaxlda</h1><p>{}</p>{}</body></html>"""
FORM = """<form action="" method="get"><label>Token <input name="token" type="password" autocomplete="off" autofocus>
</label> <button>Open</button></form>"""
NO_TOKEN = (
    "This dashboard opens with a token. Use the whole address that it printed when it was started, or paste the token "
    "here: the text after “token=”."
)
WRONG_TOKEN = "This is not the token of this dashboard: it has another one each time it is started. " + NO_TOKEN


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    words: str
    form: bool = False
    """Whether a token would help."""


class Guard:
    """What is asked of a request.

    Parameters
    ----------
    address
        Where the server listens.
    names
        By which it may be called besides: the public one behind a proxy, say.
    token
        What opens the page; ``None``: nothing is needed.
    frames
        Origins whose pages may show the dashboard in a frame.
    """

    def __init__(
        self, address: str, names: Sequence[str] = (), token: str | None = None, frames: Sequence[str] = ()
    ) -> None:
        self.anywhere = not is_local(address)
        self.names = {*LOCAL, *(name.lower() for name in names)}
        if self.anywhere:
            self.names |= {socket.gethostname().lower(), *(() if address in ANY else (address.lower(),))}
        self.token, self.frames = token, tuple(frames)
        self.pass_ = secrets.token_urlsafe(32)
        """What the cookie holds, so that the token is nowhere but in the first request."""

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server. A number cannot be bent to another address, as names can."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self.names:
            return True
        try:
            number = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.anywhere or number.is_loopback

    def cookie_name(self, request: HTTPServerRequest) -> str:
        """Cookies belong to a host with all its ports: every server has one of its own."""
        return f"jaxlda-{urlsplit(f'//{request.host}').port or 80}"

    def given(self, request: HTTPServerRequest) -> str | None:
        """The token in the address, or in the header of a program."""
        for given in request.query_arguments.get("token", ()):
            return given.decode("utf-8", "replace")
        kind, _, value = request.headers.get("Authorization", "").partition(" ")
        return value.strip() if kind.lower() in ("token", "bearer") else None

    def opens(self, token: str | None) -> bool:
        """Whether it is the token."""
        return token is not None and self.token is not None and _equal(token, self.token)

    def refusal(self, request: HTTPServerRequest) -> Refusal | None:
        """Why a request is refused; ``None`` if it is not."""
        if not self.knows(request.headers.get("Host", "")):
            return Refusal(
                421,
                "This server is not called by this name. Whoever runs it can allow the name with --allow-host when "
                "starting it.",
            )
        origin = request.headers.get("Origin") or request.headers.get("Sec-Websocket-Origin")
        if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
            return Refusal(403, "Pages of other servers may not use this one.")
        if "bokeh-session-id" in request.query_arguments or "Bokeh-Session-Id" in request.headers:
            return Refusal(403, "Sessions are given by the server, and cannot be chosen.")
        if request.path.rstrip("/").endswith(EMBEDDING):
            return Refusal(403, "To show the dashboard in another page, use a frame and start it with --allow-frame.")
        if self.token is None or request.path == HEALTH:
            return None
        given = self.given(request)
        if given is not None:
            return None if self.opens(given) else Refusal(403, WRONG_TOKEN, form=True)
        cookie = request.cookies.get(self.cookie_name(request))
        if cookie is not None and _equal(cookie.value, self.pass_):
            return None
        return Refusal(403, NO_TOKEN, form=True)

    def policy(self, nonce: str) -> str:
        """The Content-Security-Policy: nothing from elsewhere, and no script that this server did not write itself."""
        return "; ".join(
            (
                "default-src 'self'",
                # Bokeh compiles CustomJS, and Panel loads modules from blobs.
                f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval' blob:",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self' data: blob:",
                "worker-src 'self' blob:",
                "object-src 'none'",
                "base-uri 'none'",
                "form-action 'self'",
                f"frame-ancestors {' '.join(self.frames) or chr(39) + 'none' + chr(39)}",
            )
        )


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def is_local(address: str) -> bool:
    """Whether nobody but this computer can connect to an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address.lower() == "localhost"


class _Refused(Matcher):
    """Matches what is refused."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        refusal = self.guard.refusal(request)
        return None if refusal is None else {"target_kwargs": {"refusal": refusal}}


class _Entering(Matcher):
    """Matches a page that is opened with the token in its address."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        entering = request.method == "GET" and "token" in request.query_arguments and self.guard.token is not None
        return {"target_kwargs": {"guard": self.guard}} if entering else None


class RefusedHandler(RequestHandler):
    """Says why, whatever was asked for."""

    def initialize(self, refusal: Refusal) -> None:
        self.refusal = refusal

    def prepare(self) -> None:
        self.set_status(self.refusal.status, "Refused")
        self.finish(ENTER.format(escape(self.refusal.words), FORM if self.refusal.form else ""))


class EnterHandler(RequestHandler):
    """Takes the token out of the address, and gives a cookie for it."""

    def initialize(self, guard: Guard) -> None:
        self.guard = guard

    def get(self, *path: str) -> None:
        rest = [(key, value) for key, value in parse_qsl(self.request.query) if key != "token"]
        name = self.guard.cookie_name(self.request)
        secure = self.request.protocol == "https"
        self.set_cookie(name, self.guard.pass_, httponly=True, samesite="Lax", secure=secure, path="/")
        path_only = "/" + self.request.path.lstrip("/")  # "//elsewhere" would be another server
        self.redirect(path_only + (f"?{urlencode(rest)}" if rest else ""))


class HealthHandler(RequestHandler):
    """For those who watch the server: it answers."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain")
        self.write("ok")


def _headers(guard: Guard) -> type[OutputTransform]:
    """What is added to every answer, and taken from it."""

    class Headers(OutputTransform):
        def transform_first_chunk(
            self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
        ) -> tuple[int, HTTPHeaders, bytes]:
            nonce = secrets.token_urlsafe(16)
            for name in [name for name in headers if name.lower().startswith("access-control-")]:
                del headers[name]
            headers["Content-Security-Policy"] = guard.policy(nonce)
            headers["X-Content-Type-Options"] = "nosniff"
            headers["Referrer-Policy"] = "no-referrer"
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            if not guard.frames:
                headers["X-Frame-Options"] = "DENY"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
            if headers.get("Content-Type", "").startswith("text/html") and finishing:
                headers["Cache-Control"] = "no-store"
                chunk = chunk.replace(b"<script", f'<script nonce="{nonce}"'.encode())
                headers["Content-Length"] = str(len(chunk))
            return status_code, headers, chunk

    return Headers


class GuardedServer(Server):
    """A server of Panel whose requests pass a guard first."""

    def __init__(self, guard: Guard, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        application = self._tornado
        application.default_router.rules[:0] = [
            Rule(_Refused(guard), RefusedHandler),
            Rule(_Entering(guard), EnterHandler),
        ]
        application.add_transform(_headers(guard))

    def serve_pages_by(self, handler: type[DocHandler]) -> None:
        """Have pages served by another handler than Panel's."""
        for rule in self._tornado.wildcard_router.rules:
            if rule.target is DocHandler:
                rule.target = handler
