"""Compiled parts; everything else about the package is in pyproject.toml."""

import os
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup

# METHYL_DNCB_CHECKS=1 compiles bounds and division checks in, for tests of the kernels themselves.
CHECKS = os.environ.get("METHYL_DNCB_CHECKS", "0") == "1"
NUMPY = Path(np.__file__).parent
OPTIMISE = ["/O2"] if os.name == "nt" else ["-O3", "-fno-math-errno", "-fno-trapping-math"]

extensions = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        include_dirs=[np.get_include()],
        # NumPy's own variate generators (gamma, normal, …), linked statically.
        library_dirs=[str(NUMPY / "random" / "lib"), str(NUMPY / "_core" / "lib")],
        libraries=["npyrandom", "npymath"],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        extra_compile_args=OPTIMISE,
    )
    for path in sorted(Path("methyl_dncb").rglob("*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKS,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": not CHECKS,
            "embedsignature": True,
        },
    )
)
