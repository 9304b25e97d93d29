"""The sweeps of a fit as tasks: sum the Gram matrices, pull the rows that are needed, solve.

W and H are row blocks that stay in the cluster. For one half sweep, the Gram matrices of the
blocks of the fixed factor are added up by a tree of tasks; each block of the other factor gets
the rows that it links to, and solves its own rows. Every sum has a fixed order, so the result
does not depend on the number of workers.
"""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pugraph.core.als import Basis, change_of_basis, lower_rows
from pugraph.core.blocks import aligned_empty, gram, multiply, padded
from pugraph.core.bounded import lower_bounded_rows
from pugraph.core.descent import relaxation
from pugraph.core.jit import threads
from pugraph.core.problem import Objective
from pugraph.core.types import FloatArray, IntArray
from pugraph.dask.cluster import Future, Tasks
from pugraph.dask.row_blocks import Block, Matrix, Side

_BOUNDS = {"ball": "ball", "relax": "box"}


class Part(NamedTuple):
    """Rows of a factor, and the sum of their quadratics after they were solved for."""

    rows: FloatArray
    value: float


class Sums(NamedTuple):
    """The Gram matrix of some blocks of a factor, in float64, and the sum of their values."""

    gram: FloatArray
    value: float


class State(NamedTuple):
    """The two factors between two sweeps: blocks, and their sums."""

    W: list[Future]
    H: list[Future]
    sums: Future  # of H


class Solver(NamedTuple):
    """What all tasks of a fit know."""

    objective: Objective
    name: str
    rank: int
    dtype: str


def _own(array: Any) -> Any:
    """Return an array as kernels take it; one from another worker may be read-only."""
    return np.require(array, requirements=["C", "A", "W"])


