"""Our scorers beside 32 published methods on eight networks: for docs/published.md.

The protocol is that of R. Aiyappa et al., "Implicit degree bias in the link prediction task",
ICML 2025, whose figures are in published/degree-corrected-auc.csv beside the data: the largest
component, undirected; a quarter of the edges held out, none of a spanning tree; one negative for
each of them, both ends drawn uniformly or in proportion to their degree; AUC. The published
Resource Allocation and Local Random Walk are measured again, to see that the protocol is the same.
Results of each split are appended to a file, so that a run can be stopped and resumed. --show
reads it, prints Markdown, writes docs/data/published-*.csv and draws docs/img/published.png.

    PUGRAPH_DATA=... python benchmarks/published.py [--results FILE] [network ...]
    PUGRAPH_DATA=... python benchmarks/published.py --show
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import table, write_csv

import pugraph
from pugraph import datasets
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.paths import PATH_COLUMNS, path_sums
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction.local_indices import LocalIndex
from pugraph.link_prediction.walks import SvdKatz

SPLITS, FRACTION = 5, 0.25
NEGATIVES: dict[str, dict[str, Any]] = {
    "uniform": {"ratio": 1},
    "degree": {"negatives": "degree", "ratio": 1},
}
OURS = ("pu_blend", "pu_bias", "pu_shift")
# published methods that are measured again, and how far means may be from the published ones
AGAIN = {"Resource Allocation": "resourceAllocation", "Local Random Walk": "localRandomWalk"}
NEAR = 0.01


class LocalRandomWalk:
    """d_u (P + P^2 + P^3)_uv of pairs that are not links, where P is the random walk's matrix."""

    def __init__(self, data: GraphData) -> None:
        self._data = data

    def score_pairs(self, rows: Any, cols: Any) -> Any:
        links = self._data._pattern
        sums = path_sums(links, links, np.diff(links.indptr).astype(float), rows, cols)
        names = list(PATH_COLUMNS)
        # d_u (P^2)_uv is the sum of 1 / d_x over the paths u - x - v, and so on
        return (
            sums[:, names.index("resource_allocation")] + sums[:, names.index("three_step_walks")]
        )


SCORERS: dict[str, Any] = {
    "pu_blend": pugraph.fit,
    "pu_bias": partial(pugraph.fit, method="bias"),
    "pu_shift": partial(pugraph.fit, method="shift"),
    "Common Neighbors": partial(LocalIndex, name="common_neighbors"),
    "Jaccard": partial(LocalIndex, name="jaccard_coefficient"),
    "Adamic-Adar": partial(LocalIndex, name="adamic_adar_index"),
    "Resource Allocation": partial(LocalIndex, name="resource_allocation_index"),
    "Preferential Attachment": partial(LocalIndex, name="preferential_attachment"),
    "Local Random Walk": LocalRandomWalk,
    "SVD-Katz": SvdKatz,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--results", type=Path, default=Path("published.jsonl"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    published = read_published()
    if options.show:
        show(options.results, published)
        return
    done = {(r["network"], r["seed"], r["scorer"]) for r in lines(options.results)}
    sizes = {key[0]: size for key, (_, size) in published.items()}
    for name in options.networks or sorted(sizes):
        data = load(name)
        found = len(data.nodes), data.links()[0].size
        assert found == sizes[name], f"{name}: {found} nodes and edges, published {sizes[name]}"
        for seed in range(SPLITS):
            train, held_out = split_links(data, fraction=FRACTION, seed=seed, connected=True)
            for scorer, make in SCORERS.items():
                if (name, seed, scorer) not in done:
                    measure(name, seed, scorer, make(train), (train, held_out), options.results)


def load(name: str) -> GraphData:
    return to_graph_data(datasets.largest_component(datasets.load(name).to_undirected()))


def measure(
    name: str, seed: int, scorer: str, model: Any, split: tuple[Any, Any], results: Path
) -> None:
    auc = {
        kind: evaluate(model, *split, seed=seed, **negatives).all_pairs.auc
        for kind, negatives in NEGATIVES.items()
    }
    line = {"network": name, "seed": seed, "scorer": scorer, "auc": auc}
    with results.open("a") as file:
        print(json.dumps(line), file=file)
    print(name, seed, scorer, {kind: round(value, 4) for kind, value in auc.items()}, flush=True)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open()] if path.exists() else []


