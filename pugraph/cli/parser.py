"""The parser of the command line, with the texts of `--help`."""

from __future__ import annotations

from argparse import (
    ArgumentParser,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)
from typing import Any, NoReturn

from pugraph import __version__
from pugraph.cli import values
from pugraph.cli.files import FORMATS, MAX_SIZE, SEPARATORS
from pugraph.cli.output import FORMS
from pugraph.link_prediction.methods import METHODS

_ABOUT = """\
Predict the missing links of a network, and measure how reliable the predictions are.

Without a command, pugraph shows the missing links of an example network.
Without a file, every command uses that network."""

_EXAMPLES = """\
examples:
  pugraph                                       a demonstration on an example network
  pugraph info links.csv                        describe a network
  pugraph predict links.csv --top 20            the 20 most likely missing links ...
  pugraph predict links.csv --why               ... and what each of them rests on
  pugraph predict links.csv -o more.graphml     the network with the predicted links added
  pugraph predict visits.csv --bipartite        ... between people and places, say
  pugraph explain links.csv ann bob             why a pair of nodes has its score
  pugraph evaluate links.csv                    how well methods predict hidden links
  pugraph fit links.csv -o links.pugraph        save a model ...
  pugraph predict --model links.pugraph         ... and use it later
  pugraph cluster --nodes people.csv --must-link friends.txt --clusters 3
  pugraph compile                               compile everything now, for a container image

"pugraph COMMAND --help" shows the options of a command. Exit codes: 0 success, 2 bad input (one
line on stderr names the file, the line and the reason), 130 stopped by Ctrl-C."""

_FILES = """\
files: text, gzipped or not; "-" is the standard input. The extension determines the format:
  .graphml .gml .gexf .net (Pajek) .adjlist .mtx .lgl .dl; any other file is an edge list, with
  one edge per line, columns separated by spaces, tabs, commas or semicolons, and with or without
  a header."""


# the methods whose scorer is a model, which can be saved and explains its scores
MODELS = [name for name, method in METHODS.items() if method.savable]
DEFAULT_METHOD = "blend"  # as in `pugraph.fit`
COMPARED = ["blend", "bias", "jaccard", "adamic-adar"]  # by `pugraph evaluate`
COMPARED_ACROSS = ["blend", "bias", "preferential-attachment"]  # with two kinds of nodes
_SPEED = "the most accurate; bias is the fastest"


class _Parser(ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"pugraph: error: {message} (see {self.prog} --help)\n")


