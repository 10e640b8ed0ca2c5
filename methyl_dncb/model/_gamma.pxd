"""Gamma variates whose set-up is done ahead, for shapes that recur."""

from libc.math cimport exp, log, sqrt
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_exponential, random_standard_normal

from ._bitgen cimport uniform

cdef struct GammaSetup:
    double d
    double c
    double inverse_shape  # 0 where the shape is at least 1


cdef inline GammaSetup set_up_gamma(double shape) noexcept nogil:
    cdef GammaSetup setup
    setup.inverse_shape = 1.0 / shape if shape < 1.0 else 0.0
    setup.d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    setup.c = 1.0 / (3.0 * sqrt(setup.d))
    return setup


cdef inline double draw_gamma(const GammaSetup* setup, bitgen_t* bitgen) noexcept nogil:
    """Marsaglia and Tsang (2000) over NumPy's normals; shapes below 1 are drawn at shape + 1 and shrunk."""
    cdef double z, v, u, g
    while True:
        z = random_standard_normal(bitgen)
        v = 1.0 + setup.c * z
        if v <= 0.0:
            continue
        v = v * v * v
        u = uniform(bitgen)
        if u < 1.0 - 0.0331 * (z * z) * (z * z) or log(u) < 0.5 * z * z + setup.d * (1.0 - v + log(v)):
            break
    g = setup.d * v
    if setup.inverse_shape > 0.0:
        g *= exp(-random_standard_exponential(bitgen) * setup.inverse_shape)
    return g