def start_rows(
    block: Block, solver: Solver, largest: float, seed: int, skipped: int, zero: bool
) -> Part:
    """Draw the first rows of a block, the same numbers as a fit on one machine draws.

    `skipped` is how many numbers were drawn before those of this block.
    """
    shape = block.n_rows, solver.rank
    dtype: np.dtype[Any] = np.dtype(solver.dtype)
    if zero:
        return Part(np.zeros(shape, dtype), 0.0)
    bits = np.random.PCG64(seed)
    per_draw = 8 // dtype.itemsize  # numbers from each 64 random bits
    bits.advance(skipped // per_draw)
    generator = np.random.Generator(bits)
    generator.random(skipped % per_draw, dtype)
    rows = generator.random(shape, dtype)
    rows *= dtype.type(largest)
    rows[np.diff(block.indptr) == 0] = 0
    return Part(rows, 0.0)


def sums_of(part: Part) -> Sums:
    """Return the Gram matrix and the value of one block."""
    with threads(1):
        return Sums(gram(_own(part.rows)).astype(np.float64), part.value)


def add_sums(parts: list[Sums]) -> Sums:
    """Add up Gram matrices and values, in their order."""
    total = parts[0].gram.copy()
    for part in parts[1:]:
        total += part.gram
    return Sums(total, float(sum(part.value for part in parts)))


def basis_of(sums: Sums, solver: Solver) -> Any:
    """Return what a block needs of the whole fixed factor: a basis, or its Gram matrix."""
    ridge = solver.objective.ridge
    if solver.name == "als":
        with threads(1):
            return change_of_basis(sums.gram, ridge, np.dtype(solver.dtype))
    G = sums.gram.astype(solver.dtype)
    G.flat[:: solver.rank + 1] += np.dtype(solver.dtype).type(ridge)
    return G


def in_basis(part: Part, basis: Any) -> FloatArray:
    """Return the rows of a block of the fixed factor as the solver takes them."""
    if not isinstance(basis, Basis):
        return part.rows
    square = np.ascontiguousarray(basis.fixed[:, : basis.fixed.shape[0]])
    with threads(1):
        return multiply(_own(part.rows), square, np.empty_like(part.rows))


def take(rows: FloatArray, wanted: IntArray) -> FloatArray:
    """Return the rows that another block needs."""
    return rows[wanted]


# Memory of solved blocks, for the next ones: at most as much as tasks solve at once. Fresh memory
# took up to a fifth of the time of a sweep.
_spare: collections.deque[FloatArray] = collections.deque()


@contextlib.contextmanager
def _workspace(size: int, dtype: np.dtype[Any]) -> Iterator[FloatArray]:
    """Give a flat array of at least this size, with any numbers in it, for a while."""
    try:
        spare = _spare.pop()
    except IndexError:
        spare = np.empty(0, dtype)
    if spare.size < size or spare.dtype != dtype:
        spare = aligned_empty((1, size), dtype)[0]
    yield spare
    _spare.append(spare)


def forget_workspace() -> None:
    """Give back the memory that solved blocks left for the next ones."""
    _spare.clear()


def _gather(
    block: Block, pulled: list[FloatArray], ranges: list[tuple[int, int]], gathered: FloatArray
) -> None:
    """Set `gathered` to the rows that a block links to, in order, with zeros in more columns."""
    rank = pulled[0].shape[1]
    if gathered.shape[1] > rank:
        gathered[:, rank:] = 0
    first = 0
    for rows, (low, high) in zip(pulled, ranges, strict=True):
        wanted = block.wanted(low, high)
        out = gathered[first : first + wanted.size, :rank]
        if len(rows) == wanted.size:
            out[:] = rows
        else:  # all rows of the other block
            np.take(rows, wanted, axis=0, out=out, mode="clip")
        first += wanted.size


def solve(
    block: Block,
    part: Part,
    pulled: list[FloatArray],
    ranges: list[tuple[int, int]],
    basis: Any,
    solver: Solver,
    omega: float,
) -> Part:
    """Lower the quadratics of the rows of a block, given the rows that it links to.

    `pulled` has rows of blocks of the other factor, and `ranges` where these blocks are: all of
    their rows, or those that are needed.
    """
    if not pulled:  # no row has a link, and all are zero already
        return Part(part.rows, 0.0)
    rows = part.rows.copy()
    values = np.empty(len(rows))
    pattern = block.pattern
    width = padded(solver.rank, rows.dtype) if solver.name == "als" else solver.rank
    shape = block.needed.size, width
    with threads(1), _workspace(shape[0] * shape[1], rows.dtype) as space:
        fixed = space[: shape[0] * shape[1]].reshape(shape)
        _gather(block, pulled, ranges, fixed)
        if solver.name == "als":
            lower_rows(
                solver.objective, pattern, fixed, Basis(*map(_own, basis)), omega, rows, values
            )
        else:
            bounds = _BOUNDS[solver.name]
            lower_bounded_rows(
                solver.objective, pattern, basis, fixed, bounds, omega, rows, values
            )
    return Part(rows, float(values.sum()))


def objective_value(moved: Sums, fixed: Sums, solver: Solver, n_links: int) -> float:
    """Return the objective after a half sweep."""
    penalty = solver.objective.ridge * float(np.trace(fixed.gram))
    return solver.objective.rescale(moved.value + penalty, n_links)


class Sweeper:
    """Starts the tasks of sweeps."""

    def __init__(self, tasks: Tasks, matrix: Matrix, solver: Solver) -> None:
        self.tasks, self.matrix, self.solver = tasks, matrix, solver

    def begin(self, seed: int, largest: float) -> State:
        """Draw the factors, as `models.fit_model` does."""
        rows, cols = self.matrix.sides
        m, rank = self.matrix.shape[0], self.solver.rank
        biased = self.solver.name == "als"

        def draw(side: Side, before: int, zero: bool) -> list[Future]:
            return [
                self.tasks.submit(
                    start_rows, block, self.solver, largest, seed, (before + start) * rank, zero
                )
                for number, (block, start) in enumerate(
                    zip(side.blocks, side.bounds, strict=False)
                )
            ]  # fmt: skip

        W = draw(rows, 0, biased)
        H = draw(cols, 0 if biased else m, False)
        return State(W, H, self.sums(H))

    def sums(self, parts: Sequence[Future]) -> Future:
        """Return the task that adds up the Gram matrices of all blocks of a factor."""
        return self.tasks.total(self.tasks.map(sums_of, parts), add_sums)

    def sweep(self, state: State, number: int, placed: bool = False) -> tuple[State, Future]:
        """Start the tasks of a sweep; return the factors after it, and its objective.

        If `placed`, a block is solved where its links are; `Tasks.settled` is to wait for it.
        """
        rows, cols = self.matrix.sides
        omega = relaxation(number, bounds=self.solver.name in _BOUNDS)
        W = self._half(rows, cols.bounds, state.W, state.H, state.sums, omega, placed)
        W_sums = self.sums(W)
        H = self._half(cols, rows.bounds, state.H, W, W_sums, omega, placed)
        H_sums = self.sums(H)
        value = self.tasks.submit(
            objective_value, H_sums, W_sums, self.solver, self.matrix.n_links
        )
        return State(W, H, H_sums), value

    def _half(
        self,
        side: Side,
        other: list[int],
        moving: list[Future],
        fixed: list[Future],
        sums: Future,
        omega: float,
        placed: bool,
    ) -> list[Future]:
        tasks = self.tasks
        homes = tasks.homes(side.blocks) if placed else [None] * len(side.blocks)
        basis = tasks.submit(basis_of, sums, self.solver)
        changed = tasks.map(in_basis, fixed, [basis] * len(fixed))
        few = [
            (b, c, wanted)
            for b, wants in enumerate(side.wants)
            for c, wanted in wants.items()
            if wanted is not None
        ]
        taken = tasks.map(take, [changed[c] for _, c, _ in few], [wanted for *_, wanted in few])
        own = {(b, c): rows for (b, c, _), rows in zip(few, taken, strict=True)}
        return [
            tasks.submit(
                solve, block, part, [own.get((b, c), changed[c]) for c in wants],
                [(other[c], other[c + 1]) for c in wants], basis, self.solver, omega, worker=home
            )
            for b, (block, part, wants, home) in enumerate(
                zip(side.blocks, moving, side.wants, homes, strict=True)
            )
        ]  # fmt: skip
