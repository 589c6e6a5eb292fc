"""The views of a page, of which one is seen. The others stay, and cost little while they are away.

To build a view takes a second, half of it in the server; so one that was built is kept. While another one is seen it is
not displayed, and what BokehJS does for all elements of a page passes it by.

BokehJS lays out the whole page anew for whatever changes anywhere in it, twenty times and more while a view is opened.
Once a frame is enough, for nobody sees more.
"""

import panel as pn
import param

from jaxlda_app.steady import BASE

__all__ = ["Stage", "place_of"]

_SCRIPT = (
    BASE
    + """
const PAUSE = 300  // milliseconds
const NAME = "view: "  // of the places of views
const PATIENCE = 3000  // milliseconds that the server may take to agree with a choice
const EVERYTHING = ["update_layout", "measure_layout", "update_bbox", "_compute_layout", "after_layout"]

function soon(act) {  // nothing is drawn in tabs that nobody looks at
  if (document.hidden) setTimeout(act, 100)
  else requestAnimationFrame(act)
}

function lay_out_once_a_frame(one) {
  const due = new Map()
  let laying_out = false
  // A figure without a layout cannot be measured, and ends what measures the page.
  function is_new(view) {
    return !view.away && ((view.canvas_view != null && view.layout == null) || view.layoutable_views.some(is_new))
  }
  function lay_out() {
    const now = [...due].filter(([view]) => !view.is_destroyed)
    due.clear()
    laying_out = true
    for (const [view, styles] of now) {
      try {
        if (styles || is_new(view)) view.update_layout()
        view.compute_layout()
      } catch (error) {
        reportError(error)  // the others count
      }
    }
    laying_out = false
  }
  function later(view, styles) {
    if (due.size == 0) soon(lay_out)
    due.set(view, styles || due.get(view) === true)
  }
  for (let kind = Object.getPrototypeOf(one); kind != null; kind = Object.getPrototypeOf(kind)) {
    if (!Object.hasOwn(kind, "invalidate_layout")) continue
    const {invalidate_layout, compute_layout} = kind
    kind.invalidate_layout = function() {
      if (this.is_managed) invalidate_layout.call(this)  // which asks the one it is in
      else later(this, true)
    }
    kind.compute_layout = function() {
      if (!laying_out && !this.is_managed && is_new(this)) later(this, true)
      else compute_layout.call(this)
    }
  }
  const views = base(one, "invalidate_layout"), {_after_resize} = views
  views._after_resize = function() {
    if (this.canvas_view != null || this.is_root) return _after_resize.call(this)  // a figure is painted next
    let view = this
    while (view.is_managed) view = view.parent
    later(view, false)
  }
}

function places() {
  return [...Bokeh.index.query(view => view.model.name?.startsWith(NAME))]
}

function scroller(element) {
  for (let one = element.parentNode; one != null; one = one.parentNode ?? one.host)
    if (one instanceof Element && /auto|scroll/.test(getComputedStyle(one).overflowY)) return one
  return document.scrollingElement
}

function put_away(place) {
  if (place.away) return
  place.away = true
  for (const method of EVERYTHING) place[method] = () => false
  // Not taken out: what Material UI has put into its style sheets would be gone.
  place.el.style.setProperty("display", "none", "important")
}

function is_in(place, view) {
  return view != null && (view === place || is_in(place, view.parent))
}

function follow_the_data(place) {  // what was moved by hand, too
  for (const figure of Bokeh.index.query(view => view.canvas_view != null && view.layout != null)) {
    const {x_ranges, y_ranges} = figure.frame
    const moved = [...x_ranges.values(), ...y_ranges.values()].some(range => range.have_updated_interactively)
    if (moved && is_in(place, figure)) figure.reset_range()
  }
}

function put_back(place) {
  if (!place.away) return
  delete place.away
  for (const method of EVERYTHING) delete place[method]
  place.el.style.removeProperty("display")
  place.invalidate_layout()
  follow_the_data(place)
  scroller(place.el).scrollTop = 0  // not to where the other view was left
}

export function render({model, view}) {
  if (!globalThis.jaxlda_stage) lay_out_once_a_frame(view)
  globalThis.jaxlda_stage?.abort()  // of the page as it was before the connection was lost
  const {signal} = globalThis.jaxlda_stage = new AbortController()
  let chosen = null, waiting = 0
  function see(name) {
    for (const place of places()) {
      if (place.model.name == name) put_back(place)
      else put_away(place)
    }
  }
  function show() {
    const name = NAME + model.shown
    if (chosen != null && name != chosen) return  // the server is to hear of it yet
    chosen = null
    see(name)
  }
  function choose(name) {
    clearTimeout(waiting)
    chosen = name == NAME + model.shown ? null : name  // the server knows, or somebody has gone back before it did
    see(name)
    if (chosen == null) return
    waiting = setTimeout(() => {
      chosen = null
      show()
    }, PATIENCE)
  }
  function begin() {
    const all = places(), [menu] = Bokeh.index.query(view => view.model.css_classes?.includes("menu"))
    if (menu == null || all.length == 0 || !all.every(place => place.el.isConnected)) {
      soon(begin)  // the page is being drawn
      return
    }
    menu.model.data.properties.active.change.connect(() => {
      const place = places()[[menu.model.data.active].flat()[0]]
      if (place?.child_views.length > 0) choose(place.model.name)
    })
    model.on("shown", show)
    show()
  }
  let touched = 0
  function touch({timeStamp}) {
    if (timeStamp < touched + PAUSE) return
    touched = timeStamp
    model.send_msg("touched")
  }
  for (const deed of ["pointerdown", "click", "keydown"])
    document.addEventListener(deed, touch, {capture: true, signal})
  begin()
  return document.createElement("span")
}
"""
)


class Stage(pn.custom.JSComponent):
    """Shows nothing itself. It is told which view is seen, and tells when somebody does something."""

    shown = param.String(doc="The title of the view.")

    _esm = _SCRIPT


def place_of(title: str) -> pn.Column:
    """Where a view stands, and when another one is seen waits."""
    return pn.Column(name=f"view: {title}", css_classes=[f"in-{title.lower()}"], sizing_mode="stretch_width", margin=0)
