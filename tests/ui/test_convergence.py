"""The Convergence view in a browser."""

from playwright.sync_api import expect

from tests.ui.steps import choose_bars, fill, open_view, press, sample, until


def lines(page):
    """All lines of the open view: the data of every figure."""
    found = page.evaluate(
        """() => {
          const unseen = view => view != null && (view.away || unseen(view.parent));
          const found = [];
          for (const view of Bokeh.index.query(view => view.model.name === "lines")) {
            if (unseen(view.plot_view)) continue;
            const data = view.model.data_source.data;
            const get = key => data instanceof Map ? data.get(key) : data[key];
            found.push({name: Array.from(get("name")), xs: Array.from(get("xs"), x => Array.from(x)),
                        ys: Array.from(get("ys"), y => Array.from(y))});
          }
          return found;
        }"""
    )
    return [one for one in found if one["name"]]


def test_traces_rhat_ranks_and_the_verdict_then_compares_and_grows(page):
    choose_bars(page)
    sample(page, burn_in=10, draws=12, every=2)
    open_view(page, "Convergence")
    expect(page.locator(".verdict")).to_contain_text("12 draws of each chain are too few to judge")
    expect(page.locator("canvas").first).to_be_visible()
    expect(page.get_by_text("R-hat of the draws so far")).to_be_visible()
    drawn = lines(page)
    assert len(drawn) == 9
    likelihood, perplexity, moved, rhat, ess, traces, densities, ranks, autocorrelation = drawn
    expect(page.locator(".chains li")).to_have_text([f"chain {chain}" for chain in range(4)])  # one legend for all
    with page.expect_download() as waiting:  # which is in each figure that is saved
        page.get_by_label("Save “Log-likelihood” as SVG").click()
    assert all(f"chain {chain}<".encode() in waiting.value.path().read_bytes() for chain in range(4))
    assert likelihood["name"] == [f"chain {chain}" for chain in range(4)]
    assert likelihood["xs"][0][0] == 1 and likelihood["xs"][0][-1] == 34
    assert likelihood["ys"][0][-1] > likelihood["ys"][0][0] and perplexity["ys"][0][-1] < perplexity["ys"][0][0]
    assert moved["ys"][0][0] > moved["ys"][0][-1] > 0 and len(moved["xs"][0]) == 34
    assert (
        rhat["name"] == ["log joint", "perplexity"]
        and min(y for y in rhat["ys"][0] if y is not None) > 0.9
        and rhat["xs"][0][-1] == 12
    )
    assert all(y is None or not y <= 0 for y in ess["ys"][0])  # nothing where draws are too few
    assert sum(map(sum, ranks["ys"])) == 2 * 4 * 12
    assert [line[0] for line in autocorrelation["ys"]] == [1] * 4
    assert len(traces["ys"][0]) == 12 and len(densities["ys"]) == 4 and max(densities["ys"][0]) > 0
    page.get_by_label("Quantity of the draws").select_option("perplexity")
    traced = dict(zip(perplexity["xs"][0], perplexity["ys"][0], strict=True))
    until(page, lambda: lines(page)[5]["ys"][0] == [traced[sweep] for sweep in range(12, 35, 2)])
    page.locator(".worst").get_by_role("button", name="show more").click()
    rows = page.locator(".worst tbody tr")
    expect(rows).to_have_count(20)
    highest = [float(text) for text in rows.locator("td:nth-child(6)").all_inner_texts()]
    assert highest == sorted(highest, reverse=True) and highest[0] + 1e-3 > rhat["ys"][0][-1] > 1
    press(page, "Compare CGS, CGSₚ and CVB0")
    expect(page.get_by_text("On 900 documents.")).to_be_visible()
    compared = lines(page)[-1]
    assert compared["name"] == ["CGS: φ + θ", "CGSₚ: φᵖ + θᵖ", "CVB0"] and compared["xs"][0][-1] == 100
    hard, soft, cvb0 = compared["ys"]
    assert soft[-1] > hard[-1] > hard[0] and cvb0[-1] > cvb0[0]
    press(page, "100 more sweeps")
    until(page, lambda: lines(page)[0]["xs"][0][-1] == 134)


def test_many_chains_are_a_band(page, data_of):
    choose_bars(page)
    fill(page, "Topics K", 4)
    fill(page, "Chains", 16)
    sample(page, burn_in=10, draws=4)
    open_view(page, "Convergence")
    until(page, lambda: lines(page) and lines(page)[0]["name"][0] == "median of 16 chains")
    band = data_of(page, "band")
    assert len(band["x"]) > 2 and all(low <= high for low, high in zip(band["low"], band["high"], strict=True))
    expect(page.locator(".chains li").last).to_have_text("nine of ten chains")
    until(page, lambda: len(lines(page)) == 9)
    assert lines(page)[3]["name"] == ["log joint", "perplexity", "log joint, nested", "perplexity, nested"]
    assert all(len(one["name"]) == 2 for one in lines(page)[5:])
    expect(page.get_by_text("compares 4 groups of chains")).to_be_visible()
