# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The programs of compare-programs, and how they are compiled."""

import dataclasses
import glob
import os
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLIENTS = os.path.join(TOP, "test", "clients")


class CompareError(Exception):
    """A message for the user."""


class Unavailable(CompareError):
    """A program that cannot run here."""


def run(command, **options):
    """Runs a program and returns its output. When this process is terminated, the program is, too, and may clean up."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options) as process:
        try:
            output, _ = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    return process.returncode, output


def last_lines(output, count=15):
    """The end of a program's output."""
    return "\n".join(output.splitlines()[-count:])


def compile_c(source, flags, target):
    """Compiles a program of one file."""
    try:
        status, output = run(["mpicc", "-O2", source, *flags, "-o", target])
    except FileNotFoundError as error:
        raise CompareError("mpicc was not found (Debian: libopenmpi-dev)") from error
    if status != 0:
        raise CompareError(f"{source} cannot be compiled:\n{last_lines(output)}")


class Petsc:
    """The PETSc of the system."""

    def __init__(self):
        # Debian keeps PETSc's file apart, in one directory per version.
        directories = [os.environ.get("PKG_CONFIG_PATH", "")]
        directories += sorted(glob.glob("/usr/lib/petscdir/petsc*/*/lib/pkgconfig"))
        self.environment = dict(os.environ, PKG_CONFIG_PATH=":".join(filter(None, directories)))

    def flags(self, *options):
        """The output of pkg-config, as words."""
        try:
            status, output = run(["pkg-config", *options, "petsc"], env=self.environment)
        except FileNotFoundError as error:
            raise Unavailable("pkg-config was not found (Debian: pkg-config)") from error
        if status != 0:
            raise Unavailable("PETSc was not found (Debian: petsc-dev)")
        return output.split()

    def example(self, source):
        """The path of one of PETSc's examples."""
        version = ".".join(self.flags("--modversion")[0].split(".")[:2])
        for root in (f"/usr/share/petsc/{version}/share/petsc/examples/src", os.path.join(self.prefix(), "src")):
            path = os.path.join(root, source)
            if os.path.isfile(path):
                return path
        raise Unavailable(f"PETSc's example {source} was not found (Debian: libpetsc{version}-dev-examples)")

    def prefix(self):
        """Where PETSc is."""
        return (self.flags("--variable=prefix") or [""])[0]

    def build(self, source, target):
        """Compiles a program of one file."""
        compile_c(source, [*self.flags("--cflags", "--libs"), "-lm"], target)


@dataclasses.dataclass
class PetscProgram:
    """A program of PETSc's tutorials, or one of test/clients."""

    name: str
    what: str
    source: str
    arguments: str
    wants_cube: bool = False

    def path(self):
        """The source."""
        Petsc().flags("--cflags")
        return self.source if os.path.isabs(self.source) else Petsc().example(self.source)

    def check(self, ranks):
        """Raises Unavailable if the program cannot run on this many ranks."""
        self.path()
        if self.wants_cube and round(ranks ** (1 / 3)) ** 3 != ranks:
            raise Unavailable(f"it wants a cube of ranks (8, 27, 64, ...), not {ranks}")

    def prepare(self, directory, _ranks):
        """Returns the command."""
        target = os.path.join(directory, self.name)
        Petsc().build(self.path(), target)
        return [target, "-sf_type", "neighbor", *self.arguments.split()]


@dataclasses.dataclass
class PythonProgram:
    """A program of test/clients."""

    name: str
    what: str
    source: str
    modules: str
    package: str
    arguments: str = ""

    def check(self, _ranks):
        """Raises Unavailable if a module is missing."""
        status, _ = run(["/usr/bin/python3", "-c", f"import {self.modules}"])
        if status != 0:
            raise Unavailable(f"Python cannot import {self.modules} (Debian: {self.package})")

    def prepare(self, _directory, _ranks):
        """Returns the command."""
        # Started by mpi4py, so that an exception on one rank ends all of them.
        return ["/usr/bin/python3", "-m", "mpi4py", os.path.join(CLIENTS, self.source), *self.arguments.split()]


@dataclasses.dataclass
class NeuronProgram:
    """A program of test/clients that NEURON runs."""

    name: str
    what: str
    source: str

    def check(self, _ranks):
        """Raises Unavailable if NEURON is missing."""
        if shutil.which("nrniv") is None:
            raise Unavailable("nrniv was not found (Debian: neuron)")

    def prepare(self, _directory, _ranks):
        """Returns the command."""
        return ["nrniv", "-mpi", os.path.join(CLIENTS, self.source)]


def rows_and_columns(ranks):
    """The two factors of a number of ranks that are closest to each other, the smaller one first."""
    rows = max(rows for rows in range(1, int(ranks ** 0.5) + 1) if ranks % rows == 0)
    return rows, ranks // rows


@dataclasses.dataclass
class InstalledProgram:
    """A program that a package brings. Its arguments, and the command that makes its input, may name {rows} and
    {columns} of ranks, the {directory} for files, and {home}, where the program is."""

    name: str
    what: str
    path: str
    package: str
    arguments: str
    makes_input: str = ""

    def found(self):
        """The path of the program, or None."""
        return next((path for path in glob.glob(self.path) if os.access(path, os.X_OK)), None)

    def check(self, _ranks):
        """Raises Unavailable if the program is missing."""
        if self.found() is None:
            raise Unavailable(f"{self.path} was not found (Debian: {self.package})")

    def prepare(self, directory, ranks):
        """Makes the input; returns the command."""
        rows, columns = rows_and_columns(ranks)
        names = {"rows": rows, "columns": columns, "directory": directory, "home": os.path.dirname(self.found())}
        if self.makes_input:
            status, output = run(self.makes_input.format(**names).split())
            if status != 0:
                raise CompareError(f"{self.makes_input} failed:\n{last_lines(output)}")
        return [self.found(), *self.arguments.format(**names).split()]


