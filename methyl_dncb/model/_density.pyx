"""The DNCB log density, at any parameters and summed over a block of rows.

With x₁ = λ₁β, x₂ = λ₂(1 − β) and T = √x₁ + √x₂: where T is small, Humbert's Ψ₂ is a double series with
positive terms only, summed by a recurrence over the inner series; where T is large, it is the integral
over γ that the sampler's augmentation also uses, by the trapezoid rule in t = √γ.
"""

from libc.math cimport INFINITY, NAN, exp, fmax, isnan, lgamma, log, log1p, sqrt

from ._scaled_bessel import LOG_HIGHEST, LOG_LOWEST, STEP, tabulate

cdef double SWITCH = 10.0  # T from which on the integral is cheaper than the series, and as exact
cdef double DROP = 36.0  # nodes lower than the largest by this, in logs, add nothing
cdef double LOWEST = LOG_LOWEST
cdef double HIGHEST = LOG_HIGHEST
cdef double PER_STEP = 1.0 / STEP
cdef double WIDTH = STEP
cdef double HALF_LOG_TWO_PI = 0.9189385332046727
cdef double LOG_TWO = 0.6931471805599453


cdef double log_series(double eps_in, double eps_out, double x_in, double x_out) noexcept nogil:
    """log Ψ₂ by its positive double series; the smaller argument is the outer one."""
    cdef double eps = eps_in + eps_out
    cdef double k = 0.0, q = 1.0, inner = 0.0, first = 0.0  # inner = Σ q_k, first = Σ k q_k
    cdef double j = 0.0, p = 1.0, total = 0.0, term, old
    while True:
        inner += q
        first += k * q
        if q * (k + 1.0) < 1e-18 * inner and k > x_in:
            break
        q *= x_in * (eps + k) / ((k + 1.0) * (eps_in + k))
        k += 1.0
    while True:
        term = p * inner
        total += term
        if term < 1e-17 * total and j > x_out:
            break
        old = inner
        inner += first / (eps + j)
        first = x_in * old + first * (1.0 + (1.0 - eps_in + x_in) / (eps + j))
        p *= x_out * (eps + j) / ((j + 1.0) * (eps_out + j))
        j += 1.0
    return log(total)


