# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stage of contrib/check that compiles and runs the programs of docs/examples, and compares one of them by
# nbrhood-compare. Sourced; needs tally.sh, packages.sh and the variables of contrib/check.

# example NAME COLLECTIVE RESULT COMMAND...: a run on 4 nodes x 4 prints RESULT, and the report names the collective.
example()
{
    local name=$1 collective=$2 result=$3 log=$logs/example-$1
    shift 3
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout 120 --mca coll_nbrhood_report 1 -- "$@" >"$log" 2>&1
    [ "$(grep -ac "^$result$" "$log")" = 1 ]
    record $? "example $name: the result is right" "see $log" "$log"
    grep -aq "nbrhood: *$collective .* calls on 1 communicator" "$log"
    record $? "example $name: the report has its calls" "see $log" "$log"
}

# compare TITLE STATUS TEXT CLUSTER_OPTION...: nbrhood-compare with an example ends with that status and says TEXT.
compare()
{
    local title=$1 wanted=$2 text=$3 log status
    log=$logs/compare-$(tr -c 'a-z0-9\n' - <<<"$title")
    shift 3
    NBRHOOD_BUILD=$build NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/benchmarks/nbrhood-compare" --pairs 1 \
        --directory "$build/examples" "$top/contrib/cluster" once --name "check$$" --nodes 2 --ranks-per-node 2 \
        --timeout 120 "$@" >"$log" 2>&1
    status=$?
    [ $status = "$wanted" ] && grep -q -- "$text" "$log"
    record $? "nbrhood-compare: $title" "exit status $status, see $log" "$log"
}

# A minute.
stage_examples()
{
    local examples=$top/docs/examples work=$build/examples name log=$logs/examples flags
    # gcc mistakes Open MPI's MPI_UNWEIGHTED for an array without elements.
    flags=(-O2 -Wall -Wextra -Werror -Wno-stringop-overread)
    stage_build
    [ "$release" = 4.1 ] || build_benchmarks
    install_missing gfortran python3-mpi4py python3-numpy
    mkdir -p "$work" || return
    for name in halo product reuse; do
        mpicc "${flags[@]}" "$examples/$name.c" -o "$work/$name" >"$log-$name" 2>&1
        record $? "example $name is compiled" "see $log-$name" "$log-$name"
    done
    mpif90 -O2 -Wall -J "$work" "$examples/ring.f90" -o "$work/ring" >"$log-ring" 2>&1
    record $? "example ring is compiled" "see $log-ring" "$log-ring"
    example halo neighbor_alltoallv "halo: sum 136.000000, expected 136.000000" "$work/halo"
    example product alltoallv "product: sum 128.000000, expected 128.000000" "$work/product"
    example reuse neighbor_alltoall "reuse: 0 wrong values" "$work/reuse"
    example gather neighbor_allgather "gather: 0 wrong values" /usr/bin/python3 "$examples/gather.py"
    example ring neighbor_allgather "ring: largest difference *0.000" "$work/ring"
    compare "the component serves half of the runs" 0 "The component served [1-9][0-9]* of 1600 calls" -- {} "$work/product"
    compare "the report is shown" 0 "^served: alltoallv " -- {} "$work/product"
    compare "a priority on the command line does not matter" 0 "^served: alltoallv " \
        --mca coll_nbrhood_priority -1 -- {} "$work/product"
    compare "a run without the component is an error" 2 "0 of 4 ranks have the component" \
        --mca coll ^nbrhood -- {} "$work/product"
    compare "a program that fails is an error" 2 "failed with status" -- {} false
    compare "a program without MPI is an error" 2 "no times were written" -- {} true
}
