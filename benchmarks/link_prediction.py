"""All scorers on hidden links: the tables and curves of docs/hidden-links.md.

Holds out a fraction of the edges of each network's largest component, taken as undirected, for
several seeds. Ranks every pair that is not a training edge; in the two largest networks, the
held-out edges and a sample of the others. The results of each split are appended to a file, so
that a run can be stopped and resumed. --show reads that file, prints Markdown, writes
docs/data/hidden-links-*.csv and draws the curves.

    PUGRAPH_DATA=... python benchmarks/link_prediction.py [--fraction 0.5 0.1] [network ...]
    python benchmarks/link_prediction.py --show [--plot docs/img/curves.png]
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import table, write_csv
from scipy.stats import t as student

import pugraph
from pugraph import datasets
from pugraph.evaluation import Metrics, evaluate, split_links
from pugraph.link_prediction.local_indices import LocalIndex
from pugraph.link_prediction.walks import Katz, SvdKatz

SCORERS: dict[str, Any] = {
    "pu_blend": pugraph.fit,
    "pu_bias": partial(pugraph.fit, method="bias"),
    "pu_shift": partial(pugraph.fit, method="shift"),
    "pu_shift, relax": partial(pugraph.fit, method="shift", solver="relax"),
    "pu_shift, exact": partial(pugraph.fit, method="shift", solver="exact"),
    "Common Neighbors": partial(LocalIndex, name="common_neighbors"),
    "Jaccard": partial(LocalIndex, name="jaccard_coefficient"),
    "Adamic-Adar": partial(LocalIndex, name="adamic_adar_index"),
    "Resource Allocation": partial(LocalIndex, name="resource_allocation_index"),
    "Preferential Attachment": partial(LocalIndex, name="preferential_attachment"),
    "Katz": Katz,
    "SVD-Katz": SvdKatz,
}
NETWORKS = (
    "ca-GrQc", "email-Eu-core", "polblogs", "facebook_combined",
    "ca-HepPh", "ca-CondMat", "ca-AstroPh",
)  # fmt: skip
# non-links ranked in the largest networks, to limit the time
SAMPLED = {"ca-CondMat": 2_000_000, "ca-AstroPh": 2_000_000}
# scorers that run on some splits only: a fit takes a minute and a half, for at most 5,000 nodes
SMALL = {"pu_shift, exact": [("ca-GrQc", 0.5)]}
FIGURES = ("AUC", "AP", "P at L", "Hits@50")
# false positive rates of the tables, and of the curves
RATES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
GRID = np.logspace(-6, 0, 61)
# colours of the palette of Okabe and Ito
IN_PLOT = {
    "pu_blend": ("#000000", "-"),
    "pu_bias": ("#0072B2", "-"),
    "pu_shift": ("#56B4E9", "-"),
    "pu_shift, relax": ("#56B4E9", ":"),
    "pu_shift, exact": ("#56B4E9", "--"),
    "Adamic-Adar": ("#D55E00", "--"),
    "Resource Allocation": ("#E69F00", "--"),
    "Common Neighbors": ("#009E73", "--"),
    "Katz": ("#CC79A7", "-."),
    "SVD-Katz": ("#CC79A7", ":"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--fraction", type=float, nargs="+", default=[0.5, 0.1])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=SCORERS, action="append", help="one of the scorers")
    parser.add_argument("--results", type=Path, default=Path("link_prediction.json"))
    parser.add_argument(
        "--show", action="store_true", help="print and write what was found before"
    )
    parser.add_argument("--plot", type=Path, help="where to draw the curves, with --show")
    options = parser.parse_args()
    if options.show:
        show(options.results)
        if options.plot:
            plot(options.results, options.plot)
        return
    for name in options.networks:
        for fraction in options.fraction:
            for seed in range(options.seeds):
                split(name, fraction, seed, options.only or list(SCORERS), options.results)


def split(name: str, fraction: float, seed: int, wanted: list[str], results: Path) -> None:
    """Evaluate the scorers whose results are not in the file yet, and add them."""
    have = {tuple(line["key"]) for line in lines(results)}
    missing = [
        scorer
        for scorer in wanted
        if (name, fraction, seed, scorer) not in have
        and (name, fraction) in SMALL.get(scorer, [(name, fraction)])
    ]
    if not missing:
        return
    G = datasets.largest_component(datasets.load(name).to_undirected())
    train, held_out = split_links(G, fraction=fraction, seed=seed)
    for scorer in missing:
        start = time.perf_counter()
        model = SCORERS[scorer](train)
        ready = time.perf_counter()
        found = evaluate(model, train, held_out, sample=SAMPLED.get(name), seed=seed, k=(50,))
        line = {
            "key": (name, fraction, seed, scorer),
            "size": (G.number_of_nodes(), G.number_of_edges()),
            "set-up": ready - start,
            "pairs/s": found.all_pairs.n_others / (time.perf_counter() - ready),
            "all": figures(found.all_pairs),
            "connected": figures(found.connected),
            "fnr": [found.all_pairs.fnr_at(rate) for rate in (*RATES, *GRID)],
        }
        with results.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(name, fraction, seed, scorer, [round(x, 4) for x in line["all"]], flush=True)


def figures(found: Metrics) -> list[float]:
    return [found.auc, found.average_precision, found.precision_at_l, found.hits_at[50]]


def lines(results: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    )


def mean(found: list[dict[str, Any]], what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return means over the seeds, and halves of 95 % confidence intervals."""
    values = np.array([line[what] for line in found])
    n = len(values)
    half = values.std(0, ddof=1) / np.sqrt(n) * student.ppf(0.975, n - 1) if n > 1 else values * 0
    return values.mean(0), half


