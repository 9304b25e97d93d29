"""Prediction of later links: the tables of docs/later-links.md.

The first 80 % of the links of a network, by the time of their first event, are the training graph;
the others are ranked among all pairs or a sample of them. Runs once with the directions of the
links, and once without, where local indices can be compared too. Prints Markdown and writes
docs/data/later-links-*.csv.

With --again, the first 80 % of the messages are given, and the pairs with a message among the
others are to be found, repeated ones too. Writes docs/data/contacts-*.csv. With --parts, pu_blend
does without one use of the times after the other. Writes docs/data/later-links-parts.csv.

    PUGRAPH_DATA=... python benchmarks/temporal.py [--again | --parts] [network ...]
"""

from __future__ import annotations

import argparse
import functools
import gzip
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import networkx as nx
import numpy as np
import pandas as pd
from common import write_csv
from sklearn.metrics import average_precision_score, roc_auc_score

import pugraph
from pugraph import datasets, link_prediction
from pugraph.adapters import GraphData, to_graph_data
from pugraph.evaluation import compare
from pugraph.models import evidence
from pugraph.models.strengths import Strengths

BOTH_WAYS = ("pu_blend", "pu_bias", "pu_shift", "katz", "svd_katz")
LOCAL = (
    "common_neighbors", "jaccard_coefficient", "adamic_adar_index", "resource_allocation_index",
    "preferential_attachment",
)  # fmt: skip
# non-links ranked, to limit the time
SAMPLED = {"sx-mathoverflow": 2_000_000}
_MONTH = 30 * 24 * 3600  # seconds
METRICS = {
    "auc": "AUC", "average_precision": "AP", "precision_at_l": "P at L", "hits_at 50": "Hits@50",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=["CollegeMsg", "sx-mathoverflow"])
    parser.add_argument("--again", action="store_true", help="contacts, repeated ones too")
    parser.add_argument("--parts", action="store_true", help="what each use of the times gains")
    args = parser.parse_args()
    if args.again:
        contacts(args.networks[0])
        return
    if args.parts:
        parts(args.networks)
        return
    for name in args.networks:
        directed = datasets.load(name)
        directed.remove_edges_from(list(nx.selfloop_edges(directed)))
        for G, scorers in ((directed, BOTH_WAYS), (undirected(directed), BOTH_WAYS + LOCAL)):
            chosen = {scorer: getattr(link_prediction, scorer) for scorer in scorers}
            chosen["pu_blend, time"] = functools.partial(pugraph.pu_blend, time="time")
            chosen["pu_bias, time"] = functools.partial(pugraph.pu_bias, time="time")
            chosen["degrees of the last month"] = last_month
            chosen["recent degrees"] = recent_degrees
            found = compare(
                chosen,
                G,
                fraction=0.2,
                time="time",
                sample=SAMPLED.get(name),
            )
            shown = found.results["pu_bias"][0]
            kind = "directed" if G.is_directed() else "undirected"
            print(
                f"**{name}**, {kind}: {len(G):,} nodes, "
                f"{G.number_of_edges():,} links; {shown.all_pairs.n_links:,} come later, of which "
                f"{shown.connected.n_links:,} join nodes with a link before; pugraph "
                f"{pugraph.__version__}\n"
            )
            rows = []
            for count in ("all_pairs", "connected"):
                print(
                    f"{count.replace('_', ' ')}\n\n{found.table(list(METRICS), count)}\n",
                    flush=True,
                )
                for scorer in sorted(
                    found.results, key=lambda s: -found.mean(s, "average_precision", count)[0]
                ):
                    cells = [f"{found.mean(scorer, metric, count)[0]:.4f}" for metric in METRICS]
                    took = f"{found.seconds[scorer]:.2f}"
                    rows.append([scorer, count.removesuffix("_pairs"), *cells, took])
            write_csv(
                f"later-links-{name}-{kind}", ["method", "pairs", *METRICS.values(), "s"], rows
            )


def last_month(G: Any, ebunch: Any) -> Iterator[tuple[Any, Any, float]]:
    """Yield products of degrees, of the links of the last thirty days only."""
    return _products(G, ebunch, lambda age: float(age <= _MONTH))


def recent_degrees(G: Any, ebunch: Any) -> Iterator[tuple[Any, Any, float]]:
    """Yield products of degrees, whose links count half after a quarter of their median age."""
    end = max(time for _, _, time in G.edges(data="time"))
    half_life = median([end - time for _, _, time in G.edges(data="time")]) / 4
    return _products(G, ebunch, lambda age: 2 ** (-age / half_life))


def _products(G: Any, ebunch: Any, counts: Any) -> Iterator[tuple[Any, Any, float]]:
    end = max(time for _, _, time in G.edges(data="time"))
    tails: Counter[Any] = Counter()
    heads: Counter[Any] = Counter() if G.is_directed() else tails
    for u, v, time in G.edges(data="time"):
        tails[u] += counts(end - time)
        heads[v] += counts(end - time)
    return ((u, v, tails[u] * heads[v]) for u, v in ebunch)


