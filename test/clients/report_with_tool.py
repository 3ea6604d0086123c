# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Makes a topology and calls a collective of it, beside a tool that has initialised MPI_T and never ends it."""

import ctypes

import numpy
from mpi4py import MPI

provided = ctypes.c_int()
ctypes.CDLL(MPI.__file__).MPI_T_init_thread(0, ctypes.byref(provided))
ring = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True])
sent = numpy.full(2, MPI.COMM_WORLD.rank)
received = numpy.empty(2, dtype=sent.dtype)
for _ in range(3):
    ring.Neighbor_alltoall(sent, received)
ring.Free()
