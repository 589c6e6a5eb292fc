"""The site builds without a warning, needs no network, and its code uses names that exist."""

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import jupytext
import pytest
from fontTools.ttLib import TTFont

from docs.equations import EQUATIONS
from docs.gallery import KINDS, VIEWS, collect
from docs.mathml import mathml
from notebooks import render
from tests.snippets import check_calls, imported

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "docs").glob("**/*.md") if "_build" not in page.parts)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    pictures, reports = folder / "pictures", folder / "reports"
    words = {"title": "Gap (Eq. 60)", "setting": "K 100.", "reading": "It falls.", "scale": "smoke"}
    for path, content in (
        (pictures / "topic_view.png", PIXEL),
        (pictures / "topics.png", PIXEL),
        (pictures / "experiments" / "gap.png", PIXEL),
        (pictures / "experiments" / "gap.json", json.dumps(words).encode()),
        (reports / "counts.html", b"<p>Eq. 60</p>"),
        (reports / "counts.json", json.dumps(words).encode()),
        (reports / "other.html", b"<p>no JSON</p>"),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    command = [sys.executable, "-m", "docs", "--quick", "--output", str(folder)]
    command += ["--pictures", str(pictures), "--experiments", str(reports)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fea7"
    "35819b0000000049454e44ae426082"
)


class Loaded(HTMLParser):
    """What a browser loads together with a page."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in ("script", "img", "iframe"):
            self.addresses.append(attributes.get("src") or "")
        if tag == "link" and "stylesheet" in (attributes.get("rel") or ""):
            self.addresses.append(attributes["href"])


@pytest.mark.slow
def test_nothing_is_loaded_from_the_network(site):
    loaded = {}
    for page in site.glob("**/*.html"):
        parser = Loaded()
        parser.feed(page.read_text(encoding="utf-8"))
        loaded[page.name] = parser.addresses
    assert len(loaded) > 30 and len(loaded["index.html"]) > 3
    assert not [address for each in loaded.values() for address in each if re.match(r"(https?:)?//", address)]
    for style in site.glob("**/*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
def test_formulas_are_drawn_and_references_are_links(site):
    page = (site / "mathematics.html").read_text(encoding="utf-8")
    assert page.count("<math") > 20 and "$$" not in page
    for place in {place for equation in EQUATIONS for place in equation.places}:
        assert re.search(rf'href="api/[a-z]+\.html#{re.escape(place)}"', page), place


@pytest.mark.slow
def test_the_reference_has_what_is_public(site):
    text = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    for name in ("LDA.fit", "Corpus.from_texts", "run_blocks", "estimators.soften", "io.read_mallet_state", "ppl.lda"):
        assert f'id="jaxlda.{name}"' in text, name
    assert "get_metadata_routing" not in text  # scikit-learn's own
    assert "Alias for field number" not in text and 'id="jaxlda.types.Counts.n_dk"' in text


@pytest.mark.slow
def test_commands_notebooks_and_gallery_are_there(site):
    assert "--stop-words" in (site / "guide" / "commands.html").read_text(encoding="utf-8")
    assert len(list((site / "notebooks").glob("*.html"))) == len(render.NOTEBOOKS)
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    assert "Topic view" in gallery and "a map of the topics" in gallery
    assert "It falls." in gallery  # what an experiment has found, with its picture
    assert re.search("_static/experiments/counts.html'>Gap \\(Eq. 60\\) – smoke: a check, no result<", gallery)
    assert "_static/experiments/other.html'>other<" in gallery
    for name in ("dashboard_topic_view", "dashboard_topics", "experiment_gap"):
        assert (site / "_images" / f"{name}.png").is_file() and f"_images/{name}.png" in gallery
    assert (site / "_static" / "experiments" / "counts.html").is_file()


def test_every_entry_of_the_gallery_has_its_own_picture(tmp_path):
    """Experiments and views of the dashboard share names; each must keep its own picture."""
    pictures = ROOT / "docs" / "pictures"
    page = collect(tmp_path / "gallery", [], None, pictures)
    shown = dict(re.findall(r"^!\[(.*)\]\((gallery/\S+)\)$", page, flags=re.MULTILINE))
    sources = {VIEWS[path.stem]: path for path in pictures.glob("*.png")}
    for path in (*(pictures / "experiments").glob("*.png"), *(pictures / "corpora").glob("*.png")):
        sources[json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["title"]] = path
    assert shown.keys() == sources.keys() and len(set(shown.values())) == len(shown)
    for title, path in sources.items():
        assert (tmp_path / shown[title]).read_bytes() == path.read_bytes(), title


def test_there_are_pictures_of_the_dashboard_and_of_experiments():
    pictures = ROOT / "docs" / "pictures"
    for folder in (pictures, *(pictures / kind for kind in KINDS)):
        assert {path.stem for path in folder.glob("*.png")} == set(VIEWS), folder
    experiments = sorted((pictures / "experiments").glob("*.png"))
    assert len(experiments) >= 5
    for path in experiments:
        words = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert words["experiment"] == path.stem and words["reading"] and words["title"]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_code_uses_names_and_arguments_that_exist(page):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    trees = [ast.parse(block) for block in blocks]
    names = imported(ast.parse("\n".join(blocks)))
    for tree in trees:
        check_calls(tree, names)


def test_formulas_that_cannot_be_drawn_are_errors():
    from sphinx.errors import ExtensionError

    assert "<mfrac>" in mathml(r"\big(\frac{a}{b}\big)") and "\\big" not in mathml(r"\big(a\big)")
    with pytest.raises(ExtensionError, match=r"more than docutils understands .*: \\nosuchcommand"):
        mathml(r"\nosuchcommand")


def test_the_site_brings_a_font_for_its_formulas():
    """With a table for mathematics, and every character that formulas of the pages and notebooks have."""
    static = ROOT / "docs" / "static"
    styles = (static / "jaxlda.css").read_text(encoding="utf-8")
    (path,) = re.findall(r"@font-face \{[^}]*url\(\"([^\"]+)\"\)", styles)
    font = TTFont(static / path)
    assert "MATH" in font and re.search(r'math \{ font-family: "STIX Two Math"', styles)
    assert (static / "fonts" / "OFL.txt").is_file()
    text = "\n".join(page.read_text(encoding="utf-8") for page in [*PAGES, *render.NOTEBOOKS])
    text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
    formulas = re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL) + re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text)
    drawn = {
        letter for tex in formulas if "SLURM" not in tex for letter in "".join(ET.fromstring(mathml(tex)).itertext())
    }
    assert len(formulas) > 50 and {"θ", "∑", "∝"} <= drawn
    missing = {letter for letter in drawn if ord(letter) not in font.getBestCmap() and not letter.isspace()}
    assert not missing
    assert {0x1D719, 0x1D703, 0x1D6FC} <= font.getBestCmap().keys()  # browsers draw ϕ, θ and α as these


def test_long_lines_of_outputs_are_broken():
    styles = (ROOT / "docs" / "static" / "jaxlda.css").read_text(encoding="utf-8")
    assert re.search(r"div\.cell_output pre \{ white-space: pre-wrap;", styles)


def shape(tex):
    """The tags of a formula, each with those inside it."""
    root = ET.fromstring(mathml(tex, block=True))

    def tags(node):
        return (node.tag.split("}")[1], *map(tags, node))

    return tags(root[0])


@pytest.mark.parametrize("accent", ["hat", "bar", "tilde"])
def test_indices_stand_beside_letters_with_an_accent(accent):
    letter, letters = ("mover", ("mi",), ("mo",)), ("mrow", ("mi",), ("mi",))
    assert shape(rf"\{accent}\phi_{{kv}}") == ("mrow", letter, ("msub", ("mrow",), letters))
    assert shape(rf"\{accent}\phi^p") == ("mrow", letter, ("msup", ("mrow",), ("mi",)))
    assert shape(rf"\{accent}\phi^p_{{kv}}") == ("mrow", letter, ("msubsup", ("mrow",), letters, ("mi",)))


def test_limits_of_sums_and_words_beneath_braces_stay_beneath():
    assert shape(r"\sum_i^S")[0] == "munderover"
    assert "\u2061" in mathml(r"\log x") and "&lt;" in mathml("a < b")  # entities that only HTML knows, and others
    assert shape(r"\underbrace{x}_{\text{word}}") == ("munder", ("munder", ("mi",), ("mo",)), ("mtext",))


RENDER = """
import sys
from pathlib import Path
from notebooks import render

[path] = render.render([Path(sys.argv[1])], Path(sys.argv[2]))
"""


def rendered(script, folder):
    """In another process: the clients of kernels leave sockets to the garbage collector."""
    command = [sys.executable, "-c", RENDER, str(script), str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_a_notebook_is_rendered_in_a_fresh_kernel(tmp_path):
    script = tmp_path / "01_tiny.py"
    script.write_text('# %% [markdown]\n# # Tiny\n\n# %%\nprint("out", 6 * 7)\n', encoding="utf-8")
    done = rendered(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert jupytext.read(tmp_path / "01_tiny.ipynb").cells[1].outputs[0].text == "out 42\n"


@pytest.mark.slow
def test_a_notebook_that_warns_is_an_error(tmp_path):
    script = tmp_path / "02_tiny.py"
    script.write_text('# %%\nimport warnings\n\nwarnings.warn("too late")\n', encoding="utf-8")
    done = rendered(script, tmp_path)
    assert done.returncode == 1 and not (tmp_path / "02_tiny.ipynb").exists()
    assert re.search("02_tiny.py runs, but warns:\n.*too late", done.stderr)
