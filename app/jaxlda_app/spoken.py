"""Names for people who hear the page: what widgets show, their parts do not say.

Bokeh draws the words of a checkbox and of a slider beside them, without a tie that a screen reader would follow; the
arrows of a number box are buttons without a name, which keys replace; and a table of Tabulator's has a part that can be
reached, and is nothing. A bar of progress has no name at all. All of it is mended when a widget is drawn.
"""

import panel as pn

from jaxlda_app.steady import BASE

__all__ = ["Spoken"]

_SCRIPT = (
    BASE
    + """
function all(view, selector) { return view.shadow_el?.querySelectorAll(selector) ?? [] }

function say(view, selector, words) {
  for (const one of all(view, selector)) one.setAttribute("aria-label", words)
}

const MEND = {
  Checkbox(view) {
    say(view, "input", view.model.label)
  },
  "panel.models.esm.ReactComponent"(view) {
    if (view.model.class_name !== "LinearProgress") return
    const mend = () => say(view, "[role=progressbar]", "Sweeps done")
    new MutationObserver(mend).observe(view.shadow_el, {childList: true, subtree: true})
    mend()
  },
  Slider(view) {
    say(view, "[role=slider]", view.model.title)
  },
  Spinner(view) {
    for (const one of all(view, ".bk-spin-btn")) {
      one.setAttribute("aria-hidden", "true")
      one.tabIndex = -1
    }
  },
  "panel.models.tabulator.DataTabulator"(view) {  // its rows come later; names in them can be reached
    const mend = () => {
      for (const one of all(view, ".tabulator-tableholder[tabindex]")) one.removeAttribute("tabindex")
    }
    new MutationObserver(mend).observe(view.shadow_el, {childList: true, subtree: true, attributeFilter: ["tabindex"]})
    mend()
  },
}

function mend(view) { MEND[view.model.type]?.(view) }

export function render({view}) {
  if (!globalThis.jaxlda_spoken) {
    globalThis.jaxlda_spoken = true
    const views = base(view, "after_render"), {after_render} = views
    views.after_render = function() {
      after_render.call(this)
      mend(this)
    }
    for (const view of Bokeh.index.query(() => true)) mend(view)  // drawn before
  }
  return document.createElement("span")
}
"""
)


class Spoken(pn.custom.JSComponent):
    """Shows nothing."""

    _esm = _SCRIPT
