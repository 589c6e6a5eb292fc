"""Nobody needs a mouse: the tabulator reaches everything, and Enter or the space bar presses it."""

import pytest
from playwright.sync_api import Page, expect

from jaxlda_app.views import VIEWS
from tests.ui.steps import long_run, open_view, state

ALL = "root => [...root.querySelectorAll('*')].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e])"
# Numbers everything that can be worked with, and says what it is. The arrows of number boxes are keys on a keyboard.
CONTROLS = f"""() => {{
  const all = {ALL};
  const controls = all(document).filter(e => e.matches(
    "button, input, select, textarea, a[href], [role=button], [role=slider]")
    && !e.disabled && !e.matches("[class*=spin]") && e.checkVisibility({{visibilityProperty: true}}));
  controls.forEach((e, i) => e.dataset.number = i);
  return controls.map(e => e.innerText || e.labels?.[0]?.innerText || e.outerHTML);
}}"""
AT = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const name = (at?.innerText ?? "").split("\\n").pop();  // above it, there may be the name of an icon
  const among = at?.hasAttribute("aria-pressed") && at.closest("[role=group]");  // one of several, as a tab is
  return [at?.dataset?.number ?? null, among ? "choice" : at?.role ?? "", name];
}"""


MOST = 250  # steps: the list of topics has one at every name


def controls_of(page: Page) -> list[str]:
    """What can be worked with, once all of it is drawn."""
    found: list[str] = []
    while len(found) != len(found := page.evaluate(CONTROLS)) or not found:
        page.wait_for_timeout(500)
    return found


def reached(page: Page, controls: int) -> set[int]:
    """The numbers of what the tabulator comes to; from one tab or one of several choices to the next, arrows lead."""
    found: set[int] = set()
    key = "Tab"
    for _ in range(MOST):
        if len(found) == controls:
            break
        page.keyboard.press(key)
        number, role, _name = page.evaluate(AT)
        key = "ArrowRight" if role in ("tab", "choice") and int(number) not in found else "Tab"
        if number is not None:
            found.add(int(number))
    return found


def press_by_keyboard(page: Page, name: str, key: str) -> None:
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if page.evaluate(AT)[-1] == name:
            page.keyboard.press(key)
            return
    pytest.fail(f"{name} is not reached with the tabulator")


def test_all_controls_of_all_views_are_reached(resting):
    page = resting
    for title in (view.title for view in VIEWS):
        open_view(page, title)
        expect(page.locator(".brief")).not_to_contain_text("computing")
        controls = controls_of(page)
        assert len(controls) > len(VIEWS), controls  # the menu at least
        missing = set(range(len(controls))) - reached(page, len(controls))
        assert not missing, f"{title}: {[controls[i] for i in missing]}"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_keys_press_buttons_and_open_views(page, key):
    long_run(page)
    press_by_keyboard(page, "Stop", key)
    expect(state(page)).to_contain_text("Stopped.")
    press_by_keyboard(page, "Topics", key)
    expect(page.locator(".content.topics")).to_be_visible()
