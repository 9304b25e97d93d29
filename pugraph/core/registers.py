"""What numba does not generate by itself: vectors that stay in registers, and prefetching.

The functions of Python say what is computed, and run if compilation is switched off. Kernels
get versions that are made of LLVM's instructions for vectors.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

# Numbers per vector. Of float32, they fill a cache line, and an AVX-512 register.
WIDTH = 16

_LINE = 64  # bytes of a cache line
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_FUSED = ("contract",)  # a multiplication and an addition may be one instruction


def solve_group(gathered, n, weights, square, extra, constant, passes, omega, step):
    """Set `step` to lower step.(K step) / 2 - step.s, by coordinate descent from 0.

    After `passes` over the coordinates, the result is multiplied by omega and by the number
    that minimises the quadratic along it. All arrays are contiguous.

    Parameters
    ----------
    gathered : array of shape (capacity, WIDTH)
        The vectors g_p of the neighbours.
    n : int
        The number of neighbours; rows of zeros may be counted, too.
    weights : array of shape (capacity,)
        s is constant + sum_p weights_p g_p.
    square : array of shape (WIDTH, WIDTH)
        K is square + extra * sum_p g_p g_p^T. Coordinates with K_aa = 0 stay at 0.
    extra : float
        See `square`.
    constant : array of shape (WIDTH,)
        See `weights`.
    passes : int
        How often each coordinate is updated.
    omega : float
        The over-relaxation.
    step : array of shape (WIDTH,)
        Receives the result.
    """
    K = square + extra * (gathered[:n].T @ gathered[:n])
    s = constant + weights[:n] @ gathered[:n]
    left = s.copy()
    step[:] = 0
    for _ in range(passes):
        for a in range(WIDTH):
            if K[a, a] > 0:
                delta = left[a] / K[a, a]
                step[a] += delta
                left -= delta * K[a]
    linear = step @ s
    curvature = linear - step @ left
    step *= omega * (linear / curvature if curvature > 0 else 1)


def prefetch(array, row):
    """Ask the processor to bring a row of a contiguous matrix into the cache, and go on."""


@overload(solve_group)
def _compiled_solve(gathered, n, weights, square, extra, constant, passes, omega, step):
    def call(gathered, n, weights, square, extra, constant, passes, omega, step):
        _solve_in_registers(gathered, n, weights, square, extra, constant, passes, omega, step)

    return call


@overload(prefetch)
def _compiled_prefetch(array, row):
    def call(array, row):
        _prefetch_lines(array, row)

    return call


class _Vectors:
    """Instructions for vectors of one type of number."""

    def __init__(self, builder: Any, number: Any, n_bytes: int) -> None:
        self._builder, self._bytes = builder, n_bytes
        self.type = ir.VectorType(number, WIDTH)
        self._undefined = ir.Constant(self.type, ir.Undefined)

    def constant(self, value: float) -> Any:
        return ir.Constant(self.type, [value] * WIDTH)

    def _shuffled(self, vector: Any, places: list[int]) -> Any:
        chosen = ir.Constant(ir.VectorType(_I32, WIDTH), places)
        return self._builder.shuffle_vector(vector, self._undefined, chosen)

    def repeated(self, vector: Any, place: int) -> Any:
        """Return a vector of which all numbers are the one at this place."""
        return self._shuffled(vector, [place] * WIDTH)

    def of(self, number: Any) -> Any:
        """Return a vector of which all numbers are this one."""
        return self.repeated(self._put(self._undefined, number, 0), 0)

    def _put(self, vector: Any, number: Any, place: int) -> Any:
        return self._builder.insert_element(vector, number, ir.Constant(_I32, place))

    def diagonal(self, rows: list[Any]) -> Any:
        found = self._undefined
        for a, row in enumerate(rows):
            number = self._builder.extract_element(row, ir.Constant(_I32, a))
            found = self._put(found, number, a)
        return found

    def only(self, vector: Any, place: int, otherwise: Any) -> Any:
        """Return `otherwise`, but for the number at this place, which is that of `vector`."""
        mask = [int(a == place) for a in range(WIDTH)]
        chosen = ir.Constant(ir.VectorType(ir.IntType(1), WIDTH), mask)
        return self._builder.select(chosen, vector, otherwise)

    def sum(self, vector: Any) -> Any:
        """Return a vector of which all numbers are the sum of those of `vector`."""
        distance = WIDTH // 2
        while distance:
            other = self._shuffled(vector, [(a + distance) % WIDTH for a in range(WIDTH)])
            vector = self._builder.fadd(vector, other)
            distance //= 2
        return vector

    def plus(self, total: Any, x: Any, y: Any) -> Any:
        """Return total + x y."""
        product = self._builder.fmul(x, y, flags=_FUSED)
        return self._builder.fadd(total, product, flags=_FUSED)

    def minus(self, total: Any, x: Any, y: Any) -> Any:
        """Return total - x y."""
        product = self._builder.fmul(x, y, flags=_FUSED)
        return self._builder.fsub(total, product, flags=_FUSED)

    def at(self, data: Any, row: Any) -> Any:
        """Return the address of a row, as that of a vector."""
        start = self._builder.bitcast(data, self.type.as_pointer())
        return self._builder.gep(start, [row])

    def load(self, data: Any, row: Any) -> Any:
        found = self._builder.load(self.at(data, row))
        found.align = self._bytes  # arrays need not begin at the address of a vector
        return found

    def store(self, vector: Any, data: Any, row: Any) -> None:
        self._builder.store(vector, self.at(data, row)).align = self._bytes


def _array(context: Any, builder: Any, signature: Any, args: Any, place: int) -> Any:
    return context.make_array(signature.args[place])(context, builder, args[place])


@intrinsic
def _solve_in_registers(
    typing, gathered, n, weights, square, extra, constant, passes, omega, step
):
    signature = types.void(gathered, n, weights, square, extra, constant, passes, omega, step)

    def generate(context, builder, signature, args):
        number = signature.args[0].dtype
        v = _Vectors(builder, context.get_value_type(number), number.bitwidth // 8)
        data = {k: _array(context, builder, signature, args, k).data for k in (0, 2, 3, 5, 8)}
        first, zero = ir.Constant(_I64, 0), v.constant(0.0)

        products = [cgutils.alloca_once_value(builder, zero) for _ in range(WIDTH)]
        linear = cgutils.alloca_once_value(builder, v.load(data[5], first))
        with cgutils.for_range(builder, args[1]) as loop:
            g = v.load(data[0], loop.index)
            weight = v.of(builder.load(builder.gep(data[2], [loop.index])))
            builder.store(v.plus(builder.load(linear), weight, g), linear)
            for a, row in enumerate(products):
                builder.store(v.plus(builder.load(row), v.repeated(g, a), g), row)
        extra = v.of(args[4])
        K = [
            v.plus(v.load(data[3], ir.Constant(_I64, a)), extra, builder.load(row))
            for a, row in enumerate(products)
        ]

        diagonal = v.diagonal(K)
        inverse = builder.fdiv(v.constant(1.0), diagonal)
        inverse = builder.select(builder.fcmp_ordered(">", diagonal, zero), inverse, zero)
        initial = builder.load(linear)
        left = cgutils.alloca_once_value(builder, initial)
        total = cgutils.alloca_once_value(builder, zero)
        with cgutils.for_range(builder, args[6]):
            gradient, step = builder.load(left), builder.load(total)
            for a, row in enumerate(K):
                delta = v.repeated(builder.fmul(gradient, inverse), a)
                step = v.only(builder.fadd(step, delta), a, step)
                gradient = v.minus(gradient, delta, row)
            builder.store(gradient, left)
            builder.store(step, total)

        gradient, step = builder.load(left), builder.load(total)
        linear = v.sum(builder.fmul(step, initial))
        curvature = builder.fsub(linear, v.sum(builder.fmul(step, gradient)))
        scale = builder.fdiv(linear, curvature)
        curved = builder.fcmp_ordered(">", curvature, zero)
        scale = builder.fmul(v.of(args[7]), builder.select(curved, scale, v.constant(1.0)))
        v.store(builder.fmul(step, scale), data[8], first)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _prefetch_lines(typing, array, row):
    signature = types.void(array, types.int64)

    def generate(context, builder, signature, args):
        array = _array(context, builder, signature, args, 0)
        width = builder.extract_value(array.strides, 0)
        start = builder.gep(
            builder.bitcast(array.data, _I8.as_pointer()), [builder.mul(args[1], width)]
        )
        kind = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
        call = builder.module.declare_intrinsic("llvm.prefetch", [_I8.as_pointer()], kind)
        read, near, of_data = (ir.Constant(_I32, option) for option in (0, 3, 1))
        line = ir.Constant(_I64, _LINE)
        with cgutils.for_range_slice(builder, ir.Constant(_I64, 0), width, line) as (place, _):
            builder.call(call, [builder.gep(start, [place]), read, near, of_data])
        return context.get_dummy_value()

    return signature, generate
