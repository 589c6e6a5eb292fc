"""Topics in a browser: the map, words by both estimates, partners, documents, images; a click chooses a topic."""

import pytest
from playwright.sync_api import expect

from tests.ui.steps import choose_bars, fill, open_view, pause, press, sample, shown, until

# Where a mark of a figure is on the screen: renderer, column of x, column of y, row.
PLACE = """([name, x, y, row]) => {
  for (const view of Bokeh.index.query(view => view.model.name === name && view.model.data_source)) {
    const data = view.model.data_source.data;
    const column = key => data instanceof Map ? data.get(key) : data[key];
    const [sx, sy] = view.coordinates.map_to_screen([column(x)[row]], [column(y)[row]]);
    const box = view.plot_view.canvas_view.el.getBoundingClientRect();
    return [box.x + sx[0], box.y + sy[0]];
  }
}"""


def click_mark(page, name, row, x="x", y="y"):
    page.locator(".chart").first.scroll_into_view_if_needed()
    page.mouse.click(*page.evaluate(PLACE, [name, x, y, row]))


def heading(page):
    return page.locator(".heading div").first


@pytest.fixture
def view(resting):
    """Topic 0 of the best chain, whatever the test before has chosen."""
    open_view(resting, "Topics")
    fill(resting, "Topic", 0)
    resting.get_by_label("Chain", exact=True).select_option("the best")
    expect(heading(resting)).to_contain_text("Words of topic 0.")
    expect(resting.get_by_text("may be one of chance")).to_be_visible()  # which is asked for last
    return resting


def test_draws_map_words_ranks_and_partners(view, data_of):
    topics = data_of(view, "map")
    assert topics["topic"] == list(range(20)) and sum(topics["share"]) == pytest.approx(1, abs=1e-4)
    assert len({(round(x, 3), round(y, 3)) for x, y in zip(topics["x"], topics["y"], strict=True)}) == 20
    assert all(words.count(", ") == 5 for words in topics["words"])
    for name in ("hard", "soft"):
        assert len(data_of(view, name)["word"]) == 15
    ranks = data_of(view, "ranks")
    assert len(ranks["word"]) == 12 and all(a != b for a, b in zip(ranks["rank"], ranks["rank_p"], strict=True))
    partners = data_of(view, "stability")
    assert len(partners["topic"]) == 60 and all(0 <= alike <= 1 for alike in partners["similarity"])
    examples = view.get_by_label("Documents with the largest share").locator("option")
    expect(examples).to_have_count(8)


def test_a_click_chooses_a_topic_in_all_views(view, data_of):
    expect(heading(view)).to_contain_text("Words of topic 0.")
    before = data_of(view, "hard")["word"]
    click_mark(view, "map", 7)
    expect(heading(view)).to_contain_text("Words of topic 7.")
    until(view, lambda: data_of(view, "hard")["word"] != before)
    expect(view.get_by_label("Topic", exact=True)).to_have_value("7")
    row = data_of(view, "stability")["topic"].index(11)
    click_mark(view, "stability", row, "topic", "chain")
    expect(heading(view)).to_contain_text("Words of topic 11.")
    fill(view, "Topic", 4)
    expect(heading(view)).to_contain_text("Words of topic 4.")
    open_view(view, "Documents")
    open_view(view, "Topics")
    expect(view.get_by_label("Topic", exact=True)).to_have_value("4")


def test_relevance_ranks_by_lift_or_by_probability(view, data_of):
    handle = view.locator(".noUi-handle")

    def falls(column):
        values = data_of(view, "soft")[column]
        return values == sorted(values, reverse=True)

    assert not falls("lift") and not falls("probability")
    handle.focus()
    handle.press("Home")
    until(view, lambda: falls("lift") and not falls("probability"))
    handle.press("End")
    until(view, lambda: falls("probability") and not falls("lift"))


def test_another_chain_has_other_topics(view, data_of):
    maps = []
    for chain in ("0", "1"):
        view.get_by_label("Chain", exact=True).select_option(chain)
        expect(view.get_by_text(f"20 topic(s) of chain {chain}:")).to_be_visible()
        maps.append(data_of(view, "map")["share"])
    assert maps[0] != maps[1]
    until(view, lambda: set(data_of(view, "stability")["chain"]) == {0, 2, 3})


def test_documents_are_chosen_for_all_views(view):
    option = view.get_by_label("Documents with the largest share").locator("option").nth(2)
    number = option.inner_text().split(" · ")[1]
    view.get_by_label("Documents with the largest share").select_option(index=2)
    open_view(view, "Hard vs soft")
    expect(view.locator(".sentence").get_by_text(f"Document {number} (")).to_be_visible()
    expect(view.get_by_label("Document", exact=True)).to_have_value(number)


def test_bars_are_images(page, data_of):
    choose_bars(page)
    press(page, "Start")
    pause(page)
    open_view(page, "Topics")
    expect(page.get_by_text("The topics as images")).to_be_visible()
    until(page, lambda: len(data_of(page, "images")["topic"]) == 10)
    soft = data_of(page, "images")["image"]
    assert all(len(image) == 25 and sum(image) == pytest.approx(1, abs=1e-3) for image in soft)
    click_mark(page, "images", 3, "middle", "height")
    expect(heading(page)).to_contain_text("Words of topic 3.")
    press(page, "Hard")
    until(page, lambda: data_of(page, "images")["image"] != soft)


def test_one_chain_and_soft_counts(page, data_of):
    choose_bars(page)
    page.get_by_label("Kernel").select_option("cvb0")
    fill(page, "Topics K", 1)
    fill(page, "Chains", 1)
    sample(page, burn_in=2, draws=1)
    open_view(page, "Topics")
    expect(page.get_by_text("There is one chain only")).to_be_visible()
    expect(heading(page)).to_contain_text("Words of topic 0. Counts are soft already here")
    assert data_of(page, "map")["share"] == [1]
    open_view(page, "Hard vs soft")
    expect(page.get_by_text("their counts are soft already").first).to_be_visible()
    until(page, lambda: sum(data_of(page, "document")["soft"]) == pytest.approx(100))


RANGE = """name => {
  for (const document of Bokeh.documents)
    for (const model of document._all_models.values())
      if (model.type === "Figure" && model.renderers.some(r => r.name === name)) return model.x_range.end;
  return null;
}"""


def test_axes_follow_the_data_after_views_were_left(page, data_of):
    """Figures that are shown again had kept the axes of the first time, whatever topic was chosen."""
    choose_bars(page)
    sample(page, burn_in=30)
    for view in ("Topics", "Run", "Topics", "Run", "Topics"):
        open_view(page, view)
    expect(shown(page, "heading")).to_contain_text("topic 0")
    for topic in (1, 2, 3):
        fill(page, "Topic", topic)
        expect(shown(page, "heading")).to_contain_text(f"topic {topic}")
        longest = max(data_of(page, "soft")["probability"])
        until(page, lambda longest=longest: longest <= page.evaluate(RANGE, "soft") <= 1.5 * longest)
