from html.parser import HTMLParser

import networkx as nx
import pytest

import pugraph
from pugraph.evaluation import compare
from pugraph.models.html import html_table
from pugraph.selection import select

HOSTILE = "<script>alert('1 & \"2\"')</script>"


class Reader(HTMLParser):
    """What a browser would see: the tags, and the text of each cell."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.caption = set(), [], ""
        self._inside = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        assert attributes == []
        self.tags.add(tag)
        self._inside = tag
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside in ("td", "th"):
            self.cells[-1] += data
        elif self._inside == "caption":
            self.caption += data


def read(thing):
    found = Reader(thing if isinstance(thing, str) else thing._repr_html_())
    assert found.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    return found


def test_whatever_is_in_a_cell_is_text():
    found = read(html_table(HOSTILE, ["a", HOSTILE], [(HOSTILE, 3), (None, 0.5)]))
    assert found.caption == HOSTILE
    assert found.cells == ["a", HOSTILE, HOSTILE, "3", "None", "0.5"]


@pytest.fixture(scope="module")
def hostile():
    return nx.relabel_nodes(nx.karate_club_graph(), lambda node: f"{HOSTILE}{node}")


def test_a_model(hostile):
    model = pugraph.fit(hostile, "bias", rank=4)
    found = read(model)
    assert found.caption == "FactorModel: 34 nodes, 78 links"
    told = dict(zip(found.cells[::2], found.cells[1::2], strict=True))
    assert told["method"] == "bias"
    assert told["rank"] == "4"
    assert float(told["rho"]) == pytest.approx(model.rho, abs=1e-6)


def test_a_blend(hostile):
    assert "missing" in read(pugraph.fit(hostile)).cells


@pytest.mark.parametrize("method", ["bias", "blend"])
def test_an_explanation(hostile, method):
    why = pugraph.fit(hostile, method).explain_link(f"{HOSTILE}4", f"{HOSTILE}5", k=3)
    found = read(why)
    assert found.caption.startswith(f"{HOSTILE}4 - {HOSTILE}5: score ")
    assert found.caption == str(why).splitlines()[0]
    assert found.cells[0] == "share"
    for reason in why.reasons:
        assert reason.what in found.cells


def test_a_comparison():
    scorers = {HOSTILE: nx.jaccard_coefficient, "degrees": nx.preferential_attachment}
    comparison = compare(scorers, nx.karate_club_graph(), seeds=2)
    found = read(comparison)
    text = [cell.strip() for line in str(comparison).split("\n") for cell in line.split("|")[1:-1]]
    assert found.cells == [cell for cell in text if cell != "---"]
    assert HOSTILE in found.cells


def test_a_selection():
    chosen = select(nx.karate_club_graph(), rank=4)
    found = read(chosen)
    assert f"rank {chosen.rank}" in found.caption
    rows = [found.cells[place : place + 6] for place in range(6, len(found.cells), 6)]
    assert [row[-1] for row in rows].index("chosen") == chosen.best
    assert len(rows) == len(chosen.table)
