"""Keeps a page whole where changes come too early, or half.

BokehJS applies the changes of a message one after the other. A widget that has been made and not been drawn, as in a
view that is just being opened, fails at a change of its value; and all changes behind it in the same message are lost:
charts stay empty. What is drawn later shows what it is then, so that such a failure means nothing, and the rest counts.

A connection may be lost in the middle of a message. BokehJS would take what comes through the next one for the rest of
it, and understand nothing from then on; what is half is forgotten instead.
"""

import panel as pn

__all__ = ["Steady"]

_SCRIPT = """
export function render() {
  const page = Bokeh.documents[0]
  page.on_event("connection_lost", (_, event) => {
    const connection = event.connection.deref()
    if (connection != null) connection._receiver = new connection._receiver.constructor()
  })
  let kind = Object.getPrototypeOf(page.roots()[0])
  while (kind != null && !Object.hasOwn(kind, "setv")) kind = Object.getPrototypeOf(kind)
  if (kind != null && kind.setv.steady == null) {
    const setv = kind.setv
    kind.setv = function(values, options) {
      try {
        return setv.call(this, values, options)
      } catch (error) {
        if (options?.sync !== false) throw error  // not of the server
        const views = [...Bokeh.index.query(view => view.model === this)]  // without those that are just being made
        if (views.length > 0 && views.every(view => view.has_finished())) reportError(error)
      }
    }
    kind.setv.steady = true
  }
  return document.createElement("span")
}
"""


class Steady(pn.custom.JSComponent):
    """Shows nothing."""

    _esm = _SCRIPT
