#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Solves a problem on a box with dolfinx 0.9 and prints numbers of the solution.

    dolfinx_solve.py [poisson|elasticity]

poisson has one unknown a vertex, which is zero on the faces x = 0 and x = 1. elasticity has three: a body is held by an
elastic medium, because with boundary conditions on vectors dolfinx 0.9 cannot insert the diagonals of its own matrices
in parallel.

The numbers must not depend on the implementation of the neighbourhood collectives in dolfinx's scatters and mesh
functions. (They are not equal bit for bit, because dolfinx distributes the mesh differently in each run.) Exits nonzero
if a scatter brings a wrong number, or if the solver does not converge.
"""

import sys

import numpy as np
import ufl
from dolfinx import default_scalar_type, fem, la, mesh
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
CELLS = 12
TOLERANCE = 1e-10


def poisson(box):
    """The bilinear and the linear form of the problem, and its boundary conditions."""
    space = fem.functionspace(box, ("Lagrange", 1))
    trial, test = ufl.TrialFunction(space), ufl.TestFunction(space)
    x = ufl.SpatialCoordinate(box)
    boundary = fem.locate_dofs_geometrical(space, lambda p: np.isclose(p[0], 0.0) | np.isclose(p[0], 1.0))
    zero = fem.dirichletbc(default_scalar_type(0), boundary, space)
    return ufl.inner(ufl.grad(trial), ufl.grad(test)), (1.0 + 10.0 * ufl.sin(5.0 * x[1])) * test, [zero]


def elasticity(box):
    """The bilinear and the linear form of the problem, and its boundary conditions."""
    space = fem.functionspace(box, ("Lagrange", 1, (3,)))
    trial, test = ufl.TrialFunction(space), ufl.TestFunction(space)
    strain = ufl.sym(ufl.grad(trial))
    stress = 2.0 * strain + ufl.tr(strain) * ufl.Identity(3)
    weight = fem.Constant(box, np.array([0.0, 0.0, -1.0]))
    return ufl.inner(stress, ufl.sym(ufl.grad(test))) + ufl.inner(trial, test), ufl.dot(weight, test), []


def assemble(problem):
    """The matrix and the right-hand side."""
    left, right, conditions = problem(mesh.create_box(WORLD, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [CELLS, CELLS, CELLS]))
    left, right = fem.form(left * ufl.dx), fem.form(right * ufl.dx)
    matrix = fem.assemble_matrix(left, bcs=conditions)
    matrix.scatter_reverse()
    vector = fem.assemble_vector(right)
    fem.apply_lifting(vector.array, [left], [conditions])
    vector.scatter_reverse(la.InsertMode.add)
    for condition in conditions:
        condition.set(vector.array)
    return matrix, vector


def scatters_are_right(index_map):
    """Scatters numbers that are known everywhere: forward each ghost gets its global index, back each owner its sum."""
    vector = la.vector(index_map, dtype=np.float64)
    owned, first = index_map.size_local, index_map.local_range[0]
    own_numbers = np.arange(first, first + owned, dtype=np.float64)
    vector.array[:] = -1.0
    vector.array[:owned] = own_numbers
    vector.scatter_forward()
    forward = np.array_equal(vector.array[owned:], index_map.ghosts)
    # Now each ghost adds one to its owner: the number of ranks that have it.
    vector.array[:owned] = 0.0
    vector.array[owned:] = 1.0
    vector.scatter_reverse(la.InsertMode.add)
    counts = np.zeros(index_map.size_global)
    np.add.at(counts, index_map.ghosts, 1.0)
    counts = WORLD.allreduce(counts)
    return WORLD.allreduce(forward and np.array_equal(vector.array[:owned], counts[first : first + owned]), MPI.LAND)


def solve(matrix, vector):
    """Conjugate gradients. Returns the owned part of the solution, or None when they do not converge."""
    columns, block = matrix.index_map(1), matrix.block_size[1]
    owned = columns.size_local * block
    rows = matrix.to_scipy().tocsr()[:owned]

    def dot(u, v):
        return WORLD.allreduce(float(np.dot(u, v)))

    direction = la.vector(columns, block, dtype=np.float64)
    solution = np.zeros(owned)
    residual = vector.array[:owned].copy()
    direction.array[:owned] = residual
    norm = first = dot(residual, residual)
    for _ in range(500):
        if norm <= TOLERANCE**2 * first:
            return solution
        direction.scatter_forward()
        product = rows @ direction.array
        length = norm / dot(direction.array[:owned], product)
        solution += length * direction.array[:owned]
        residual -= length * product
        previous, norm = norm, dot(residual, residual)
        direction.array[:owned] = residual + norm / previous * direction.array[:owned]
    return None


def main():
    """Prints numbers that are the same on all ranks."""
    problems = {"poisson": poisson, "elasticity": elasticity}
    name = sys.argv[1] if len(sys.argv) > 1 else "poisson"
    if name not in problems:
        print(__doc__, file=sys.stderr)
        return 2
    matrix, vector = assemble(problems[name])
    right = scatters_are_right(matrix.index_map(1))
    solution = solve(matrix, vector)
    if not right or solution is None:
        print(f"rank {WORLD.rank}: scatters right {right}, converged {solution is not None}", file=sys.stderr)
        return 1
    unknowns = WORLD.allreduce(len(solution))
    squares = WORLD.allreduce(float(np.dot(solution, solution)))
    largest = WORLD.allreduce(float(np.abs(solution).max()), MPI.MAX)
    if WORLD.rank == 0:
        print(f"unknowns {unknowns}")
        print(f"norm {squares ** 0.5:.16e}")
        print(f"largest {largest:.16e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
