# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Sorts keys that move a little in each step, as programs do that keep particles in order.

Each rank sends the keys to the ranks whose parts they belong to, by MPI_Alltoallv. The keys are random at first, so the
first exchange is dense; from then on keys move to ranks nearby only.

    mpirun -np 16 python3 -m mpi4py sample_sort.py [STEPS]
"""
import sys

import numpy
from mpi4py import MPI

KEYS = 20_000  # of a rank, in the mean
SAMPLES = 64  # of a rank

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
chance = numpy.random.default_rng(rank)


def splitters_of(keys):
    """Keys that divide those of all ranks into parts of about the same size."""
    samples = numpy.empty(ranks * SAMPLES)
    world.Allgather(numpy.quantile(keys, numpy.linspace(0, 1, SAMPLES)), samples)
    samples.sort()
    return samples[SAMPLES::SAMPLES]


def exchanged(keys, splitters):
    """The keys of this rank's part, from all ranks; sorted."""
    keys.sort()
    ends = numpy.concatenate(([0], numpy.searchsorted(keys, splitters), [len(keys)]))
    counts = numpy.diff(ends).astype("i")
    incoming = numpy.empty(ranks, "i")
    world.Alltoall(counts, incoming)
    received = numpy.empty(incoming.sum())
    starts = numpy.concatenate(([0], numpy.cumsum(incoming)[:-1])).astype("i")
    world.Alltoallv([keys, counts, ends[:-1].astype("i"), MPI.DOUBLE],
                    [received, incoming, starts, MPI.DOUBLE])
    received.sort()
    return received


def is_sorted(keys):
    """Whether the last key of each rank is below the first one of the next."""
    bounds = numpy.empty((ranks, 2))
    world.Allgather(numpy.array([keys[0], keys[-1]]), bounds)
    return bool(numpy.all(numpy.diff(keys) >= 0) and numpy.all(numpy.diff(bounds.ravel()) >= 0))


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 400
keys = chance.random(KEYS)
splitters = splitters_of(keys)
total = world.allreduce(keys.sum())
for step in range(steps):
    keys = exchanged(keys, splitters)
    assert is_sorted(keys), f"step {step}: rank {rank} has wrong keys"
    assert world.allreduce(len(keys)) == ranks * KEYS, f"step {step}: keys were lost"
    keys = keys + chance.normal(0, 0.1 / ranks, len(keys))
if rank == 0:
    print(f"sample sort: {steps} steps, {ranks} ranks, sum of the first keys {total:.6f}")
