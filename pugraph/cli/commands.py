"""The commands of the command line: a function per command."""

from __future__ import annotations

import functools
import json
import math
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from pugraph.adapters import to_graph_data
from pugraph.adapters.lookup import nodes_at
from pugraph.cli import output
from pugraph.cli.edges import Layout, read_edges
from pugraph.cli.files import FileError, errors_of_content, errors_of_file
from pugraph.cli.networks import (
    Network,
    all_names,
    built_in,
    describe,
    in_graph,
    read_network,
    to_networkx,
)
from pugraph.cli.nodes import (
    NodeTable,
    kinds_of,
    known_pair,
    of_nodes,
    pair_positions,
    read_nodes,
    with_table,
)
from pugraph.cli.parser import COMPARED, COMPARED_ACROSS, DEFAULT_METHOD, MODELS, listed
from pugraph.core.jit import threads
from pugraph.core.pairs import best_of
from pugraph.errors import InputError
from pugraph.link_prediction.methods import METHODS, Method
from pugraph.models.link_model import LinkModel
from pugraph.models.reasons import LinkExplanation, Reason
from pugraph.models.scorer import PairScorer, best_pairs

_TOP = 10  # predictions shown by default: a short list, chosen by hand
# the options that a method may have or not
_NUMBERS = ("rank", "rho", "reg", "missing", "half_life")
_CONTACTS = ("weight", "time", "non_links")  # those that are a part of the graph
_OF_KINDS = ("bipartite", "kind")
_REASONS = 3  # of each link that --why explains; chosen by hand
# the metrics in files; tables have those that suit
_FIGURES = (
    "auc", "average_precision", "estimated_average_precision", "precision_at_l", "hits_at 50",
)  # fmt: skip
# what is said of the pairs that links are ranked among
_KINDS = {"all": "", "hard": ", two steps apart", "degree": ", drawn by degree"}
# the two sets of pairs of an `Evaluation`, and how tables call them
_COUNTS = {"all_pairs": "all pairs", "connected": "pairs whose nodes both have a link left"}


def predict(args: Namespace) -> None:
    """Score pairs of nodes, or find the most likely missing links."""
    form = _check_output(args)
    if args.model is not None:
        scorer: PairScorer = _load_graph_model(args)
        make_graph: Callable[[], Any] = functools.partial(to_networkx, scorer.data)
        source, header = args.model, None
    else:
        network = _load(args)
        method = args.method or DEFAULT_METHOD
        _check_methods(args, [method], network)
        if args.why and method not in MODELS:
            raise InputError(
                f"--why does not apply to --method {method}; it explains {listed(MODELS)}"
            )
        scorer = METHODS[method].make_scorer(network.data, **_options(args, METHODS[method]))
        source, header = network.path, network.header
        make_graph = network.to_networkx
    with threads(args.jobs):
        predictions = _predictions(args, scorer, source, header)
        whys = _whys(scorer, predictions) if args.why else None
    if form == "graphml" or args.plot is not None or args.html is not None:
        G, added = make_graph(), in_graph(scorer.data, predictions)
        if args.plot is not None:
            output.plot(G, added, args.plot, args.seed)
        if args.html is not None:
            explain = _explain_by_name(scorer) if isinstance(scorer, LinkModel) else None
            output.page(G, added, args.html, args.seed, explain)
        if form == "graphml":
            reasons = None if whys is None else list(map(_in_words, whys))
            output.write_graphml(output.marked(G, added, reasons), args.output)
            return
    head = ("source", "target", "score")
    if whys is None:
        output.write_rows(head, predictions, form, args.output)
    elif form == "table":
        blocks = [output.aligned(head, predictions), *(f"{why}\n" for why in whys)]
        output.write_text("\n".join(blocks), args.output)
    else:
        rows = [(*row, _in_words(why)) for row, why in zip(predictions, whys, strict=True)]
        output.write_rows((*head, "why"), rows, form, args.output)


def _predictions(
    args: Namespace, scorer: PairScorer, source: str, header: list[str] | None
) -> list[tuple[str, str, float]]:
    """Return the best of all pairs, or the pairs of a file, with their scores."""
    if args.pairs is None:
        best = best_pairs(scorer, args.top or _TOP, progress=_progress(args))
        return [(str(u), str(v), p) for u, v, p in best]
    pairs = read_edges(args.pairs, _pairs_layout(args, header))
    rows, cols = pair_positions(pairs, scorer.data, source)
    scores = scorer.score_pairs(rows, cols)
    if args.top is not None:
        rows, cols, scores = best_of([(rows, cols, scores)], args.top)
    ends = zip((scorer.data.nodes, scorer.data.columns), (rows, cols), strict=True)
    named = ([str(nodes[place]) for place in side.tolist()] for nodes, side in ends)
    return list(zip(*named, scores.tolist(), strict=True))


