# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The version of this package: for --version of the programs beside this file."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGURE = os.path.join(os.path.dirname(HERE), "configure.ac")


def package_version():
    """The version in configure.ac, or that of an installed program."""
    if not os.path.exists(CONFIGURE):
        with open(os.path.join(HERE, "version"), encoding="utf-8") as file:
            return file.read().strip()
    with open(CONFIGURE, encoding="utf-8") as file:
        return re.search(r"^AC_INIT\(\[nbrhood\], \[(.*)\]\)$", file.read(), re.M)[1]


def add_version(parser):
    """Gives a program's command line the option --version."""
    parser.add_argument("--version", action="version", version=f"{parser.prog} (coll/nbrhood) {package_version()}")
