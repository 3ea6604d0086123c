# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Counts the patterns that the component begins to build in a program, and those that a pattern of an earlier
communicator could have replaced: for compare-programs, from the files that neighbour-times writes."""

import os

from result_files import read_result

# In the order of neighbour-times. A pattern is for one block per rank (the allgathers) or per edge (the alltoalls).
KINDS = ["allgather", "allgather", "alltoall", "alltoall", "alltoall"]
# The columns, and how a table names them.
COUNTED = {"creations": "communicators", "built": "with a build", "builds": "builds", "same": "graph built before",
           "transposed": "transpose built before", "seen": "graph seen before", "unbuilt": "no build, graph built before"}


class Communicator:
    """The notes of all ranks of one communicator."""

    def __init__(self):
        self.edges, self.transposed = {}, {}
        self.calls = [0] * len(KINDS)

    def add(self, rank, noted):
        """Adds the notes of one rank."""
        self.edges[rank], self.transposed[rank] = noted["edges"], noted["transposed"]
        # A rank without neighbours takes no part in a build. The others need not make the same calls: if some skip
        # calls, as PETSc's ranks do, the first rank that has made enough calls begins.
        if noted["neighbours"] > 0:
            self.calls = [max(numbers) for numbers in zip(self.calls, noted["calls"], noted["starts"])]

    def graph(self):
        """The neighbours of all ranks, to be compared within one group of processes."""
        return tuple(sorted(self.edges.items()))

    def transpose(self):
        """The same with sources and destinations exchanged."""
        return tuple(sorted(self.transposed.items()))

    def builds(self, build_after):
        """The kinds of the builds that begin after this many calls, or starts."""
        return [kind for kind, calls in zip(KINDS, self.calls) if calls > build_after]


def read_groups(directory, ranks):
    """The communicators of each group of processes, in the order in which the program made them."""
    groups = {}
    for rank in range(ranks):
        for noted in read_result(os.path.join(directory, str(rank)), "neighbour-times")["graphs"]:
            group = groups.setdefault(noted["group"], {})
            group.setdefault(noted["creation"], Communicator()).add(rank, noted)
    return [[group[creation] for creation in sorted(group)] for group in groups.values()]


def count_group(communicators, build_after, counts):
    """Adds the counts of one group."""
    seen, built = set(), set()
    for communicator in communicators:
        graph, builds = communicator.graph(), communicator.builds(build_after)
        counts["creations"] += 1
        counts["built"] += bool(builds)
        called = {kind for kind, calls in zip(KINDS, communicator.calls) if calls > 0}
        counts["unbuilt"] += any((kind, graph) in built for kind in called - set(builds))
        for kind in builds:
            counts["builds"] += 1
            counts["seen"] += graph in seen
            if (kind, graph) in built:
                counts["same"] += 1
            # The transpose of an allgather's pattern is not a pattern.
            elif kind == "alltoall" and (kind, communicator.transpose()) in built:
                counts["transposed"] += 1
            built.add((kind, graph))
        seen.add(graph)


def count_builds(directory, ranks, build_after):
    """The counts of a program whose ranks wrote their files into the directory."""
    counts = dict.fromkeys(COUNTED, 0)
    for communicators in read_groups(directory, ranks):
        count_group(communicators, build_after, counts)
    return counts


def line_of(counts):
    """The counts in one line."""
    return ", ".join(f"{name} {counts[key]}" for key, name in COUNTED.items())
