"""The lower bound on the expected beta log density that BG-NMF climbs, entry by entry."""

from libc.math cimport log

# Least τ for which lnΓ(1+a+b) − lnΓ(1+a) − lnΓ(1+b) + τ(a+b) is convex in (ln a, ln b): 1 − ln 2, the
# limit for a = b → ∞.
cdef double TAU = 0.30685281944005469

# Terms of Stirling's series are below 1e-11 from here on.
cdef int SHIFT = 8


cdef inline double shifted(double x, double *digamma, double *product) noexcept nogil:
    """lnΓ(1 + x) without −log of `product` = Π (x + 1)…(x + 7), and ψ(1 + x)."""
    cdef double y = x + SHIFT, inverse = 1 / y, square = inverse * inverse, log_y = log(y)
    cdef double p = x + 1, slope = 1
    cdef int i
    for i in range(2, SHIFT):
        slope = slope * (x + i) + p
        p = p * (x + i)
    product[0] = p
    digamma[0] = (
        log_y - 0.5 * inverse - slope / p
        - square * (1 / 12. - square * (1 / 120. - square * (1 / 252. - square * (1 / 240.))))
    )
    return (
        (y - 0.5) * log_y - y + 0.91893853320467274
        + inverse * (1 / 12. - square * (1 / 360. - square * (1 / 1260. - square * (1 / 1680.))))
    )


def bound_terms(
    const double[:, ::1] log_beta, const double[:, ::1] log_rest,
    double[:, ::1] geo1, double[:, ::1] geo2, double[:, ::1] mean1, double[:, ::1] mean2,
):
    """Bound Σ E[log Beta(β; a, b)] from below and say how it moves, given means of a and b.

    `geo` are the geometric means Σ_k exp E[log θ_k φ_k], `mean` the arithmetic ones. On return geo1, geo2
    hold the weights of E[log a], E[log b] divided by the geometric means, and mean1, mean2 the weights of
    −E[a], −E[b]. Entries whose log_beta is NaN are missing and count nothing. In NumPy, for each entry::

        total = geo1 + geo2
        bound = (gammaln(1 + total) - gammaln(1 + geo1) - gammaln(1 + geo2)
                 + log(geo1 * geo2 / (mean1 + mean2)) + TAU * (total - mean1 - mean2)
                 + (mean1 - 1) * log_beta + (mean2 - 1) * log_rest)
        geo1  <- 1 / geo1 + psi(1 + total) - psi(1 + geo1) + TAU      (geo2 alike)
        mean1 <- TAU + 1 / (mean1 + mean2) - log_beta                 (mean2 with log_rest)
    """
    cdef Py_ssize_t i, j
    cdef double bound = 0, row, a, b, mean, psi_a, psi_b, psi_s, prod_a, prod_b, prod_s
    with nogil:
        for i in range(geo1.shape[0]):
            row = 0
            for j in range(geo1.shape[1]):
                if log_beta[i, j] != log_beta[i, j]:
                    geo1[i, j] = geo2[i, j] = mean1[i, j] = mean2[i, j] = 0
                    continue
                a = geo1[i, j]
                b = geo2[i, j]
                mean = mean1[i, j] + mean2[i, j]
                row += shifted(a + b, &psi_s, &prod_s)
                row -= shifted(a, &psi_a, &prod_a)
                row -= shifted(b, &psi_b, &prod_b)
                row += log(a / prod_s * prod_a * prod_b * b / mean) + TAU * (a + b - mean)
                row += (mean1[i, j] - 1) * log_beta[i, j] + (mean2[i, j] - 1) * log_rest[i, j]
                geo1[i, j] = 1 / a + psi_s - psi_a + TAU
                geo2[i, j] = 1 / b + psi_s - psi_b + TAU
                mean1[i, j] = TAU + 1 / mean - log_beta[i, j]
                mean2[i, j] = TAU + 1 / mean - log_rest[i, j]
            bound += row
    return bound
