# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""A rank sleeps while the ranks agree from which call on messages between pairs serve MPI_Alltoallv.

With coll_nbrhood_stall_seconds 1 others must tell that they wait for the agreement. It begins with call
coll_nbrhood_alltoallv_survey, 3 by default.
"""
import time
from array import array

from mpi4py import MPI

CALLS, CALLS_OF_SURVEY = 60, 3

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
right, left = (rank + 1) % ranks, (rank - 1) % ranks
send_counts = [int(other == right) for other in range(ranks)]
receive_counts = [int(other == left) for other in range(ranks)]
zeros = [0] * ranks
received = [array("i", [-1]) for _ in range(CALLS)]
requests = []
for call in range(CALLS):
    # This rank has none below it in the tree of the survey, so the others get as far as to agree.
    if call == CALLS_OF_SURVEY and rank == ranks - 1:
        time.sleep(4)
    requests.append(world.Ialltoallv([array("i", [rank + call]), send_counts, zeros, MPI.INT],
                                     [received[call], receive_counts, zeros, MPI.INT]))
    time.sleep(0.02)
    requests[-1].Test()  # the survey makes progress
MPI.Request.Waitall(requests)
assert [block[0] for block in received] == [left + call for call in range(CALLS)], received
if rank == 0:
    print("late agreement: all blocks came")
