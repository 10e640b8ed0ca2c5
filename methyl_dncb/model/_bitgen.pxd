"""From a NumPy bit generator to the C struct behind it."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from numpy.random cimport bitgen_t


cdef inline bitgen_t* bitgen_of(object bit_generator) except NULL:
    return <bitgen_t*> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")


cdef inline double uniform(bitgen_t* bitgen) noexcept nogil:
    return bitgen.next_double(bitgen.state)
