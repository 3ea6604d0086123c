# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Multiplies a sparse matrix with 16 vectors, and the result again, as block solvers do.

Each rank has some rows of the matrix and of the vectors. Before a product it sends its rows of the vectors to the ranks
that need any of them, by MPI_Neighbor_allgatherv. Ends with an error if the result is not that of one process.

    mpirun -np 16 python3 -m mpi4py spmm.py [PRODUCTS]
"""
import sys

import numpy
from mpi4py import MPI

ROWS = 8  # of a rank
VECTORS = 16
NONZEROS = 6  # of a row

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
chance = numpy.random.default_rng(1)  # the same matrix and vectors on all ranks
rows = ROWS * ranks
columns = chance.integers(0, rows, (rows, NONZEROS))
values = chance.random((rows, NONZEROS))
values /= values.sum(axis=1, keepdims=True)
first = chance.random((rows, VECTORS))


def product(some, vectors):
    """Some rows of the product."""
    return numpy.einsum("rn,rnv->rv", values[some], vectors[columns[some]])


def rows_of(owner):
    """The rows of a rank."""
    return slice(owner * ROWS, (owner + 1) * ROWS)


needed = [set(columns[rows_of(owner)].ravel() // ROWS) - {owner} for owner in range(ranks)]
sources = sorted(needed[rank])
destinations = [other for other in range(ranks) if rank in needed[other]]
graph = world.Create_dist_graph_adjacent(sources, destinations)
own = rows_of(rank)
vectors = numpy.full((rows, VECTORS), numpy.nan)  # rows that are not needed stay so
incoming = numpy.empty((len(sources), ROWS, VECTORS))
counts = [ROWS * VECTORS] * len(sources)
result = first[own].copy()
products = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
for _ in range(products):
    graph.Neighbor_allgatherv(result, [incoming, counts, None, MPI.DOUBLE])
    vectors[own] = result
    for source, block in zip(sources, incoming):
        vectors[rows_of(source)] = block
    result = product(own, vectors)
for _ in range(products):
    first = product(slice(None), first)
assert numpy.allclose(result, first[own], rtol=1e-12, atol=0), f"rank {rank} has a wrong product"
if rank == 0:
    print(f"spmm: {products} products, {ranks} ranks, {len(sources)} neighbours, sum {first.sum():.9f}")
