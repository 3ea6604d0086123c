# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""A session with MPI_THREAD_MULTIPLE begins while a nonblocking call that began without threads is in flight.

Open MPI 5.0 uses threads from then on. This call must still end, and so must later calls.
"""
import time
from array import array

import mpi4py

mpi4py.rc.threads = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
others = [other for other in range(ranks) if other != rank]
graph = world.Create_dist_graph_adjacent(others, others)
sent = array("i", [rank] * len(others))
received = array("i", [-1] * len(others))
graph.Neighbor_alltoall(sent, received)
world.Barrier()
if rank == ranks - 1:
    time.sleep(2)
received = array("i", [-1] * len(others))
request = graph.Ineighbor_alltoall(sent, received)
session = None
if rank != ranks - 1:
    session = MPI.Session.Init(MPI.Info.Create({"thread_level": "MPI_THREAD_MULTIPLE"}))
request.Wait()
assert list(received) == others, received
for _ in range(100):
    received = array("i", [-1] * len(others))
    graph.Neighbor_alltoall(sent, received)
    assert list(received) == others, received
if session is not None:
    session.Finalize()
graph.Free()
