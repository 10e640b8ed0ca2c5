"""Bessel variates: alias tables with thinning for one order, rejection for any.

Throughout, x = a²/4 for Bessel(v, a), so that P(y) ∝ x^y / (y! Γ(y + v + 1)).
"""

from libc.math cimport exp, floor, fmax, log, pow, sqrt
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free, malloc
from numpy.random cimport bitgen_t

from ._bitgen cimport bitgen_of, uniform


cdef double log_gamma(double z) noexcept nogil:
    """Stirling's series, shifted up where it is not yet exact; z > 0."""
    cdef double shift = 0.0, w
    while z < 12.0:
        shift -= log(z)
        z += 1.0
    w = 1.0 / (z * z)
    return (
        shift + (z - 0.5) * log(z) - z + 0.9189385332046727
        + (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w / 1680.0))) / z
    )


cdef inline double mode_of(double order, double x) noexcept nogil:
    return fmax(floor(0.5 * (sqrt(order * order + 4.0 * x) - order)), 0.0)


cdef uint32_t draw_near_zero(const BesselTable* table, bitgen_t* bitgen, double x) noexcept nogil:
    """Invert from zero; x is so small that the series of the normaliser is six terms long."""
    cdef double v = table.order, total = 0.0, term = 1.0, target
    cdef uint32_t y = 0
    cdef int i
    for i in range(N_SERIES - 1, -1, -1):
        total = total * x + table.series[i]
    target = uniform(bitgen) * total - 1.0
    while target >= 0.0 and y < N_SERIES - 1:
        y += 1
        term *= x / (y * (y + v))
        target -= term
    return y


cdef bint keep_thinned(bitgen_t* bitgen, uint32_t y, double ratio, double bits) noexcept nogil:
    """Finish the uniform that `bits` began and compare it with ratio^y."""
    return bits + uniform(bitgen) < 67108864.0 * pow(ratio, y)


cdef uint32_t draw_far_out(bitgen_t* bitgen, double v, double x) noexcept nogil:
    """Rejection under a hull that needs no normaliser, for s = √x well above 1.

    The pmf is log-concave. Between `left` and `right` the hull is flat at the mode's height; beyond,
    it falls geometrically with the ratio of neighbouring probabilities at that edge.
    """
    cdef double mode = mode_of(v, x), log_x = log(x)
    cdef double reach = floor(1.2 * sqrt(0.5 * sqrt(x))) + 1.0
    cdef double left = fmax(mode - reach, 0.0), right = mode + reach
    cdef double base = mode * log_x - log_gamma(mode + 1.0) - log_gamma(mode + v + 1.0)
    cdef double ratio_left = left * (left + v) / x
    cdef double ratio_right = x / ((right + 1.0) * (right + v + 1.0))
    cdef double height_left = exp(left * log_x - log_gamma(left + 1.0) - log_gamma(left + v + 1.0) - base)
    cdef double height_right = exp(right * log_x - log_gamma(right + 1.0) - log_gamma(right + v + 1.0) - base)
    cdef double flat = right - left + 1.0
    cdef double tail_left = height_left * ratio_left / (1.0 - ratio_left)
    cdef double tail_right = height_right * ratio_right / (1.0 - ratio_right)
    cdef double u, y, steps, log_hull
    while True:
        u = uniform(bitgen) * (flat + tail_left + tail_right)
        if u < flat:
            y = left + floor(u)
            log_hull = 0.0
        else:
            steps = 1.0 + floor(log(1.0 - uniform(bitgen)) / log(ratio_right if u < flat + tail_right else ratio_left))
            if u < flat + tail_right:
                y = right + steps
                log_hull = log(height_right) + steps * log(ratio_right)
            else:
                y = left - steps
                if y < 0.0:
                    continue
                log_hull = log(height_left) + steps * log(ratio_left)
        if log(1.0 - uniform(bitgen)) + log_hull <= (
            y * log_x - log_gamma(y + 1.0) - log_gamma(y + v + 1.0) - base
        ):
            return <uint32_t> y