def _whys(scorer: Any, predictions: list[tuple[str, str, float]]) -> list[LinkExplanation]:
    """Return the explanations of predictions."""
    explain = _explain_by_name(scorer)
    return [explain(u, v, _REASONS) for u, v, _ in in_graph(scorer.data, predictions)]


def _explain_by_name(scorer: Any) -> Callable[[str, str, int], LinkExplanation]:
    """Return `explain_link` for the names of nodes in `to_networkx`."""
    data = scorer.data
    ends = [*data.nodes, *data.columns] if data.bipartite else data.nodes
    nodes = dict(zip(all_names(data), ends, strict=True))
    return lambda u, v, k: scorer.explain_link(nodes[u], nodes[v], k)


def _in_words(why: LinkExplanation) -> str:
    """Return the strongest reasons in one line, each with its share."""
    return "; ".join(f"{reason.what} ({reason.share:+.3g})" for reason in why.reasons)


def explain(args: Namespace) -> None:
    """Explain why a pair of nodes has its score."""
    form = _check_output(args, "graphml")
    if args.model is not None:
        model = _load_graph_model(args)
        u, v = known_pair(model.data, args.u, args.v, args.model)
    else:
        network = _load(args)
        method = METHODS[args.method or DEFAULT_METHOD]
        _check_methods(args, [method.name], network)
        example = ", the example network that is used without a FILE" * (args.file is None)
        u, v = known_pair(network.data, args.u, args.v, network.path + example)
        model = method.make_scorer(network.data, **_options(args, method))  # type: ignore[assignment]
    with threads(args.jobs):
        why = model.explain_link(u, v, args.top)
    if form == "table":
        output.write_text(f"{why}\n", args.output)
        return
    reasons = [
        {**reason._asdict(), "nodes": list(map(str, reason.nodes))} for reason in why.reasons
    ]
    if form == "csv":
        rows = [[*list(reason.values())[:-1], "; ".join(reason["nodes"])] for reason in reasons]
        output.write_rows(Reason._fields, rows, form, args.output)
        return
    fields = {
        "u": str(why.u),
        "v": str(why.v),
        "score": why.score,
        "total": why.total,
        "unit": why.unit,
        "base": why.base,
        "basis": why.basis,
        "reasons": reasons,
        "rest": why.rest,
        "n_rest": why.n_rest,
        "remainder": why.remainder,
    }
    output.write_text(json.dumps(fields, indent=1, ensure_ascii=False) + "\n", args.output)


def evaluate(args: Namespace) -> None:
    """Hide some links, and measure how well methods predict them."""
    from pugraph.evaluation import compare
    from pugraph.evaluation.metrics import heading, is_telling

    form = _check_output(args, "graphml")
    given = [name for part in args.method or [] for name in part.split(",") if name]
    methods = list(dict.fromkeys(given))
    for method in methods:
        if method not in METHODS:
            raise InputError(f"--method {method}: choose from {', '.join(METHODS)}")
    network = _load(args)
    methods = methods or _compared(network)
    _check_methods(args, methods, network)
    scorers = {}
    for method in map(METHODS.__getitem__, methods):
        options = {k: v for k, v in _options(args, method).items() if k != "progress"}
        scorers[method.name] = functools.partial(method.predictor, **options)
    with threads(args.jobs):
        comparison = compare(
            scorers, network.data, fraction=args.fraction, seeds=args.seeds,
            time=None if args.time is None else True, connected=args.connected,
            negatives=args.negatives, sample=args.sample, n_jobs=args.jobs,
            progress=_progress(args),
        )  # fmt: skip
    if form == "table":
        splits = f"{args.seeds} random splits; ± is half of a 95 % interval"
        if args.time is not None:
            splits = f"the latest by {args.time}"
        text = [
            f"{network.path}: {args.fraction:.0%} of the links hidden, {splits}\n",
            *(
                f"\namong {title}{_KINDS[args.negatives]}\n\n{comparison.table(None, count)}\n"
                for count, title in _COUNTS.items()
            ),
        ]
        output.write_text("".join(text), args.output)
        return
    first = comparison.results[methods[0]][0].all_pairs
    names = [heading(figure, first) for figure in _FIGURES]
    head = ["method", "pairs", *(name for f in names for name in (f, f"{f} ±")), "seconds"]
    rows = []
    for method in methods:
        for count in _COUNTS:
            found = getattr(comparison.results[method][0], count)
            figures = [
                x if is_telling(f, found) else math.nan
                for f in _FIGURES
                for x in comparison.mean(method, f, count)
            ]
            cells = [None if math.isnan(x) else x for x in figures]
            rows.append([method, count, *cells, comparison.seconds[method]])
    output.write_rows(head, rows, form, args.output)


