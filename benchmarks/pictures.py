# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Pictures of several panels, by matplotlib: for plot-bench, draw-results and reproduce."""

import math
import os
import warnings

from result_files import PlotError, shown

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # also for colour-blind readers
FORMATS = (".svg", ".png", ".pdf")
MOST_PANELS = 100
MOST_LABEL_CHARACTERS = 200


def label(text):
    """A text that can be drawn, without unprintable characters."""
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return text if len(text) <= MOST_LABEL_CHARACTERS else text[:MOST_LABEL_CHARACTERS - 1] + "\u2026"


def new_figure(count, title, columns=None):
    """Returns a figure and its panels; by default nearly as many in a row as in a column."""
    try:
        import matplotlib  # here, so that --help works without it
    except ImportError as error:
        raise PlotError("pictures need matplotlib (Debian: python3-matplotlib)") from error
    if count > MOST_PANELS:
        raise PlotError(f"{count} panels are too many for one picture: give it fewer files, --op or --variant")
    matplotlib.use("svg")
    # File names are no formulas; texts stay texts.
    matplotlib.rcParams.update({"text.parse_math": False, "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    columns = columns or math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    pyplot.close("all")
    figure, panels = pyplot.subplots(rows, columns, figsize=(5 * columns, 3.6 * rows + 0.4), squeeze=False,
                                     layout="constrained")
    figure.suptitle(label(title))
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    for panel in panels.flat:
        panel.grid(axis="y", color="#dddddd")
    return figure, panels.flat[:count]


def add_legend(panel, columns=3, below=0.2):
    """Below the panel: inside it would hide intervals."""
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, -below), ncol=columns, fontsize=8, frameon=False)


def write(figure, path):
    """Writes a picture in the form that its name ends in; a file of before is replaced in one step."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in FORMATS:
        raise PlotError(f"{shown(path)}: the name must end in {', '.join(FORMATS)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a character that the font lacks, a title longer than the picture
            figure.savefig(path + ".part", format=ending[1:])
        os.replace(path + ".part", path)
    except OSError as error:
        raise PlotError(f"{shown(path)}: {error.strerror}") from error