Published = dict[tuple[str, str, str], tuple[float, tuple[int, int]]]


def read_published() -> Published:
    """Return, per network, kind of negatives and method, the AUC and the network's size."""
    path = Path(os.environ["PUGRAPH_DATA"]).parent / "published" / "degree-corrected-auc.csv"
    with path.open() as file:
        return {
            (r["network"], r["negatives"], r["method"]): (
                float(r["auc"]),
                (int(r["nodes"]), int(r["edges"])),
            )
            for r in csv.DictReader(file)
        }


def show(results: Path, published: Published) -> None:
    ours: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for line in lines(results):
        for kind, auc in line["auc"].items():
            ours[line["network"], kind, line["scorer"]].append(auc)
    networks = sorted({network for network, _, _ in published})
    methods = sorted({method for _, _, method in published})
    check(ours, published, networks)
    means: dict[str, dict[str, float]] = {}
    for kind in NEGATIVES:
        rows = []
        for network in networks:
            theirs = {
                m: published[network, kind, m][0]
                for m in methods
                if (network, kind, m) in published
            }
            best = max(theirs, key=lambda method: theirs[method])
            mine = {s: float(np.mean(ours[network, kind, s])) for s in SCORERS}
            place = 1 + sum(auc > mine["pu_blend"] for auc in theirs.values())
            figures = [f"{mine[s]:.3f}" for s in SCORERS]
            rows.append([network, *figures, f"{theirs[best]:.3f}", best, place])
        head = ["network", *SCORERS, "best published", "which", "place of pu_blend"]
        print(f"\n{kind}\n\n{table(head, rows)}")
        write_csv(f"published-{kind}", head, rows)
        means[kind] = {
            **{
                m: average([published.get((n, kind, m), (np.nan,))[0] for n in networks])
                for m in methods
            },
            **{s: average([float(np.mean(ours[n, kind, s])) for n in networks]) for s in SCORERS},
            "best published one for each network": average(
                [
                    max(published[n, kind, m][0] for m in methods if (n, kind, m) in published)
                    for n in networks
                ]
            ),
        }
    names = sorted(means["uniform"], key=lambda name: -means["degree"][name])
    head = ["method", "source", "uniform", "by degree"]
    rows = [
        [
            name,
            "published" if name in methods or name.startswith("best") else "measured here",
            *(f"{means[kind][name]:.3f}" for kind in NEGATIVES),
        ]
        for name in names
    ]
    print("\nmeans\n\n" + table(head, rows))
    write_csv("published-means", head, rows)
    draw(means, methods)


def average(values: list[float]) -> float:
    """The mean over the networks; NaN if a method has no figure for one of them."""
    return float(np.mean(values))


def check(ours: Any, published: Published, networks: list[str]) -> None:
    """Print how far methods that were measured again are from their published figures."""
    for scorer, method in AGAIN.items():
        for kind in NEGATIVES:
            gaps = {
                n: float(np.mean(ours[n, kind, scorer])) - published[n, kind, method][0]
                for n in networks
            }
            worst = max(gaps, key=lambda n: abs(gaps[n]))
            agrees = "agrees" if abs(gaps[worst]) <= NEAR else "DIFFERS"
            print(f"{scorer}, {kind}: {agrees}, by {gaps[worst]:+.4f} at most ({worst})", gaps)


def draw(means: dict[str, dict[str, float]], methods: list[str]) -> None:
    import matplotlib.pyplot as plt

    from pugraph.plotting import plot_comparison

    titles = {"uniform": "AUC, uniform negatives", "degree": "AUC, negatives by degree"}
    shown = [*OURS, "Resource Allocation", "Adamic-Adar", "SVD-Katz", "Preferential Attachment"]
    oracle = "best published one for each network"
    axes = plot_comparison(
        {s: {titles[k]: means[k][s] for k in NEGATIVES} for s in shown},
        metrics=list(titles.values()),
        published={
            titles[kind]: {
                **{m: means[kind][m] for m in methods if not np.isnan(means[kind][m])},
                oracle: means[kind][oracle],
            }
            for kind in NEGATIVES
        },
    )
    axes[0].figure.savefig(Path(__file__).parent.parent / "docs/img/published.png", dpi=150)
    plt.close(axes[0].figure)


if __name__ == "__main__":
    main()
