"""Two columns of a text file as numbers: the parser of large edge lists and sparse matrices.

One pass over the bytes finds the fields, gives each new name the next number, and counts the
columns of every line. No Python object is made per line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugraph.core.jit import kernel

# The codes of `split` and `entries`: no error, a wrong number of columns, an empty name, a name
# that is NaN, a quotation mark that is not closed, text behind one that is, and a position out of
# range.
FINE, COLUMNS, EMPTY, MISSING, QUOTE, BEHIND, RANGE = range(7)

# The bytes with a meaning, and the letters of NaN in both cases.
_NEWLINE, _SPACE, _TAB, _RETURN, _QUOTE, _BRACE = b'\n \t\r"{'
_N, _A = b"Nn", b"Aa"
_ZERO, _NINE = b"09"

# Names that the first table holds; it doubles when it is full. Chosen by hand.
_START = 1 << 10

# Names that are looked up together, two per line. Chosen by hand: enough for the memory loads of
# a batch to overlap, few enough for the cache; affects speed only.
_BATCH = 1 << 9

# Names of up to seven bytes are their own key: a 64-bit key with a free sign bit.
_SHORT = 7


def random_seeds() -> Any:
    """Return what the hash of names depends on, or files could be made whose names all collide.

    The order and the numbers of the names do not depend on it.
    """
    seeds = np.random.default_rng().integers(1 << 28, 1 << 30, 3)
    seeds[1:] = 2 * seeds[1:] + 1
    return seeds


@kernel()
def _key(text: Any, start: int, end: int, seeds: Any) -> Any:
    """Return the key of a name: its bytes as one positive number, or a negative hash.

    The hash is a polynomial, with three bytes per term, at a random place, modulo the prime
    2^31 - 1 but for a last reduction; no product exceeds 63 bits.
    """
    key = np.int64(0)
    if end - start <= _SHORT:
        for i in range(start, end):
            key = (key << 8) | np.int64(text[i])
        return key
    for i in range(start, end, 3):
        part = np.int64(0)
        for j in range(i, min(i + 3, end)):
            part = (part << 8) | np.int64(text[j])
        key = key * seeds[0] + part
        key = (key & 0x7FFFFFFF) + (key >> 31)
    return -1 - key


@kernel()
def _slot(key: int, size: int, seeds: Any) -> int:
    """Return the first slot of a key in a table; no product exceeds 63 bits."""
    mixed = ((key & 0x7FFFFFFF) * seeds[1]) ^ (((key >> 31) & 0x1FFFFFF) * seeds[2])
    mixed ^= mixed >> 29
    return (mixed ^ (mixed >> 15)) & (size - 1)


@kernel()
def _same(text: Any, a: int, b: int, length: int) -> bool:
    """Return whether the `length` bytes at a and at b are equal."""
    for i in range(length):  # noqa: SIM110 - numba compiles the loop
        if text[a + i] != text[b + i]:
            return False
    return True


@kernel()
def _is_nan(text: Any, start: int, end: int) -> bool:
    """Return whether a field is nan, NaN or NAN, which programs write for missing values.

    Nan is accepted as a name.
    """
    if end - start != 3:
        return False
    a, b, c = text[start], text[start + 1], text[start + 2]
    if a == _N[1]:
        return b == _A[1] and c == _N[1]
    return a == _N[0] and c == _N[0] and (b == _A[0] or b == _A[1])


@kernel()
def _grown(table: Any, seeds: Any) -> Any:
    """Return the hash table of keys and numbers of names, twice as large."""
    size = 2 * table.shape[0]
    larger = np.zeros((size, 2), np.int64)
    for old in range(table.shape[0]):
        if table[old, 0] != 0:
            slot = _slot(table[old, 0], size, seeds)
            while larger[slot, 0] != 0:
                slot = (slot + 1) & (size - 1)
            larger[slot] = table[old]
    return larger


@kernel()
def _find(text: Any, table: Any, names: Any, key: int, start: int, end: int, seeds: Any) -> int:
    """Return the slot of a name in the table, or the free slot where it belongs."""
    size = table.shape[0]
    slot = _slot(key, size, seeds)
    while table[slot, 0] != 0:
        if table[slot, 0] == key:
            if key > 0:
                return slot
            name = table[slot, 1]
            if names[name, 1] - names[name, 0] == end - start and _same(
                text, names[name, 0], start, end - start
            ):
                return slot
        slot = (slot + 1) & (size - 1)
    return slot


@kernel()
def _number(
    text: Any, batch: Any, table: Any, names: Any, n_names: int, numbers: Any, seeds: Any
) -> int:
    """Write the number of each name in a batch; return how many names there are now.

    The memory that a name is compared with is not in the cache. It is read for the whole batch
    first, so that the loads, which do not depend on each other, overlap.
    """
    size = table.shape[0]
    touched = np.int64(0)
    for i in range(numbers.size):
        touched ^= table[_slot(batch[i, 0], size, seeds), 0]
    for i in range(numbers.size):
        if batch[i, 0] < 0:
            touched ^= names[table[_slot(batch[i, 0], size, seeds), 1], 0]
    for i in range(numbers.size):
        if batch[i, 0] < 0:
            touched ^= np.int64(text[names[table[_slot(batch[i, 0], size, seeds), 1], 0]])
    batch[numbers.size, 0] = touched  # stored, or the compiler would remove the loads
    for i in range(numbers.size):
        key, start, end = batch[i, 0], batch[i, 1], batch[i, 2]
        slot = _find(text, table, names, key, start, end, seeds)
        if table[slot, 0] == 0:
            names[n_names, 0], names[n_names, 1] = start, end
            table[slot, 0], table[slot, 1] = key, n_names
            n_names += 1
        numbers[i] = table[slot, 1]
    return n_names


@kernel()
def split(
    text: Any,
    position: int,
    separator: int,
    left: int,
    right: int,
    width: int,
    us: Any,
    vs: Any,
    seeds: Any,
) -> Any:
    """Write two columns of a text as numbers of names.

    Empty lines are skipped. The first error ends the parsing.

    Parameters
    ----------
    text : uint8 array
        The bytes of the file.
    position : int
        Where to begin.
    separator : int
        The byte between columns; a space stands for any run of spaces and tabs.
    left, right : int
        The two columns, counted from 0.
    width : int
        The number of columns that every line must have.
    us, vs : int arrays
        Receive the numbers of the names.
    seeds : int array
        Those of `random_seeds`.

    Returns
    -------
    tuple
        A code (FINE or an error), the number of line ends before the last line, the number of
        columns of that line read so far, the number of pairs, and the start and end of each name.
    """
    size = text.size
    table = np.zeros((2 * _START, 2), np.int64)
    names = np.zeros((_START, 2), np.int64)
    batch, numbers = np.zeros((_BATCH + 1, 3), np.int64), np.empty(_BATCH, np.int32)
    n_names = n_pairs = waiting = line = column = 0
    spaced = separator == _SPACE
    while position < size:
        column = 0
        more = True
        while more:
            while position < size and (
                text[position] == _SPACE
                or text[position] == _RETURN
                or (text[position] == _TAB and separator != _TAB)
            ):
                position += 1
            start = end = position
            more = False
            quoted = position < size and text[position] == _QUOTE
            if quoted:
                position += 1
                start = position
                while position < size and (
                    text[position] != _QUOTE
                    or (position + 1 < size and text[position + 1] == _QUOTE)
                ):
                    line += text[position] == _NEWLINE
                    position += 2 if text[position] == _QUOTE else 1
                if position >= size:
                    return QUOTE, line, column, n_pairs, names[:0]
                end = position
                position += 1
            # an edge attribute dictionary as networkx writes it, {...}, is one field
            whole = column > 1 and position < size and text[position] == _BRACE
            behind = last = position
            while position < size and text[position] != _NEWLINE:
                c = text[position]
                blank = c in (_SPACE, _TAB, _RETURN)
                if not whole and (c == separator or (spaced and blank)):
                    more = True
                    break
                position += 1
                if not blank:
                    last = position
            if not quoted:
                end = last
            elif last > behind:
                return BEHIND, line, column, n_pairs, names[:0]
            if more:
                position += 1
            if start == end and (spaced or (column == 0 and not more)):
                continue
            if column in (left, right):
                if start == end:
                    return EMPTY, line, column, n_pairs, names[:0]
                if _is_nan(text, start, end):
                    return MISSING, line, column, n_pairs, names[:0]
                at = 2 * waiting + (column == right)
                batch[at, 0], batch[at, 1], batch[at, 2] = (
                    _key(text, start, end, seeds),
                    start,
                    end,
                )
            column += 1
        if column > 0:
            if column != width:
                return COLUMNS, line, column, n_pairs, names[:0]
            waiting += 1
        position += 1
        line += 1
        if 2 * waiting == _BATCH or position >= size:
            while n_names + 2 * waiting > names.shape[0]:
                names = np.append(names, np.zeros_like(names), axis=0)
                table = _grown(table, seeds)
            batch_numbers = numbers[: 2 * waiting]
            n_names = _number(text, batch, table, names, n_names, batch_numbers, seeds)
            us[n_pairs : n_pairs + waiting] = batch_numbers[::2]
            vs[n_pairs : n_pairs + waiting] = batch_numbers[1::2]
            n_pairs += waiting
            waiting = 0
    return FINE, line, column, n_pairs, names[:n_names]


@kernel()
def join(text: Any, names: Any) -> Any:
    """Return the bytes of the names, separated by zero bytes, which no text contains."""
    size = names.shape[0] - 1
    for name in range(names.shape[0]):
        size += names[name, 1] - names[name, 0]
    joined = np.zeros(size, np.uint8)
    position = 0
    for name in range(names.shape[0]):
        for i in range(names[name, 0], names[name, 1]):
            joined[position] = text[i]
            position += 1
        position += 1
    return joined


@kernel()
def entries(text: Any, position: int, n: int, width: int, us: Any, vs: Any) -> Any:
    """Write the first two columns of a text, which are whole numbers from 1 to n, less one.

    Empty lines are skipped; other columns are counted, not read. The first error ends the
    parsing, and so does an entry more than the arrays hold.

    Returns
    -------
    tuple
        A code (FINE, COLUMNS or RANGE), the number of line ends before the last line, the number
        of columns of that line, and the number of entries.
    """
    count = line = 0
    while position < text.size:
        column = 0
        while position < text.size and text[position] != _NEWLINE:
            if text[position] <= _SPACE:
                position += 1
                continue
            number = 0
            while position < text.size and text[position] > _SPACE:
                c = text[position]
                digit = c >= _ZERO and c <= _NINE
                # beyond n, it grows no further: it would not fit into 64 bits
                if column < 2 and number >= 0 and number <= n:
                    number = 10 * number + int(c - _ZERO) if digit else -1
                position += 1
            if column < 2:
                if number < 1 or number > n:
                    return RANGE, line, column, count
                if count < us.size:
                    if column == 0:
                        us[count] = number - 1
                    else:
                        vs[count] = number - 1
            column += 1
        if column > 0:
            if column != width:
                return COLUMNS, line, column, count
            count += 1
            if count > us.size:
                return FINE, line, column, count
        position += 1
        line += 1
    return FINE, line, 0, count
