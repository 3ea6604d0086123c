#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""mpi4py: each rank sends its row of numbers to the ranks whose number differs from its own in one or two bits."""

import numpy
from mpi4py import MPI

CALLS = 300

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
neighbours = [other for other in range(size) if other != rank and bin(other ^ rank).count("1") <= 2]
graph = world.Create_dist_graph_adjacent(neighbours, neighbours)
own = numpy.empty(4)
others = numpy.empty((len(neighbours), 4))
wrong = 0
for call in range(CALLS):
    own[:] = rank + 0.001 * call
    graph.Neighbor_allgather(own, others)
    wrong += int((others != numpy.array(neighbours)[:, None] + 0.001 * call).sum())
wrong = world.reduce(wrong)
if rank == 0:
    print(f"gather: {wrong} wrong values")
graph.Free()
