# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The figures and tables of the five papers, for reproduce."""

import collections

import result_papers
from result_runs import PAGES

# page: of result_runs, and its runs that the figure needs; tables: names in result_papers.TABLES; picture: whether that of
# the page shows the figure; models: tables of model-papers; why: the reason why there is nothing, or what is missing.
Figure = collections.namedtuple("Figure", "title page runs tables picture models why", defaults=[None, (), (), False, (), ""])

NOT_PRINTED = "the paper prints neither the number of ranks nor its costs"
RULES = ["default rules", "the paper's rules"]
PRODUCTS = ["products", "products, the paper's rules"]
SLOW = ["32 ranks, 1 Gbit/s", "32 ranks, 1 Gbit/s, the paper's rules"]
LEVELS = ["strong scaling", "strong scaling, the paper's rules"]
SUMS = [*LEVELS, "weak scaling"]
BRUCK = ["ranks of a node", "by size", "16 nodes", "by size, the paper's rules"]
SWEEP = ["k = 2", "k = 3", "k = 4", "k = 0"]
MODELLED_LEVELS = [run.name for run in PAGES["locality-aware-alltoallv-modelled"].runs]
GATHERS = ["locality-aware-bruck-modelled", [run.name for run in PAGES["locality-aware-bruck-modelled"].runs], ["modelled"]]
FEW_MATRICES = "some of the paper's matrices are not at hand"


def dies(title, *runs):
    """A figure of the paper on leader scatter, modelled on the links of GPU dies."""
    return Figure(title, "leader-scatter-modelled", list(runs), ["dies"])


FIGURES = {
    "distance-halving": {
        "2": Figure("equations 1 to 8", why=NOT_PRINTED),
        "4": Figure("latency of random graphs", "distance-halving", RULES, ["measured"], True, ["halving-sizes"]),
        "5": Figure("speed-up on random graphs", "distance-halving", RULES, ["measured"], True, ["halving-sizes"]),
        "6": Figure("Moore neighbourhoods", models=["halving-moore"]),
        "7": Figure("products with sparse matrices", "distance-halving", PRODUCTS, ["products"], why=FEW_MATRICES),
        "8": Figure("creation", "distance-halving", RULES, ["creation"], False, ["halving-creation"]),
        "VII-A": Figure("searches for an agent that succeed", models=["halving-samples"]),
    },
    "common-neighbour": {
        "4": Figure("hyperedges of Moore neighbourhoods", models=["friends-moore"]),
        "5": Figure("speed-up on Moore neighbourhoods", "common-neighbour", SWEEP, ["measured"], True, ["friends-moore"]),
        "6": Figure("Moore neighbourhoods by size", models=["friends-sizes"]),
        "7": Figure("overhead of Moore neighbourhoods", models=["friends-moore"]),
        "8": Figure("random graphs", "common-neighbour", SWEEP, ["measured"], True, ["friends-random"]),
        "9": Figure("random graphs by size", models=["friends-sizes"]),
        "10": Figure("overhead of random graphs", models=["friends-random"]),
        "12": Figure("products, over MPI_Allgather", why="no program here forms a product by MPI_Allgather"),
        "13": Figure("products, over the default", "distance-halving", PRODUCTS, ["products"], why=FEW_MATRICES),
    },
    "leader-scatter": {
        "2d": Figure("one die to two others", why="a part of figure 7 a, and the text has one number only"),
        "7a": dies("8 dies, cluster A", "A, 8"),
        "7b": dies("16 dies, cluster A", "A, 16"),
        "7c": Figure("32 dies, cluster A, in host memory", "leader-scatter", SLOW, ["measured"], True),
        "7c-dies": dies("32 dies, cluster A", "A, 32"),
        "8": dies("8 and 128 dies, cluster B", "B, 8", "B, 128"),
        "9": dies("Moore neighbourhoods, cluster B", "B, 8", "B, 128"),
        "10": Figure("Moore neighbourhoods, cluster A", "leader-scatter", SLOW, ["measured"], True),
        "11": Figure("products on GPUs", why="needs memory of GPUs"),
        "III": Figure("matrices of figure 11", why="needs memory of GPUs"),
    },
    "locality-aware-alltoallv": {
        "6": Figure("creations", why="the JSON of figure 8 has creation_seconds"),
        "7": Figure("init and exchanges", "locality-aware-alltoallv", SUMS, ["totals"]),
        "8": Figure("messages by level", "locality-aware-alltoallv", LEVELS, ["levels"], True),
        "9": Figure("bytes by level", "locality-aware-alltoallv", LEVELS, ["levels"], True),
        "10": Figure("time by level", "locality-aware-alltoallv", LEVELS, ["levels"], True),
        "11": Figure("strong and weak scaling", "locality-aware-alltoallv", SUMS, ["totals"]),
        "8-2048": Figure("messages, bytes and time by level (figures 8 to 11), 2,048 ranks",
                         "locality-aware-alltoallv-modelled", MODELLED_LEVELS, ["levels"]),
    },
    "locality-aware-bruck": {
        "3": Figure("ping-pong costs", why="they are in ompi/mca/coll/nbrhood/costs/lassen.txt; nbrhood-calibrate measures them"),
        "7": Figure("plain and locality-aware Bruck by nodes and ranks", *GATHERS),
        "8": Figure("plain and locality-aware Bruck by size", *GATHERS),
        "9": Figure("MPI_Allgather, Quartz", "locality-aware-bruck", BRUCK, ["measured"], True),
        "10": Figure("MPI_Allgather, Lassen", "locality-aware-bruck", BRUCK, ["measured"], True),
    },
}


def table_of(figure, name):
    """The function that makes a table of a figure."""
    return result_papers.TABLES[figure.page, name]


def picture_of(figure):
    """The function that draws a figure; None if there is no picture."""
    return result_papers.PICTURES[figure.page] if figure.picture else None
