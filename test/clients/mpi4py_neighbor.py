#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""mpi4py's neighbourhood calls, compared with results computed from the graph. Exits nonzero if one is wrong."""

import sys

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.Get_rank(), WORLD.Get_size()
FAILURES = []
# Since mpi4py 4.
PERSISTENT = hasattr(MPI.Distgraphcomm, "Neighbor_alltoallv_init")


def expect(condition, what):
    """Notes a failure on this rank."""
    if not condition:
        FAILURES.append(what)


def destinations_of(rank):
    """A graph that every rank can compute: two ring neighbours and some ranks further away."""
    return sorted({(rank + step) % SIZE for step in (1, 2, 5, SIZE - 1)})


def sources_of(rank):
    """The ranks that send to a rank."""
    return [other for other in range(SIZE) if rank in destinations_of(other)]


def block(source, destination, length):
    """The numbers that one rank sends to another."""
    return np.arange(length, dtype=np.int64) + 1000 * source + 1000000 * destination


def length_of(source, destination):
    """Blocks have different lengths and some are empty."""
    return (3 * source + destination) % 7


def check_alltoallv(comm, call, name):
    """Different counts on every edge."""
    destinations, sources = destinations_of(RANK), sources_of(RANK)
    send_counts = [length_of(RANK, other) for other in destinations]
    recv_counts = [length_of(other, RANK) for other in sources]
    blocks = [block(RANK, other, n) for other, n in zip(destinations, send_counts)]
    send = np.concatenate(blocks) if blocks else np.empty(0, np.int64)
    recv = np.full(sum(recv_counts), -1, np.int64)
    request = call(comm, [send, send_counts, MPI.INT64_T], [recv, recv_counts, MPI.INT64_T])
    if request is not None:
        request.Wait()
    want = np.concatenate([block(other, RANK, n) for other, n in zip(sources, recv_counts)])
    expect(np.array_equal(recv, want), name)


def check_alltoall(comm, call, name):
    """Three numbers on every edge."""
    send = np.concatenate([block(RANK, other, 3) for other in destinations_of(RANK)])
    recv = np.full(3 * len(sources_of(RANK)), -1, np.int64)
    request = call(comm, send, recv)
    if request is not None:
        request.Wait()
    want = np.concatenate([block(other, RANK, 3) for other in sources_of(RANK)])
    expect(np.array_equal(recv, want), name)


def check_allgather(comm, call, name):
    """The same four numbers to everybody."""
    recv = np.full(4 * len(sources_of(RANK)), -1, np.int64)
    request = call(comm, block(RANK, 0, 4), recv)
    if request is not None:
        request.Wait()
    want = np.concatenate([block(other, 0, 4) for other in sources_of(RANK)])
    expect(np.array_equal(recv, want), name)


def check_persistent(comm):
    """Requests are started several times, with new data each time, before others end."""
    destinations, sources = destinations_of(RANK), sources_of(RANK)
    send_counts = [length_of(RANK, other) for other in destinations]
    recv_counts = [length_of(other, RANK) for other in sources]
    send, recv = np.empty(sum(send_counts), np.int64), np.empty(sum(recv_counts), np.int64)
    own, gathered = np.empty(4, np.int64), np.empty(4 * len(sources), np.int64)
    requests = [
        comm.Neighbor_alltoallv_init([send, send_counts, MPI.INT64_T], [recv, recv_counts, MPI.INT64_T]),
        comm.Neighbor_allgather_init(own, gathered),
    ]
    for start in range(4):
        send[:] = np.concatenate([block(RANK, other, n) for other, n in zip(destinations, send_counts)]) + start
        own[:] = block(RANK, 0, 4) + start
        recv.fill(-1)
        gathered.fill(-1)
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        want = np.concatenate([block(other, RANK, n) for other, n in zip(sources, recv_counts)]) + start
        expect(np.array_equal(recv, want), f"Neighbor_alltoallv_init, start {start}")
        want = np.concatenate([block(other, 0, 4) for other in sources]) + start
        expect(np.array_equal(gathered, want), f"Neighbor_allgather_init, start {start}")
    for request in requests:
        request.Free()


def check_cart():
    """Data sent in direction s arrives in slot s^1 of the neighbour; slots at borders stay untouched."""
    dims = MPI.Compute_dims(SIZE, 2)
    cart = WORLD.Create_cart(dims, periods=[True, False])
    neighbours = [peer for d in range(2) for peer in cart.Shift(d, 1)]
    send = np.array([100 * RANK + slot for slot in range(4)], np.int64)
    recv = np.full(4, -1, np.int64)
    cart.Neighbor_alltoall(send, recv)
    want = [-1 if peer == MPI.PROC_NULL else 100 * peer + (slot ^ 1) for slot, peer in enumerate(neighbours)]
    expect(recv.tolist() == want, "Create_cart Neighbor_alltoall")
    gathered = np.full(4, -1, np.int64)
    cart.Neighbor_allgather(np.array([RANK], np.int64), gathered)
    expect(gathered.tolist() == [-1 if peer == MPI.PROC_NULL else peer for peer in neighbours],
           "Create_cart Neighbor_allgather")
    cart.Free()


def check_objects(comm):
    """Python objects, which mpi4py sends as pickles of different sizes."""
    got = comm.neighbor_alltoall([{"from": RANK, "to": other, "pad": "x" * other} for other in destinations_of(RANK)])
    want = [{"from": other, "to": RANK, "pad": "x" * RANK} for other in sources_of(RANK)]
    expect(got == want, "neighbor_alltoall")
    got = comm.neighbor_allgather(("object of", RANK))
    expect(got == [("object of", other) for other in sources_of(RANK)], "neighbor_allgather")


def main():
    """Runs everything twice, also on a duplicate."""
    graph = WORLD.Create_dist_graph_adjacent(sources_of(RANK), destinations_of(RANK))
    for comm in (graph, graph.Dup(), graph):
        check_alltoallv(comm, MPI.Distgraphcomm.Neighbor_alltoallv, "Neighbor_alltoallv")
        check_alltoallv(comm, MPI.Distgraphcomm.Ineighbor_alltoallv, "Ineighbor_alltoallv")
        check_alltoall(comm, MPI.Distgraphcomm.Neighbor_alltoall, "Neighbor_alltoall")
        check_alltoall(comm, MPI.Distgraphcomm.Ineighbor_alltoall, "Ineighbor_alltoall")
        check_allgather(comm, MPI.Distgraphcomm.Neighbor_allgather, "Neighbor_allgather")
        check_allgather(comm, MPI.Distgraphcomm.Ineighbor_allgather, "Ineighbor_allgather")
        check_objects(comm)
        if PERSISTENT:
            check_persistent(comm)
    check_cart()
    graph.Free()
    failing = WORLD.allgather(FAILURES)
    if RANK == 0:
        for rank, failures in enumerate(failing):
            for failure in failures:
                print(f"wrong on rank {rank}: {failure}")
        print("mpi4py: wrong" if any(failing) else "mpi4py: right", "with" if PERSISTENT else "without",
              "persistent requests")
    return 1 if any(failing) else 0


if __name__ == "__main__":
    sys.exit(main())
