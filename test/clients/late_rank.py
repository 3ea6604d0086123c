# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""A rank calls three seconds late: with coll_nbrhood_stall_seconds 1 its neighbours must name the rank they wait for.

With the argument "threads" the call is in another thread, while the main thread waits in another call and makes
progress.
"""
import sys
import time
from array import array
from threading import Thread

import mpi4py

threads = sys.argv[1:] == ["threads"]
mpi4py.rc.threads = threads
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
neighbours = [(rank - 1) % ranks, (rank + 1) % ranks]
ring = world.Create_dist_graph_adjacent(neighbours, neighbours)
assert (MPI.Query_thread() == MPI.THREAD_MULTIPLE) == threads
world.Barrier()
received = array("i", [-1, -1])


def call():
    if rank == 0:
        time.sleep(3)
    ring.Neighbor_alltoall(array("i", [rank, rank]), received)


if threads:
    other = Thread(target=call)
    if rank == 0:
        other.start()
        other.join()
        world.Barrier()
    else:
        other.start()
        world.Barrier()
        other.join()
else:
    call()
assert list(received) == neighbours, received
if rank == 0:
    print("late rank: all blocks came")
