"""Requests of people who are not invited, to a real server: by other names, from other pages, without the token."""

import asyncio
import http.client
import re
import time
from types import SimpleNamespace

import pytest
from bokeh.util.token import generate_jwt_token, generate_session_id
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from jaxlda_app import main
from jaxlda_app.guard import Guard, is_local
from jaxlda_app.reading import Request
from tests.app.test_reading import HUGE, Told


def ask(running, path="/", body=True, **headers):
    """Status, headers and body of an answer; header names with _ for -."""
    port = running.server.port
    connection = http.client.HTTPConnection("localhost", port, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": f"localhost:{port}"} | headers).items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read().decode() if body else ""
    answer.close()
    connection.close()
    return SimpleNamespace(status=answer.status, headers=answer.headers, body=content)


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def connected(running, subprotocols=("bokeh", "x"), **headers):
    """The status of a websocket's handshake, and whether the server closed it at once."""
    port = running.server.port
    given = {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"} | headers
    refused = ask(running, "/ws", **given, **UPGRADE, Sec_WebSocket_Protocol=", ".join(subprotocols), body=False)
    if refused.status != 101:
        return refused.status, True

    async def connect():
        request = HTTPRequest(f"ws://localhost:{port}/ws", headers=given, request_timeout=30)
        socket = await websocket_connect(request, subprotocols=list(subprotocols))
        first = message = await asyncio.wait_for(socket.read_message(), 30)
        socket.close()
        while message is not None:  # until the server has closed it, too
            message = await asyncio.wait_for(socket.read_message(), 30)
        await asyncio.sleep(0.01)
        return 101, first is None

    return asyncio.run(connect())


def token_in(page):
    return re.search(r'"token":\s*"([^"]+)"', page)[1]


def test_whoever_has_the_token_gets_a_cookie_and_with_it_the_page(running, cookie):
    entered = ask(running, f"/?token={running.guard.token}&view=Topics")
    assert entered.status == 302 and entered.headers["Location"] == "/?view=Topics"
    given = entered.headers["Set-Cookie"]
    assert "HttpOnly" in given and "SameSite=Lax" in given and running.guard.token not in given
    page = ask(running, Cookie=given.partition(";")[0])
    assert page.status == 200 and running.guard.pass_ not in page.body
    assert connected(running, ("bokeh", token_in(page.body)), Cookie=cookie) == (101, False)


@pytest.mark.parametrize("path", ["/", "/?token=forged", "/ws", "/status", "/static/js/bokeh.min.js", "/nothing"])
def test_nobody_gets_anything_without_the_token(running, path):
    refused = ask(running, path)
    assert refused.status == 403 and "token" in refused.body and not refused.headers.get("Set-Cookie")
    assert ask(running, path, Cookie=f"jaxlda-{running.server.port}=forged").status == 403


def test_a_name_that_was_bent_to_this_computer(running, cookie):
    """DNS rebinding: the browser believes that the page, its cookies and its websocket are of one server."""
    evil = f"evil.example:{running.server.port}"
    assert ask(running, Host=evil, Cookie=cookie).status == 421
    assert ask(running, "/health", Host=evil).status == 421
    assert connected(running, Host=evil, Origin=f"http://{evil}", Cookie=cookie) == (421, True)


def test_a_websocket_of_another_page(running, cookie):
    page = ask(running, Cookie=cookie)
    theirs = ("bokeh", token_in(page.body))
    assert connected(running, theirs, Origin="http://evil.example", Cookie=cookie) == (403, True)
    assert connected(running, theirs, Origin="http://localhost:1", Cookie=cookie) == (403, True)
    assert connected(running, theirs) == (403, True), "the token of the session is not the token of the server"


def test_sessions_cannot_be_chosen(running, cookie):
    assert ask(running, "/?bokeh-session-id=mine", Cookie=cookie).status == 403
    assert ask(running, Cookie=cookie, Bokeh_Session_Id="mine").status == 403
    forged = generate_jwt_token(generate_session_id(signed=False), signed=False, expiration=300)
    assert ask(running, f"/?bokeh-token={forged}", Cookie=cookie).status == 403
    wrong = generate_jwt_token(generate_session_id(secret_key=b"x", signed=True), b"x", signed=True, expiration=300)
    assert connected(running, ("bokeh", wrong), Cookie=cookie) == (101, True)


def test_what_browsers_may_do_with_the_page(running, cookie):
    page = ask(running, Cookie=cookie, Origin=f"http://localhost:{running.server.port}")
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "default-src 'self'" in policy and "object-src 'none'" in policy
    script = next(part for part in policy.split("; ") if part.startswith("script-src"))
    nonce = re.search("'nonce-([^']+)'", script)[1]
    assert "unsafe-inline" not in script and "*" not in script
    assert page.body.count("<script") == page.body.count(f'<script nonce="{nonce}"') > 0
    assert ask(running, Cookie=cookie).headers["Content-Security-Policy"] != policy, "a nonce is used once"
    assert page.headers["X-Frame-Options"] == "DENY" and page.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("/", "/autoload.js?bokeh-autoload-element=x", "/static/js/bokeh.min.js", "/metadata"):
        answer = ask(running, path, Cookie=cookie)
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path
    assert ask(running, "/autoload.js?bokeh-autoload-element=x", Cookie=cookie).status == 403


@pytest.mark.parametrize("path", ["/etc/passwd", "/..%2f..%2fetc/passwd", "/static/..%2f..%2f..%2f..%2fetc/passwd"])
def test_nothing_else_is_served(running, cookie, path):
    assert ask(running, path, Cookie=cookie).status in (400, 403, 404)


def test_the_token_leads_nowhere_else(running):
    away = ask(running, f"//evil.example/?token={running.guard.token}")
    assert not (away.headers.get("Location") or "").startswith("//")


def test_the_status_page_tells_numbers(running, cookie):
    page = ask(running, "/status", Cookie=cookie)
    assert page.status == 200 and "Memory set aside for runs" in page.body and "Sessions" in page.body
    assert ask(running, "/health").body == "ok"


def test_names_of_a_server():
    local, shared = Guard("localhost"), Guard("0.0.0.0", ["lda.example.org"])
    assert all(local.knows(host) for host in ("localhost:5006", "127.0.0.1:1", "[::1]:5006", "LOCALHOST"))
    assert not any(local.knows(host) for host in ("", "evil.example", "192.168.1.5", "localhost.evil.example", "[:"))
    assert shared.knows("lda.example.org") and shared.knows("192.168.1.5:5006") and not shared.knows("evil.example")
    assert is_local("127.0.0.2") and is_local("::1") and not is_local("0.0.0.0") and not is_local("example.org")


def test_without_a_token_and_in_frames():
    running = main.serve(port=0, show=False, threaded=True, token=False, allow_frames=["https://example.org"])
    try:
        page = ask(running)
        assert page.status == 200 and "X-Frame-Options" not in page.headers
        assert "frame-ancestors https://example.org" in page.headers["Content-Security-Policy"]
        assert ask(running, Host="evil.example").status == 421
        assert running.url.endswith("/")
    finally:
        running.stop()


def test_an_address_for_everybody_is_warned_of(caplog):
    running = main.serve(port=0, show=False, threaded=True, address="0.0.0.0")
    running.stop()
    assert "--auth" in caplog.text and running.url.startswith("http://localhost:")


def test_others_are_answered_while_bombs_are_read(running, cookie, until):
    """Two packed files take both slots; the best of some pings, as the machine may do other things in the others."""
    told = [Told(), Told()]
    for i, one in enumerate(told):
        running.readings.start(f"bomb {i}", Request("read", HUGE, {}), one.then, one.otherwise)
    try:
        times = []
        while len(times) < 20 and not (times and min(times) < 1):
            began = time.monotonic()
            assert ask(running, "/health").body == "ok"
            times.append(time.monotonic() - began)
        assert min(times) < 1 and running.readings.number == 2
    finally:
        for i in range(2):
            running.readings.forget(f"bomb {i}")
