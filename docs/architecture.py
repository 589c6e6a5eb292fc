"""The two pictures of the architecture, drawn from the layers in ``pyproject.toml`` and the docstrings of the rooms.

``python -m docs.architecture`` writes them; a test holds the files to what it would write.
"""

import ast
import textwrap
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "static"
WIDTH, ROW, GAP = 940, 74, 12
STYLE = """<style>
text { font: 14px system-ui, sans-serif; fill: #1d2733 }
.name { font-weight: 600 } .note { font-size: 12px; fill: #4a5a6a }
rect { fill: #eef3f8; stroke: #7f96ad; rx: 8 } line, path { stroke: #7f96ad; fill: none } polygon { fill: #7f96ad }
</style>"""

WAY = [
    ("text", "files, lists, tables"),
    ("Corpus", "counts of words, labels"),
    ("Data", "tokens and priors"),
    ("Layout", "as the kernel reads it"),
    ("run", "chains, sweep by sweep"),
    ("Run", "states, means, traces"),
    ("Sample", "counts and z: where other programs enter, too"),
    ("estimators", "phi, theta, phi_p, theta_p"),
    ("evaluation | topics | diagnostics", "what they are worth"),
    ("tables", "pandas, xarray"),
    ("figures", "Bokeh"),
    ("views", "the dashboard"),
]


def layers() -> list[list[str]]:
    """The rooms, top to bottom; those of a layer do not import each other."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (listed,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    rooms = [[room.strip(" ()") for room in layer.split("|")] for layer in listed]
    return [["app"], *(layer for layer in rooms if layer != ["__main__"])]


def summary(room: str) -> str:
    """The first sentence of a room's docstring."""
    package = ROOT / "app" / "jaxlda_app" if room == "app" else ROOT / "jaxlda" / room
    path = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ").replace("``", "").rstrip(".")


def _box(x: float, y: float, width: float, name: str, note: str, height: float = ROW - GAP) -> str:
    lines = textwrap.wrap(note, max(int(width / 7.2), 8))[:3]
    texts = [f'<text class="name" x="{x + 10:g}" y="{y + 19:g}">{escape(name)}</text>']
    texts += [
        f'<text class="note" x="{x + 10:g}" y="{y + 34 + 13 * i:g}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>' + "".join(texts)


def _picture(height: float, title: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, *parts, "</svg>"]) + "\n"


def rooms() -> str:
    """The rooms: each imports only from those below it."""
    parts = []
    for i, layer in enumerate(layers()):
        width = (WIDTH - GAP * (len(layer) - 1)) / len(layer)
        parts += [_box(j * (width + GAP), 4 + i * ROW, width, room, summary(room)) for j, room in enumerate(layer)]
    return _picture(4 + ROW * len(layers()), "The rooms of jaxlda: imports go down only", parts)


def way() -> str:
    """The way of the data, in rows of four."""
    width = (WIDTH - 3 * 40) / 4
    parts = []
    for i, (name, note) in enumerate(WAY):
        row, column = divmod(i, 4)
        x, y = column * (width + 40), 4 + row * (ROW + 18)
        parts.append(_box(x, y, width, name, note))
        if i + 1 == len(WAY):
            continue
        if column < 3:
            middle = y + (ROW - GAP) / 2
            parts.append(f'<line x1="{x + width:g}" y1="{middle:g}" x2="{x + width + 32:g}" y2="{middle:g}"/>')
            parts.append(_arrow(x + width + 40, middle, right=True))
        else:
            bottom, top, left = y + ROW - GAP, y + ROW + 18, width / 2
            parts.append(f'<path d="M{x + width / 2:g} {bottom:g} v14 H{left:g} V{top - 6:g}"/>')
            parts.append(_arrow(left, top, right=False))
    return _picture(4 + 3 * (ROW + 18), "The way of the data: from text to views", parts)


def _arrow(x: float, y: float, right: bool) -> str:
    points = [(x, y), (x - 9, y - 5), (x - 9, y + 5)] if right else [(x, y), (x - 5, y - 9), (x + 5, y - 9)]
    return f'<polygon points="{" ".join(f"{a:g},{b:g}" for a, b in points)}"/>'


PICTURES = {"rooms.svg": rooms, "way.svg": way}

if __name__ == "__main__":
    for name, drawn in PICTURES.items():
        (FOLDER / name).write_text(drawn(), encoding="utf-8")
