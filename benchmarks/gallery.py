"""Draw the pictures of docs/gallery.md and of the first page, with the code shown there.

python benchmarks/gallery.py [directory]

The page is a screenshot, by Chromium and playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import igraph as ig
import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_wine

import pugraph
from pugraph.clustering import PUClustering
from pugraph.evaluation import compare
from pugraph.plotting import (
    draw_predictions,
    explore,
    plot_clusters,
    plot_comparison,
    plot_convergence,
    plot_curves,
    plot_selection,
)
from pugraph.selection import select

# inches, and dots per inch: 800 pixels wide
WIDE, HIGH, DPI = 8.0, 5.2, 100


def families() -> Any:
    _, ax = plt.subplots(figsize=(6, 4), dpi=2 * DPI, layout="constrained")
    G = nx.florentine_families_graph()
    return draw_predictions(G, pugraph.top_links(G, 5), ax=ax)


def names() -> Any:
    G = nx.davis_southern_women_graph()
    return draw_predictions(G, pugraph.top_links(G, 8, bipartite=True))


def crowd() -> Any:
    G = nx.les_miserables_graph()
    return draw_predictions(G, pugraph.top_links(G, 15))


def directed() -> Any:
    made = nx.gaussian_random_partition_graph(40, 10, 5, 0.35, 0.02, directed=True, seed=1)
    G = ig.Graph.from_networkx(made)
    return draw_predictions(G, pugraph.top_links(G, 12), layout="fr")


def dots() -> Any:
    G = nx.les_miserables_graph()
    scorers = [pugraph.pu_blend, pugraph.pu_bias, nx.adamic_adar_index, nx.jaccard_coefficient]
    found = compare(scorers, G, fraction=0.2, seeds=10)
    return plot_comparison(found, metrics=["average_precision", "auc", "precision_at 10"])[0]


def curves() -> Any:
    G = nx.les_miserables_graph()
    scorers = {
        "blend": pugraph.pu_blend,
        "bias": pugraph.pu_bias,
        "Jaccard": nx.jaccard_coefficient,
    }
    found = compare(scorers, G, fraction=0.3)
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    plot_curves(found, ax=left)
    return plot_curves(found, kind="precision-recall", ax=right)


def convergence() -> Any:
    G = nx.les_miserables_graph()
    names = "als", "ccd++", "proximal"
    fits = {name: pugraph.fit(G, "bias", solver=name, tol=1e-6) for name in names}
    return plot_convergence(fits)


def clusters() -> Any:
    X, y = load_wine(return_X_y=True)
    pairs = np.random.default_rng(0).integers(0, len(y), (150, 2))
    known = pairs[y[pairs[:, 0]] == y[pairs[:, 1]]]
    return plot_clusters(PUClustering(3).fit(X, must_link=known))


def selection() -> Any:
    return plot_selection(select(nx.les_miserables_graph(), rank="auto"))


def page() -> BytesIO:
    model = pugraph.fit(G := nx.les_miserables_graph())
    groups = nx.community.louvain_communities(G, seed=0)
    shown = {"width": 1280, "height": 940}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder, "page.html")
        explore(G, model.top_links(60), path, model=model, clusters=groups)
        found = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        opened = browser.new_page(viewport=shown)
        opened.goto(path.as_uri())
        opened.wait_for_selector("html[data-ready]")
        opened.locator("#colour").select_option(label="cluster")
        opened.locator("#predicted tbody button").first.click()
        opened.evaluate("scrollTo(0, 0)")
        opened.wait_for_timeout(500)  # for the last frame
        drawn = BytesIO(opened.screenshot())
        browser.close()
    return drawn


def main() -> None:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/img")
    plt.rcParams |= {"figure.figsize": (WIDE, HIGH), "figure.dpi": DPI}
    for draw in (families, names, crowd, directed, dots, curves, convergence, clusters, selection):
        figure = draw().figure
        path = directory / f"gallery-{draw.__name__}.png"
        drawn = BytesIO()
        figure.savefig(drawn)
        plt.close(figure)
        Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path)
        print(path, path.stat().st_size // 1000, "kB")
    path = directory / "gallery-page.png"
    Image.open(page()).convert("RGB").save(path, optimize=True)
    print(path, path.stat().st_size // 1000, "kB")


if __name__ == "__main__":
    main()
