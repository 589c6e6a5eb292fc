"""What other threads have a page do."""

import threading

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from bokeh.io import curdoc
from bokeh.models import ColumnDataSource
from bokeh.protocol.messages.pull_doc_reply import pull_doc_reply
from panel.io.state import state
from panel.models.esm import DataEvent
from panel.util.parameters import edit_readonly

from jaxlda_app.jobs import Jobs
from jaxlda_app.page import Page, _poster
from jaxlda_app.steady import answer_with_the_lock, send_documents_whole
from jaxlda_app.store import Session


class Context:
    """Of a page that is open."""

    session = None


class Loop:
    """Of a server: what it is asked to do, it does when it is its turn."""

    def __init__(self):
        self.asked = []

    def add_callback(self, action):
        self.asked.append(action)

    def turn(self):
        asked, self.asked = self.asked, []
        for action in asked:
            action()


def test_an_error_in_one_page_is_told_and_leaves_the_others_alone(monkeypatch):
    document, loop, before, told = Document(), Loop(), curdoc(), []
    post = _poster(document, loop, told.append)
    post(lambda: told.append("closed"))  # a page that is gone: nothing is done
    loop.turn()
    monkeypatch.setattr(Document, "session_context", Context())
    for action in (lambda: told.append("done"), lambda: 1 / 0):
        post(action)
    loop.turn()
    for callback in document.session_callbacks:
        callback.callback()
    assert {type(one) for one in told} == {str, ZeroDivisionError} and "done" in told and len(told) == 2
    assert curdoc() is before


def test_other_threads_leave_documents_alone(monkeypatch):
    """Bokeh forgets what it is asked by one thread while another lets go of the events of the same document."""
    monkeypatch.setattr(Document, "session_context", Context())
    document, loop, changed = Document(), Loop(), []
    document.callbacks.on_change(changed.append)
    post = _poster(document, loop, changed.append)
    document.hold("combine")  # as while a click is answered
    asking = threading.Thread(target=post, args=(lambda: None,))
    asking.start()
    asking.join()
    assert not document.callbacks._held_events and not document.session_callbacks
    document.unhold()
    loop.turn()
    assert len(document.session_callbacks) == 1 and len(changed) == 1


def test_a_page_is_not_told_of_everything_that_the_server_does():
    """All pages were, several times a second each, and the server did little else."""
    session = Session(Jobs())
    page = Page(session)
    try:
        with edit_readonly(pn.state):
            pn.state.busy = True
        assert page.layout.busy is False
    finally:
        with edit_readonly(pn.state):
            pn.state.busy = False
        session.close()


def test_clicks_are_answered_with_the_lock_also_just_after_another_change(monkeypatch):
    answer_with_the_lock()
    document, button = Document(), pn.widgets.Button()
    monkeypatch.setattr(Document, "session_context", Context())
    monkeypatch.setitem(state._change_callbacks, document, {"another": None})
    button._server_event(document, None)
    (callback,) = document.session_callbacks
    assert not getattr(callback.callback, "nolock", False)


def test_a_document_that_is_asked_for_anew_has_its_arrays_in_it():
    send_documents_whole()
    document = Document()
    document.add_root(ColumnDataSource({"x": np.arange(4.0)}))
    message = pull_doc_reply.create("1", document)
    assert message.buffers == [] and "bytes" in str(message.content)
    copy = Document()
    message.push_to_document(copy)
    np.testing.assert_array_equal(copy.roots[0].data["x"], np.arange(4.0))


@pytest.fixture
def page():
    session = Session(Jobs())
    yield Page(session)
    session.close()


def in_the_page(page):
    """The views that a browser has, or is sent."""
    return {title for title, place in page.places.items() if len(place)}


def test_a_view_that_was_built_stays(page):
    page.session.active = "Fit"
    fit = page.places["Fit"][0]
    page.session.active = "Documents"
    assert page.stage.shown == "Documents" and in_the_page(page) == {"Topics", "Fit", "Documents"}
    page.session.active = "Fit"
    assert page.stage.shown == "Fit" and page.places["Fit"][0] is fit
    assert page.content.css_classes == ["content", "fit"]


def test_views_are_built_ahead_one_at_a_time_unless_somebody_does_something(page):
    page.session.jobs.give_way(page.session)
    page.beat()
    assert in_the_page(page) == {"Topics"}
    page.session.jobs._way = (0.0, None)
    for number in (2, 3):
        page.beat()
        assert len(in_the_page(page)) == number
    assert page.stage.shown == "Topics"


def test_the_last_of_two_choices_counts(page):
    waiting = []
    page.session.post = waiting.append
    page.session.active = "Fit"
    page.session.active = "Documents"
    for action in waiting:
        action()
    assert page.session.active == page.stage.shown == "Documents" and in_the_page(page) == {"Topics", "Documents"}


def test_nothing_is_built_for_a_tab_that_was_closed(page):
    page.session.jobs._way = (0.0, None)
    page.document = Document()
    page.beat()
    assert in_the_page(page) == {"Topics"}


def test_a_view_that_was_built_just_before_it_is_opened_is_not_hidden_again(page):
    """It was to be built ahead, then somebody chose it."""
    waiting = []
    page.session.post = waiting.append
    page.session.jobs._way = (0.0, None)
    page.beat()
    page.session.active = ahead = page.titles[0]
    for action in waiting:
        action()
    assert page.stage.shown == ahead and not page.places[ahead].select(pmui.Skeleton)


def test_somebody_does_something(page):
    page.session.jobs._way = (0.0, None)
    page.stage._process_event(DataEvent(None, "touched"))
    assert page.session.jobs.gives_way


def test_a_page_that_is_drawn_once_more_is_sent_without_what_is_not_seen(page):
    page.session.active = "Convergence"
    page.session.active = "Fit"
    page.renew()
    assert in_the_page(page) == {"Fit"}
    page.session.active = "Convergence"
    assert in_the_page(page) == {"Fit", "Convergence"} and len(page.places["Convergence"][0].objects) > 0