def parts(names: list[str]) -> None:
    """Write the average precision of pu_blend without one of its uses of the times."""
    with_time = functools.partial(pugraph.pu_blend, time="time")
    variants = {
        "without times": pugraph.pu_blend,
        "with times": with_time,
        "random links are hidden, not the latest": patched(
            with_time, GraphData, "_link_times", property(lambda data: shuffled(data))
        ),
        "no ages, no fading evidence": patched(with_time, evidence, "Strengths", NoStrengths),
        "links do not fade": functools.partial(with_time, half_life=1e15),
    }
    table = []
    for name in names:
        directed = datasets.load(name)
        directed.remove_edges_from(list(nx.selfloop_edges(directed)))
        for G in (directed, undirected(directed)):
            kind = "directed" if G.is_directed() else "undirected"
            found = compare(variants, G, fraction=0.2, time="time", sample=SAMPLED.get(name))
            for variant, results in found.results.items():
                pairs = results[0].all_pairs, results[0].connected
                row = [f"{each.average_precision:.4f}" for each in pairs]
                table.append([f"{name}, {kind}", variant, *row])
                print(*table[-1], sep="\t", flush=True)
    write_csv("later-links-parts", ["network", "pu_blend", "AP, all", "AP, connected"], table)


class NoStrengths(Strengths):
    """Evidence from times that has no columns."""

    def __init__(self, data: GraphData, half_life: Any) -> None:
        self.columns = ()

    def of_pairs(self, rows: Any, cols: Any, out: Any) -> None:
        pass

    def highest(self) -> Any:
        return np.empty(0)


def shuffled(data: GraphData) -> Any:
    """Return the times of the links, those of any links."""
    return np.random.default_rng(0).permutation(data.times[data._of_links])


def patched(predictor: Any, place: Any, name: str, value: Any) -> Any:
    """Return a predictor that runs with another attribute in place."""

    def predict(G: Any, ebunch: Any) -> Iterator[tuple[Any, Any, float]]:
        with mock.patch.object(place, name, value):
            return iter(list(predictor(G, ebunch)))

    return predict


def contacts(name: str) -> None:
    """Write which pairs have a message among the last fifth of all, as several rules rank them."""
    path = Path(os.environ["PUGRAPH_DATA"]) / name / f"{name}.txt.gz"
    with gzip.open(path, "rt") as file:
        events = pd.read_csv(file, sep=" ", names=["source", "target", "time"])
    events = events[events["source"] != events["target"]].sort_values("time", kind="stable")
    cut = round(0.8 * len(events))
    known, later = events.iloc[:cut], events.iloc[cut:]
    data = to_graph_data(known, weight="count", time="time", keep="last", directed=True)
    n, end = len(data.nodes), known["time"].max()
    apart = ~np.eye(n, dtype=bool)

    def of_pairs(frame: pd.DataFrame, values: Any, keep: Any) -> Any:
        found = np.zeros((n, n))
        us, vs = (frame[side].map(data.index).to_numpy() for side in ("source", "target"))
        keep.at(found, (us, vs), values)
        return found

    between = later[later["source"].isin(data.index) & later["target"].isin(data.index)]
    truth = of_pairs(between, np.ones(len(between)), np.maximum)[apart] > 0
    ages = end - known["time"].to_numpy()
    half_life = np.median(ages) / 4
    latest = of_pairs(known, 1 / (1 + ages), np.maximum)
    rows, cols = (side.astype(np.int32) for side in np.nonzero(apart))
    model = pugraph.fit(data)
    blend = np.zeros((n, n))
    blend[apart] = model.score_pairs(rows, cols)
    scores = {
        "the latest partner again": latest,
        "the latest partner either way": np.maximum(latest, latest.T),
        "the number of messages": of_pairs(known, np.ones(len(known)), np.add),
        "the number of messages, fading": of_pairs(known, 2 ** (-ages / half_life), np.add),
        "pu_blend, time": blend,
        "the latest partner, then pu_blend": np.where(latest > 0, 1 + latest, blend),
    }
    again = (latest[apart] > 0) & truth
    print(f"{name}: {truth.sum():,} pairs have a message later, {again.sum():,} had one before")
    table = []
    for rule, values in scores.items():
        figures = (
            average_precision_score(truth, values[apart]),
            roc_auc_score(truth, values[apart]),
        )
        best = np.argsort(-values[apart], kind="stable")[: truth.sum()]
        table.append([rule, *(f"{x:.4f}" for x in (*figures, truth[best].mean()))])
        print(*table[-1], sep="\t", flush=True)
    write_csv(f"contacts-{name}", ["rule", "AP", "AUC", "P at L"], table)


def undirected(G: nx.DiGraph) -> nx.Graph:
    """Return the undirected graph, each link with its first time."""
    H = nx.Graph()
    H.add_nodes_from(G)
    for u, v, time in sorted(G.edges(data="time"), key=lambda edge: -edge[2]):
        H.add_edge(u, v, time=time)
    return H


if __name__ == "__main__":
    main()