class _Command(_Parser):
    """The parser of a command, whose options may stand between its other arguments."""

    _intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse options first, then the rest."""
        if self._intermixed:
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False


def make_parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="pugraph",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pugraph {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=_Command
    )
    _predict(commands)
    _explain(commands)
    _evaluate(commands)
    _cluster(commands)
    _fit(commands)
    _info(commands)
    _compile(commands)
    return parser


def _command(
    commands: Any, name: str, about: str, examples: list[str], nodes: str = ""
) -> ArgumentParser:
    lines = "\n".join(f"  pugraph {name} {example}".rstrip() for example in examples)
    parser: ArgumentParser = commands.add_parser(
        name,
        usage=f"pugraph {name} [FILE] {nodes}[options]",
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=f"examples:\n{lines}\n\n{_FILES}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    _reading(parser)
    if name != "cluster":
        _kinds(parser)
    return parser


def _predict(commands: Any) -> None:
    parser = _command(
        commands,
        "predict",
        "score pairs of nodes, or find the most likely missing links",
        [
            "",
            "links.csv --top 20",
            "links.csv --method bias --output best.csv",
            "links.csv --pairs candidates.txt",
            "links.csv --why --top 3",
            "links.csv --top 50 --html links.html",
            "links.csv --nodes people.csv --features age,city",
            "letters.csv --weight count --time year",
            "--model links.pugraph --top 5",
        ],
    )
    parser.add_argument("--model", metavar="FILE", help='a model saved by "pugraph fit"')
    parser.add_argument(
        "--top",
        type=values.whole,
        metavar="N",
        help="the number of pairs, best first (default: 10)",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="score these pairs, in the given order (a file like an edge list); with --top, "
        "return the best of them",
    )
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="METHOD",
        help=f"{', '.join(METHODS)} (default: blend, {_SPEED})",
    )
    _fitting(parser)
    _writing(parser)
    parser.add_argument(
        "--why",
        action="store_true",
        help=f"explain each link by its strongest reasons; for {listed(MODELS)}",
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the predicted links: .png, .pdf, .svg"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write a page for the browser: the network, the predicted links and the reasons",
    )


def _explain(commands: Any) -> None:
    parser = _command(
        commands,
        "explain",
        "explain why a pair of nodes has its score",
        [
            "Gavroche Claquesous",
            "links.csv ann bob",
            'links.csv "Ann Lee" Bob --top 3 --as json',
            "links.csv ann bob --method bias",
            "--model links.pugraph ann bob",
        ],
        "U V ",
    )
    parser.add_argument("u", metavar="U", help="a node, by its name in the file")
    parser.add_argument("v", metavar="V", help="another node; of a directed link, its end")
    parser.add_argument("--model", metavar="FILE", help='a model saved by "pugraph fit"')
    parser.add_argument(
        "--top",
        type=values.whole,
        default=10,
        metavar="N",
        help="the number of reasons, strongest first (default: 10); the others are added up",
    )
    _model_method(parser)
    _fitting(parser)
    _writing(parser)


def _evaluate(commands: Any) -> None:
    parser = _command(
        commands,
        "evaluate",
        "hide some links, and measure how well methods predict them",
        [
            "",
            "links.csv",
            "links.csv --method blend,bias,katz --fraction 0.1 --seeds 3",
            "letters.csv --time year",
        ],
    )
    parser.add_argument(
        "--method",
        action="append",
        metavar="METHODS",
        help=f"one or more, separated by commas: {', '.join(METHODS)} (default: "
        f"{listed(COMPARED)}); of a directed network, those that take it",
    )
    parser.add_argument(
        "--fraction",
        type=float,
        default=0.2,
        help="the fraction of the links to hide (default: 0.2)",
    )
    parser.add_argument(
        "--seeds",
        type=values.whole,
        default=5,
        metavar="N",
        help="the number of random splits (default: 5)",
    )
    parser.add_argument(
        "--sample",
        type=values.whole,
        metavar="N",
        help="rank among N random non-links instead of all",
    )
    parser.add_argument(
        "--negatives",
        choices=("all", "hard", "degree"),
        default="all",
        help="the non-links to rank among: all, those two steps apart, or one per hidden link "
        "with nodes drawn in proportion to their degrees (default: all)",
    )
    parser.add_argument(
        "--connected",
        action="store_true",
        help="hide no link of a spanning forest, so that no component falls apart",
    )
    _fitting(parser, hides=True)
    _writing(parser)


def _cluster(commands: Any) -> None:
    parser = _command(
        commands,
        "cluster",
        "cluster nodes, by links, features and pairs that belong together",
        [
            "",
            "links.graphml --features age,city --clusters 3",
            "--nodes people.csv --must-link friends.txt --clusters 3",
        ],
    )
    parser.add_argument(
        "--must-link",
        metavar="FILE",
        help="pairs that belong together, in a file like an edge list",
    )
    parser.add_argument(
        "--cannot-link", metavar="FILE", help="pairs that do not belong together, in the same way"
    )
    parser.add_argument(
        "--no-links",
        action="store_true",
        help="do not use the links of the network, only features and --must-link",
    )
    parser.add_argument(
        "--clusters",
        type=values.whole,
        metavar="K",
        help="the number of clusters (default: estimated)",
    )
    _fitting(parser, contacts=False)
    _writing(parser)


def _fit(commands: Any) -> None:
    parser = _command(
        commands,
        "fit",
        'fit a model and save it, for "pugraph predict --model" or pugraph.LinkModel.load',
        ["links.csv --output links.pugraph", "links.csv --method bias --output links.pugraph"],
    )
    _model_method(parser)
    _fitting(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress bars")


def _info(commands: Any) -> None:
    parser = _command(
        commands,
        "info",
        "describe a network: nodes, edges, columns, and how many edges were merged",
        ["", "links.csv", "links.csv --as json", "--model links.pugraph"],
    )
    parser.add_argument("--model", metavar="FILE", help='a model saved by "pugraph fit"')
    _writing(parser)


def _compile(commands: Any) -> None:
    parser = commands.add_parser(
        "compile",
        usage="pugraph compile [--jobs N]",
        help="compile everything now, which other commands do when they first need it",
        description="Compile everything now, which other commands do when they first need it, and "
        "keep it in a cache: for container images, say.",
    )
    parser.add_argument(
        "--jobs",
        type=values.whole,
        metavar="N",
        help="the number of processes (default: all cores)",
    )


def _model_method(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--method",
        choices=MODELS,
        metavar="METHOD",
        help=f"{', '.join(MODELS)} (default: blend, {_SPEED})",
    )


def _reading(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="the network (default: Les Miserables)"
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format", choices=FORMATS, metavar="FORMAT", help=f"one of {', '.join(FORMATS)}"
    )
    group.add_argument(
        "--directed",
        action=BooleanOptionalAction,
        help="whether edges have a direction (default: as the file states; edge lists do not)",
    )
    group.add_argument(
        "--source", metavar="COLUMN", help="the column where edges begin: its name or its number"
    )
    group.add_argument("--target", metavar="COLUMN", help="the column where edges end")
    group.add_argument(
        "--header",
        action=BooleanOptionalAction,
        help="whether the first line names the columns (default: detected)",
    )
    group.add_argument(
        "--separator",
        metavar="MARK",
        help=f"between columns: {', '.join(SEPARATORS)} or a character (default: detected)",
    )
    group.add_argument(
        "--comments",
        default="#%",
        metavar="MARKS",
        help='skip lines at the top that begin with one of these characters (default: "#%%")',
    )
    group.add_argument(
        "--max-size",
        type=values.size,
        default=MAX_SIZE,
        metavar="SIZE",
        help="refuse files of more bytes, unpacked, than this: a number, or one with K, M, G or T "
        f"(default: {MAX_SIZE >> 30}G)",
    )
    group.add_argument(
        "--nodes", metavar="FILE", help="a table of nodes and their features, with a header"
    )
    group.add_argument(
        "--features",
        type=values.names,
        metavar="COLUMNS",
        help="columns of --nodes (default: all), or node attributes of the network, separated by "
        "commas; numbers are used as they are, text as categories",
    )


def _kinds(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("two kinds of nodes")
    group.add_argument(
        "--bipartite",
        action=BooleanOptionalAction,
        help="links go across two kinds only: the columns of an edge list, or as --kind says",
    )
    group.add_argument(
        "--kind", metavar="NAME", help="the node attribute that tells them (default: bipartite)"
    )


def _contacts(parser: ArgumentParser, hides: bool) -> None:
    group = parser.add_argument_group("weights and times")
    group.add_argument(
        "--weight",
        metavar="COLUMN",
        help="the column, or edge attribute, that says how much a link counts, for blend and "
        "bias; count for how often it is in the file",
    )
    group.add_argument(
        "--time",
        metavar="COLUMN",
        help="the column, or edge attribute, with the time of a link, a number or a date: "
        + ("the latest links are hidden, and " if hides else "")
        + "blend and bias predict what comes next",
    )
    group.add_argument(
        "--half-life",
        type=values.age,
        metavar="AGE",
        help="with --time: the age at which a link counts half, in the unit of the times, or for "
        "dates as 12h, 30d or 4w (default: a quarter of the median age)",
    )
    group.add_argument(
        "--keep",
        choices=("first", "last"),
        help="with --time: which time of a repeated link counts (default: first)",
    )
    if not hides:
        group.add_argument(
            "--non-links",
            metavar="FILE",
            help="pairs that are known not to be links, in a file like an edge list, for blend, "
            "bias and shift",
        )


def _fitting(parser: ArgumentParser, contacts: bool = True, hides: bool = False) -> None:
    """Add the options of a fit; `contacts` with weights and times, `hides` to split by these."""
    group = parser.add_argument_group("fitting")
    auto = ', or "auto" to choose it on hidden links'
    group.add_argument("--rank", type=values.rank, help=f"the length of a node's vectors{auto}")
    group.add_argument(
        "--rho", type=values.number, help=f"the fraction of the true links that is unseen{auto}"
    )
    group.add_argument("--reg", type=values.number, help=f"the weight of the penalty{auto}")
    group.add_argument(
        "--missing",
        type=values.number,
        help="for blend: the fraction of the true links that its scores take to be missing, in "
        '(0, 1) (default: 0.1), or "auto" to estimate it',
    )
    if contacts:
        _contacts(parser, hides)
    group.add_argument(
        "--seed", type=values.seed, default=0, help="the seed of all random choices (default: 0)"
    )
    group.add_argument(
        "--jobs", type=values.whole, metavar="N", help="the number of threads (default: all)"
    )


def _writing(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("writing")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write to a file: .txt, .csv, .json or .graphml"
    )
    group.add_argument(
        "--as", dest="form", choices=FORMS, metavar="FORM", help=f"one of {', '.join(FORMS)}"
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no progress bars")


def listed(names: list[str]) -> str:
    """Return names as one would say them.

    Examples
    --------
    >>> listed(["bias", "shift", "blend"])
    'bias, shift and blend'
    """
    return f"{', '.join(names[:-1])} and {names[-1]}"
