"""What Sphinx reads: theme, pages, docstrings, examples. ``build.py`` calls it."""

from __future__ import annotations

import sys
from pathlib import Path

import fedps

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

project = "FedPS"
author = "the FedPS contributors"
version = release = fedps.__version__
copyright = author

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "every_public_name",
]

# ------------------------------------------------------------------------------------- pages

root_doc = "index"
exclude_patterns = ["README.part", "gallery/*.ipynb", "gallery/*.json", "gallery/*.py"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
highlight_language = "text"
smartquotes = False
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# -------------------------------------------------------------------------------- docstrings

# engines have environments of their own: their names need not be there to be read about
autodoc_mock_imports = ["cryptography", "flwr", "nvflare"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
# no docstring, a parameter that it leaves out or makes up, no summary
numpydoc_validation_checks = {"GL08", "PR01", "PR02", "SS01"}
# records have attributes, and sketches have fields that a fit fills in
numpydoc_validation_exclude = {
    r"^fedps\.report\.",
    r"^fedps\.looks\.",
    r"FederationSchema",
    r"^fedps\.(KLL|REQ)$",
}

# ----------------------------------------------------------------------------------- gallery

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "plot_style.reset"),
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 360),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # its page would load scripts from elsewhere
    "min_reported_time": 3600,
    "remove_config_comments": True,
}

# ------------------------------------------------------------------------------------- theme

html_theme = "pydata_sphinx_theme"
html_title = "FedPS"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_favicon = str(HERE / "static" / "logo.svg")
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_theme_options = {
    "logo": {
        "text": "FedPS",
        "image_light": str(HERE / "static" / "logo.svg"),
        "image_dark": str(HERE / "static" / "logo.svg"),
    },
    "navbar_persistent": ["search-button-field"],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc", "sg_download_links"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": []}