@dataclasses.dataclass
class CProgram:
    """A program of test/clients that needs nothing but MPI."""

    name: str
    what: str
    source: str
    arguments: str

    def check(self, _ranks):
        """The program is always available."""

    def prepare(self, directory, _ranks):
        """Returns the command."""
        target = os.path.join(directory, self.name)
        compile_c(os.path.join(CLIENTS, self.source), [], target)
        return [target, *self.arguments.split()]


def find_program(name):
    """The program of that name; CompareError if there is none."""
    for program in PROGRAMS:
        if program.name == name:
            return program
    raise CompareError(f"there is no program \"{name}\"; \"list\" shows them")


PROGRAMS = [
    PetscProgram("petsc-ksp", "PETSc, BiCGStab on a random sparse matrix", os.path.join(CLIENTS, "petsc_ksp.c"),
                 "-rows 100000 -scattered 1 -ksp_type bcgs -pc_type jacobi"),
    PetscProgram("petsc-ex45", "PETSc, Poisson's equation on a grid, geometric multigrid", "ksp/ksp/tutorials/ex45.c",
                 "-da_refine 4 -pc_type mg -ksp_rtol 1e-8 -ksp_error_if_not_converged"),
    PetscProgram("petsc-ex19", "PETSc, nonlinear driven cavity, Newton and geometric multigrid", "snes/tutorials/ex19.c",
                 "-da_refine 4 -pc_type mg -snes_error_if_not_converged"),
    PetscProgram("petsc-ex56", "PETSc, linear elasticity, algebraic multigrid", "ksp/ksp/tutorials/ex56.c",
                 "-ne 23 -alpha 1e-3 -use_mat_nearnullspace -ksp_type cg -ksp_error_if_not_converged -pc_type gamg "
                 "-pc_gamg_esteig_ksp_type cg -pc_gamg_esteig_ksp_max_it 10", wants_cube=True),
    PetscProgram("petsc-dmplex", "PETSc, finite elements on a mesh that is distributed, algebraic multigrid",
                 "snes/tutorials/ex13.c",
                 "-dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces 12,12,12 -dm_refine 1 -petscpartitioner_type simple "
                 "-potential_petscspace_degree 1 -snes_type ksponly -ksp_type cg -ksp_rtol 1e-8 "
                 "-ksp_error_if_not_converged -pc_type gamg"),
    PetscProgram("petsc-hypre", "PETSc with its defaults, Poisson's equation, hypre's multigrid; point-to-point messages only",
                 "ksp/ksp/tutorials/ex45.c", "-sf_type basic -da_refine 2 -pc_type hypre -ksp_rtol 1e-8"),
    PythonProgram("spmm", "mpi4py, products of a sparse matrix with 16 vectors, by MPI_Neighbor_allgatherv", "spmm.py",
                  "mpi4py, numpy", "python3-mpi4py python3-numpy"),
    PythonProgram("mpi4py", "each of mpi4py's neighbourhood calls a few times", "mpi4py_neighbor.py", "mpi4py, numpy",
                  "python3-mpi4py python3-numpy"),
    PythonProgram("dolfinx-poisson", "dolfinx, Poisson's equation, conjugate gradients", "dolfinx_solve.py",
                  "dolfinx, scipy", "python3-dolfinx of Debian 13, python3-scipy", "poisson"),
    PythonProgram("dolfinx-elasticity", "dolfinx, linear elasticity, conjugate gradients", "dolfinx_solve.py",
                  "dolfinx, scipy", "python3-dolfinx of Debian 13, python3-scipy", "elasticity"),
    NeuronProgram("neuron", "NEURON, transfer of voltages between ranks in each step, by MPI_Alltoallv",
                  "neuron_transfer.hoc"),
    PythonProgram("sample-sort", "mpi4py, keys that move a little are sorted again in each step, by MPI_Alltoallv",
                  "sample_sort.py", "mpi4py, numpy", "python3-mpi4py python3-numpy"),
    InstalledProgram("superlu", "SuperLU_DIST's pddrive, direct solution of a linear system; calls MPI_Alltoallv",
                     "/usr/lib/*/superlu-dist/tests/EXAMPLE/pddrive", "libsuperlu-dist-dev",
                     "-r {rows} -c {columns} {home}/big.rua"),
    InstalledProgram("scotch-order", "PT-Scotch's dgord, ordering of a graph; calls MPI_Alltoallv", "/usr/bin/dgord",
                     "scotch ptscotch", "{directory}/grid.grf /dev/null", "gmk_m3 40 40 40 {directory}/grid.grf"),
    InstalledProgram("scotch-part", "PT-Scotch's dgpart, partition of a graph in 16; calls MPI_Alltoallv", "/usr/bin/dgpart",
                     "scotch ptscotch", "16 {directory}/grid.grf /dev/null", "gmk_m3 40 40 40 {directory}/grid.grf"),
    CProgram("dup", "MPI_Comm_dup, 1,000 times", "communicators.c", "dup 1000"),
    CProgram("split", "MPI_Comm_split, 1,000 times", "communicators.c", "split 1000"),
    CProgram("graph", "MPI_Dist_graph_create_adjacent with up to 26 neighbours, 1,000 times", "communicators.c",
             "graph 1000"),
]
