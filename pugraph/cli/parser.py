"""What the command line accepts, and what `--help` says."""

from __future__ import annotations

from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)
from typing import Any, NoReturn

from pugraph import __version__
from pugraph.cli.files import FORMATS, SEPARATORS
from pugraph.cli.output import FORMS
from pugraph.link_prediction.methods import METHODS

_ABOUT = """\
Which links is my network missing? And how far can the answer be trusted?

Without a command: the missing links of the network that comes with the install.
Without a file, every command runs on that network too."""

_EXAMPLES = """\
examples:
  pugraph                                       a first look, on a network that is there
  pugraph info links.csv                        what is read from a file
  pugraph predict links.csv --top 20            the 20 likeliest missing links
  pugraph predict links.csv -o more.graphml     the network with these links in it, marked
  pugraph evaluate links.csv --method bias,blend,jaccard
                                                how well methods find links that are hidden
  pugraph fit links.csv -o links.pugraph        a model to keep ...
  pugraph predict --model links.pugraph         ... and to ask more than once
  pugraph cluster --nodes people.csv --must-link friends.txt --clusters 3

"pugraph COMMAND --help" tells more. Exit codes: 0 fine, 2 bad input (one line on stderr says
which file, which line and why), 130 stopped by Ctrl-C."""

_FILES = """\
files: text, gzipped or not; "-" is the standard input. The extension says the format:
  .graphml .gml .gexf .net (Pajek) .adjlist .mtx .lgl .dl; any other is a list of edges, one a
  line, with spaces, tabs, commas or semicolons between, and with or without a header."""


class _Parser(ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"pugraph: error: {message} (see {self.prog} --help)\n")


