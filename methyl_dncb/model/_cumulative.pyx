"""The DNCB distribution function, as a sum with positive terms only.

Given y₂, with b = ε₂ + y₂, let T(m) = I_x(ε₁ + m, b) − I_x(ε₁ + m + 1, b) > 0. Then
Σ_y₁ Pois(y₁; λ₁) I_x(ε₁ + y₁, b) = Σ_m T(m) P(y₁ ≤ m), and T(m) follows from its neighbours.
"""

from libc.math cimport exp, fmax, floor, lgamma, log, log1p, sqrt
from libc.stdlib cimport free, malloc

cdef double NOTHING = 1e-18
cdef double SMALLEST = 1e-300  # denormal numbers may never reach 0


cdef double poisson_pmf(double y, double lam) noexcept nogil:
    if lam == 0.0:
        return 1.0 if y == 0.0 else 0.0
    return exp(y * log(lam) - lam - lgamma(y + 1.0))


cdef void cumulate_poisson(double lam, double* cdf, Py_ssize_t n) noexcept nogil:
    """P(y ≤ m) for m < n, with the mass summed outwards from the mode."""
    cdef Py_ssize_t mode = min(<Py_ssize_t> lam, n - 1), m
    cdf[mode] = poisson_pmf(mode, lam)
    for m in range(mode, 0, -1):
        cdf[m - 1] = cdf[m] * m / lam
    for m in range(mode + 1, n):
        cdf[m] = cdf[m - 1] * lam / m
    for m in range(1, n):
        cdf[m] += cdf[m - 1]


cdef double weigh_terms(double x, double eps1, double b, const double* cdf, Py_ssize_t n) noexcept nogil:
    """Σ_m T(m) P(y₁ ≤ m), outwards from the largest T; P is 1 from m = n on."""
    cdef double peak = fmax(floor((b - 1.0) * x / (1.0 - x) - eps1), 0.0), total = 0.0, m, start, term
    cdef double a = eps1 + peak
    start = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a + 1.0) - lgamma(b))
    term = start
    m = peak
    while term > NOTHING * total or m <= n:
        total += term * (cdf[<Py_ssize_t> m] if m < n else 1.0)
        if term < SMALLEST:
            break
        term *= x * (eps1 + m + b) / (eps1 + m + 1.0)
        m += 1.0
    term = start
    m = peak
    while m > 0.0 and term > 0.0:
        term *= (eps1 + m) / (x * (eps1 + m - 1.0 + b))
        m -= 1.0
        total += term * (cdf[<Py_ssize_t> m] if m < n else 1.0)
        if term < NOTHING * total:
            break
    return total


cdef double lower_tail(
    double x, double eps1, double eps2, double lam1, double lam2, double* cdf, Py_ssize_t n
) noexcept nogil:
    cdef double mode = floor(lam2), y, start, weight, part, total = 0.0
    cumulate_poisson(lam1, cdf, n)
    start = poisson_pmf(mode, lam2)
    weight = start
    y = mode
    while True:
        part = weight * weigh_terms(x, eps1, eps2 + y, cdf, n)
        total += part
        y += 1.0
        weight *= lam2 / y
        if part <= NOTHING * total or weight < SMALLEST:
            break
    weight = start
    y = mode
    while y > 0.0:
        weight *= y / lam2
        y -= 1.0
        if weight < NOTHING * total:
            break
        total += weight * weigh_terms(x, eps1, eps2 + y, cdf, n)
    return min(total, 1.0)


def cumulate(
    const double[::1] x,
    const double[::1] eps1,
    const double[::1] eps2,
    const double[::1] lam1,
    const double[::1] lam2,
    double[::1] out,
):
    """Fill `out` with P(β ≤ x) for aligned arrays; the smaller tail is the one that is summed."""
    cdef Py_ssize_t i, n
    cdef double* cdf
    cdef double mean, largest
    cdef bint upper
    for i in range(out.shape[0]):
        if not 0.0 < x[i] < 1.0:
            out[i] = 0.0 if x[i] <= 0.0 else 1.0
            continue
        mean = (eps1[i] + lam1[i]) / (eps1[i] + eps2[i] + lam1[i] + lam2[i])
        upper = x[i] > mean
        largest = lam2[i] if upper else lam1[i]
        n = <Py_ssize_t> (largest + 10.0 * sqrt(largest)) + 40
        cdf = <double*> malloc(n * sizeof(double))
        if cdf == NULL:
            raise MemoryError
        with nogil:
            if upper:
                out[i] = 1.0 - lower_tail(1.0 - x[i], eps2[i], eps1[i], lam2[i], lam1[i], cdf, n)
            else:
                out[i] = lower_tail(x[i], eps1[i], eps2[i], lam1[i], lam2[i], cdf, n)
        free(cdf)
