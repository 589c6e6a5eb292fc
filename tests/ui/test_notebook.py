"""``model.explore()`` in a real JupyterLab: a server, a kernel and a browser."""

import os
import re
import socket
import subprocess
import sys
from urllib.parse import urlparse

import nbformat
import pytest
from playwright.sync_api import expect

from tests.ui.conftest import SLOW, answers

pytest.importorskip("jupyterlab")
TOKEN = "a-token-of-this-test"
MAKE = """import jaxlda
corpus = jaxlda.datasets.bars(num_docs=40, doc_length=20)[0]
settings = dict(num_warmup=5, num_samples=5, thinning=1, num_chains=2, seed=0, progress=False, trace_every=1)"""
FITTED = "jaxlda.LDA(6, **settings).fit(corpus).explore()"
TO_BE_FITTED = """model = jaxlda.LDA(6, **settings | {"num_warmup": 4_000, "trace_every": 100})
view = model.explore(corpus)
view"""
LIVE = "import time; model.fit(corpus, on_block=lambda run: (view(run), time.sleep(1)))"


@pytest.fixture(scope="module")
def lab(tmp_path_factory, root):
    """The address of a JupyterLab with notebooks in it."""
    folder = tmp_path_factory.mktemp("lab")
    for name, cells in {"fitted": [MAKE, FITTED], "live": [MAKE, TO_BE_FITTED, ""]}.items():
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        code = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=code, metadata=metadata)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder}"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    command += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    private = {f"JUPYTER_{name}": str(folder / name.lower()) for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")}
    path = os.pathsep.join([str(root), str(root / "app")])
    environment = os.environ | private | {"PYTHONPATH": path, "IPYTHONDIR": str(folder / "ipython")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            answers(f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.fixture
def notebook(lab, browser):
    """Open a notebook and run its cells; nothing may be asked of another host."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    outside = []

    def requested(request):
        url = urlparse(request.url)
        if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1":
            outside.append(request.url)

    def run(name):
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.on("request", requested)
        page.goto(f"{lab}/lab/tree/{name}.ipynb?token={TOKEN}&reset")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.get_by_role("button", name=re.compile("Idle")).wait_for()  # the kernel is there
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        return page

    yield run
    context.close()
    assert not outside, outside


def test_a_fitted_model(notebook):
    page = notebook("fitted")
    views = page.locator(".explorer")
    expect(views.locator(".brief")).to_contain_text("finished, sweep 10 of 10")
    expect(views.locator(".content.topics")).to_be_visible()
    for title in ("Convergence", "Documents", "Export", "Estimates", "Topics", "Convergence"):  # none is lost
        views.get_by_role("button", name=title, exact=True).click()
        expect(views.locator(f".content.{title.lower()}")).to_be_visible()
        page.get_by_role("button", name=re.compile("Idle")).wait_for()
    expect(views.locator(".verdict")).to_contain_text("onverged")


def test_live_while_fit_runs(notebook):
    page = notebook("live")
    state = page.locator(".explorer .brief")
    expect(state).to_contain_text("Nothing is sampled yet")
    page.get_by_role("button", name=re.compile("Idle")).wait_for()  # Python and the page know each other
    page.locator(".jp-Notebook .jp-Cell").last.locator(".jp-InputArea-editor").click()
    page.keyboard.type(LIVE)
    page.keyboard.press("Shift+Enter")
    expect(state).to_contain_text("running, sweep")
    expect(state).to_contain_text("finished, sweep 4,005 of 4,005")
    expect(page.locator(".explorer .content.topics")).to_be_visible()
