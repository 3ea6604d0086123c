! SPDX-License-Identifier: BSD-3-Clause-Open-MPI
! Copyright (c) The coll/nbrhood authors.
!
! Fortran 2008: each rank sends its value to the six ranks before and after it on a ring, and adds up theirs.
program ring
    use mpi_f08
    implicit none
    integer, parameter :: calls = 300, reach = 3
    integer :: rank, ranks, i, call_number, neighbours(2 * reach), unweighted(2 * reach)
    double precision :: own(1), others(2 * reach), expected, difference, largest
    type(MPI_Comm) :: graph

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    do i = 1, reach
        neighbours(i) = modulo(rank - i, ranks)
        neighbours(reach + i) = modulo(rank + i, ranks)
    end do
    unweighted = 1
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2 * reach, neighbours, unweighted, 2 * reach, neighbours, &
                                        unweighted, MPI_INFO_NULL, .false., graph)
    difference = 0
    do call_number = 1, calls
        own = rank + call_number
        call MPI_Neighbor_allgather(own, 1, MPI_DOUBLE_PRECISION, others, 1, MPI_DOUBLE_PRECISION, graph)
        expected = sum(neighbours) + 2 * reach * call_number
        difference = max(difference, abs(sum(others) - expected))
    end do
    call MPI_Reduce(difference, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a, f8.3)', 'ring: largest difference', largest
    call MPI_Comm_free(graph)
    call MPI_Finalize()
end program ring
