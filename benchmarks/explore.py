"""Pages of `explore` of several sizes: how large they are, and when they can be used.

    python benchmarks/explore.py [directory for the pages and their screenshots]

The time until a page can be used is from its opening until two frames after all is drawn, in
Chromium, without a graphics card; that of a step until the frame after it. Each is the best of
several, in new tabs.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
from common import machine, network, table, write_csv
from playwright.sync_api import Browser, sync_playwright

import pugraph
from pugraph.plotting import explore

REPEATS = 5
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
]  # fmt: skip
# what a reader does; each waits for the next frame, which a browser draws after the work
FRAME = "const frame = () => new Promise(end => requestAnimationFrame(() => setTimeout(end)));"
STEP = (
    "async () => {"
    + FRAME
    + "await frame(); const begun = performance.now(); %s; await frame();"
    + " return performance.now() - begun; }"
)
SLIDER = "const s = document.getElementById('shown'); s.value = 100; s.oninput()"
ZOOM = "document.getElementById('in').click()"
SELECT = "document.querySelector('#nodes tbody button').click()"


def networks() -> Iterator[tuple[str, Any, str]]:
    yield "Les Misérables", nx.les_miserables_graph(), "blend"
    for n in (1_000, 5_000):
        yield f"synthetic, {n:,} nodes", network(n, 20 * n), "bias"


def times(browser: Browser, path: Path) -> list[float]:
    """Return milliseconds until the page can be used, and of a slide, a zoom and a click."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    found = [page.evaluate("performance.getEntriesByName('ready')[0].startTime")]
    found += [page.evaluate(STEP % step) for step in (SLIDER, ZOOM, SELECT)]
    page.close()
    return found


def shots(browser: Browser, path: Path) -> None:
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]", timeout=60_000)
            page.locator("#predicted tbody button").first.click()
            page.wait_for_timeout(500)
            page.screenshot(path=path.with_name(f"{path.stem}-{width}-{scheme}.png"))
            context.close()


def main() -> None:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    rows = []
    with sync_playwright() as started:
        found = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=found, args=ARGUMENTS)
        for name, G, method in networks():
            model = pugraph.fit(G, method)
            links = model.top_links(100)
            path = directory / f"{model.data.adjacency.shape[0]}.html"
            explore(G, links, path, model=model)
            runs = list(zip(*(times(browser, path) for _ in range(REPEATS)), strict=True))
            ready, *steps = (min(run) for run in runs)
            n_links = model.data.links()[0].size
            size, after = path.stat().st_size / 1e6, ready / 1000
            figures = [f"{size:.2f}", f"{after:.1f}", *(f"{step:.0f}" for step in steps)]
            rows.append([name, len(model.nodes), n_links, *figures])
            if len(sys.argv) > 1:
                shots(browser, path)
        version = browser.version
        browser.close()
    head = ["network", "nodes", "links", "MB", "usable after s"]
    head += ["slider, ms", "zoom, ms", "click, ms"]
    print(machine("bokeh", "igraph"), f"Chromium {version}.\n")
    print(table(head, rows))
    write_csv("explore", head, rows)


if __name__ == "__main__":
    main()
