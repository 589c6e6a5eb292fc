"""Topics in a browser: list, map, words, passages, images, names; a click chooses a topic."""

import pytest
from playwright.sync_api import expect

from tests.ui.steps import (
    PLACE,
    choose_bars,
    click_mark,
    estimates,
    fill,
    open_view,
    opened,
    press,
    sample,
    shown,
    until,
    upload,
)


def heading(page):
    return page.locator(".heading div").first


@pytest.fixture
def view(resting):
    """Topic 0 of the best chain, whatever the test before has chosen."""
    open_view(resting, "Topics")
    fill(resting, "Topic", 0)
    resting.get_by_label("Chain", exact=True).select_option("the best")
    expect(heading(resting)).to_contain_text("Words of topic 0.")
    expect(rows(resting)).to_have_count(20)
    expect(resting.get_by_text("Click a circle to choose a topic")).to_be_visible()
    return resting


def rows(page):
    return page.locator(".topic-list .tabulator-row")


def test_draws_list_map_words_and_ranks(view, data_of):
    topics = data_of(view, "map")
    assert topics["topic"] == list(range(20)) and sum(topics["share"]) == pytest.approx(1, abs=1e-4)
    assert len({(round(x, 3), round(y, 3)) for x, y in zip(topics["x"], topics["y"], strict=True)}) == 20
    assert all(words.count(", ") == 5 for words in topics["words"]) and all(topics["label"])
    words = data_of(view, "words")
    assert len(words["word"]) == 20 and all(
        own <= all_ for own, all_ in zip(words["tokens"], words["all"], strict=True)
    )
    assert all(sum(shares) == pytest.approx(1, abs=1e-3) for shares in words["spread"])
    ranks = data_of(view, "ranks")
    assert len(ranks["word"]) == 12 and all(a != b for a, b in zip(ranks["rank"], ranks["rank_p"], strict=True))
    expect(view.get_by_label("Documents with the largest share").locator("option")).to_have_count(8)
    expect(view.get_by_label("Topics like it").locator("option")).to_have_count(8)
    expect(view.locator(".passages blockquote")).to_have_count(4)


def test_a_click_chooses_a_topic_in_all_views(view, data_of):
    before = data_of(view, "words")["word"]
    click_mark(view, "map", 7)
    expect(heading(view)).to_contain_text("Words of topic 7.")
    until(view, lambda: data_of(view, "words")["word"] != before)
    expect(view.get_by_label("Topic", exact=True)).to_have_value("7")
    expect(view.locator(".topic-list .tabulator-selected [tabulator-field='#']")).to_have_text("7")
    view.wait_for_timeout(1000)  # the list scrolls to it
    rows(view).nth(11).locator(".tabulator-cell").nth(4).click()
    expect(heading(view)).to_contain_text("Words of topic 11.")
    fill(view, "Topic", 4)
    expect(heading(view)).to_contain_text("Words of topic 4.")
    open_view(view, "Documents")
    open_view(view, "Topics")
    expect(view.get_by_label("Topic", exact=True)).to_have_value("4")


def test_list_and_map_call_topics_by_the_same_words(view, data_of):
    """The list called them “topic 0” to “topic 19”."""
    labels = data_of(view, "map")["name"]
    assert all(len(label.split()) == 2 for label in labels)
    names = view.locator(".topic-list .tabulator-row [tabulator-field=Name]")
    until(view, lambda: names.all_inner_texts() == labels)


# Background and text of what the pointer says, each as the mean of red, green and blue.
TOOLTIP = """() => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const tip = all(document).find(e => e.matches(".bk-Tooltip") && e.checkVisibility({visibilityProperty: true}));
  if (tip == null) return null;
  const bright = color => { const [r, g, b] = color.match(/[0-9.]+/g).map(Number); return (r + g + b) / 3; };
  const [label] = all(tip.shadowRoot).filter(e => e.matches(".bk-tooltip-row-label"));
  const [value] = all(tip.shadowRoot).filter(e => e.matches(".bk-tooltip-row-value"));
  return [getComputedStyle(tip).backgroundColor, ...[label, value].map(e => getComputedStyle(e).color)].map(bright);
}"""


def test_what_the_pointer_says_is_dark_on_a_dark_page(new_page, server):
    """It was light blue on white."""
    page = opened(new_page(color_scheme="dark"), server)
    page.get_by_role("img", name="Map of the topics").scroll_into_view_if_needed()
    expect(page.get_by_text("Click a circle to choose a topic")).to_be_visible()
    x, y = page.evaluate(PLACE, ["map", "x", "y", 3])
    page.mouse.move(x - 3, y - 3)

    def readable():
        page.mouse.move(x, y)
        seen = page.evaluate(TOOLTIP)
        return seen is not None and seen[0] < 60 and min(seen[1:]) > 140

    until(page, readable)


