# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Scripts for gnuplot with any text in them, and pictures from them: for plot-bench and model-papers."""

import math
import re
import subprocess

from result_files import PlotError

TERMINALS = {
    ".svg": "svg size {w},{h} dynamic font 'sans,11' background '#ffffff'",
    ".png": "pngcairo size {w},{h} font 'sans,10'",
    ".pdf": "pdfcairo size {wi}in,{hi}in font 'sans,9'",
}
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # also for colour-blind readers
PANEL_WIDTH, PANEL_HEIGHT = 480, 350
MOST_PANELS = 100
MOST_LABEL_CHARACTERS = 200


def quoted(text):
    """A string for gnuplot.

    Between "" gnuplot would run text in backquotes, and between '' it has neither line breaks nor a quote at the
    beginning. So ASCII characters that could have a meaning are written as octal numbers, and so are digits behind
    them, which gnuplot would take for a part of the number.
    """
    def numbers(found):
        return "".join(f"\\{ord(character):03o}" for character in found[0])
    return '"' + re.sub(r"[^A-Za-z0-9 _.,:;()=+/\u0080-\U0010ffff-]+[0-7]*", numbers, text) + '"'


def label(text):
    """A string that gnuplot draws, without unprintable characters."""
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return quoted(text if len(text) <= MOST_LABEL_CHARACTERS else text[:MOST_LABEL_CHARACTERS - 1] + "\u2026")


# For gnuplot: a missing point, so that no line is drawn across its place.
MISSING = "NaN"


def data_block(name, rows):
    """A gnuplot block of data."""
    return [f"${name} << EOD", *(" ".join(map(str, row)) for row in rows), "EOD"]


def script_for(panels, terminal, title, unit):
    """Returns gnuplot's script, which draws to standard output; `terminal` is one of TERMINALS, `unit` the default unit
    of panels."""
    if len(panels) > MOST_PANELS:
        raise PlotError(f"{len(panels)} panels are too many for one picture: give it fewer files, --op or --variant")
    columns = math.ceil(math.sqrt(len(panels)))
    rows = math.ceil(len(panels) / columns)
    width, height = columns * PANEL_WIDTH, rows * PANEL_HEIGHT + 40
    terminal = terminal.format(w=width, h=height, wi=width / 96, hi=height / 96)
    lines = [
        "set encoding utf8",
        f"set terminal {terminal} noenhanced",  # file names have underscores that are no subscripts
        f"set multiplot layout {rows},{columns} title {label(title)}",
        "set grid ytics linetype 1 linecolor rgb '#dddddd'",
        "set key outside bottom center horizontal reverse Left samplen 2",  # inside it would hide intervals
        f"set ylabel {label(unit)}",
    ]
    for panel in panels:
        lines += panel
    return "\n".join(lines + ["unset multiplot", ""])


def run_gnuplot(script):
    """Returns the picture. The user's own settings do not reach it."""
    try:
        done = subprocess.run(["gnuplot", "--default-settings", "-"], input=script.encode(), capture_output=True,
                              check=False)
    except OSError as error:
        raise PlotError(f"pictures need gnuplot (Debian: gnuplot-nox), which does not run: {error.strerror}") from error
    if done.returncode != 0 or not done.stdout:
        # The last line is the reason; those before it show the place.
        reason = done.stderr.decode(errors="replace").strip().splitlines() or ["it does not say why"]
        raise PlotError(f"gnuplot could not draw the picture: {reason[-1].strip()}")
    return done.stdout
