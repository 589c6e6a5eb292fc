"""Names and passwords. Bokeh knows one current page per process, and Panel's settings are those of it: no other server
may open one meanwhile, so that this test has a file, and a server, of its own."""

import http.client
import json

from jaxlda_app import main
from tests.app.test_security import ask, connected


def test_names_and_passwords(tmp_path):
    (tmp_path / "people.json").write_text(json.dumps({"ann": "secret"}))
    running = main.serve(port=0, show=False, threaded=True, auth=tmp_path / "people.json")
    try:
        assert running.guard.token is None
        sent = ask(running)
        assert sent.status == 302 and sent.headers["Location"].startswith("./login")
        assert ask(running, "/status").status == 302
        assert connected(running)[0] == 403
        form = ask(running, "/login").body
        assert "Password" in form and "http" not in form, "nothing comes from elsewhere"

        def signed_in(password, **headers):
            port = running.server.port
            connection = http.client.HTTPConnection("localhost", port, timeout=30)
            kind = {"Content-Type": "application/x-www-form-urlencoded"} | headers
            connection.request("POST", "/login", f"username=ann&password={password}", kind)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer

        assert "error" in signed_in("guess").headers["Location"]
        assert signed_in("secret", Origin="http://evil.example").status == 403
        cookies = [c.partition(";")[0] for c in signed_in("secret").headers.get_all("Set-Cookie")]
        assert ask(running, Cookie="; ".join(cookies)).status == 200
    finally:
        running.stop()
