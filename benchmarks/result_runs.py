# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The runs of measure-results, for each page of docs/results and docs/papers."""

import collections
import os

# A run of a program on an emulated cluster, or of nbrhood-explain; minutes: on two quiet cores; cluster: options of
# contrib/cluster, such as parameters; release: of Open MPI, if the run is of a certain one. In options {matrices} is the
# directory with the matrices, {levels} that into which a run with --export writes, and --graph with a * names all such
# files.
Run = collections.namedtuple("Run", "name nodes ranks_per_node program options minutes cluster release",
                             defaults=[(), None])
Page = collections.namedtuple("Page", "title runs")

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = "benchmarks/nbrhood-bench/nbrhood-bench"
AMG = "benchmarks/nbrhood-amg/nbrhood-amg"
ALLGATHER = "benchmarks/nbrhood-allgather/nbrhood-allgather"
EXPLAIN = "ompi/tools/nbrhood-explain/nbrhood-explain"
PEERS = "benchmarks/nbrhood-peers/nbrhood-peers"
PROGRAMS = "benchmarks/compare-programs"  # of the checkout
MATRICES = ["bcsstk13", "dwt_193", "delaunay_n10", "Journals"]


def repeated(option, values):
    """The option before each value."""
    return [word for value in values for word in (option, value)]


def run_on_4x16(name, program, minutes, *options, cluster=()):
    """64 ranks on 4 nodes."""
    return Run(name, 4, 16, program, list(options), minutes, cluster)


def modelled_allgather():
    """60 nodes of 36 ranks, as in the paper on distance halving."""
    graphs = ["moore:2,1", "moore:3,1", "moore:2,3", "rsg:0.05", "rsg:0.1", "rsg:0.3", "rsg:0.7"]
    return Run("allgather", 60, 36, EXPLAIN,
               [*repeated("--graph", graphs), "--machine", "node:60 socket:2 core:18", "--costs", "lassen", "--op",
                "neighbor_allgather", "--algorithms", "direct,aggregated,two_step,distance_halving", "--block-bytes",
                "8,512,4096"], 6)


def halving(name, *options):
    """Figures 4, 5 and 8 of the paper on distance halving."""
    return run_on_4x16(name, BENCH, 3, *repeated("--graph", ["rsg:0.05", "rsg:0.1", "rsg:0.3", "rsg:0.5", "rsg:0.7"]),
                       "--op", "neighbor_allgather", "--variant", "blocking", "--block-bytes", "8,512,4KiB,32KiB",
                       "--algorithms", "distance_halving,common_neighbor", "--samples", "11", "--max-seconds", "2",
                       "--no-aa", *options)


def products(name, *options):
    """Products of sparse matrices with 16 columns: figure 7 of the paper on distance halving, 13 of that on common
    neighbours."""
    return run_on_4x16(name, BENCH, 1, *OF_MATRICES, "--op", "neighbor_allgatherv", "--variant", "blocking",
                       "--entry-bytes", "128", "--algorithms", "distance_halving,common_neighbor,auto", "--samples", "11",
                       "--max-seconds", "4", "--no-aa", *options)


def friends(k):
    """Figures 5 and 8 of the paper on common neighbours, for one k."""
    return run_on_4x16(f"k = {k}", BENCH, 1,
                       *repeated("--graph", ["rsg:0.05", "rsg:0.2", "rsg:0.4", "rsg:0.6", "rsg:0.8", "moore:2,1", "moore:2,2",
                                             "moore:3,1"]),
                       "--op", "neighbor_allgather", "--variant", "nonblocking", "--block-bytes", "4", "--algorithms",
                       "common_neighbor", "--samples", "11", "--max-seconds", "2", "--no-aa",
                       cluster=["--mca", "coll_nbrhood_friends_per_group", str(k)])


def scatter(name, *options):
    """Figures 7 c and 10 of the paper on leader scatter, in host memory."""
    return Run(name, 4, 8, BENCH,
               [*repeated("--graph", ["rsg:0.4", "rsg:0.6", "moore:2,1"]), "--op", "neighbor_allgather", "--variant",
                "blocking", "--block-bytes", "256KiB,1MiB", "--algorithms", "direct,leader_scatter,two_step", "--samples", "5",
                "--calls", "2", "--warmup", "1", "--creations", "1", "--max-seconds", "25", "--no-aa", *options], 4,
               ["--bandwidth", "1gbit", "--mca", "coll_nbrhood_gpu_topology", os.path.join(TOP, "test/gpu/mi250.tsv")])