cdef uint32_t draw_by_inversion(bitgen_t* bitgen, double v, double x) noexcept nogil:
    """Invert from the mode outwards, for any order and s = √x of moderate size."""
    cdef double mode = mode_of(v, x), total = 1.0, term = 1.0, up, down, target
    cdef int64_t high = <int64_t> mode, low = <int64_t> mode
    while term > 1e-18 * total:
        high += 1
        term *= x / (high * (high + v))
        total += term
    term = 1.0
    while low > 0 and term > 1e-18 * total:
        term *= low * (low + v) / x
        low -= 1
        total += term
    target = uniform(bitgen) * total - 1.0
    high = low = <int64_t> mode
    up = down = 1.0
    while target >= 0.0 and (up > 0.0 or down > 0.0):
        high += 1
        up *= x / (high * (high + v))
        target -= up
        if target < 0.0:
            return <uint32_t> high
        if low > 0:
            down *= low * (low + v) / x
            low -= 1
            target -= down
            if target < 0.0:
                return <uint32_t> low
        else:
            down = 0.0
    return <uint32_t> mode


cdef void weigh(double* weight, double v, double x) noexcept nogil:
    """Fill `weight` with the pmf at x, normalised over its first N_COLUMNS values."""
    cdef int mode = <int> mode_of(v, x), y
    cdef double total
    if mode >= N_COLUMNS:
        mode = N_COLUMNS - 1
    weight[mode] = total = 1.0
    for y in range(mode + 1, N_COLUMNS):
        weight[y] = weight[y - 1] * (x / (y * (y + v)))
        total += weight[y]
    for y in range(mode, 0, -1):
        weight[y - 1] = weight[y] * (y * (y + v) / x)
        total += weight[y - 1]
    for y in range(N_COLUMNS):
        weight[y] /= total


cdef void build_alias(AliasColumn* column, double* weight) noexcept nogil:
    """Walker's alias table by Vose's method; `weight` is used up."""
    cdef int small[N_COLUMNS]
    cdef int large[N_COLUMNS]
    cdef int n_small = 0, n_large = 0, lack, give, y
    for y in range(N_COLUMNS):
        weight[y] *= N_COLUMNS
        column[y].threshold = 0xFFFFFFFF
        column[y].alias = <uint32_t> y
        if weight[y] < 1.0:
            small[n_small] = y
            n_small += 1
        else:
            large[n_large] = y
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        lack = small[n_small]
        give = large[n_large - 1]
        column[lack].threshold = <uint32_t> (weight[lack] * 4294967295.0 + 0.5)
        column[lack].alias = <uint32_t> give
        weight[give] -= 1.0 - weight[lack]
        if weight[give] < 1.0:
            n_large -= 1
            small[n_small] = give
            n_small += 1


cdef class BesselSampler:
    """Tables for Bessel variates of one order; `draw_bessel` reads them without the GIL."""

    def __cinit__(self):
        self.table = <BesselTable*> malloc(sizeof(BesselTable))
        if self.table == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.table)

    def __init__(self, double order):
        cdef double weight[N_COLUMNS]
        cdef double upper
        cdef int cell, y
        self.table.order = order
        self.table.smallest = (1.0 / CELLS_PER_UNIT) ** 2
        self.table.series[0] = 1.0
        for y in range(1, N_SERIES):
            self.table.series[y] = self.table.series[y - 1] / (y * (y + order))
        for cell in range(N_CELLS):
            upper = ((cell + 1.0) / CELLS_PER_UNIT) ** 2
            self.table.inverse_upper[cell] = 1.0 / upper
            weigh(weight, order, upper)
            build_alias(&self.table.column[cell * N_COLUMNS], weight)

    def draw(self, object bit_generator, const double[::1] x, uint32_t[::1] out):
        """Fill `out` with one variate for each x."""
        cdef bitgen_t* bitgen = bitgen_of(bit_generator)
        cdef Py_ssize_t i
        with bit_generator.lock, nogil:
            for i in range(x.shape[0]):
                out[i] = draw_bessel(self.table, bitgen, x[i])


def sample_bessel(object bit_generator, const double[::1] order, const double[::1] x, uint32_t[::1] out):
    """Fill `out` with one variate for each pair of an order and an x."""
    cdef bitgen_t* bitgen = bitgen_of(bit_generator)
    cdef Py_ssize_t i
    with bit_generator.lock, nogil:
        for i in range(x.shape[0]):
            if x[i] < 28.0 * 28.0:
                out[i] = draw_by_inversion(bitgen, order[i], x[i])
            else:
                out[i] = draw_far_out(bitgen, order[i], x[i])
