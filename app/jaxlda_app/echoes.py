"""Keeps a notebook's page from sending back what it is sent.

Panel's connection to a notebook repeats every change that comes from Python as if somebody had made it in the page. A
view that is opened would come back whole, with its style sheets: more than the ten megabytes that Jupyter takes, and
the next click is lost with it.

And Python refuses a message whole if a part of it is of a model that it does not know, as the page makes some: what
happens to different models is sent in messages of their own.
"""

import panel as pn

__all__ = ["NoEchoes"]

_SCRIPT = """
export function render({view}) {
  for (const root of view.model.document.roots()) {
    if (root.type !== "panel.models.comm_manager.CommManager" || root.jaxlda_quiet) continue
    root.jaxlda_quiet = true
    const {_document_changed, process_events} = root
    root._document_changed = function(event) {
      if (event.sync !== false) _document_changed.call(this, event)  // BokehJS marks what comes from Python
    }
    root.process_events = function() {
      const events = this._event_buffer
      for (const model of new Set(events.map(event => event.model))) {
        this._event_buffer = events.filter(event => event.model === model)
        process_events.call(this)
      }
      this._event_buffer = []
    }
  }
  return document.createElement("span")
}
"""


class NoEchoes(pn.custom.JSComponent):
    """Shows nothing."""

    _esm = _SCRIPT
