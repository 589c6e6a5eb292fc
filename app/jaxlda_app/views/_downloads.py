"""Buttons below a figure that save it: as PNG or SVG, and its numbers as CSV. All of it is done by the browser."""

from typing import ClassVar

import panel as pn
import param

__all__ = ["Downloads"]

_SCRIPT = """
const FORMATS = ["PNG", "SVG", "CSV"]
const LABELLED = 12  // lines, at most: more labels would hide them

function find(id) {
  for (const view of Bokeh.index.query(view => view.model.id === id)) return view
  return null
}

function table(plot) {
  let best = null
  for (const one of plot.renderers) {
    const data = one.data_source?.data
    if (data == null) continue
    const columns = new Map(data instanceof Map ? data : Object.entries(data))
    if (best == null || columns.size > best.size) best = columns
  }
  const cell = value => {
    const text = value != null && typeof value === "object" ? Array.from(value).join(" ") : String(value ?? "")
    const safe = /^[=+@\\t]/.test(text) ? "'" + text : text
    return /[",\\n;]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe
  }
  const names = best == null ? [] : [...best.keys()]
  const rows = names.length ? Array.from(best.get(names[0])).length : 0
  const lines = [names.map(cell).join(",")]
  for (let i = 0; i < rows; i++) lines.push(names.map(name => cell(best.get(name)[i])).join(","))
  return new Blob([lines.join("\\r\\n") + "\\r\\n"], {type: "text/csv"})
}

// A legend that stands once for several figures of the page goes with each of them that is saved.
async function picture(view, format) {
  const hidden = view.model.center.filter(one => one.type === "Legend" && !one.visible)
  const few = hidden.filter(one => one.items.every(item => item.renderers.every(line =>
    (line.data_source.get_length() ?? 0) <= LABELLED)))
  const repainted = async () => { for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame) }
  for (const legend of few) legend.visible = true
  if (few.length) await repainted()
  try {
    return await view.export(format).to_blob()
  } finally {
    for (const legend of few) legend.visible = false
  }
}

export function render({model, el}) {
  const box = document.createElement("div")
  box.className = "downloads"
  const save = async format => {
    const view = find(model.figure)
    if (view == null) return
    const blob = format === "CSV" ? table(view.model) : await picture(view, format.toLowerCase())
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = `${model.file}.${format.toLowerCase()}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  }
  for (const format of FORMATS) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = format
    button.setAttribute("aria-label", `Save “${model.text}” as ${format}`)
    button.onclick = () => save(format)
    box.append(button)
  }
  // People who hear the page are told what the picture shows; it may come later than its buttons.
  let tries = 0
  const name = () => {
    const view = find(model.figure)
    if (view != null) {
      view.el.setAttribute("role", "img")
      view.el.setAttribute("aria-label", model.text)
    } else if (tries++ < 50) setTimeout(name, 200)
  }
  model.on("text", name)
  name()
  return box
}
"""
_STYLE = """
.downloads { display: flex; gap: 2px; justify-content: flex-end; }
.downloads button {
  font: inherit; font-size: .75rem; color: var(--mui-palette-text-secondary, #57606a); background: none; border: 0;
  border-radius: 4px; padding: 2px 6px; cursor: pointer;
}
.downloads button:hover, .downloads button:focus-visible { background: #8883; text-decoration: underline; }
"""


class Downloads(pn.custom.JSComponent):
    """The buttons of one figure, and its name for people who cannot see it."""

    figure = param.String(doc="The id of the figure.")
    file = param.String("figure", doc="What files are called.")
    text = param.String(doc="What the figure shows, in a few words.")

    _esm = _SCRIPT
    _stylesheets: ClassVar[list[str]] = [_STYLE]