def make_parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="pugraph",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pugraph {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _predict(commands)
    _evaluate(commands)
    _cluster(commands)
    _fit(commands)
    _info(commands)
    return parser


def _command(commands: Any, name: str, about: str, examples: list[str]) -> ArgumentParser:
    lines = "\n".join(f"  pugraph {name} {example}".rstrip() for example in examples)
    made: ArgumentParser = commands.add_parser(
        name,
        usage=f"pugraph {name} [FILE] [options]",
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=f"examples:\n{lines}\n\n{_FILES}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    _reading(made)
    return made


def _predict(commands: Any) -> None:
    made = _command(
        commands,
        "predict",
        "score pairs of nodes, or find the likeliest missing links",
        [
            "",
            "links.csv --top 20",
            "links.csv --method blend --output best.csv",
            "links.csv --pairs maybe.txt",
            "links.csv --nodes people.csv --features age,city",
            "--model links.pugraph --top 5",
        ],
    )
    made.add_argument("--model", metavar="FILE", help='a model that "pugraph fit" wrote')
    made.add_argument(
        "--top", type=_whole, metavar="N", help="how many pairs, best first (default: 10)"
    )
    made.add_argument(
        "--pairs",
        metavar="FILE",
        help="score these pairs, in their order (a list like one of edges); with --top, the "
        "best of them",
    )
    made.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="METHOD",
        help=f"{', '.join(METHODS)} (default: bias; blend finds most and takes longest)",
    )
    _fitting(made)
    _writing(made)
    made.add_argument("--plot", metavar="FILE", help="draw the predicted links: .png, .pdf, .svg")


def _evaluate(commands: Any) -> None:
    made = _command(
        commands,
        "evaluate",
        "hide some links, and see how well methods find them",
        ["", "links.csv", "links.csv --method bias,blend,jaccard --fraction 0.1 --seeds 3"],
    )
    made.add_argument(
        "--method",
        action="append",
        metavar="METHODS",
        help=f"one or more, with commas between: {', '.join(METHODS)} (default: bias, shift, "
        "jaccard and adamic-adar)",
    )
    made.add_argument(
        "--fraction", type=float, default=0.2, help="of the links to hide (default: 0.2)"
    )
    made.add_argument(
        "--seeds", type=_whole, default=5, metavar="N", help="how many random splits (default: 5)"
    )
    made.add_argument(
        "--sample", type=_whole, metavar="N", help="rank among N random pairs, not all of them"
    )
    _fitting(made)
    _writing(made)


def _cluster(commands: Any) -> None:
    made = _command(
        commands,
        "cluster",
        "put nodes into clusters, by features and pairs that belong together",
        [
            "",
            "links.graphml --features age,city --clusters 3",
            "--nodes people.csv --must-link friends.txt --clusters 3",
        ],
    )
    made.add_argument(
        "--must-link",
        metavar="FILE",
        help="pairs that belong together, a list like one of edges (default: the network's own "
        "edges, as hints)",
    )
    made.add_argument(
        "--clusters", type=_whole, metavar="K", help="how many (default: as the data suggest)"
    )
    _fitting(made)
    _writing(made)


def _fit(commands: Any) -> None:
    made = _command(
        commands,
        "fit",
        'fit a model and keep it, for "pugraph predict --model" or pugraph.LinkModel.load',
        ["links.csv --output links.pugraph", "links.csv --rho auto --output links.pugraph"],
    )
    made.add_argument(
        "--method",
        choices=[name for name, method in METHODS.items() if method.kept],
        metavar="METHOD",
        help="bias or shift (default: bias)",
    )
    _fitting(made)
    made.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    made.add_argument("-q", "--quiet", action="store_true", help="no progress bars")


def _info(commands: Any) -> None:
    made = _command(
        commands,
        "info",
        "say what is read from a file: nodes, edges, columns, what was merged",
        ["", "links.csv", "links.csv --as json", "--model links.pugraph"],
    )
    made.add_argument("--model", metavar="FILE", help='a model that "pugraph fit" wrote')
    _writing(made)


def _reading(made: ArgumentParser) -> None:
    made.add_argument(
        "file", nargs="?", metavar="FILE", help="the network (default: Les Miserables)"
    )
    group = made.add_argument_group("reading")
    group.add_argument(
        "--format", choices=FORMATS, metavar="FORMAT", help=f"one of {', '.join(FORMATS)}"
    )
    group.add_argument(
        "--directed",
        action=BooleanOptionalAction,
        help="whether edges have a direction (default: as the file says; lists have none)",
    )
    group.add_argument(
        "--source", metavar="COLUMN", help="where edges begin: a column's name, or its number"
    )
    group.add_argument("--target", metavar="COLUMN", help="where edges end")
    group.add_argument(
        "--header",
        action=BooleanOptionalAction,
        help="whether the first line names the columns (default: as it looks)",
    )
    group.add_argument(
        "--separator",
        metavar="MARK",
        help=f"between columns: {', '.join(SEPARATORS)} or a character (default: as it looks)",
    )
    group.add_argument(
        "--comments",
        default="#%",
        metavar="MARKS",
        help='lines at the top that begin with one of these are skipped (default: "#%%")',
    )
    group.add_argument(
        "--nodes", metavar="FILE", help="a table of nodes and their features, with a header"
    )
    group.add_argument(
        "--features",
        type=_names,
        metavar="COLUMNS",
        help="columns of --nodes (default: all), or node attributes of the network, with commas "
        "between; numbers are used as they are, text as categories",
    )


def _fitting(made: ArgumentParser) -> None:
    group = made.add_argument_group("fitting")
    auto = ', or "auto" to choose it on hidden links'
    group.add_argument("--rank", type=_rank, help=f"the length of a node's vectors{auto}")
    group.add_argument(
        "--rho", type=_number, help=f"the fraction of true links that is unseen{auto}"
    )
    group.add_argument("--reg", type=_number, help=f"the penalty{auto}")
    group.add_argument("--seed", type=_seed, default=0, help="of all random choices (default: 0)")
    group.add_argument("--jobs", type=_whole, metavar="N", help="threads (default: all)")


def _writing(made: ArgumentParser) -> None:
    group = made.add_argument_group("writing")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write to a file: .txt, .csv, .json or .graphml"
    )
    group.add_argument(
        "--as", dest="form", choices=FORMS, metavar="FORM", help=f"one of {', '.join(FORMS)}"
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no progress bars")


def _whole(text: str) -> int:
    return _at_least(text, 1)


def _seed(text: str) -> int:
    return _at_least(text, 0)


def _at_least(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least} on")
    return int(text)


def _rank(text: str) -> int | str:
    return text if text == "auto" else _whole(text)


def _number(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither a number nor auto") from None


def _names(text: str) -> list[str]:
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise ArgumentTypeError("there is no name in it")
    return found