def on_dies(cluster, nodes, *options):
    """Figures 7 to 10 of the paper on leader scatter, modelled: MI250 (A) or MI250X (B), with eight dies a node."""
    links = {"A": "mi250.tsv", "B": "mi250x.tsv"}[cluster]
    return Run(f"{cluster}, {8 * nodes}", nodes, 8, EXPLAIN,
               ["--gpu-topology", os.path.join(TOP, "test/gpu", links), "--machine", f"node:{nodes} core:8",
                *repeated("--graph", ["rsg:0.05", "rsg:0.2", "rsg:0.4", "rsg:0.6", "moore:2,1", "moore:2,2"]), "--op",
                "neighbor_allgather", "--algorithms", "direct,aggregated,two_step,leader_scatter", "--block-bytes",
                "256KiB,1MiB,64MiB", *options], 1)


# Assumed: four adapters, of which a rank uses a tenth of the rate of one.
ADAPTERS_OF_B = repeated("--die-cost", ["adapters=4", "rank=2.5e9", "network_latency=30e-6"])


def gathers(name, nodes, ranks_per_node, *options):
    """Figures 9 and 10 of the paper on the Bruck allgather."""
    return Run(name, nodes, ranks_per_node, ALLGATHER,
               ["--algorithms", "all", "--samples", "11", "--max-seconds", "5", *options], 1)


def modelled_levels(name, *options):
    """Figures 8 to 11 of the paper on locality-aware alltoallv: 128 nodes of Lassen with 16 ranks each."""
    return Run(name, 128, 16, EXPLAIN,
               ["--machine", "node:128 socket:1 core:16", "--costs", "lassen", "--op", "neighbor_alltoallv", "--algorithms",
                "direct,aggregated", "--entry-bytes", "8", *options, "--graph", "matrix:{levels}/level-*.mtx"], 1)


def modelled_gathers(nodes, ranks_per_node, minutes=0):
    """Figures 7 and 8 of that paper, on one socket of each node: by our rules, and locality_bruck by the paper's."""
    def run(name, algorithms, *options):
        return Run(f"{nodes} x {ranks_per_node}{name}", nodes, ranks_per_node, EXPLAIN,
                   ["--machine", f"node:{nodes} socket:1 core:{ranks_per_node}", "--op", "mpi_allgather", "--costs", "lassen",
                    "--block-bytes", "4,64,1KiB", "--algorithms", algorithms, *options], minutes)
    return [run("", "bruck,locality_bruck,hierarchical,multilane"),
            run(", the paper's rules", "bruck,locality_bruck", "--paper", "locality-aware-bruck")]


OF_MATRICES = repeated("--graph", [f"matrix:{{matrices}}/{name}.mtx" for name in MATRICES])


def alltoallvs(release, nodes):
    """MPI_Alltoallv on 64 ranks, beside linear messages and the neighbourhood collective by the same algorithm."""
    def of(name, graphs, sizes, minutes, *options, ways="neighbor,linear", first_calls="200"):
        return Run(f"{release}, {nodes} x {64 // nodes}, {name}", nodes, 64 // nodes, BENCH,
                   [*repeated("--graph", graphs), "--op", "mpi_alltoallv", "--variant", "blocking", "--algorithms", "auto",
                    "--ways", ways, "--block-bytes", sizes, "--samples", "11", "--max-seconds", "6", "--no-aa",
                    "--first-calls", first_calls, *options], minutes, (), release)
    return [of("matrices", OF_MATRICES[1::2], "8", 2), of("random", ["rsg:0.05", "rsg:0.1", "rsg:0.3"], "8,4KiB", 3),
            of("dense", ["rsg:0.7", "rsg:1"], "8", 1), of("large", ["rsg:0.1"], "64KiB", 1),
            of("other pairs in each call", ["rsg:0.1"], "8", 1, "--change-every", "1", ways="linear"),
            of("other pairs after 200 calls", ["rsg:0.1"], "8", 2, "--change-every", "200", ways="linear",
               first_calls="600")]


def peers(nodes, *graphs):
    """Open MPI, the component and MPI Advance, on 64 ranks."""
    return Run(f"{nodes} x {64 // nodes}", nodes, 64 // nodes, PEERS,
               [*OF_MATRICES, *repeated("--graph", graphs), "--block-values", "1,512", "--samples", "11", "--max-seconds", "6"],
               1 + 0.5 * len(graphs))


