"""Histograms of a block's counts, for the conditional distribution of the shapes."""

from libc.stdint cimport int64_t, uint32_t


def add_counts(
    const float[:, ::1] beta_NM,
    const uint32_t[:, ::1] first_NM,
    const uint32_t[:, ::1] total_NM,
    int64_t[:, ::1] counts_3H,
):
    """Add y₁, y₂ = total − y₁ and the total of every entry strictly inside (0, 1) to the rows of `counts_3H`."""
    cdef Py_ssize_t i, j
    with nogil:
        for i in range(beta_NM.shape[0]):
            for j in range(beta_NM.shape[1]):
                if 0.0 < beta_NM[i, j] < 1.0:
                    counts_3H[0, first_NM[i, j]] += 1
                    counts_3H[1, total_NM[i, j] - first_NM[i, j]] += 1
                    counts_3H[2, total_NM[i, j]] += 1