def test_relevance_ranks_by_lift_or_by_probability(view, data_of):
    handle = view.locator(".noUi-handle")

    def falls(column):
        values = data_of(view, "words")[column]
        return values == sorted(values, reverse=True)

    assert not falls("lift") and not falls("probability")
    handle.focus()
    handle.press("Home")
    until(view, lambda: falls("lift") and not falls("probability"))
    handle.press("End")
    until(view, lambda: falls("probability") and not falls("lift"))
    soft = data_of(view, "words")["probability"]
    press(view, "Hard")
    until(view, lambda: data_of(view, "words")["probability"] != soft)
    expect(heading(view)).to_contain_text("By φ, counts")
    press(view, "Soft")
    expect(heading(view)).to_contain_text("By φᵖ")


def test_another_chain_has_other_topics(view, data_of):
    maps = []
    for chain in ("0", "1"):
        view.get_by_label("Chain", exact=True).select_option(chain)
        expect(view.get_by_text(f"20 topics of chain {chain}:")).to_be_visible()
        maps.append(data_of(view, "map")["share"])
    assert maps[0] != maps[1]
    open_view(view, "Compare")
    until(view, lambda: set((data_of(view, "stability") or {"chain": []})["chain"]) == {0, 2, 3})
    view.get_by_label("Other chain", exact=True).select_option("3")
    expect(view.get_by_text("every topic of chain 3")).to_be_visible()
    expect(view.locator(".pairs tbody tr").first).to_be_visible()


def test_documents_are_chosen_for_all_views(view):
    option = view.get_by_label("Documents with the largest share").locator("option").nth(2)
    number = option.inner_text().split(" · ")[1]
    view.get_by_label("Documents with the largest share").select_option(index=2)
    press(view, "Read it in Documents")
    expect(view.locator(".content.documents")).to_be_visible()
    expect(view.get_by_label("Document", exact=True)).to_have_value(number)


def test_topics_are_named_hidden_and_merged(page, data_of):
    expect(rows(page)).to_have_count(20)
    fill(page, "Name of the topic", "royal <b>news</b>")
    expect(heading(page)).to_contain_text("topic 0: royal <b>news</b>")
    expect(rows(page).first).to_contain_text("royal <b>news</b>")
    until(page, lambda: data_of(page, "map")["name"][0] == "royal <b>news</b>")
    press(page, "Hide the chosen topic")
    expect(rows(page)).to_have_count(19)
    until(page, lambda: len(data_of(page, "map")["topic"]) == 19)
    press(page, "Show hidden topics")
    expect(rows(page)).to_have_count(20)
    page.get_by_label("Topics like it").select_option(index=0)
    press(page, "Merge with the chosen ones")
    expect(page.locator(".message")).to_contain_text("are one now")
    expect(rows(page)).to_have_count(19)
    expect(rows(page).first).to_contain_text("royal <b>news</b>")


def test_bars_are_images(page, data_of):
    choose_bars(page)
    sample(page, burn_in=5, draws=2)
    open_view(page, "Topics")
    expect(page.get_by_text("The topics as images, as")).to_be_visible()
    until(page, lambda: len(data_of(page, "images")["topic"]) == 10)
    soft = data_of(page, "images")["image"]
    assert all(len(image) == 25 and sum(image) == pytest.approx(1, abs=1e-3) for image in soft)
    click_mark(page, "images", 3, "middle", "height")
    expect(heading(page)).to_contain_text("Words of topic 3.")
    press(page, "Hard")
    until(page, lambda: data_of(page, "images")["image"] != soft)
    open_view(page, "Documents")
    expect(page.get_by_text("the document as an image")).to_be_visible()


def test_one_chain_and_soft_counts(page, data_of):
    choose_bars(page)
    page.get_by_label("Kernel").select_option("cvb0")
    fill(page, "Topics K", 1)
    fill(page, "Chains", 1)
    sample(page, burn_in=2, draws=1)
    open_view(page, "Topics")
    expect(heading(page)).to_contain_text("Words of topic 0. Counts are soft already here")
    assert data_of(page, "map")["share"] == [1]
    open_view(page, "Compare")
    expect(page.get_by_text("There is one chain only")).to_be_visible()
    estimates(page, "Hard and soft counts")
    expect(page.get_by_text("their counts are soft already").first).to_be_visible()
    until(page, lambda: sum(data_of(page, "document")["soft"]) == pytest.approx(100))


def test_years_are_drawn(page, data_of):
    texts = "\n".join(f"{1990 + d % 4},{'cat purr' if d % 2 else 'dog bark'} number {d % 3}" for d in range(40))
    upload(page, {"pets.csv": f"year,text\n{texts}".encode()})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read pets.csv")
    sample(page, burn_in=5, draws=3)
    open_view(page, "Topics")
    expect(page.get_by_label("By", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name="Share of the topic by year")).to_be_visible()


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
    for view in ("Topics", "Fit", "Topics", "Fit", "Topics"):
        open_view(page, view)
    expect(shown(page, "heading")).to_contain_text("topic 0")
    for topic in (1, 2, 3):
        fill(page, "Topic", topic)
        expect(shown(page, "heading")).to_contain_text(f"topic {topic}")
        longest = max(data_of(page, "words")["all"])
        until(page, lambda longest=longest: longest <= page.evaluate(RANGE, "words") <= 1.5 * longest)
