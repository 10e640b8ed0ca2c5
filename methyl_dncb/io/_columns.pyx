"""Lines of separated columns as arrays, in one pass and without the interpreter's lock."""

from libc.math cimport NAN, pow
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

import numpy as np

ctypedef const unsigned char* Text

SKIP, LABEL, INTEGER, NUMBER = range(4)

cdef enum Kind:
    C_SKIP  # any text, not looked at
    C_LABEL  # text with few different values: a code for each
    C_INTEGER  # of 32 bits
    C_NUMBER

# Powers of ten that a double holds exactly.
cdef double[23] POWERS
POWERS[:] = [10.0**power for power in range(23)]

cdef enum:
    INT32_MOST = 2147483647
    MOST_DIGITS = 18  # that a mantissa of 64 bits holds
    MOST_EXPONENT = 9999  # more is the same: 0 or infinity


def count_lines(const unsigned char[::1] text):
    """Number of line ends."""
    cdef Py_ssize_t i, begin, n = 0, size = text.shape[0]
    cdef unsigned char few  # so few that sixteen bytes are counted at once
    with nogil:
        for begin in range(0, size, 255):
            few = 0
            for i in range(begin, min(begin + 255, size)):
                few += text[i] == c"\n"
            n += few
    return n


def parse_lines(
    const unsigned char[::1] text,
    Py_ssize_t n_lines,
    const int32_t[::1] kind,
    const int32_t[::1] slot,
    bint spaces,
    int32_t[:, ::1] integer,
    double[:, ::1] number,
    int32_t[:, ::1] code,
    int64_t[:, :, ::1] label,
    int32_t[:, ::1] bucket,
):
    """Fill the arrays from text that ends with a line end; how many lines could be read, and the number of labels.

    Column c goes to row `slot[c]` of the array of its kind, column × line. Columns are separated by a tab, with
    `spaces` also by a space. Labels get codes in the order in which they first appear; `label` says where in the text
    each begins and ends. `bucket` is room for a hash table, of a power of two that is more than the lines.
    """
    cdef Py_ssize_t line = 0, c, last = kind.shape[0] - 1, size = bucket.shape[1]
    cdef int32_t[::1] n_labels = np.zeros(code.shape[0], dtype=np.int32)
    cdef Text begin = &text[0]
    cdef Text at = begin
    cdef Text start
    cdef Text end
    cdef unsigned char space = c" " if spaces else c"\t"
    cdef bint is_read = True
    with nogil:
        if code.shape[0]:
            memset(&bucket[0, 0], 0, code.shape[0] * size * sizeof(int32_t))
        while line < n_lines and is_read:
            for c in range(last + 1):
                start = at
                if kind[c] == C_INTEGER:
                    is_read = read_integer(&at, &integer[slot[c], line])
                elif kind[c] == C_NUMBER:
                    is_read = read_number(&at, &number[slot[c], line])
                else:
                    while at[0] != c"\t" and at[0] != space and at[0] != c"\n":
                        at += 1
                end = at
                if c < last:
                    is_read = is_read and (at[0] == c"\t" or at[0] == space)
                else:
                    if at[0] == c"\r":
                        at += 1
                    elif at[0] == c"\n" and at > start and (at - 1)[0] == c"\r":
                        end -= 1
                    is_read = is_read and at[0] == c"\n"
                if kind[c] == C_LABEL:
                    is_read = is_read and end > start
                if not is_read:
                    break
                if kind[c] == C_LABEL:
                    code[slot[c], line] = find_label(
                        begin, start, end, &bucket[slot[c], 0], size, &label[slot[c], 0, 0], &n_labels[slot[c]]
                    )
                at += 1
            line += is_read
    return line, np.asarray(n_labels)


cdef inline bint same_text(Text begin, const int64_t* label, Text start, Text end) noexcept nogil:
    return label[1] - label[0] == end - start and memcmp(begin + label[0], start, end - start) == 0


cdef int32_t find_label(
    Text begin, Text start, Text end, int32_t* bucket, Py_ssize_t size, int64_t* label, int32_t* n_labels
) noexcept nogil:
    """The code of a label, a new one if it has not been seen; buckets hold codes + 1, 0 is empty."""
    cdef uint32_t hashed = 2166136261U  # FNV-1a
    cdef Py_ssize_t n
    for n in range(end - start):
        hashed = (hashed ^ start[n]) * 16777619U
    cdef Py_ssize_t i = hashed & (size - 1)
    while bucket[i]:
        if same_text(begin, label + 2 * (bucket[i] - 1), start, end):
            return bucket[i] - 1
        i = (i + 1) & (size - 1)
    label[2 * n_labels[0]], label[2 * n_labels[0] + 1] = start - begin, end - begin
    n_labels[0] += 1
    bucket[i] = n_labels[0]
    return n_labels[0] - 1


cdef inline bint read_integer(Text* at, int32_t* value) noexcept nogil:
    """-?digits, if a 32-bit integer can hold them."""
    cdef bint negative = at[0][0] == c"-"
    cdef Text first = at[0] + negative
    cdef Text text = first
    cdef int64_t total = 0
    while c"0" <= text[0] <= c"9" and total <= INT32_MOST:
        total = 10 * total + text[0] - c"0"
        text += 1
    at[0] = text
    value[0] = <int32_t> (-total if negative else total)
    return text > first and total <= INT32_MOST


cdef inline bint read_number(Text* at, double* value) noexcept nogil:
    """-?(digits[.digits] | .digits)[(e | E)[+ | -]digits], nan or NaN; to the last bit or two of a double."""
    cdef bint negative = at[0][0] == c"-"
    cdef Text text = at[0] + negative
    cdef uint64_t mantissa = 0
    cdef int n_digits = 0, n_used = 0, exponent = 0, power = 0
    cdef bint is_fraction = False, shrinks
    if (text[0] == c"n" or text[0] == c"N") and text[1] == c"a" and text[2] == text[0]:
        at[0] = text + 3
        value[0] = NAN
        return True
    while c"0" <= text[0] <= c"9" or (text[0] == c"." and not is_fraction):
        if text[0] == c".":
            is_fraction = True
        else:
            n_digits += 1
            if n_used < MOST_DIGITS:
                mantissa = 10 * mantissa + (text[0] - c"0")
                n_used += mantissa > 0
                exponent -= is_fraction
            else:
                exponent += not is_fraction
        text += 1
    if n_digits and (text[0] == c"e" or text[0] == c"E"):
        shrinks = text[1] == c"-"
        text += 1 + (text[1] == c"-" or text[1] == c"+")
        n_digits = 0  # an exponent has digits, too
        while c"0" <= text[0] <= c"9":
            n_digits += 1
            power = min(10 * power + text[0] - c"0", MOST_EXPONENT)
            text += 1
        exponent += -power if shrinks else power
    at[0] = text
    value[0] = scale(<double> mantissa, exponent)
    if negative:
        value[0] = -value[0]
    return n_digits > 0


cdef inline double scale(double mantissa, int exponent) noexcept nogil:
    if -22 <= exponent <= 0:
        return mantissa / POWERS[-exponent]
    return mantissa * pow(10.0, exponent) if mantissa else 0.0