def grouped(results: Path) -> dict[tuple[str, float], dict[str, list[dict[str, Any]]]]:
    groups: dict[tuple[str, float], dict[str, list[dict[str, Any]]]] = {}
    for line in lines(results):
        name, fraction, _, scorer = line["key"]
        groups.setdefault((name, fraction), {}).setdefault(scorer, []).append(line)
    return groups


def summary(results: Path, what: str, figure: str) -> None:
    """Print and write one metric of all scorers on all networks."""
    place = FIGURES.index(figure)
    columns = [scorer for scorer in SCORERS if scorer not in SMALL]
    print(f"{figure}, {'all pairs' if what == 'all' else 'connected pairs'}\n")
    rows = [
        [
            name,
            f"{100 * fraction:.0f}",
            *(f"{mean(scorers[s], what)[0][place]:.3f}" for s in columns),
        ]
        for (name, fraction), scorers in grouped(results).items()
    ]
    output(f"hidden-links-{figure.lower()}-{what}", ["network", "hidden, %", *columns], rows)


def output(name: str, head: list[str], rows: list[list[str]]) -> None:
    print(table(head, rows) + "\n")
    write_csv(name, head, rows)


def show(results: Path) -> None:
    for what in ("all", "connected"):
        for figure in ("AP", "AUC"):
            summary(results, what, figure)
    for (name, fraction), scorers in grouped(results).items():
        nodes, edges = next(iter(scorers.values()))[0]["size"]
        seeds = max(len(found) for found in scorers.values())
        among = f"a sample of {SAMPLED[name]:,} non-edges" if name in SAMPLED else "all non-edges"
        print(f"**{name}**, {fraction:.0%} of {edges:,} edges held out, {nodes:,} nodes, {among}; "
              f"{seeds} seeds\n")  # fmt: skip
        means = {
            s: {w: mean(f, w) for w in ("all", "connected", "fnr")} for s, f in scorers.items()
        }
        rows = []
        for what in ("all", "connected"):
            for scorer in sorted(means, key=lambda s: -means[s]["all"][0][1]):
                cells = [
                    f"{x:.3f}" for pair in zip(*means[scorer][what], strict=True) for x in pair
                ]
                rows.append([scorer, what, *cells])
        stem = f"hidden-links-{name}-{100 * fraction:.0f}"
        heads = [head for figure in FIGURES for head in (figure, f"{figure} ±")]
        output(stem, ["method", "pairs", *heads], rows)
        rows = []
        for scorer in sorted(means, key=lambda s: means[s]["fnr"][0][2]):
            setup = np.median([line["set-up"] for line in scorers[scorer]])
            rate = np.median([line["pairs/s"] for line in scorers[scorer]]) / 1e6
            cells = [f"{x:.3f}" for x in means[scorer]["fnr"][0][: len(RATES)]]
            rows.append([scorer, *cells, f"{setup:.2f}", f"{rate:.2f}"])
        rates = [f"FNR at FPR {rate:.0e}" for rate in RATES]
        output(f"{stem}-fnr", ["method", *rates, "set-up, s", "M pairs/s"], rows)


def plot(results: Path, path: Path) -> None:
    """Draw the paper's curves for its two networks, means over the seeds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    groups = grouped(results)
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.6), sharey=True, layout="constrained")
    for ax, name in zip(axes, ("ca-GrQc", "ca-HepPh"), strict=True):
        for scorer, (colour, style) in IN_PLOT.items():
            if scorer in groups.get((name, 0.5), {}):
                curve = mean(groups[name, 0.5][scorer], "fnr")[0][len(RATES) :]
                width = 2.4 if scorer == "pu_blend" else 1.4
                ax.plot(GRID, curve, color=colour, ls=style, lw=width, label=scorer)
        ax.set(
            xscale="log", xlabel="false positive rate", title=f"{name}, half of the edges hidden"
        )
        ax.set_xlim(1e-6, 1)
        ax.set_ylim(0, 1)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("false negative rate")
    axes[0].legend(fontsize=8, loc="lower left")
    fig.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
