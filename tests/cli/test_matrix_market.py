"""Matrix Market files, against scipy's reader."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from pugraph.cli.files import FileError
from pugraph.cli.matrix_market import parse_mtx
from tests.cli.reading import content, links, read


def by_scipy(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        rows, cols = sp.coo_array(scipy.io.mmread(io.BytesIO(data))).coords
    return [(str(u + 1), str(v + 1)) for u, v in zip(rows.tolist(), cols.tolist(), strict=True)]


@given(
    st.integers(1, 6).flatmap(
        lambda n: npst.arrays(np.int64, (n, n), elements=st.integers(-1, 2))
    ),
    st.sampled_from(["real", "integer", "complex", "pattern"]),
    st.sampled_from(["general", "symmetric", "skew-symmetric", "hermitian"]),
    st.booleans(),
)
def test_what_scipy_writes_is_what_scipy_reads(A, field, symmetry, dense):
    if dense and field == "pattern":
        dense = False
    if symmetry == "skew-symmetric":
        A = np.tril(A, -1) - np.tril(A, -1).T
        field = "real" if field == "pattern" else field
    elif symmetry != "general":
        A = np.tril(A) + np.tril(A, -1).T
    if symmetry == "hermitian":
        field = "complex"
    A = A.astype({"complex": complex, "real": float}.get(field, int))
    file = io.BytesIO()
    scipy.io.mmwrite(file, A if dense else sp.coo_array(A), field=field, symmetry=symmetry)
    network = read(file.getvalue(), "mtx")
    directed = symmetry == "general"
    names = {str(i + 1) for i in range(len(A))}
    assert content(network) == (directed, names, links(by_scipy(file.getvalue()), directed))
    assert network.loops == np.count_nonzero(np.diag(A))
    both = read(file.getvalue(), "mtx", directed=True)
    assert content(both) == (True, names, links(by_scipy(file.getvalue()), True))


def test_comments_and_blank_lines_and_capitals():
    data = (
        b"%%matrixmarket MATRIX Coordinate Real General\n% a\n%\n\n 3 3 2 \n\n1 2 0.5\n\n3\t1 -1"
    )
    us, vs, names, directed = parse_mtx(data, "x")
    assert (us.tolist(), vs.tolist(), names, directed) == ([0, 2], [1, 0], ["1", "2", "3"], True)


def test_an_array_is_read_column_by_column():
    data = b"%%MatrixMarket matrix array real general\n2 2\n0\n3\n0\n4\n"
    us, vs, names, directed = parse_mtx(data, "x")
    assert (us.tolist(), vs.tolist(), names, directed) == ([1, 1], [0, 1], ["1", "2"], True)


HEAD = b"%%MatrixMarket matrix coordinate pattern general\n"
ARRAY = b"%%MatrixMarket matrix array real symmetric\n"
BAD = {
    "no header": (b"1 2\n2 3\n", "line 1: not a Matrix Market file"),
    "an unknown field": (HEAD.replace(b"pattern", b"text"), "line 1: a Matrix Market file cannot"),
    "an array of patterns": (HEAD.replace(b"coordinate", b"array"), "cannot be array pattern"),
    "a vector": (HEAD.replace(b"matrix", b"vector"), "not a Matrix Market file"),
    "no sizes": (HEAD + b"% c\n", "no line with the sizes"),
    "two sizes": (HEAD + b"3 3\n1 2\n", "line 2: 2 sizes"),
    "sizes of text": (HEAD + b"a b c\n", "line 2: 'a b c' are not the sizes"),
    "negative sizes": (HEAD + b"-1 -1 1\n", "line 2: '-1 -1 1' are not the sizes"),
    "not square": (HEAD + b"2 3 1\n1 1\n", "line 2: a graph's matrix is square, not 2 by 3"),
    "nothing": (HEAD + b"0 0 0\n", "no nodes"),
    "a great claim": (
        HEAD + b"1000000000 1000000000 1\n1 1\n",
        "line 2: claims 1,000,000,000 nodes",
    ),
    "many bits": (HEAD + b"9" * 30 + b" 1 1\n1 1\n", "are not the sizes"),
    "many entries": (HEAD + b"3 3 999999999999\n1 1\n", "line 2: claims 999,999,999,999 entries"),
    "too few": (HEAD + b"3 3 3\n1 1\n\n\n", "1 entries, where line 2 claims 3"),
    "too many": (HEAD + b"3 3 1\n1 1\n\n1 2\n", "line 5: more than the 1 entries"),
    "a zero": (HEAD + b"3 3 2\n1 2\n0 1\n", "line 4: column 1 is not a number from 1 to 3"),
    "beyond": (HEAD + b"3 3 2\n1 2\n1 4\n", "line 4: column 2 is not a number from 1 to 3"),
    "beyond 64 bits": (HEAD + b"3 3 1\n1 18446744073709551617\n", "column 2 is not a number"),
    "a sign": (HEAD + b"3 3 1\n1 -2\n", "column 2 is not a number"),
    "a fraction": (HEAD + b"3 3 1\n1 2.0\n", "column 2 is not a number"),
    "one column": (HEAD + b"3 3 1\n1\n", "line 3: 1 columns; an entry has 2 here"),
    "a value": (HEAD + b"3 3 1\n1 2 0.5\n", "line 3: 3 columns; an entry has 2 here"),
    "a large array": (ARRAY + b"9999 9999\n1\n", "values cannot be in a file"),
    "a short array": (ARRAY + b"2 2\n1\n1\n", "2 values, where the matrix has 3"),
    "an array of text": (ARRAY + b"2 2\n1\nx\n1\n", "a value that is not a number"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_one_line_says_what_is_wrong(data, message):
    with pytest.raises(FileError) as error:
        parse_mtx(data, "x")
    assert str(error.value).startswith("x: ")
    assert message in str(error.value)
