# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The runs of measure-results, for each page of docs/results and docs/papers."""

import collections
import os

# A run of a program on an emulated cluster, or of nbrhood-explain; minutes: on two quiet cores; cluster: options of
# contrib/cluster, such as parameters. In options {matrices} is the directory with the matrices.
Run = collections.namedtuple("Run", "name nodes ranks_per_node program options minutes cluster", defaults=[()])
Page = collections.namedtuple("Page", "title runs")

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = "benchmarks/nbrhood-bench/nbrhood-bench"
AMG = "benchmarks/nbrhood-amg/nbrhood-amg"
ALLGATHER = "benchmarks/nbrhood-allgather/nbrhood-allgather"
EXPLAIN = "ompi/tools/nbrhood-explain/nbrhood-explain"
MATRICES = ["bcsstk13", "dwt_193", "delaunay_n10", "Journals"]


def repeated(option, values):
    """The option before each value."""
    return [word for value in values for word in (option, value)]


def run_on_4x16(name, program, minutes, *options, cluster=()):
    """64 ranks on 4 nodes."""
    return Run(name, 4, 16, program, list(options), minutes, cluster)


def parameters(**values):
    """Options of contrib/cluster that set parameters of the component."""
    return [word for name, value in values.items() for word in ("--mca", f"coll_nbrhood_{name}", str(value))]


def modelled_allgather():
    """60 nodes of 36 ranks, as in the paper on distance halving."""
    graphs = ["moore:2,1", "moore:3,1", "moore:2,3", "rsg:0.05", "rsg:0.1", "rsg:0.3", "rsg:0.7"]
    return Run("allgather", 60, 36, EXPLAIN,
               [*repeated("--graph", graphs), "--machine", "node:60 socket:2 core:18", "--costs", "lassen", "--op",
                "neighbor_allgather", "--algorithms", "direct,aggregated,two_step,distance_halving", "--block-bytes",
                "8,512,4096"], 6)


def halving(name, **values):
    """Figures 4 and 5 of the paper on distance halving."""
    return run_on_4x16(name, BENCH, 3, *repeated("--graph", ["rsg:0.05", "rsg:0.1", "rsg:0.3", "rsg:0.5", "rsg:0.7"]),
                       "--op", "neighbor_allgather", "--variant", "blocking", "--block-bytes", "8,512,4KiB,32KiB",
                       "--algorithms", "distance_halving,common_neighbor", "--samples", "11", "--max-seconds", "2",
                       "--no-aa", cluster=parameters(**values))


def friends(k):
    """Figures 5 and 8 of the paper on common neighbours, for one k."""
    return run_on_4x16(f"k = {k}", BENCH, 1,
                       *repeated("--graph", ["rsg:0.05", "rsg:0.2", "rsg:0.4", "rsg:0.6", "rsg:0.8", "moore:2,1", "moore:2,2",
                                             "moore:3,1"]),
                       "--op", "neighbor_allgather", "--variant", "nonblocking", "--block-bytes", "4", "--algorithms",
                       "common_neighbor", "--samples", "11", "--max-seconds", "2", "--no-aa",
                       cluster=parameters(friends_per_group=k))


OF_MATRICES = repeated("--graph", [f"matrix:{{matrices}}/{name}.mtx" for name in MATRICES])

PAGES = {
    "gain": Page("What do I gain at default settings?", [
        run_on_4x16("neighbours by size", BENCH, 6,
                    *repeated("--graph", ["ring:2", "moore:2,1", "moore:3,1", "rsg:0.1", "rsg:0.3"]),
                    *repeated("--op", ["neighbor_alltoallv", "neighbor_allgather"]), "--variant", "blocking",
                    "--algorithms", "auto", "--block-bytes", "8,512,4KiB,64KiB", "--samples", "15",
                    "--max-seconds", "2"),
        run_on_4x16("neighbours of matrices", BENCH, 1, *OF_MATRICES, "--op", "neighbor_alltoallv", "--variant",
                    "blocking", "--algorithms", "auto", "--samples", "15", "--max-seconds", "4"),
        run_on_4x16("MPI_Alltoallv", BENCH, 4, *OF_MATRICES, "--graph", "rsg:0.1", "--op", "mpi_alltoallv",
                    "--variant", "blocking", "--algorithms", "auto", "--block-bytes", "8,4KiB", "--samples", "11",
                    "--max-seconds", "6", "--first-calls", "200"),
        run_on_4x16("MPI_Allgather", ALLGATHER, 1, "--algorithms", "auto", "--sizes", "8,512,4096", "--placements", "slot",
                    "--samples", "15", "--max-seconds", "4"),
    ]),
    "algorithms": Page("Which algorithm when?", [
        run_on_4x16("allgather", BENCH, 4,
                    *repeated("--graph", ["ring:2", "moore:2,1", "moore:3,1", "rsg:0.05", "rsg:0.3", "rsg:0.7"]),
                    "--op", "neighbor_allgather", "--variant", "blocking", "--block-bytes", "8,1KiB", "--samples", "11",
                    "--max-seconds", "4", "--algorithms",
                    "aggregated,two_step,distance_halving,common_neighbor,grid_paths"),
    ]),
    "scale": Page("What happens on 2,160 ranks? (modelled)", [modelled_allgather()]),
    "distance-halving": Page("Sharifian, Sojoodi, Afsahi 2024", [
        halving("default rules"),
        halving("the paper's rules", halving_cut="count", halving_origins=1, halving_samples=0, halving_pass_on="all",
                combining_threshold=16 << 20, packing_threshold=16 << 20),
    ]),
    "common-neighbour": Page("Ghazimirsaeed, Mirsadeghi, Afsahi 2019", [friends(k) for k in (2, 3, 4, 0)]),
    "leader-scatter": Page("Temucin, Gazimirsaeed, Grant, Afsahi 2024", [
        Run("32 ranks, 1 Gbit/s", 4, 8, BENCH,
            [*repeated("--graph", ["rsg:0.4", "rsg:0.6", "moore:2,1"]), "--op", "neighbor_allgather", "--variant", "blocking",
             "--block-bytes", "256KiB,1MiB", "--algorithms", "direct,leader_scatter,two_step", "--samples", "5", "--calls",
             "2", "--warmup", "1", "--creations", "1", "--max-seconds", "25", "--no-aa"], 4,
            ["--bandwidth", "1gbit", "--mca", "coll_nbrhood_gpu_topology", os.path.join(TOP, "test/gpu/mi250.tsv")]),
    ]),
    "locality-aware-alltoallv": Page("Collom, Li, Bienz 2023", [
        run_on_4x16("strong scaling", AMG, 4, "--rows", "524288", "--max-seconds", "6"),
        run_on_4x16("copies", BENCH, 2, *OF_MATRICES, "--op", "neighbor_alltoallv", "--variant", "persistent", "--values",
                    "indexed,typed", "--algorithms", "aggregated", "--samples", "11", "--max-seconds", "8"),
    ]),
    "locality-aware-bruck": Page("Bienz, Gautam, Kharel 2022", [
        run_on_4x16("ranks of a node", ALLGATHER, 1, "--algorithms", "all", "--sizes", "8", "--ranks-per-node", "2,4,8,16",
                    "--samples", "11", "--max-seconds", "5"),
        run_on_4x16("by size", ALLGATHER, 1, "--algorithms", "all", "--sizes", "8,512,4096", "--samples", "11",
                    "--max-seconds", "5"),
        Run("16 nodes", 16, 4, ALLGATHER, ["--algorithms", "all", "--sizes", "8,512,4096", "--samples", "11",
                                           "--max-seconds", "5"], 1),
    ]),
}
