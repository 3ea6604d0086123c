/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Solves a random sparse system with PETSc and prints the residual history with full precision:
 * the history must not depend on the implementation of the neighbourhood collectives in PETSc's
 * star forests. */
#include <petscksp.h>

/* The program comes before the MPI library in the search order, so PETSc's inits come here and
 * are counted. */
static int persistent_requests;

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request)
{
    persistent_requests++;
    return PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                        rdispls, recvtype, comm, info, request);
}
#endif

/* A reproducible number for row i and its k-th off-diagonal entry. */
static PetscInt column_of(PetscInt i, PetscInt k, PetscInt rows)
{
    unsigned long long h =
        (unsigned long long) i * 1000003ULL + (unsigned long long) k * 7919ULL + 12345ULL;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    return (PetscInt) (h % (unsigned long long) rows);
}

/* Diagonally dominant matrix: a line of neighbours, and some random entries, so that most ranks
 * exchange data. */
static PetscErrorCode assemble(PetscInt rows, PetscInt scattered, Mat *matrix)
{
    PetscInt first, last;

    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
    PetscCall(MatSetFromOptions(*matrix));
    PetscCall(MatSetUp(*matrix));
    PetscCall(MatGetOwnershipRange(*matrix, &first, &last));
    for (PetscInt i = first; i < last; i++) {
        const PetscScalar off = -1.0, diagonal = 2.5 + 0.5 * (PetscReal) scattered;
        PetscCall(MatSetValue(*matrix, i, i, diagonal, ADD_VALUES));
        if (i > 0)
            PetscCall(MatSetValue(*matrix, i, i - 1, off, ADD_VALUES));
        if (i + 1 < rows)
            PetscCall(MatSetValue(*matrix, i, i + 1, off, ADD_VALUES));
        for (PetscInt k = 0; k < scattered; k++) {
            PetscCall(MatSetValue(*matrix, i, column_of(i, k, rows), -0.45, ADD_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Prints a residual so that equal text means equal bits. */
static PetscErrorCode monitor(KSP solver, PetscInt step, PetscReal norm, void *context)
{
    (void) solver;
    (void) context;
    PetscFunctionBeginUser;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "residual %d %a\n", (int) step, (double) norm));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt rows = 4000, scattered = 4;
    PetscBool converged_ok;
    KSPConvergedReason reason;
    Mat matrix;
    Vec solution, right;
    KSP solver;
    PC preconditioner;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &rows, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-scattered", &scattered, NULL));
    PetscCall(assemble(rows, scattered, &matrix));
    PetscCall(MatCreateVecs(matrix, &solution, &right));
    PetscCall(VecSet(solution, 1.0));
    PetscCall(MatMult(matrix, solution, right));
    PetscCall(VecSet(solution, 0.0));

    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetOperators(solver, matrix, matrix));
    PetscCall(KSPSetType(solver, KSPGMRES));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCBJACOBI));
    PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PetscCall(KSPMonitorSet(solver, monitor, NULL, NULL));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(KSPSolve(solver, right, solution));
    PetscCall(KSPGetConvergedReason(solver, &reason));
    converged_ok = reason > 0 ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", converged_ok ? "converged" : "not converged"));

    /* Not in the output that is compared. */
    PetscCall(
        PetscFPrintf(PETSC_COMM_WORLD, stderr, "persistent requests %d\n", persistent_requests));

    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&right));
    PetscCall(VecDestroy(&solution));
    PetscCall(MatDestroy(&matrix));
    PetscCall(PetscFinalize());
    return converged_ok ? 0 : 1;
}