def program(name, minutes):
    """A whole program with and without the component, on 16 ranks."""
    return Run(name, 4, 4, PROGRAMS, [name, "--pairs", "5"], minutes, (), "4.1")


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
    "alltoallv": Page("Sparse MPI_Alltoallv, on all releases", [
        *alltoallvs("4.1", 4), *alltoallvs("4.1", 8), *alltoallvs("5.0", 4), *alltoallvs("6.0", 4)]),
    "algorithms": Page("Which algorithm when?", [
        run_on_4x16("allgather", BENCH, 4,
                    *repeated("--graph", ["ring:2", "moore:2,1", "moore:3,1", "rsg:0.05", "rsg:0.3", "rsg:0.7"]),
                    "--op", "neighbor_allgather", "--variant", "blocking", "--block-bytes", "8,1KiB", "--samples", "11",
                    "--max-seconds", "4", "--algorithms",
                    "aggregated,two_step,distance_halving,common_neighbor,grid_paths"),
    ]),
    "programs": Page("What do whole programs gain?", [
        program("neuron", 2), program("spmm", 1), program("sample-sort", 1), program("petsc-ex45", 1), program("petsc-ex19", 1),
        program("petsc-dmplex", 1), program("petsc-hypre", 1), program("superlu", 1), program("scotch-order", 1),
        program("scotch-part", 1)]),
    "peers": Page("Against peers", [peers(4, "moore:3,1", "rsg:0.1", "rsg:0.3"), peers(8)]),
    "scale": Page("What happens on 2,160 ranks? (modelled)", [modelled_allgather()]),
    "distance-halving": Page("Sharifian, Sojoodi, Afsahi 2024", [
        halving("default rules"), halving("the paper's rules", "--paper", "distance-halving"),
        products("products"), products("products, the paper's rules", "--paper", "distance-halving"),
    ]),
    "common-neighbour": Page("Ghazimirsaeed, Mirsadeghi, Afsahi 2019", [friends(k) for k in (2, 3, 4, 0)]),
    "leader-scatter": Page("Temucin, Gazimirsaeed, Grant, Afsahi 2024", [
        scatter("32 ranks, 1 Gbit/s"), scatter("32 ranks, 1 Gbit/s, the paper's rules", "--paper", "leader-scatter")]),
    "leader-scatter-modelled": Page("the same, modelled on GPU dies", [
        on_dies("A", 1), on_dies("A", 2), on_dies("A", 4), on_dies("B", 1, *ADAPTERS_OF_B),
        on_dies("B", 16, *ADAPTERS_OF_B)]),
    "locality-aware-alltoallv": Page("Collom, Li, Bienz 2023", [
        run_on_4x16("strong scaling", AMG, 4, "--rows", "524288", "--max-seconds", "6"),
        run_on_4x16("strong scaling, the paper's rules", AMG, 4, "--rows", "524288", "--max-seconds", "6", "--paper",
                    "locality-aware-alltoallv"),
        run_on_4x16("weak scaling", AMG, 4, "--rows-per-rank", "16384", "--max-seconds", "6"),
        run_on_4x16("copies", BENCH, 2, *OF_MATRICES, "--op", "neighbor_alltoallv", "--variant", "persistent", "--values",
                    "indexed,typed", "--algorithms", "aggregated", "--samples", "11", "--max-seconds", "8"),
    ]),
    "locality-aware-alltoallv-modelled": Page("the same, modelled on 2,048 ranks", [
        run_on_4x16("hierarchy", AMG, 1, "--rows", "524288", "--parts", "2048", "--export", "{levels}"),
        modelled_levels("levels"), modelled_levels("levels, the paper's rules", "--paper", "locality-aware-alltoallv")]),
    "locality-aware-bruck": Page("Bienz, Gautam, Kharel 2022", [
        gathers("ranks of a node", 4, 16, "--sizes", "8", "--ranks-per-node", "2,4,8,16"),
        gathers("by size", 4, 16, "--sizes", "8,512,4096"), gathers("16 nodes", 16, 4, "--sizes", "8,512,4096"),
        gathers("by size, the paper's rules", 4, 16, "--sizes", "8,512,4096", "--paper", "locality-aware-bruck"),
    ]),
    "locality-aware-bruck-modelled": Page("the same, modelled", [
        *modelled_gathers(16, 4), *modelled_gathers(256, 4), *modelled_gathers(64, 8), *modelled_gathers(16, 16),
        *modelled_gathers(256, 16), *modelled_gathers(32, 32), *modelled_gathers(1024, 16, 2)]),
}
