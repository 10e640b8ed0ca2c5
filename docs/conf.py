"""How the documentation is built: `sphinx-build -W docs docs/_build/html`. Nothing is fetched from the network."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "methyl_dncb"
author = "The methyl_dncb developers"
copyright = f"2026, {author}"  # noqa: A001 (Sphinx's name)
version = release = installed_version("methyl-dncb")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "myst_nb",
    "command_help",
    "mathml",
    "notebooks",
    "public_api",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "workflows"]

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks carry their outputs; tutorials/execute.py runs them
nb_merge_streams = True

default_role = "public-code"  # `tl.dncb_mf` in a docstring becomes a link
autosummary_generate = True
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 60
napoleon_google_docstring = False
napoleon_use_param = False  # parameters that are described together stay together
napoleon_use_rtype = False
napoleon_preprocess_types = False

html_theme = "sphinx_book_theme"
html_title = "methyl_dncb"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_theme_options = {
    "home_page_in_toc": False,
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
}
html_show_sourcelink = False
html_math_renderer = "mathml"
math_eqref_format = "Eq. {number}"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
