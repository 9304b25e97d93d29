"""Embedding: the matrix of links, or its normalised form, at a low rank."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.core.truncated import truncated_memory, truncated_svd
from pugraph.core.types import FloatArray
from pugraph.models.stored import factors_of, require

# Chosen on splits of the networks that docs/blend.md names; lower ranks in small graphs, whose
# matrix would be repeated instead of approximated.
_RANK, _NODES_PER_RANK = 64, 10
# Steps of subspace iteration: from random directions, and from those of a similar graph.
_STEPS, _MORE_STEPS = 3, 1


class Embedding(NamedTuple):
    """Two vectors per node, whose products approximate the links.

    Attributes
    ----------
    W, H : arrays
        From the singular value decomposition U S V^T: U sqrt(S) and V sqrt(S).
    normalized : bool
        Whether each link was divided by the square roots of the degrees of its nodes before
        the decomposition; W and H are multiplied by them again.
    """

    W: FloatArray
    H: FloatArray
    normalized: bool

    @classmethod
    def restored(cls, data: GraphData, arrays: dict[str, Any], normalized: Any) -> Embedding:
        """Return the embedding of a graph of which a file has the arrays."""
        W, H = factors_of(arrays, data.adjacency.shape, None)
        right = type(normalized) is bool and W.dtype == np.float32
        require(right, "an embedding is not one")
        return cls(W, H, normalized)

    @classmethod
    def fit(
        cls, data: GraphData, normalized: bool, seed: int, start: FloatArray | None = None
    ) -> Embedding:
        """Decompose the matrix of a graph, from the H of a similar one if given."""
        sides = data._sides
        roots = [_root_degrees(np.diff(side.indptr), normalized) for side in sides]
        rank = embedding_rank(sides[0].shape)
        U, s, V = truncated_svd(
            sides,
            (1 / roots[0], 1 / roots[1]),
            rank,
            _STEPS if start is None else _MORE_STEPS,
            None if start is None else start / roots[1][:, None],
            np.random.default_rng(seed),
        )
        scale = np.sqrt(s)
        W, H = U * scale * roots[0][:, None], V * scale * roots[1][:, None]
        return cls(W.astype(np.float32), H.astype(np.float32), normalized)

    def with_nodes(self, old: GraphData, grown: GraphData) -> Embedding:
        """Return the embedding of a graph with more nodes, placed by their links to known ones.

        As in a decomposition, the row of a node is the product of its links and V, over S.
        """
        m, n = old.adjacency.shape
        adjacency = grown.adjacency.astype(np.float64)
        degrees = [np.diff(side.indptr) for side in old._sides]
        W = self._placed(adjacency[m:, :n], self.H, degrees[1])
        H = self._placed(sp.csr_array(adjacency[:m, n:].T), self.W, degrees[0])
        return self._replace(W=np.vstack([self.W, W]), H=np.vstack([self.H, H]))

    def _placed(self, links: sp.csr_array, fixed: FloatArray, degrees: FloatArray) -> FloatArray:
        weighted = fixed / _root_degrees(degrees, self.normalized)[:, None] ** 2
        sizes = np.einsum("ij,ij->j", fixed, weighted, dtype=np.float64)
        scale = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        return np.asarray((links @ weighted) * scale, np.float32)


def _root_degrees(degrees: FloatArray, normalized: bool) -> FloatArray:
    return np.sqrt(np.maximum(degrees, 1)) if normalized else np.ones(degrees.size)


def embedding_memory(shape: tuple[int, int], n_links: int) -> int:
    """Return how many bytes `Embedding.fit` takes: the memory of its decomposition."""
    return truncated_memory(shape, n_links, embedding_rank(shape))


def embedding_rank(shape: tuple[int, int]) -> int:
    """Return the rank of the decomposition of a matrix."""
    return max(1, min(_RANK, min(shape) // _NODES_PER_RANK))
