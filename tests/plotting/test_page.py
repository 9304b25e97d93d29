"""The page of `explore` in a real browser, as its reader meets it."""

from __future__ import annotations

import re

import networkx as nx
import pytest

import pugraph
from pugraph.plotting import explore

HOSTILE = '<img src=x onerror="document.title=1">'
NAMES = {
    0: HOSTILE,
    33: "</script><script>document.title=1</script>",
    2: "$$x^2$$ & \"quotes\" 'and' `more`",
    5: "@CONTENT@ \u2028 \ud800 {{name}} ${name}",
    6: "Ågot",
}


@pytest.fixture(scope="module")
def graph():
    return nx.relabel_nodes(nx.karate_club_graph(), NAMES)


@pytest.fixture(scope="module")
def model(graph):
    return pugraph.fit(graph, "bias")


@pytest.fixture(scope="module")
def written(graph, model, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "karate.html"
    title = "<b>Karate</b> & @SCRIPT@"
    explore(graph, model.top_links(40), path, model=model, title=title)
    return path


class Opened:
    """A page in a browser, with all that went wrong there and every request."""

    def __init__(self, browser, path, width=1280, scheme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        self.page = page = self.context.new_page()
        self.wrong, self.requests = [], []
        page.on("console", lambda said: said.type == "error" and self.wrong.append(said.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        self.url = path.as_uri()
        page.goto(self.url)
        page.wait_for_selector("html[data-ready]")

    def data(self, layer):
        """What Bokeh draws in a layer."""
        return self.page.evaluate(
            "name => { const {data} = Bokeh.documents[0].get_model_by_name(name + ' data');"
            " return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, [...v]])); }",
            layer,
        )

    def at(self, x, y):
        """Where a point of the network is on the screen."""
        box = self.page.locator("#frame").bounding_box()
        x0, x1, y0, y1 = self.page.evaluate(
            "() => { const f = Bokeh.documents[0].get_model_by_name('figure');"
            " return [f.x_range.start, f.x_range.end, f.y_range.start, f.y_range.end]; }"
        )
        across, up = (x - x0) / (x1 - x0), (y1 - y) / (y1 - y0)
        return box["x"] + across * box["width"], box["y"] + up * box["height"]

    def text(self, where):
        return self.page.locator(where).inner_text()

    def rows(self, table):
        return self.page.locator(f"#{table} tbody tr").all_inner_texts()


@pytest.fixture
def opened(browser, written):
    found = Opened(browser, written)
    yield found
    assert found.wrong == []
    assert found.requests == [found.url]
    assert found.page.title() == "<b>Karate</b> & @SCRIPT@"
    found.context.close()


def chosen_by_click(opened):
    """Click the middle of the best predicted link; the one that is drawn last, on top."""
    drawn = opened.data("predicted")
    (x0, x1), (y0, y1) = drawn["xs"][-1], drawn["ys"][-1]
    for t in (0.5, 0.4, 0.6, 0.3, 0.7):  # another node may be in the middle
        opened.page.mouse.click(*opened.at(x0 + t * (x1 - x0), y0 + t * (y1 - y0)))
        if "Score" in opened.text("#details"):
            return


def test_it_loads_and_shows_the_whole_network(opened):
    assert opened.text("h1") == "<b>Karate</b> & @SCRIPT@"
    assert opened.text("#summary") == "34 nodes, 78 links, 40 predicted links."
    assert len(opened.data("nodes")["x"]) == 34
    assert sum(x is None or x != x for x in opened.data("known")["xs"][0]) == 78  # a gap each
    assert opened.page.locator("canvas").count() >= 1
    for x, y in zip(*(opened.data("nodes")[side] for side in "xy"), strict=True):
        across, down = opened.at(x, y)
        box = opened.page.locator("#frame").bounding_box()
        assert box["x"] < across < box["x"] + box["width"]
        assert box["y"] < down < box["y"] + box["height"]


def test_something_is_painted(opened):
    from io import BytesIO

    from PIL import Image

    shot = Image.open(BytesIO(opened.page.locator("#frame").screenshot())).convert("RGB")
    assert len(shot.getcolors(1 << 24)) > 100


def test_the_slider_changes_how_many_links_are_drawn(opened, model):
    slider = opened.page.locator("#shown")
    assert len(opened.data("predicted")["xs"]) == 25
    slider.focus()
    for key, count in (("ArrowRight", 26), ("Home", 0), ("End", 40)):
        opened.page.keyboard.press(key)
        assert len(opened.data("predicted")["xs"]) == count
        assert opened.text("#count").startswith(f"{count} of 40")
        assert len(opened.rows("predicted")) == count
    widths = opened.data("predicted")["width"]
    scores = [p for _, _, p in model.top_links(40)]
    assert widths[::-1] == pytest.approx([6 * p / scores[0] for p in scores])


def test_a_click_on_a_link_shows_its_reasons(opened, model):
    chosen_by_click(opened)
    (u, v, p) = model.top_links(1)[0]
    told = opened.text("#details")
    assert f"{p:.3g}, number 1 of 40" in told
    why = model.explain_link(u, v, 5)
    shown = opened.page.locator("#reasons tbody tr").all_inner_texts()
    assert len(shown) >= len(why.reasons) > 2
    for reason, text in zip(why.reasons, shown, strict=False):
        share, what = text.split("\t")
        assert float(share) == pytest.approx(reason.share, rel=0.01)
        # half of a character is shown as what stands for none
        assert what.replace("\ufffd", "\ud800") == reason.what
    assert len(opened.data("chosen")["xs"]) == 1
    assert len(opened.data("ring")["x"]) == 2


def test_a_click_on_a_node_shows_its_neighbours_in_the_tables(opened, graph):
    places = opened.data("nodes")
    node = list(graph).index(11)  # it has one neighbour
    opened.page.mouse.click(*opened.at(places["x"][node], places["y"][node]))
    assert opened.text("#details h2") == "11"
    assert "Mr. Hi" in opened.text("#details")
    assert [row.split("\t")[0] for row in opened.rows("nodes")] == ["11", HOSTILE]
    assert opened.rows("links") == [f"{HOSTILE}\t11"]
    assert len(opened.data("ring")["x"]) == 1
    opened.page.get_by_role("button", name="Select nothing").click()
    assert opened.text("#details h2") == "Nothing selected"
    assert len(opened.rows("nodes")) == 34


def test_hover_shows_a_name_and_a_click_beside_everything_selects_nothing(opened):
    places = opened.data("nodes")
    opened.page.mouse.move(*opened.at(places["x"][0], places["y"][0]))
    assert opened.text("#tip").splitlines()[0] == HOSTILE
    assert re.search(r"\n16 links, \d+ predicted", opened.text("#tip"))
    box = opened.page.locator("#frame").bounding_box()
    opened.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 3)
    assert opened.text("#details h2") == "Nothing selected"


def test_the_search_finds_a_node(opened):
    wanted = opened.page.locator("#wanted")
    wanted.fill("ågot")
    assert opened.page.locator("#names option").count() == 1
    wanted.press("Enter")
    assert opened.text("#details h2") == "Ågot"
    wanted.fill("1")  # exact before those that begin with it
    opened.page.get_by_role("button", name="Find").click()
    assert opened.text("#details h2") == "1"
    assert "Also: " in opened.text("#details")
    wanted.fill(HOSTILE)
    wanted.press("Enter")
    assert opened.text("#details h2") == HOSTILE
    wanted.fill("nobody <b>")
    wanted.press("Enter")
    assert opened.text("#details") == 'No node matches "nobody <b>"'


def test_hostile_names_stay_text(opened, model):
    slider = opened.page.locator("#shown")
    slider.fill("40")
    pairs = opened.page.locator("#predicted tbody button")
    for place in range(pairs.count()):
        pairs.nth(place).click()
        opened.page.get_by_role("button", name="Select nothing").click()
        pairs = opened.page.locator("#predicted tbody button")
    names = [row.split("\t")[0] for row in opened.rows("nodes")]
    assert {HOSTILE, NAMES[33], NAMES[2]} <= set(names)
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("script").count() == 3


def test_colours_by_attribute_have_a_legend_and_shapes(opened, graph):
    opened.page.locator("#colour").select_option(label="club")
    assert opened.page.locator("#legend li").all_inner_texts() == ["Mr. Hi", "Officer"]
    nodes = opened.data("nodes")
    looks = {}
    for club, fill, shape in zip(
        nx.get_node_attributes(graph, "club").values(), nodes["fill"], nodes["marker"], strict=True
    ):
        looks.setdefault(club, set()).add((fill, shape))
    assert looks == {"Mr. Hi": {("#0072b2", "circle")}, "Officer": {("#e69f00", "square")}}


def test_a_table_sorts_by_a_column(opened, graph):
    opened.page.locator("#nodes th button", has_text="links").click()
    opened.page.locator("#nodes th button", has_text="links").click()
    degrees = [int(row.split("\t")[1]) for row in opened.rows("nodes")]
    assert degrees == sorted((d for _, d in graph.degree), reverse=True)
    assert opened.page.locator("#nodes th[aria-sort=descending]").count() == 1


def test_the_keyboard_reaches_every_control_and_moves_the_picture(opened):
    opened.page.locator("body").press("Tab")
    reached = []
    while (focus := opened.page.evaluate("document.activeElement.id")) not in reached or not focus:
        reached.append(focus)
        opened.page.keyboard.press("Tab")
        if len(reached) > 20:
            break
    buttons = ["in", "out", "fit", "focus"]
    assert {"shown", "wanted", "colour", "frame", "details", *buttons} <= set(reached)
    opened.page.locator("#frame").focus()
    before = opened.at(0.5, 0.5)
    opened.page.keyboard.press("ArrowRight")
    assert opened.at(0.5, 0.5)[0] < before[0]
    spread = opened.at(1, 1)[0] - opened.at(0, 0)[0]
    opened.page.keyboard.press("+")
    assert opened.at(1, 1)[0] - opened.at(0, 0)[0] > 1.2 * spread
    opened.page.locator("#predicted tbody button").first.press("Enter")
    assert "number 1 of 40" in opened.text("#details")
    assert opened.page.evaluate("document.activeElement.id") == "details"
    opened.page.locator("#frame").press("Escape")
    assert opened.text("#details h2") == "Nothing selected"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_light_and_dark_narrow_and_wide(browser, written, width, scheme):
    opened = Opened(browser, written, width, scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert bright > 200 if scheme == "light" else bright < 60
    best = opened.data("predicted")["colour"][-1]
    light = sum(int(best[i : i + 2], 16) for i in (1, 3, 5)) / 3
    assert light < 100 if scheme == "light" else light > 140
    assert opened.wrong == []
    opened.context.close()


def test_a_notebook_shows_it_in_a_frame_of_its_own(browser, graph, model, tmp_path):
    page = explore(graph, model.top_links(5), title='"Karate"')
    assert repr(page) == "<Page '\"Karate\"': 34 nodes, 78 links, 5 predicted>"
    path = tmp_path / "cell.html"
    shown = f"<!DOCTYPE html><meta charset=utf-8><div>{page._repr_html_()}</div>"
    path.write_text(shown, encoding="utf-8", errors="replace")
    context = browser.new_context(offline=True)
    opened = context.new_page()
    wrong = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(path.as_uri())
    frame = opened.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for()
    assert frame.locator("h1").inner_text() == '"Karate"'
    assert wrong == []
    context.close()


def test_links_beyond_those_that_are_explained(browser, graph, model, tmp_path, monkeypatch):
    monkeypatch.setitem(explore.__globals__, "_MOST_EXPLAINED", 2)
    path = tmp_path / "page.html"
    explore(graph, model.top_links(3), path, model=model)
    opened = Opened(browser, path)
    for place, reasons in enumerate((True, True, False)):
        opened.page.locator("#predicted tbody button").nth(place).click()
        assert bool(opened.page.locator("#reasons").count()) == reasons
        opened.page.get_by_role("button", name="Select nothing").click()
    opened.page.locator("#predicted tbody button").nth(2).click()
    assert "reasons for the best 2 predicted links" in opened.text("#details")
    assert opened.wrong == []
    opened.context.close()


@pytest.mark.parametrize("G", [nx.Graph(), nx.empty_graph(3), nx.DiGraph([(0, 1), (1, 2)])])
def test_hardly_a_network(browser, tmp_path, G):
    path = tmp_path / "page.html"
    links = [(2, 0, 0.0)] if G.number_of_edges() else []
    explore(G, links, path)
    opened = Opened(browser, path)
    assert len(opened.data("nodes")["x"]) == len(G)
    assert len(opened.data("heads")["x"]) == len(links)
    assert opened.wrong == []
    opened.context.close()
