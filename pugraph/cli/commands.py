"""The commands, a function each."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from pugraph.adapters import to_graph_data
from pugraph.cli import output
from pugraph.cli.edges import Layout, read_edges
from pugraph.cli.files import InputError
from pugraph.cli.methods import LOCAL, METHODS
from pugraph.cli.networks import Network, built_in, read_network, to_networkx
from pugraph.cli.nodes import locate, of_nodes, read_nodes, with_nodes
from pugraph.cli.scoring import best_of, best_pairs, predictor_of, scorer_of
from pugraph.core.jit import threads
from pugraph.fitting import fit as fit_model
from pugraph.models import LinkModel

_TOP = 10
_FIGURES = ("auc", "average_precision", "precision_at_l", "hits_at 50")
_COUNTS = {"all_pairs": "all pairs", "connected": "pairs whose nodes both have a link left"}


def predict(args: Namespace) -> None:
    """Score pairs of nodes, or find the likeliest missing links."""
    form = _check_output(args)
    if args.model is not None:
        _refuse(args, "model", ["file", "nodes", "features", "method", "rho", "reg", "rank"])
        scorer: Any = LinkModel.load(args.model)
        if not scorer.data.square:
            raise InputError(args.model, "a model of a rectangular matrix, not of a graph")
        names, what = list(map(str, scorer.nodes)), args.model
    else:
        network, features = _load(args)
        method = args.method or "bias"
        _check_methods(args, [method], network)
        scorer = _scorer(args, method, network, features)
        names, what = network.names, network.path
    with threads(args.jobs):
        if args.pairs is None:
            rows, cols, scores = best_pairs(scorer, args.top or _TOP, _progress(args))
        else:
            layout = Layout(separator=args.separator, comments=args.comments)
            rows, cols = locate(read_edges(args.pairs, layout), names, what)
            scores = scorer.score_pairs(rows, cols)
            if args.top is not None:
                rows, cols, scores = best_of(iter([(rows, cols, scores)]), args.top)
    ends = ([names[place] for place in side.tolist()] for side in (rows, cols))
    found = list(zip(*ends, scores.tolist(), strict=True))
    if form == "graphml" or args.plot is not None:
        data = scorer.data
        if args.model is not None:
            G = to_networkx(data.adjacency, names, data.directed)
        else:
            G = network.to_networkx()
        if args.plot is not None:
            output.plot(G, found, args.plot, args.seed)
        if form == "graphml":
            output.write_graphml(output.marked(G, found), args.output)
            return
    output.write_rows(("source", "target", "score"), found, form, args.output)


def evaluate(args: Namespace) -> None:
    """Hide some links, and see how well methods find them."""
    from pugraph.evaluation import compare

    form = _check_output(args, "graphml")
    given = [name for part in args.method or [] for name in part.split(",") if name]
    methods = list(dict.fromkeys(given)) or ["bias", "shift", "jaccard", "adamic-adar"]
    for method in methods:
        if method not in METHODS:
            raise ValueError(f"--method {method}: there are {', '.join(METHODS)}")
    network, features = _load(args)
    _check_methods(args, methods, network)
    options = _options(args, features) | {"progress": False}
    scorers = {method: predictor_of(method, options) for method in methods}
    with threads(args.jobs):
        found = compare(
            scorers, network.graph, fraction=args.fraction, seeds=args.seeds,
            sample=args.sample, progress=_progress(args),
        )  # fmt: skip
    if form == "table":
        text = [
            f"{network.path}: {args.fraction:.0%} of the links hidden, {args.seeds} random "
            "splits; ± is half of a 95 % interval\n",
            *(f"\namong {told}\n\n{found.table(_FIGURES, c)}\n" for c, told in _COUNTS.items()),
        ]
        output.write_text("".join(text), args.output)
        return
    head = ["method", "pairs", *(name for f in _FIGURES for name in (f, f"{f} ±")), "seconds"]
    rows = []
    for method in methods:
        for count in _COUNTS:
            figures = [x for f in _FIGURES for x in found.mean(method, f, count)]
            known = [None if math.isnan(x) else x for x in figures]
            rows.append([method, count, *known, found.seconds[method]])
    output.write_rows(head, rows, form, args.output)


def cluster(args: Namespace) -> None:
    """Put nodes into clusters."""
    from pugraph.clustering import pu_cluster

    form = _check_output(args)
    features: list[str] | None
    if args.file is None and args.nodes is not None:
        if args.must_link is None:
            raise ValueError("a table of nodes alone needs --must-link: which belong together")
        table = read_nodes(args.nodes, args.features, args.comments)
        network, features = of_nodes(table), list(table.columns)
    else:
        network, features = _load(args)
    given = {k: v for k, v in _options(args, features).items() if v is not None}
    chosen: Any = given.pop("features", None)
    if chosen is None:
        # where links alone are known, a model of them says what nodes are like
        model = fit_model(network.graph, **given)
        chosen = np.hstack(model.factors)
        given = {k: v for k, v in given.items() if k in ("seed", "n_jobs", "progress")}
    must_link = None
    if args.must_link is not None:
        layout = Layout(separator=args.separator, comments=args.comments)
        places = locate(read_edges(args.must_link, layout), network.names, network.path)
        nodes = network.names if network.is_networkx else range(len(network.names))
        must_link = [(nodes[i], nodes[j]) for i, j in zip(*places, strict=True)]
    groups = pu_cluster(
        network.graph, args.clusters, features=chosen, must_link=must_link, **given
    )
    number = {node: place for place, group in enumerate(groups, 1) for node in group}
    if not network.is_networkx:
        number = {network.names[node]: place for node, place in number.items()}
    if form == "graphml":
        G = network.to_networkx().copy()
        nx.set_node_attributes(G, number, "cluster")
        output.write_graphml(G, args.output)
        return
    rows = sorted(((name, number[name]) for name in network.names), key=lambda row: row[1])
    output.write_rows(("node", "cluster"), rows, form, args.output)


def fit(args: Namespace) -> None:
    """Fit a model and keep it."""
    _check_place("output", args.output)
    network, features = _load(args)
    model = _scorer(args, args.method or "bias", network, features)
    model.save(args.output)
    print(
        f"{args.output}: {model.method} model of {len(model.nodes)} nodes, rank {model.rank}, "
        f"rho {model.rho:.4g}, reg {model.reg:.4g}",
        file=sys.stderr,
    )


def info(args: Namespace) -> None:
    """Say what is read from a file."""
    form = _check_output(args, "graphml")
    if args.model is not None:
        _refuse(args, "model", ["file", "nodes", "features"])
        model = LinkModel.load(args.model)
        told: dict[str, Any] = {
            "model": args.model,
            "method": model.method,
            "nodes": len(model.nodes),
            "edges": int(model.data.links()[0].size),
            "directed": model.data.directed,
            "features": model.inductive,
            "rank": model.rank,
            "rho": round(model.rho, 6),
            "reg": round(model.reg, 6),
            "solver": model.solver,
            "sweeps": len(model.history),
        }
    else:
        told = _about(*_load(args))
    if form == "table":
        rows = [(name, _plain(value)) for name, value in told.items()]
        output.write_text(output.aligned(None, rows), args.output)
    else:
        output.write_rows(list(told), [list(told.values())], form, args.output)


def _about(network: Network, features: list[str] | None) -> dict[str, Any]:
    data = to_graph_data(network.graph, features=features)
    n, edges = len(network.names), int(data.links()[0].size)
    pairs = n * (n - 1) // (1 if network.directed else 2)
    links = data.adjacency.astype(np.int64)
    alone = int(np.count_nonzero(links.sum(axis=0) + links.sum(axis=1) == 0))
    told: dict[str, Any] = {
        "file": network.path,
        "format": network.format,
        **({"header": network.header} if network.format == "edges" else {}),
        "directed": network.directed,
        "nodes": n,
        "edges": edges,
        "density": round(edges / max(pairs, 1), 6),
        "nodes without edges": alone,
        "self-loops": network.loops,
        "repeated edges": network.repeated,
        "first nodes": network.names[:3],
    }
    if network.is_networkx:
        kept = {name for _, values in network.graph.nodes(data=True) for name in values}
        told["attributes"] = sorted(kept)
    if data.features is not None:
        told["feature columns"] = data.features.names
    return told


def _plain(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _load(args: Namespace) -> tuple[Network, list[str] | None]:
    """Return the network of a command, and the names of its features."""
    if args.file is None:
        network = built_in()
    else:
        layout = Layout(args.source, args.target, args.header, args.separator, args.comments)
        network = read_network(
            args.file, format=args.format, directed=args.directed, layout=layout
        )
    if args.nodes is not None:
        table = read_nodes(args.nodes, args.features, args.comments)
        return with_nodes(network, table), list(table.columns)
    if args.features is None:
        return network, None
    nodes = network.graph.nodes(data=True) if network.is_networkx else []
    known = sorted({name for _, values in nodes for name in values})
    for name in args.features:
        if name not in known:
            has = ", ".join(known) if known else "none; a table of them goes to --nodes"
            raise InputError(network.path, f"no node attribute {name!r}; there is {has}")
    return network, args.features


def _options(args: Namespace, features: list[str] | None) -> dict[str, Any]:
    return {
        "features": features,
        "rho": args.rho,
        "reg": args.reg,
        "rank": args.rank,
        "seed": args.seed,
        "n_jobs": args.jobs,
        "progress": _progress(args),
    }


def _progress(args: Namespace) -> bool:
    return sys.stderr.isatty() and not args.quiet


def _scorer(args: Namespace, method: str, network: Network, features: list[str] | None) -> Any:
    """Fit a scorer; a model of a matrix gets the names, which a saved one keeps."""
    made = scorer_of(method, network.graph, _options(args, features))
    if not network.is_networkx:
        index = {name: place for place, name in enumerate(network.names)}
        made.data = replace(made.data, nodes=network.names, index=index, library="networkx")
    return made


def _check_methods(args: Namespace, methods: list[str], network: Network) -> None:
    for method in methods:
        if method in LOCAL and network.directed:
            raise ValueError(
                f"--method {method} is for undirected networks, and {network.path} is directed; "
                "--no-directed forgets the directions"
            )
    for option in ("rho", "reg", "rank", "features", "nodes"):
        used = "features" if option == "nodes" else option
        if getattr(args, option) is not None and not any(used in METHODS[m][1] for m in methods):
            raise ValueError(f"--{option} means nothing to --method {', '.join(methods)}")


def _check_output(args: Namespace, *refused: str) -> str:
    """Return the form of the output, after a look whether it can be written at all."""
    form = output.form_of(args.output, args.form)
    if form in refused:
        raise ValueError(f"{args.command} writes no {form}, but a table, csv or json")
    _check_place("output", args.output)
    _check_place("plot", getattr(args, "plot", None))
    return form


def _check_place(option: str, path: str | None) -> None:
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ValueError(f"--{option} {path}: there is no such directory")


def _refuse(args: Namespace, option: str, others: list[str]) -> None:
    for other in others:
        if getattr(args, other) is not None:
            name = "a file" if other == "file" else f"--{other}"
            raise ValueError(f"--{option} has all that it needs; leave out {name}")
