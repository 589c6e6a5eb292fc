"""Views that were built stay, unseen, and are seen again as they were; and the page is laid out once a frame."""

from playwright.sync_api import expect

from tests.ui.steps import open_view, opened, until

PLACES = """() => Object.fromEntries(
  [...Bokeh.index.query(view => view.model.name?.startsWith("view: "))]
    .map(place => [place.model.name.slice(6), [place.child_views.length, place.el.checkVisibility()]]))"""
LAID_OUT = """async changes => {
  const page = Bokeh.index.roots[0]
  let laid_out = 0
  page.update_layout = function() { laid_out += 1; return Object.getPrototypeOf(page).update_layout.call(page) }
  const frames = async n => { while (n--) await new Promise(requestAnimationFrame) }
  await frames(2)
  laid_out = 0
  const inner = [...Bokeh.index.query(view => view.model.name === "view: Topics")][0]
  for (let i = 0; i < changes; i++) inner.invalidate_layout()
  const at_once = laid_out
  await frames(3)
  delete page.update_layout
  return [at_once, laid_out]
}"""


def places(page):
    """Of each view, how many parts its place has, and whether it is seen."""
    return page.evaluate(PLACES)


def test_views_come_back_as_they_were(page):
    table = page.locator(".topic-list .tabulator-row")
    expect(table.first).to_be_visible()
    rows, bars = table.count(), page.get_by_role("img", name="Words of the topic")
    wide = bars.bounding_box()["width"]
    open_view(page, "Learn")
    until(page, lambda: places(page)["Topics"] == [1, False])
    expect(table).to_have_count(0)
    open_view(page, "Topics")
    until(page, lambda: places(page)["Topics"] == [1, True])
    until(page, lambda: table.count() == rows and table.first.is_visible())
    until(page, lambda: bars.bounding_box()["width"] == wide)
    assert places(page)["Learn"] == [1, False]


def test_a_view_is_seen_from_its_top(page):
    open_view(page, "Convergence")
    expect(page.locator(".content .chart canvas").first).to_be_visible()
    open_view(page, "Topics")
    page.get_by_role("img", name="Words of the topic").scroll_into_view_if_needed()
    expect(page.get_by_label("Topic", exact=True)).not_to_be_in_viewport()
    open_view(page, "Convergence")
    expect(page.locator(".verdict")).to_be_in_viewport()


def test_views_are_built_while_nobody_does_anything(server, new_page):
    page = opened(new_page(), server)
    until(page, lambda: all(parts == 1 for parts, _ in places(page).values()))
    assert [title for title, (_, seen) in places(page).items() if seen] == ["Topics"]
    open_view(page, "Convergence")
    expect(page.locator(".content.convergence .chart canvas").first).to_be_visible()


def test_the_page_is_laid_out_once_a_frame(page):
    at_once, laid_out = page.evaluate(LAID_OUT, 50)
    assert at_once == 0
    assert 1 <= laid_out <= 4  # whatever else the page has to do in these frames


CHOOSE = """entries => {
  const [menu] = Bokeh.index.query(view => view.model.css_classes?.includes("menu"))
  for (const entry of entries) menu.model.data.active = entry
  return [...Bokeh.index.query(view => view.model.name?.startsWith("view: "))]
    .filter(place => place.el.checkVisibility()).map(place => place.model.name.slice(6))
}"""


def test_what_is_chosen_is_seen_before_the_server_knows(page):
    open_view(page, "Learn")
    expect(page.locator(".learn-progress")).to_be_visible()
    open_view(page, "Topics")
    until(page, lambda: places(page)["Topics"] == [1, True] and places(page)["Learn"] == [1, False])
    assert page.evaluate(CHOOSE, [0, 3]) == ["Topics"]  # there and back
    assert page.evaluate(CHOOSE, [0]) == ["Learn"]
    expect(page.locator(".content.learn")).to_be_visible()  # it knows


MOVED = """move => {
  const [renderer] = Bokeh.index.query(view => view.model.name === "map" && view.model.data_source)
  const [range] = renderer.plot_view.frame.x_ranges.values()
  if (move) {
    range.have_updated_interactively = true
    range.setv({start: 100, end: 101})
  }
  return range.have_updated_interactively || range.start === 100
}"""


def test_axes_moved_by_hand_follow_the_data_again(page):
    expect(page.get_by_role("img", name="Map of the topics")).to_be_visible()
    until(page, lambda: not page.evaluate(MOVED, False))
    assert page.evaluate(MOVED, True)
    open_view(page, "Learn")
    open_view(page, "Topics")
    until(page, lambda: not page.evaluate(MOVED, False))
