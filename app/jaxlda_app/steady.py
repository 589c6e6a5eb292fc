"""Keeps a page whole where changes come too early, or half.

BokehJS applies the changes of a message one after the other. A widget that has been made and not been drawn, as in a
view that is just being opened or in a part that is hidden, fails at a change of its value, and all changes behind it in
the same message are lost: charts stay empty. What is drawn later shows what it is then, so that such a failure means
nothing, and the rest counts.

A connection may be lost in the middle of a message. BokehJS would take what comes through the next one for the rest of
it, and understand nothing from then on; what is half is forgotten instead. And when it asks for the document anew, it
loses the arrays that come beside it, and fails at the first of them: they are sent within it.
"""

from typing import Any

import panel as pn
from bokeh.protocol.messages.pull_doc_reply import pull_doc_reply
from panel.reactive import Syncable

from jaxlda_app.axes import follow_the_data

__all__ = ["BASE", "Steady", "answer_with_the_lock", "send_documents_whole"]

BASE = """
function base(one, method) {  // of all classes that have it, the one that all others are made of
  let found = null
  for (let kind = Object.getPrototypeOf(one); kind != null; kind = Object.getPrototypeOf(kind))
    if (Object.hasOwn(kind, method)) found = kind
  return found
}
"""
"""A function of the browser: where all views, or all models, have a method from."""

_SCRIPT = (
    BASE
    + """
function apply_all_changes(models) {
  const {setv} = models
  models.setv = function(values, options) {
    try {
      return setv.call(this, values, options)
    } catch (error) {
      if (options?.sync !== false) throw error  // not of the server
      reportError(error)
    }
  }
}

function drawn(view) {  // "finished" are also those that are hidden, and have not been drawn
  return view.shadow_el == null || view.shadow_el.childElementCount > 0
}

function wait_until_drawn(views) {
  const {connect, disconnect} = views, patient = new WeakMap()
  views.connect = function(signal, slot) {
    if (!patient.has(slot)) {
      patient.set(slot, function(...args) {
        try {
          return slot.apply(this, args)
        } catch (error) {
          if (drawn(this)) throw error
        }
      })
    }
    return connect.call(this, signal, patient.get(slot))
  }
  views.disconnect = function(signal, slot) {
    return disconnect.call(this, signal, patient.get(slot) ?? slot)
  }
}

export function render() {
  const page = Bokeh.documents[0]
  page.on_event("connection_lost", (_, event) => {
    const connection = event.connection.deref()
    if (connection != null) connection._receiver = new connection._receiver.constructor()
  })
  if (!globalThis.jaxlda_steady) {
    globalThis.jaxlda_steady = true
    apply_all_changes(base(page.roots()[0], "setv"))
    wait_until_drawn(base(Bokeh.index.roots[0], "connect"))
  }
  return document.createElement("span")
}
"""
)


class Steady(pn.custom.JSComponent):
    """Shows nothing."""

    _esm = _SCRIPT


def answer_with_the_lock() -> None:
    """Clicks are answered while the document is locked, also those that come at once after another change.

    Panel would answer these without, and Bokeh refuses what they change.
    """
    for name in ("_event_coroutine", "_change_coroutine"):
        getattr(Syncable, name).lock = True


def send_documents_whole() -> None:
    """Documents that pages ask for have their arrays in them, and not beside them; and axes follow the data."""

    def create(cls: Any, /, request_id: Any, document: Any, **metadata: Any) -> Any:
        header = cls.create_header(request_id=request_id)
        content = document.to_json(deferred=False)
        follow_the_data(content)
        return cls(header, metadata, {"doc": content})

    reply: Any = pull_doc_reply
    reply.create = classmethod(create)
