"""Multiplicative updates of masked KL-NMF on [cβ ; c(1 − β)] with shared φ: a good start for the sampler.

θ is updated by blocks of rows and φ by blocks of columns, so every sum is taken in one fixed order and the
result does not depend on the number of threads.
"""

from libc.string cimport memset

cdef enum:
    TILE = 128
    LANES = 8

cdef float SMALLEST = 1e-12


cdef struct Tile:
    float rate[2][TILE]  # λ, then v/λ, with 0 for missing entries
    float seen[TILE]


cdef void load(
    Tile* tile, const float* beta, const double* theta1, const double* theta2,
    const float* phi_KM, Py_ssize_t M, Py_ssize_t width, Py_ssize_t K, float scale
) noexcept nogil:
    """Rates of a tile of one row, turned into the ratios of data to rates."""
    cdef Py_ssize_t k, t
    cdef float w1, w2
    memset(tile, 0, sizeof(Tile))
    for k in range(K):
        w1 = <float> theta1[k]
        w2 = <float> theta2[k]
        for t in range(width):
            tile.rate[0][t] += w1 * phi_KM[k * M + t]
            tile.rate[1][t] += w2 * phi_KM[k * M + t]
    for t in range(width):
        if beta[t] == beta[t]:
            tile.rate[0][t] = scale * beta[t] / (tile.rate[0][t] + SMALLEST)
            tile.rate[1][t] = scale * (<float> 1.0 - beta[t]) / (tile.rate[1][t] + SMALLEST)
            tile.seen[t] = 1.0
        else:
            tile.rate[0][t] = tile.rate[1][t] = 0.0


cdef inline float dot(const float* left, const float* right, Py_ssize_t width) noexcept nogil:
    """Σ left·right in LANES running sums, an order that compilers can vectorise."""
    cdef float lane[LANES]
    cdef float total = 0.0
    cdef Py_ssize_t t, n, whole = width // LANES
    for n in range(LANES):
        lane[n] = 0.0
    for t in range(whole):
        for n in range(LANES):
            lane[n] += left[t * LANES + n] * right[t * LANES + n]
    for t in range(whole * LANES, width):
        total += left[t] * right[t]
    for n in range(LANES):
        total += lane[n]
    return total


def update_theta_block(
    const float[:, ::1] beta_NM,
    double[:, ::1] theta1_NK,
    double[:, ::1] theta2_NK,
    const float[:, ::1] phi_KM,
    double[:, ::1] scratch_3K,
    float scale,
):
    """θ_r ← θ_r · Σ_j (v_r/λ_r) φ / Σ_j φ over the observed entries of each row."""
    cdef Py_ssize_t N = beta_NM.shape[0], M = beta_NM.shape[1], K = theta1_NK.shape[1], i, k, part, start, width
    cdef const float* phi
    cdef Tile tile
    with nogil:
        for i in range(N):
            memset(&scratch_3K[0, 0], 0, 3 * K * sizeof(double))
            for part in range((M + TILE - 1) // TILE):
                start = part * TILE
                width = min(<Py_ssize_t> TILE, M - start)
                load(
                    &tile, &beta_NM[i, start], &theta1_NK[i, 0], &theta2_NK[i, 0],
                    &phi_KM[0, start], M, width, K, scale,
                )
                for k in range(K):
                    phi = &phi_KM[k, start]
                    scratch_3K[0, k] += dot(tile.rate[0], phi, width)
                    scratch_3K[1, k] += dot(tile.rate[1], phi, width)
                    scratch_3K[2, k] += dot(tile.seen, phi, width)
            for k in range(K):
                theta1_NK[i, k] = max(theta1_NK[i, k] * scratch_3K[0, k] / (scratch_3K[2, k] + SMALLEST), SMALLEST)
                theta2_NK[i, k] = max(theta2_NK[i, k] * scratch_3K[1, k] / (scratch_3K[2, k] + SMALLEST), SMALLEST)


def update_phi_block(
    const float[:, ::1] beta_NM,
    const double[:, ::1] theta1_NK,
    const double[:, ::1] theta2_NK,
    float[:, ::1] phi_KM,
    double[:, ::1] gain_KT,
    double[:, ::1] seen_KT,
    Py_ssize_t start,
    Py_ssize_t stop,
    float scale,
):
    """φ ← φ · Σ_i (v₁/λ₁ θ₁ + v₂/λ₂ θ₂) / Σ_i (θ₁ + θ₂) over the observed entries of at most TILE columns."""
    cdef Py_ssize_t N = beta_NM.shape[0], M = beta_NM.shape[1], K = theta1_NK.shape[1], i, k, t, width = stop - start
    cdef double w1, w2
    cdef Tile tile
    gain_KT[:, :] = 0.0
    seen_KT[:, :] = 0.0
    with nogil:
        for i in range(N):
            load(
                &tile, &beta_NM[i, start], &theta1_NK[i, 0], &theta2_NK[i, 0],
                &phi_KM[0, start], M, width, K, scale,
            )
            for k in range(K):
                w1 = theta1_NK[i, k]
                w2 = theta2_NK[i, k]
                for t in range(width):
                    gain_KT[k, t] += w1 * tile.rate[0][t] + w2 * tile.rate[1][t]
                    seen_KT[k, t] += (w1 + w2) * tile.seen[t]
        for k in range(K):
            for t in range(width):
                phi_KM[k, start + t] = max(
                    phi_KM[k, start + t] * <float> (gain_KT[k, t] / (seen_KT[k, t] + SMALLEST)), SMALLEST
                )
