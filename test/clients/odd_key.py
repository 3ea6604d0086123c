# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""One rank alone names an algorithm in an info key: with coll_nbrhood_stall_seconds 1 it must report that it waits.

Nothing can end the wait, so another rank ends the program.
"""
import time

import mpi4py

mpi4py.rc.threads = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
neighbours = [(rank - 1) % ranks, (rank + 1) % ranks]
info = MPI.Info.Create()
if rank == 0:
    info.Set("nbrhood_algorithm", "aggregated")
world.Barrier()  # so that rank 0 has begun to wait when others give up
world.Create_dist_graph_adjacent(neighbours, neighbours, info=info)
time.sleep(6)
if rank == 1:
    world.Abort(1)
time.sleep(60)
