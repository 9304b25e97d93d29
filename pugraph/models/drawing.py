"""Examples of hidden links and of other pairs, drawn at random, with their evidence."""

from __future__ import annotations

import numpy as np

from pugraph.core import sampling
from pugraph.core.jit import threads
from pugraph.core.pairs import Pairs, score_pairs
from pugraph.core.types import IntArray
from pugraph.models.evidence import Evidence, factors
from pugraph.models.odds import Examples

# Chosen on splits of the networks that docs/blend.md names.
_MOST_LINKS = 60_000  # hidden ones to learn from, if more are hidden
_NEAR, _FAR = 60_000, 40_000  # non-links to learn from: two steps apart, and farther apart
_FEW_PAIRS = 5000  # below, starting threads takes longer than they save
MOST_PATHS = 10**7  # followed to draw pairs two steps apart, per round
# Pairs of a rectangular matrix, to take both kinds from. Chosen on the rectangular matrices that
# docs/defaults.md names.
DRAWN = 1_000_000

_Drawn = tuple[IntArray, IntArray, float]  # pairs, and how many each of them represents


def draw_examples(
    evidence: Evidence,
    pairs: Pairs,
    hidden: tuple[IntArray, IntArray],
    times: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Examples:
    """Return the evidence of the hidden links and of non-links, in the graph without the former.

    Non-links that are hard to tell from links, such as those two steps apart, are drawn
    separately: they are few. `pairs` are those of the whole graph, and `times` is how often
    examples are drawn of it.
    """
    n_hidden = hidden[0].size
    if n_hidden > _MOST_LINKS:
        some = sampling.random_subset(n_hidden, _MOST_LINKS / n_hidden, rng)
        hidden = hidden[0][some], hidden[1][some]
    link_weight = n_hidden / max(hidden[0].size, 1)
    if pairs.square:
        paths = evidence.undirected
        hard = sampling.some_two_steps(paths, pairs, _NEAR // times, rng, MOST_PATHS)
        easy = sampling.some_non_links(pairs, _FAR // times, rng)
    else:
        hard, easy = _hard_and_easy(evidence, pairs, times, rng)
    (us, vs, hard_weight), (far_us, far_vs, easy_weight) = hard, easy
    sizes = hidden[0].size, us.size, far_us.size
    rows = np.concatenate([hidden[0], us, far_us])
    cols = np.concatenate([hidden[1], vs, far_vs])
    with threads(1 if rows.size < _FEW_PAIRS else n_jobs):
        found = evidence.of_pairs(rows, cols)
    near = evidence.near(found)
    examples = Examples(
        found,
        np.repeat([1.0, 0.0, 0.0], sizes),
        np.repeat([link_weight, hard_weight, easy_weight], sizes),
        near,
    )
    # of all non-links, those two steps apart were drawn already
    drawn = evidence.column(found, "common_neighbors") > 0
    drawn[: sizes[0] + sizes[1]] = False
    return examples.at(~drawn)


def _hard_and_easy(
    evidence: Evidence, pairs: Pairs, times: int, rng: np.random.Generator
) -> tuple[_Drawn, _Drawn]:
    """Return non-links of a rectangular matrix that are hard to tell from links, and others.

    No pairs are two steps apart there. Of many that are drawn, the hard ones have the highest
    scores by matrix completion.
    """
    rows, cols, weight = sampling.some_non_links(pairs, DRAWN // times, rng)
    scores = score_pairs(*factors(evidence.models["pu_bias"]), rows, cols, False)
    order = np.argsort(-scores, kind="stable")
    hard, easy = np.sort(order[: _NEAR // times]), np.sort(order[_NEAR // times :])
    some = easy[sampling.random_subset(easy.size, min(1, _FAR / times / max(easy.size, 1)), rng)]
    return (
        (rows[hard], cols[hard], weight),
        (rows[some], cols[some], weight * easy.size / max(some.size, 1)),
    )
