"""Tokens in the colours of their topics: whatever they are, they are text."""

from html.parser import HTMLParser

import numpy as np

from jaxlda.plots import texts

HOSTILE = "<script>alert(1)</script>"


class Texts(HTMLParser):
    """The elements and the texts of a page, as a browser would read them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.titles = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_data(self, data):
        self.texts.append(data)


class TestHTML:
    def test_whatever_words_are_they_are_text(self):
        table = {"word": [HOSTILE, 'a" onmouseover="x'], "topic": [0, 1], "probability": [1.0, 0.25]}
        page = Texts(texts.tokens_as_html(table, names=[HOSTILE, "b"]))
        assert set(page.tags) == {"p", "span", "sub"}
        assert HOSTILE in page.texts and 'a" onmouseover="x' in page.texts
        assert page.titles == [f"topic 0: 1.00 · {HOSTILE}", "topic 1: 0.25 · b"]

    def test_opacity_colour_and_choice(self):
        table = {"word": ["a", "b", "c"], "topic": [5, 2, 5], "probability": [1.0, 0.5, 0.25]}
        page = texts.tokens_as_html(table, chosen=2)
        assert "#4477aa60" in page and "#ee667730" in page and "#4477aa18" in page
        assert page.count("underline") == 1

    def test_more_topics_than_colours(self):
        topics = np.repeat(np.arange(9), 9 - np.arange(9))
        colors = texts.topic_colors(topics)
        assert list(colors) == [0, 1, 2, 3, 4, 5] and len(set(colors.values())) == 6
        page = texts.tokens_as_html({"word": ["x"] * 45, "topic": topics, "probability": np.ones(45)})
        assert page.count("#bbbbbb60") == 3 + 2 + 1

    def test_long_and_empty_documents(self):
        long = {"word": ["x"] * 30, "topic": np.zeros(30, int), "probability": np.ones(30)}
        page = texts.tokens_as_html(long, most=10)
        assert page.count("<span") == 10 and "… and 20 more" in page
        empty = {"word": [], "topic": np.empty(0, int), "probability": []}
        assert texts.tokens_as_html(empty) == '<p class="tokens"></p>'
