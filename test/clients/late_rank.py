"""A rank calls three seconds after its neighbours: with coll_nbrhood_stall_seconds 1 they must say whom they wait for."""
import time
from array import array

import mpi4py

mpi4py.rc.threads = False  # with MPI_THREAD_MULTIPLE nobody looks at the time
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
neighbours = [(rank - 1) % ranks, (rank + 1) % ranks]
ring = world.Create_dist_graph_adjacent(neighbours, neighbours)
world.Barrier()
if rank == 0:
    time.sleep(3)
received = array("i", [-1, -1])
ring.Neighbor_alltoall(array("i", [rank, rank]), received)
assert list(received) == neighbours, received
if rank == 0:
    print("late rank: all blocks came")