def _compared(network: Network) -> list[str]:
    """Return the methods that are compared by default: those that take the network."""
    if network.data.bipartite:
        return COMPARED_ACROSS
    return [name for name in COMPARED if METHODS[name].directed or not network.data.directed]


def cluster(args: Namespace) -> None:
    """Cluster the nodes."""
    from pugraph.clustering.communities import fit_clusters

    form = _check_output(args)
    if args.missing is not None:
        raise InputError("--missing is for the method blend, which cluster does not use")
    if args.file is None and args.nodes is not None:
        if args.must_link is None:
            raise InputError(
                "--nodes without a network needs --must-link: pairs that belong together"
            )
        network = of_nodes(_nodes(args))
    else:
        network = _load(args)
    options = _options(args, METHODS["bias"])
    options["random_state"] = options.pop("seed", 0)
    model = fit_clusters(
        network.data,
        args.clusters,
        _pairs(args.must_link, args, network),
        _pairs(args.cannot_link, args, network),
        not args.no_links,
        **options,
    )
    # the largest cluster is 1
    order = np.argsort(-np.bincount(model.labels_, minlength=model.n_clusters_), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(1, order.size + 1)
    number = dict(zip(network.names, place[model.labels_].tolist(), strict=True))
    strength = [round(float(p), 3) for p in model.strengths_]
    if form == "graphml":
        G = network.to_networkx()
        nx.set_node_attributes(G, number, "cluster")
        output.write_graphml(G, args.output)
        return
    rows_out = [(name, number[name], p) for name, p in zip(network.names, strength, strict=True)]
    rows_out.sort(key=lambda row: row[1])
    output.write_rows(("node", "cluster", "strength"), rows_out, form, args.output)


def _pairs(path: str | None, args: Namespace, network: Network) -> list[tuple[Any, Any]] | None:
    """Return the pairs of nodes in a file."""
    if path is None:
        return None
    data = network.data
    pairs = read_edges(path, _pairs_layout(args, network.header))
    rows, cols = pair_positions(pairs, data, network.path)
    return list(zip(nodes_at(data.nodes, rows), nodes_at(data.columns, cols), strict=True))


def fit(args: Namespace) -> None:
    """Fit a model and save it."""
    _check_directory("output", args.output)
    method = METHODS[args.method or DEFAULT_METHOD]
    network = _load(args)
    _check_methods(args, [method.name], network)
    model: Any = method.make_scorer(network.data, **_options(args, method))
    with errors_of_file(args.output):
        model.save(args.output)
    summary = model._summary()
    numbers = [f"{k} {summary[k]:.4g}" for k in ("missing", "rank", "rho", "reg") if k in summary]
    if "half_life" in summary:
        numbers.append(f"half-life {summary['half_life']:.7g}")
    numbers += ["with weights"] * ("weights" in summary)
    kind = f"{summary['method']} model of {len(all_names(model.data))} nodes"
    print(f"{args.output}: {', '.join([kind, *numbers])}", file=sys.stderr)


def info(args: Namespace) -> None:
    """Describe a network or a model."""
    form = _check_output(args, "graphml")
    if args.model is not None:
        _refuse(args, "model", ["file", "nodes", "features", *_OF_KINDS])
        model = _load_model(args.model)
        summary = model._summary()
        description: dict[str, Any] = {
            "model": args.model,
            "method": summary.pop("method"),
            "nodes": len(all_names(model.data)),
            **(
                {"nodes of each kind": list(model.data.adjacency.shape)}
                if model.data.bipartite
                else {}
            ),
            "edges": int(model.data.links()[0].size),
            "directed": model.data.directed and not model.data.bipartite,
            **summary,
        }
    else:
        description = describe(_load(args))
    if form == "table":
        rows = [(name, output.plain(value)) for name, value in description.items()]
        output.write_text(output.aligned(None, rows) + _hints(description), args.output)
    else:
        output.write_rows(list(description), [list(description.values())], form, args.output)


def _hints(description: dict[str, Any]) -> str:
    """Return how to use what was left out."""
    told = []
    if description.get("edge columns not used"):
        told.append("--weight COLUMN or --time COLUMN uses a column of edges that is not used.\n")
    if description.get("repeated edges"):
        told.append("--weight count uses how often an edge is repeated.\n")
    return "\n" * bool(told) + "".join(told)


def _load(args: Namespace) -> Network:
    """Return the network that the arguments name, with the features that they ask for."""
    kinds = kinds_of(args)
    for option in ("half_life", "keep"):
        if getattr(args, option, None) is not None and args.time is None:
            raise InputError(f"{_flag(option)} is for edges with times: give --time, too")
    if args.file is None:
        network = built_in(_layout(args))
    else:
        network = read_network(
            args.file,
            format=args.format,
            directed=args.directed,
            layout=_layout(args),
            bipartite=kinds,
        )
    return _with_non_links(_with_features(network, args), args)


def _with_non_links(network: Network, args: Namespace) -> Network:
    """Return a network with the pairs of --non-links."""
    path = getattr(args, "non_links", None)
    if path is None:
        return network
    pairs = _pairs(path, args, network)
    with errors_of_content(path):
        return replace(network, data=to_graph_data(network.data, non_links=pairs))


def _with_features(network: Network, args: Namespace) -> Network:
    """Return a network with the features that the arguments ask for."""
    if args.nodes is not None:
        return with_table(network, _nodes(args))
    if args.features is None:
        return network
    known = network.attributes
    for name in args.features:
        if name not in known:
            available = (
                f"the attributes are {', '.join(known)}"
                if known
                else "there are none; give a table of features with --nodes"
            )
            raise FileError(network.path, f"no node attribute {name!r}; {available}")
    return replace(network, data=to_graph_data(network.data, features=args.features))


def _nodes(args: Namespace) -> NodeTable:
    return read_nodes(args.nodes, args.features, args.comments, args.max_size)


def _load_graph_model(args: Namespace) -> LinkModel:
    """Return the model that --model names, with which nothing is to be fitted."""
    refused = ["file", "nodes", "features", "method", *_NUMBERS, *_CONTACTS, "keep", *_OF_KINDS]
    _refuse(args, "model", refused)
    model = _load_model(args.model)
    if not model.data.square and not model.data.bipartite:
        raise FileError(args.model, "a model of a rectangular matrix, not of a graph")
    return model


def _load_model(path: str) -> LinkModel:
    with errors_of_file(path):
        return LinkModel.load(path)


def _layout(args: Namespace) -> Layout:
    weight, time, keep = (getattr(args, name, None) for name in ("weight", "time", "keep"))
    return Layout(
        args.source, args.target, args.header, args.separator, args.comments, args.max_size,
        weight, time, keep or "first",
    )  # fmt: skip


def _pairs_layout(args: Namespace, known: list[str] | None) -> Layout:
    return Layout(
        separator=args.separator, comments=args.comments, max_size=args.max_size, known=known
    )


def _options(args: Namespace, method: Method) -> dict[str, Any]:
    """Return the given options that a method accepts."""
    given = {
        **{name: getattr(args, name, None) for name in _NUMBERS},
        "seed": args.seed,
        "n_jobs": args.jobs,
        "progress": _progress(args),
    }
    return {k: v for k, v in given.items() if k in method.options and v is not None}


def _progress(args: Namespace) -> bool:
    return sys.stderr.isatty() and not args.quiet


def _check_methods(args: Namespace, methods: list[str], network: Network) -> None:
    for method in methods:
        if network.data.bipartite and not METHODS[method].rectangular:
            known = listed([name for name, known in METHODS.items() if known.rectangular])
            raise InputError(
                f"--method {method} is for one kind of nodes; across two, {known} are"
            )
        if network.data.directed and network.data.square and not METHODS[method].directed:
            raise InputError(
                f"--method {method} is for undirected networks, but {network.path} is directed; "
                "--no-directed ignores the directions"
            )
    for option in (*_NUMBERS, *_CONTACTS, "features", "nodes"):
        if option == "time" and args.command == "evaluate":
            continue  # it splits, whatever the methods
        used = "features" if option == "nodes" else option
        if getattr(args, option, None) is not None and not any(
            used in METHODS[method].options for method in methods
        ):
            raise InputError(f"{_flag(option)} does not apply to --method {', '.join(methods)}")


def _flag(option: str) -> str:
    """Return an option as it is written on the command line."""
    return "--" + option.replace("_", "-")


def _check_output(args: Namespace, *refused: str) -> str:
    """Return the form of the output, after checking that the directories to write to exist."""
    form = output.form_of(args.output, args.form)
    if form in refused:
        raise InputError(f"{args.command} cannot write {form}; choose table, csv or json")
    _check_directory("output", args.output)
    for option in ("plot", "html"):
        _check_directory(option, getattr(args, option, None))
    return form


def _check_directory(option: str, path: str | None) -> None:
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise InputError(f"--{option} {path}: there is no such directory")


def _refuse(args: Namespace, option: str, others: list[str]) -> None:
    for other in others:
        if getattr(args, other, None) is not None:
            name = "the network file" if other == "file" else _flag(other)
            raise InputError(f"--{option} cannot be combined with {name}; leave out {name}")
