"""One Gibbs sweep: totals → γ → Bessel counts → allocation → θ for a block of rows, then φ by columns.

The specification of both kernels, in plain NumPy, is `tests/reference.py`.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport binomial_t, random_binomial

from ._bessel cimport BesselSampler, BesselTable, draw_bessel
from ._bitgen cimport bitgen_of
from ._gamma cimport GammaSetup, draw_gamma, set_up_gamma

cdef enum:
    TILE = 256  # columns handled at a time: the running sums of a tile stay in the first-level cache
    STRIDE = 272  # TILE and a cache line more, so that the rows of a tile fall into different sets
    FEW = 3  # a count up to this is split pick by pick
    MANY = 256  # a count up to this is split by a batch of uniforms, one above by binomials
    N_SETUPS = 64

# Factors below this cannot matter to a rate, but their products would be denormal and slow.
cdef float NEGLIGIBLE = 1e-19
# Draws are kept in float32; with small prior shapes both loadings of a sample may lie below its range.
cdef double SMALLEST = 1e-37

cdef struct Tile:
    int n_observed
    uint16_t observed[TILE]
    double gamma[TILE]
    uint32_t count[2][TILE]
    uint16_t token[TILE * FEW + FEW]


cdef void cumulate_rates(
    const double* theta, const float* phi_KM, Py_ssize_t M, Py_ssize_t width, Py_ssize_t K, float* sums
) noexcept nogil:
    """sums[k, t] = Σ_{k' ≤ k} θ_k' φ_k't: the last row holds the rates λ (Eq. 2)."""
    cdef Py_ssize_t k, t
    cdef float weight
    cdef const float* phi
    cdef float* below
    cdef float* here
    for k in range(K):
        weight = <float> theta[k] if theta[k] > NEGLIGIBLE else 0.0
        phi = phi_KM + k * M
        here = sums + k * STRIDE
        if k == 0:
            for t in range(width):
                here[t] = weight * phi[t]
        else:
            below = here - STRIDE
            for t in range(width):
                here[t] = below[t] + weight * phi[t]


cdef void allocate_batch(
    uint32_t count, const float* sums, Py_ssize_t K, uint32_t* row_counts, uint32_t* column_counts, bitgen_t* bitgen
) noexcept nogil:
    """Split one count of 2 to MANY: as many uniforms, compared with each running sum in turn."""
    cdef int32_t uniforms[MANY + 8]
    cdef double scale = 2147483648.0 / sums[(K - 1) * STRIDE]
    cdef uint32_t i, padded = (count + 3) & ~<uint32_t> 3, above, left = count
    cdef uint64_t word
    cdef int32_t edge
    cdef Py_ssize_t k
    for i in range((count + 1) >> 1):
        word = bitgen.next_uint64(bitgen.state)
        uniforms[2 * i] = <int32_t> (word & 0x7FFFFFFF)
        uniforms[2 * i + 1] = <int32_t> (word >> 33)
    for i in range(count, padded):
        uniforms[i] = -2  # never above an edge
    for k in range(K):
        edge = <int32_t> (<int64_t> (sums[k * STRIDE] * scale) - 1)
        above = 0
        for i in range(padded):
            above += uniforms[i] > edge
        row_counts[k] += left - above
        column_counts[k] += left - above
        left = above


cdef void allocate_many(
    uint32_t count, const float* sums, Py_ssize_t K, uint32_t* row_counts, uint32_t* column_counts, bitgen_t* bitgen
) noexcept nogil:
    """Split one large count by conditional binomials; `sums` is a column of the running sums."""
    cdef Py_ssize_t k
    cdef float above = sums[(K - 1) * STRIDE], weight
    cdef uint32_t part
    cdef binomial_t setup
    setup.has_binomial = 0
    for k in range(K - 1, 0, -1):
        weight = above - sums[(k - 1) * STRIDE]
        part = <uint32_t> random_binomial(bitgen, weight / above, count, &setup) if weight > 0.0 else 0
        row_counts[k] += part
        column_counts[k] += part
        count -= part
        above = sums[(k - 1) * STRIDE]
        if count == 0:
            return
    row_counts[0] += count
    column_counts[0] += count


cdef void allocate_tokens(
    const Tile* tile, Py_ssize_t n_tokens, const float* sums, Py_ssize_t K,
    uint32_t* row_counts, uint32_t* counts_MK, bitgen_t* bitgen
) noexcept nogil:
    """Give each single count to a component with probability θ_k φ_kj / λ_j (the paper's multinomial)."""
    cdef Py_ssize_t i, t, k, length, half
    cdef uint64_t word = 0
    cdef float rate, target
    for i in range(n_tokens):
        t = tile.token[i]
        word = bitgen.next_uint64(bitgen.state) if i % 2 == 0 else word >> 32
        rate = sums[(K - 1) * STRIDE + t]
        target = <float> (<uint32_t> word >> 8) * <float> 5.9604644775390625e-08 * rate
        if target >= rate:  # rounding; the first sum above the target must exist
            target = <float> 0.99999988 * rate
        k = 0
        length = K
        while length > 1:
            half = length >> 1
            k += half if sums[(k + half - 1) * STRIDE + t] <= target else 0
            length -= half
        row_counts[k] += 1
        counts_MK[t * K + k] += 1


cdef Py_ssize_t collect_tokens(
    Tile* tile, int r, const float* sums, Py_ssize_t K, uint32_t* row_counts, uint32_t* counts_MK, bitgen_t* bitgen
) noexcept nogil:
    """Write each column's number as often as it has counts; large counts are split at once."""
    cdef Py_ssize_t i, t, n_tokens = 0
    cdef uint32_t count, copy
    for i in range(tile.n_observed):
        t = tile.observed[i]
        count = tile.count[r][i]
        if count > FEW:
            if count > MANY:
                allocate_many(count, sums + t, K, row_counts, counts_MK + t * K, bitgen)
            else:
                allocate_batch(count, sums + t, K, row_counts, counts_MK + t * K, bitgen)
            continue
        # All copies always, and the end moved by the count, spares a badly predicted branch.
        for copy in range(FEW):
            tile.token[n_tokens + copy] = <uint16_t> t
        n_tokens += count
    return n_tokens


cdef void draw_counts(
    Tile* tile, const float* beta, uint32_t* total, const float* rate1, const float* rate2, Py_ssize_t width,
    const BesselTable* table1, const BesselTable* table2, const GammaSetup* setups, bitgen_t* bitgen, uint32_t* first
) noexcept nogil:
    """γ given the old totals, then y₁ and y₂ given γ, at the observed entries of one tile."""
    cdef Py_ssize_t i, t
    cdef GammaSetup setup
    tile.n_observed = 0
    for t in range(width):
        tile.observed[tile.n_observed] = <uint16_t> t
        tile.n_observed += beta[t] == beta[t]
    for i in range(tile.n_observed):
        t = tile.observed[i]
        if total[t] < N_SETUPS:
            tile.gamma[i] = draw_gamma(&setups[total[t]], bitgen)
        else:
            setup = set_up_gamma(table1.order + table2.order + 2.0 + total[t])
            tile.gamma[i] = draw_gamma(&setup, bitgen)
    for i in range(tile.n_observed):
        t = tile.observed[i]
        tile.count[0][i] = draw_bessel(table1, bitgen, tile.gamma[i] * beta[t] * rate1[t])
    for i in range(tile.n_observed):
        t = tile.observed[i]
        tile.count[1][i] = draw_bessel(table2, bitgen, tile.gamma[i] * (1.0 - beta[t]) * rate2[t])
        total[t] = tile.count[0][i] + tile.count[1][i]
    if first != NULL:
        for i in range(tile.n_observed):
            first[tile.observed[i]] = tile.count[0][i]


cdef inline double draw_factor(double shape, double rate, bitgen_t* bitgen) noexcept nogil:
    """A gamma variate that never underflows to 0, so that ρ = θ₁/(θ₁ + θ₂) is always defined."""
    cdef GammaSetup setup = set_up_gamma(shape)
    cdef double g = draw_gamma(&setup, bitgen) / rate
    return g if g > SMALLEST else SMALLEST


def sweep_block(
    const float[:, ::1] beta_NM,
    uint32_t[:, ::1] total_NM,
    double[:, ::1] theta1_NK,
    double[:, ::1] theta2_NK,
    const float[:, ::1] phi_KM,
    const double[:, ::1] phi_MK,
    const double[::1] phi_sum_K,
    uint32_t[:, ::1] counts_MK,
    BesselSampler bessel1,
    BesselSampler bessel2,
    double a0,
    double b0,
    object bit_generator,
    bint draw_theta=True,
    uint32_t[:, ::1] first_NM=None,
):
    """Update the totals and θ of some rows in place and add their allocated counts to `counts_MK`.

    Missing entries (NaN) are left out: no counts, and no φ in the rate of θ. The y₁ of the others go to
    `first_NM` where that is given.
    """
    cdef Py_ssize_t N = beta_NM.shape[0], M = beta_NM.shape[1], K = theta1_NK.shape[1]
    cdef Py_ssize_t i, j, k, r, part, start, width
    cdef bitgen_t* bitgen = bitgen_of(bit_generator)
    cdef GammaSetup setups[N_SETUPS]
    cdef double rate
    cdef double* theta[2]
    cdef Tile* tile = <Tile*> malloc(sizeof(Tile))
    cdef float* sums = <float*> malloc(2 * K * STRIDE * sizeof(float))
    cdef uint32_t* row_counts = <uint32_t*> malloc(2 * K * sizeof(uint32_t))
    cdef double* phi_seen_K = <double*> malloc(K * sizeof(double))
    try:
        if tile == NULL or sums == NULL or row_counts == NULL or phi_seen_K == NULL:
            raise MemoryError
        with bit_generator.lock, nogil:
            for k in range(N_SETUPS):
                setups[k] = set_up_gamma(bessel1.table.order + bessel2.table.order + 2.0 + k)
            for i in range(N):
                theta[0] = &theta1_NK[i, 0]
                theta[1] = &theta2_NK[i, 0]
                memset(row_counts, 0, 2 * K * sizeof(uint32_t))
                for k in range(K):
                    phi_seen_K[k] = phi_sum_K[k]
                for part in range((M + TILE - 1) // TILE):
                    start = part * TILE
                    width = min(<Py_ssize_t> TILE, M - start)
                    for r in range(2):
                        cumulate_rates(theta[r], &phi_KM[0, start], M, width, K, sums + r * K * STRIDE)
                    draw_counts(
                        tile, &beta_NM[i, start], &total_NM[i, start],
                        sums + (K - 1) * STRIDE, sums + (2 * K - 1) * STRIDE, width,
                        bessel1.table, bessel2.table, setups, bitgen,
                        NULL if first_NM is None else &first_NM[i, start],
                    )
                    for r in range(2):
                        allocate_tokens(
                            tile,
                            collect_tokens(
                                tile, <int> r, sums + r * K * STRIDE, K,
                                row_counts + r * K, &counts_MK[start, 0], bitgen,
                            ),
                            sums + r * K * STRIDE, K, row_counts + r * K, &counts_MK[start, 0], bitgen,
                        )
                    if tile.n_observed < width:
                        for j in range(start, start + width):
                            if beta_NM[i, j] != beta_NM[i, j]:
                                for k in range(K):
                                    phi_seen_K[k] -= phi_MK[j, k]
                if draw_theta:
                    for k in range(K):
                        rate = b0 + max(phi_seen_K[k], 0.0)
                        theta1_NK[i, k] = draw_factor(a0 + row_counts[k], rate, bitgen)
                        theta2_NK[i, k] = draw_factor(a0 + row_counts[K + k], rate, bitgen)
    finally:
        free(tile)
        free(sums)
        free(row_counts)
        free(phi_seen_K)


def draw_phi_block(
    const float[:, ::1] beta_NM,
    bint any_missing,
    const double[:, ::1] theta_sum_NK,
    const double[::1] exposure_K,
    const uint32_t[:, ::1] counts_MK,
    double[:, ::1] phi_MK,
    float[:, ::1] phi_KM,
    Py_ssize_t start,
    Py_ssize_t stop,
    double e0,
    double f0,
    object bit_generator,
):
    """Draw φ for the columns from `start` to `stop`, into both layouts.

    `exposure_K` is Σ_i (θ₁ + θ₂); the terms of the missing entries are taken off column by column.
    """
    cdef Py_ssize_t N = beta_NM.shape[0], K = phi_MK.shape[1], i, j, k
    cdef bitgen_t* bitgen = bitgen_of(bit_generator)
    with bit_generator.lock, nogil:
        for j in range(start, stop):
            for k in range(K):
                phi_MK[j, k] = exposure_K[k]
        if any_missing:
            for i in range(N):
                for j in range(start, stop):
                    if beta_NM[i, j] != beta_NM[i, j]:
                        for k in range(K):
                            phi_MK[j, k] -= theta_sum_NK[i, k]
        for j in range(start, stop):
            for k in range(K):
                phi_MK[j, k] = draw_factor(e0 + counts_MK[j, k], f0 + max(phi_MK[j, k], 0.0), bitgen)
                phi_KM[k, j] = <float> phi_MK[j, k] if phi_MK[j, k] > NEGLIGIBLE else 0.0
