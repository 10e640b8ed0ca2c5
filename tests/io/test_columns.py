"""The parser of separated columns against what Python makes of the same text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methyl_dncb.io._columns import INTEGER, LABEL, NUMBER, SKIP, count_lines, parse_lines

NUMBERS = st.one_of(
    st.floats(allow_infinity=False, allow_nan=False).map(repr),
    st.decimals(-1e6, 1e6, places=12, allow_nan=False).map(lambda number: f"{number:f}"),
    st.sampled_from(
        ["0", "-0", "00012.50", ".5", "5.", "1e5", "1E+05", "2e-3", "123456789012345678901234567890", "nan", "NaN"]
    ),
)
LABELS = st.text(st.characters(exclude_characters="\t\n\r \0", exclude_categories=["Cs"]), min_size=1, max_size=6)


def parse(text: str | bytes, kinds: list[int], *, spaces: bool = False):
    """Lines read, and the arrays of each kind."""
    data = text.encode() if isinstance(text, str) else text
    kinds = np.array(kinds, dtype=np.int32)
    slots = np.array([np.sum(kinds[:c] == kind) for c, kind in enumerate(kinds)], dtype=np.int32)
    n_lines = count_lines(data)
    integers, codes = (np.full((np.sum(kinds == kind), n_lines), -99, dtype=np.int32) for kind in (INTEGER, LABEL))
    numbers = np.full((np.sum(kinds == NUMBER), n_lines), -99.0)
    spans = np.full((*codes.shape, 2), -99, dtype=np.int64)
    buckets = np.full((len(codes), 1 << n_lines.bit_length()), -99, dtype=np.int32)
    n_read, n_labels = parse_lines(data, n_lines, kinds, slots, spaces, integers, numbers, codes, spans, buckets)
    labels = [
        [data[begin:end].decode() for begin, end in column[:n]] for column, n in zip(spans, n_labels, strict=True)
    ]
    return n_read, integers, numbers, codes, labels


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1))
def test_integers(values):
    n_read, integers, *_ = parse("".join(f"{value}\n" for value in values), [INTEGER])
    assert n_read == len(values)
    assert integers[0].tolist() == values


@given(st.lists(NUMBERS, min_size=1))
def test_numbers(texts):
    n_read, _, numbers, *_ = parse("".join(f"{text}\n" for text in texts), [NUMBER])
    assert n_read == len(texts)
    np.testing.assert_allclose(numbers[0], [float(text) for text in texts], rtol=4e-15, atol=1e-307)


@given(st.lists(st.tuples(LABELS, st.sampled_from("+-")), min_size=1, max_size=200))
def test_labels_are_numbered_as_they_appear(rows):
    text = "".join(f"{first}\t{second}\n" for first, second in rows)
    n_read, _, _, codes, labels = parse(text, [LABEL, LABEL])
    assert n_read == len(rows)
    for column in range(2):
        values = [row[column] for row in rows]
        assert labels[column] == list(dict.fromkeys(values))
        assert [labels[column][code] for code in codes[column]] == values


def test_columns_go_to_their_places():
    text = "chr1\t5\tany thing\t0.5\t7\nchr2\t-6\t\t1e2\t8\n"
    n_read, integers, numbers, codes, labels = parse(text, [LABEL, INTEGER, SKIP, NUMBER, INTEGER])
    assert n_read == 2
    assert integers.tolist() == [[5, -6], [7, 8]]
    assert numbers.tolist() == [[0.5, 100.0]]
    assert (codes.tolist(), labels) == ([[0, 1]], [["chr1", "chr2"]])


@pytest.mark.parametrize("kinds", [[INTEGER, LABEL], [INTEGER, INTEGER], [INTEGER, NUMBER], [INTEGER, SKIP]])
def test_lines_may_end_in_carriage_returns(kinds):
    n_read, integers, _, _, labels = parse("1\t2\r\n3\t2\r\n", kinds)
    assert n_read == 2
    assert integers[0].tolist() == [1, 3]
    assert labels in ([], [["2"]])


def test_spaces_separate_where_they_may():
    assert parse("1 2\t3\n", [INTEGER] * 3, spaces=True)[1].tolist() == [[1], [2], [3]]
    assert parse("1 2\t3\n", [INTEGER] * 3)[0] == 0


def test_many_labels_share_buckets():
    names = [f"scaffold_{i}" for i in range(20_000)]
    _, _, _, codes, labels = parse("".join(f"{name}\n" for name in names * 2), [LABEL])
    assert labels[0] == names
    assert codes[0].tolist() == [*range(20_000)] * 2


@pytest.mark.parametrize(
    "line",
    [
        *("", "1", "1\t2\t3", "1\t2\t3\t4\t5", "1\t2\t3\tx\t", "\t2\t3\tx", "1\t2\t3\t", " 1\t2\t3\tx", "1 \t2\t3\tx"),
        *("2147483648\t2\t3\tx", "99999999999999999999\t2\t3\tx", "-\t2\t3\tx", "+1\t2\t3\tx", "1.0\t2\t3\tx"),
        *("1\t.\t3\tx", "1\t-\t3\tx", "1\t1.2.3\t3\tx", "1\te5\t3\tx", "1\t1e\t3\tx", "1\tinf\t3\tx", "1\tnana\t3\tx"),
        *("1\tNA\t3\tx", "1\t2\rx\t3\tx", "٣\t2\t3\tx"),
    ],
)
def test_first_line_that_does_not_fit_is_found(line):
    good = "1\t0.5\tanything\tlabel\n"
    assert parse(good * 3 + line + "\n" + good, [INTEGER, NUMBER, SKIP, LABEL])[0] == 3
