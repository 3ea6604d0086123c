# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.
"""The documents as a site ("make html") and the pages of docs/tools as man pages, from the Markdown that is there."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

project = "coll/nbrhood"
author = "The coll/nbrhood authors"
release = re.search(r"AC_INIT\(\[nbrhood\], \[(.*)\]\)", (TOP / "configure.ac").read_text(encoding="utf-8"))[1]
extensions = ["myst_parser"]
# The sources are the whole checkout, so that links lead from docs/ to the pages beside the code.
include_patterns = ["README.md", *(f"{folder}/**.md" for folder in ("benchmarks", "contrib", "docs", "ompi", "test"))]
exclude_patterns = ["build*", "autom4te.cache", ".*", "**/.*"]
root_doc = "docs/index"
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"fixed_sidebar": True, "page_width": "75em"}

man_pages = [(f"docs/tools/{tool}", tool, purpose, author, 1) for tool, purpose in {
    "nbrhood-bench": "measure neighbourhood collectives with several algorithms in one run",
    "nbrhood-calibrate": "measure what messages cost on a cluster",
    "nbrhood-compare": "run a program with and without coll/nbrhood, in turns",
    "nbrhood-explain": "build and model the patterns of coll/nbrhood for a described machine",
}.items()]