cdef class DncbDensity:
    """The density for one pair of shapes; the tables of `_scaled_bessel` are built once."""

    cdef readonly double eps1, eps2
    cdef double log_beta_norm, log_gamma1, log_gamma2
    cdef const double[:, ::1] table1
    cdef const double[:, ::1] table2

    def __init__(self, double eps1, double eps2):
        self.eps1 = eps1
        self.eps2 = eps2
        self.log_gamma1 = lgamma(eps1)
        self.log_gamma2 = lgamma(eps2)
        self.log_beta_norm = lgamma(eps1 + eps2) - self.log_gamma1 - self.log_gamma2
        self.table1 = tabulate(eps1 - 1.0)
        self.table2 = self.table1 if eps1 == eps2 else tabulate(eps2 - 1.0)

    cdef inline double smooth_part(
        self, const double[:, ::1] table, double eps, double log_gamma, double log_s
    ) noexcept nogil:
        """H(s) at z = log s: table between its ends, leading terms beyond them."""
        cdef double u, v = eps - 1.0
        cdef Py_ssize_t cell
        cdef const double* c
        if log_s < LOWEST:
            u = exp(log_s)
            return -log_gamma - u + 0.25 * u * u / eps
        if log_s >= HIGHEST:
            return -HALF_LOG_TWO_PI - 0.5 * log_s - v * (log_s - LOG_TWO) - (4.0 * v * v - 1.0) / 8.0 * exp(-log_s)
        u = (log_s - LOWEST) * PER_STEP
        cell = <Py_ssize_t> u
        u = (u - cell) * WIDTH
        c = &table[cell, 0]
        return ((((c[0] * u + c[1]) * u + c[2]) * u + c[3]) * u + c[4]) * u + c[5]

    cdef inline double log_node(self, double t, double T, double log_root1, double log_root2) noexcept nogil:
        cdef double log_t = log(t)
        return (
            -(t - T) * (t - T) + (2.0 * (self.eps1 + self.eps2) - 1.0) * log_t
            + self.smooth_part(self.table1, self.eps1, self.log_gamma1, LOG_TWO + log_root1 + log_t)
            + self.smooth_part(self.table2, self.eps2, self.log_gamma2, LOG_TWO + log_root2 + log_t)
        )

    cdef double log_integral(self, double root1, double root2) noexcept nogil:
        """log of 2 ∫ exp h(t) dt by the trapezoid rule, from the centre outwards."""
        cdef double T = root1 + root2, s1 = 2.0 * T * root1, s2 = 2.0 * T * root2
        cdef double q = (
            2.0 * (self.eps1 + self.eps2) - 1.0
            - (self.eps1 - 0.5) * s1 / (1.0 + s1) - (self.eps2 - 0.5) * s2 / (1.0 + s2)
        )
        cdef double centre = 0.5 * (T + sqrt(fmax(T * T + 2.0 * q, 0.0)))
        cdef double step = 0.55 / sqrt(1.0 + fmax(q, 0.0) / (2.0 * centre * centre))
        cdef double log_root1 = log(root1), log_root2 = log(root2)
        cdef double top = self.log_node(centre, T, log_root1, log_root2), total = 1.0, t, node
        cdef int side
        for side in range(2):
            t = centre
            while True:
                t += step if side == 0 else -step
                if t <= 0.0:
                    break
                node = self.log_node(t, T, log_root1, log_root2) - top
                total += exp(node)
                if node < -DROP:
                    break
        return top + log(2.0 * step * total)

    cdef double logpdf(
        self, double beta, double log_b1, double log_b2, double lam1, double lam2
    ) noexcept nogil:
        """log density from β and the logs of β and 1 − β (−inf at the ends of the interval)."""
        cdef double x1, x2, T, base
        if isnan(beta) or isnan(lam1) or isnan(lam2):
            return NAN
        if beta < 0.0 or beta > 1.0:
            return -INFINITY
        x1 = lam1 * exp(log_b1)
        x2 = lam2 * exp(log_b2)
        T = sqrt(x1) + sqrt(x2)
        # (ε − 1) log 0 must be 0 for ε = 1.
        base = (0.0 if self.eps1 == 1.0 else (self.eps1 - 1.0) * log_b1) + (
            0.0 if self.eps2 == 1.0 else (self.eps2 - 1.0) * log_b2
        )
        if T < SWITCH:
            base += self.log_beta_norm - lam1 - lam2
            if x1 > x2:
                return base + log_series(self.eps1, self.eps2, x1, x2)
            return base + log_series(self.eps2, self.eps1, x2, x1)
        # T² − λ₁ − λ₂ is minus this square, without the cancellation.
        T = sqrt(lam1) * exp(0.5 * log_b2) - sqrt(lam2) * exp(0.5 * log_b1)
        return base - T * T + self.log_integral(sqrt(x1), sqrt(x2))

    def evaluate(
        self,
        const double[::1] beta,
        const double[::1] log_b1,
        const double[::1] log_b2,
        const double[::1] lam1,
        const double[::1] lam2,
        double[::1] out,
    ):
        """Fill `out` with the log densities of aligned arrays."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(out.shape[0]):
                out[i] = self.logpdf(beta[i], log_b1[i], log_b2[i], lam1[i], lam2[i])

    def sum_block(
        self,
        const float[:, ::1] beta_NM,
        const double[:, ::1] theta1_NK,
        const double[:, ::1] theta2_NK,
        const double[:, ::1] phi_MK,
    ):
        """Return the log likelihood of the observed entries of some rows that lie strictly inside (0, 1)."""
        cdef Py_ssize_t i, j, k, K = phi_MK.shape[1]
        cdef double total = 0.0, lam1, lam2, beta
        with nogil:
            for i in range(beta_NM.shape[0]):
                for j in range(beta_NM.shape[1]):
                    beta = beta_NM[i, j]
                    if not (0.0 < beta < 1.0):
                        continue
                    lam1 = lam2 = 0.0
                    for k in range(K):
                        lam1 += theta1_NK[i, k] * phi_MK[j, k]
                        lam2 += theta2_NK[i, k] * phi_MK[j, k]
                    total += self.logpdf(beta, log(beta), log1p(-beta), lam1, lam2)
        return total
