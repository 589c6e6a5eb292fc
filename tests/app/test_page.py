"""What other threads have a page do."""

from bokeh.document import Document
from bokeh.io import curdoc

from jaxlda_app.page import _poster


class Context:
    """Of a page that is open."""

    session = None


def test_an_error_in_one_page_is_told_and_leaves_the_others_alone(monkeypatch):
    document, before, told = Document(), curdoc(), []
    post = _poster(document, told.append)
    post(lambda: told.append("closed"))  # a page that is gone: nothing is done
    monkeypatch.setattr(Document, "session_context", Context())
    for action in (lambda: told.append("done"), lambda: 1 / 0):
        post(action)
    for callback in document.session_callbacks:
        callback.callback()
    assert {type(one) for one in told} == {str, ZeroDivisionError} and "done" in told and len(told) == 2
    assert curdoc() is before
