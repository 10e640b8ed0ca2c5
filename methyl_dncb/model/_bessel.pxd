"""Bessel variates, for the kernels that draw them by the million."""

from libc.math cimport sqrt
from libc.stdint cimport uint32_t, uint64_t
from numpy.random cimport bitgen_t

from ._bitgen cimport uniform

# The grid is even in s = √x, because the mean of y is about s: thinning from the cell's upper end
# x_g then keeps a draw with probability near exp(−2/CELLS_PER_UNIT), whatever x is.
cdef enum:
    CELLS_PER_UNIT = 16
    N_CELLS = 28 * 16  # s < 28, where P(y ≥ N_COLUMNS) < 1e-15
    N_COLUMNS = 64
    N_SERIES = 6

cdef struct AliasColumn:
    uint32_t threshold
    uint32_t alias

cdef struct BesselTable:
    double order
    double smallest  # the first cell's upper end: below it, a short series is quicker and exact
    double series[N_SERIES]
    double inverse_upper[N_CELLS]
    AliasColumn column[N_CELLS * N_COLUMNS]

cdef class BesselSampler:
    cdef BesselTable* table

cdef uint32_t draw_near_zero(const BesselTable* table, bitgen_t* bitgen, double x) noexcept nogil
cdef uint32_t draw_far_out(bitgen_t* bitgen, double order, double x) noexcept nogil
cdef bint keep_thinned(bitgen_t* bitgen, uint32_t y, double ratio, double bits) noexcept nogil


cdef inline uint32_t draw_bessel(const BesselTable* table, bitgen_t* bitgen, double x) noexcept nogil:
    """Return y with P(y) ∝ x^y / (y! Γ(y + v + 1)).

    If Y is drawn at x_g ≥ x and kept with probability (x/x_g)^Y, what is kept is distributed as at x.
    One 64-bit word serves a draw: 6 bits choose the alias column, 32 its side, 26 the thinning.
    """
    cdef int cell
    cdef uint32_t y
    cdef uint64_t word
    cdef double ratio, bits
    cdef const AliasColumn* column
    if x < table.smallest:
        return draw_near_zero(table, bitgen, x)
    cell = <int> (CELLS_PER_UNIT * sqrt(x)) if x < 28.0 * 28.0 else N_CELLS
    if cell >= N_CELLS:
        return draw_far_out(bitgen, table.order, x)
    ratio = x * table.inverse_upper[cell]
    while True:
        word = bitgen.next_uint64(bitgen.state)
        column = &table.column[cell * N_COLUMNS + <int> (word & 63)]
        y = <uint32_t> (word & 63) if <uint32_t> (word >> 32) < column.threshold else column.alias
        bits = <double> ((word >> 6) & 0x3FFFFFF)
        # Bernoulli's inequality: 1 − y(1 − r) ≤ r^y settles almost every draw without a power.
        if bits + 1.0 <= 67108864.0 * (1.0 - y * (1.0 - ratio)) or keep_thinned(bitgen, y, ratio, bits):
            return y
