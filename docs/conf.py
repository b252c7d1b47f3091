"""Sphinx settings; ``docs/development.rst`` holds the command that builds the pages."""

import os
import sys
from pathlib import Path

import skproxy

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).resolve().parent / "_ext"))

project = "skproxy"
author = "the skproxy developers"
copyright = author
version = release = skproxy.__version__

extensions = [
    "addresses",  # this and the next three from _ext
    "docstrings",
    "mathml",
    "results_pages",
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
# A name in backticks becomes a link where there is something to link to. No
# intersphinx: the pages build without a network; names of other libraries stay text.
default_role = "py:obj"
autodoc_typehints = "none"
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"(plot_\w+|quickstart)\.py",
    "ignore_pattern": r"(__init__|bench_\w+)\.py",
    "within_subsection_order": "gallery_order.QuickstartFirst",
    "thumbnail_size": (480, 240),
    "doc_module": ("skproxy",),
    "backreferences_dir": "generated/backreferences",
    "download_all_examples": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}

# What is copied is code: neither prompts nor what was printed.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

plot_html_show_source_link = plot_html_show_formats = False
plot_formats = [("png", 110)]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "skproxy"
html_favicon = html_logo = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["skproxy.css"]
html_show_sourcelink = False
html_sidebars = {"*": []}  # pages that stand alone; those in folders have neighbours
html_theme_options = {
    "logo": {"text": "skproxy", "alt_text": ""},
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "navbar_persistent": ["search-button-field"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
