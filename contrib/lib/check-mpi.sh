# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stages of contrib/check that run the component on the emulated cluster: with the tests, and with real programs.
# Sourced; needs tally.sh, packages.sh and the variables of contrib/check.

# After this many seconds a run counts as hanging. Runs that take a minute on an idle machine end in this time on a busy
# one.
hang=900

# For runs that fail on purpose: Open MPI 4.1's mpirun gives the remaining ranks a second or two to end, and with this
# setting they end at once.
kill_at_once=(--mca odls_base_sigkill_timeout 0)

# on_cluster TITLE DIRECTORY CLUSTER_OPTION... -- PROGRAM...: runs a program that prints PASS and FAIL lines. stdout and
# stderr go to separate files, because in one file mpirun writes lines of one into the middle of lines of the other.
on_cluster()
{
    local title=$1 directory=$2 log status
    shift 2
    log=$(log_of "$title")
    NBRHOOD_COMPONENT_DIR=$directory/install/openmpi "$top/contrib/cluster" once --name "check$$" --timeout "$hang" "$@" \
        >"$log" 2>"$log.stderr"
    status=$?
    count_lines "$status" "$title" "$log" || show "$log.stderr"
}

# Limits within the sizes that nbrhood-verify sends: blocks larger than T go direct, blocks larger than P are unpacked,
# and leader_scatter scatters blocks above 64 bytes.
scatter=(--mca coll_nbrhood_leader_scatter_above 64)
limits=(--mca coll_nbrhood_combining_threshold 4096 --mca coll_nbrhood_packing_threshold 256 "${scatter[@]}")
# With this, auto also has its patterns from the first call on; by default it builds them later.
at_creation=(--mca coll_nbrhood_build_after 0)
# Duplicates inherit patterns that are built later, so these cases run with auto, and with one algorithm that is built
# at creation; with all algorithms they would take a third of the time. The stage "soak" has them all.
no_comm_dup=(--skip "comm-dup-")
# The cases that take longest, which the second release leaves out; the stage "more" has them.
long_cases="size-large,sizes-known-change"
# For machines that differ only in which ranks exchange messages: also leaves out the cases that take long because of
# large or many messages.
unshared=(--skip "comm-dup-,duplicates-,size,changing-,trials-")

# For builds or machines whose differences some algorithms do not see; the other runs have all.
for_uneven=(--algorithms "auto,all,^direct,^aggregated,^two_step,^grid_paths")
for_limits=(--algorithms "direct,aggregated")
for_round_robin=(--algorithms "all,^distance_halving,^common_neighbor,^leader_scatter")
for_sockets=(--algorithms "all,^direct,^grid_paths,^leader_scatter")
for_ucx=(--algorithms "all,^direct,^two_step,^leader_scatter")
for_many=(--algorithms "auto,all,^direct,^distance_halving,^grid_paths,^leader_scatter")

# Runs that differ in kind; the stage "more" has the rest.
stage_mpi()
{
    local verify=test/mpi/nbrhood-verify
    if [ "$release" != 4.1 ]; then
        stage_mpi_again
        return
    fi
    on_cluster "verify, 1 node x 1" "$build" --nodes 1 -- "$build/$verify"
    on_cluster "verify, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 "${scatter[@]}" \
        -- "$build/$verify" "${no_comm_dup[@]}"
    on_cluster "verify, 7+1+5+3 ranks" "$build" --nodes 4 --uneven 7,1,5,3 "${at_creation[@]}" \
        --mca coll_nbrhood_combining_threshold 4096 "${scatter[@]}" -- "$build/$verify" "${unshared[@]}" "${for_uneven[@]}"
    on_cluster "verify, 4 nodes x 3, round robin" "$build" --nodes 4 --ranks-per-node 3 --by node \
        -- "$build/$verify" "${unshared[@]}" "${for_round_robin[@]}"
    on_cluster "verify, 4 nodes x 4, ucx" "$build" --nodes 4 --ranks-per-node 4 --pml ucx \
        "${limits[@]}" -- "$build/$verify" "${unshared[@]}" "${for_ucx[@]}"
    on_cluster "verify sizes, 2 nodes x 4, ucx" "$build" --nodes 2 --ranks-per-node 4 --pml ucx \
        "${limits[@]}" -- "$build/$verify" --filter size "${for_ucx[@]}"
    bound_to_sockets
    verify_dies ucx
    verify_builds
    verify_builds_with_threads
    verify_allgathers
    stress_alltoallv
    verify_devices
    check_dump
    check_report
    verify_many 8 ob1 --algorithms auto,aggregated
    check_presence ob1 short
}

# verify_dies PML: ranks on the dies of GPUs, from a file.
verify_dies()
{
    on_cluster "verify blocks between GPU dies, 2 nodes x 8, $1" "$build" --nodes 2 --ranks-per-node 8 --pml "$1" \
        "${scatter[@]}" --mca coll_nbrhood_gpu_topology "$top/test/gpu/mi250.tsv" \
        -- "$build/test/mpi/nbrhood-verify" --algorithms leader_scatter --skip "comm-dup-,duplicates-,churn"
}

# verify_many RANKS_PER_NODE PML ALGORITHM_OPTION...: 4 nodes.
verify_many()
{
    on_cluster "verify random graphs, 4 nodes x $1, $2" "$build" --nodes 4 --ranks-per-node "$1" --pml "$2" \
        -- "$build/test/mpi/nbrhood-verify" --filter random --skip duplicates- "${@:3}"
}

# Patterns that are built beside the calls: auto builds a pattern after one call, wherever one saves any message; chance
# decides whether the pattern survives so short a trial. The ranks ask about the size of blocks every third call after
# the trial.
built_later=(--mca coll_nbrhood_build_after 1 --mca coll_nbrhood_watch_calls 3)
tried=(--mca coll_nbrhood_trial_calls 2)
relays_pay=(--mca coll_nbrhood_costs "$top/test/mpi/relays-pay.txt")
later=("${built_later[@]}" "${tried[@]}" "${relays_pay[@]}")

# tells TITLE LOG PATTERN [TIMES]: the output of a run has a line with PATTERN, or more than TIMES such lines.
tells()
{
    [ "$(grep -ac "$3" "$2.stderr")" -gt "${4:-0}" ]
    record $? "$1" "see $2.stderr" "$2.stderr"
}

# tells_not TITLE LOG PATTERN: the output has no line with PATTERN.
tells_not()
{
    ! grep -aq "$3" "$2.stderr"
    record $? "$1" "see $2.stderr" "$2.stderr"
}

verify_builds()
{
    local title="verify patterns built later, 4 nodes x 4" log skipped=()
    [ "$release" = 4.1 ] || skipped=(--skip "$long_cases")
    log=$(log_of "$title")
    on_cluster "$title" "$build" --nodes 4 --ranks-per-node 4 "${later[@]}" --mca coll_nbrhood_report 1 \
        --mca coll_nbrhood_verbose 1 -- "$build/test/mpi/nbrhood-verify" --algorithms auto "${skipped[@]}"
    tells "patterns are built after one call" "$log" "aggregated .*from call" 100
    tells "and again where blocks change" "$log" "another size now"
    tells "duplicates inherit them" "$log" "inherited from"
    tells_not "no build fails" "$log" "could not build"
    tells_not "MPI_Finalize ends the last build" "$log" "not built to the end"
}

verify_builds_with_threads()
{
    local title="verify patterns built later, 7+1+5+3 ranks, threads" log
    log=$(log_of "$title")
    on_cluster "$title" "$build" --nodes 4 --uneven 7,1,5,3 "${later[@]}" --mca coll_nbrhood_verbose 1 \
        -- "$build/test/mpi/nbrhood-verify" --threads --algorithms auto --skip "duplicates-,size,create-group"
    tells_not "no build with threads fails" "$log" "could not build"
}

# Communicators that are made without an info object use the value of the parameter.
named=(--mca coll_nbrhood_allgather_algorithm)
verify_allgathers()
{
    local verify=$build/test/mpi/nbrhood-verify-allgather
    on_cluster "verify allgathers, 7+1+5+3 ranks, threads" "$build" --nodes 4 --uneven 7,1,5,3 "${named[@]}" locality_bruck \
        -- "$verify" --threads
    on_cluster "verify allgathers, 3 nodes x 4, levels of a synthetic machine" "$build" --nodes 3 --ranks-per-node 4 \
        --mca coll_nbrhood_machine "node:3 socket:2 core:2" --mca coll_nbrhood_allgather_levels levels \
        --mca coll_nbrhood_allgather_first_rank idles "${named[@]}" locality_bruck -- "$verify" --algorithms locality_bruck
}

# Sequences of MPI_Alltoallv and MPI_Alltoallw; some seconds. The stage "soak" has long ones.
stress_alltoallv()
{
    local stress=$build/test/mpi/nbrhood-stress-alltoallv
    on_cluster "stress alltoallv, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 "${later[@]}" \
        -- "$stress" --calls 1000
    on_cluster "stress alltoallv, 3+2 ranks, ucx, threads" "$build" --nodes 2 --uneven 3,2 --pml ucx "${later[@]}" \
        -- "$stress" --calls 500 --seed 2 --threads
}

# record_run LOG DIRECTORY CLUSTER_OPTION... -- PROGRAM...: a run of 6 ranks with coll_nbrhood_dump.
record_run()
{
    local log=$1 directory=$2
    shift 2
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 2 \
        --ranks-per-node 3 --timeout "$hang" --mca coll_nbrhood_dump "$directory" "$@" >"$log" 2>&1
}

# proves_recordings DIRECTORY: runs only if the core tests are built.
proves_recordings()
{
    [ "$release" = 4.1 ] || return
    NBRHOOD_RECORDINGS=$1 one_core_test Recording.RunsAreReadBackAndProved "what is recorded can be read and is proved"
    explains_recordings "$1"
}

# Patterns that are built while the program runs are recorded; if none is built, one line says so.
check_dump_later()
{
    local directory=$build/recordings log=$logs/dump
    record_run "$log.later" "$directory/later" "${later[@]}" \
        -- "$build/test/mpi/nbrhood-verify" --algorithms auto --filter random --skip duplicates- \
        && [ -n "$(find "$directory/later" -name '[0-5].txt')" ] && ! grep -q "could not record" "$log.later" \
        && grep -q "recorded patterns [1-9][0-9]* times" "$log.later"
    record $? "patterns that are built while the program runs are recorded" "see $log.later" "$log.later"
    proves_recordings "$directory/later"
    record_run "$log.direct" "$directory/direct" -- "$build/test/mpi/nbrhood-verify" --algorithms auto \
        --filter random-alltoallv --skip duplicates- \
        && [ ! -e "$directory/direct" ] \
        && [ "$(grep -c "recorded patterns 0 times; where no pattern was built, calls went direct" "$log.direct")" -eq 1 ]
    record $? "one line says that nothing was recorded where all calls went direct" "see $log.direct" "$log.direct"
}

# Recordings are complete and readable, and their patterns are proved. If nothing can be written, or some ranks do not
# record, the program goes on.
check_dump()
{
    local directory=$build/recordings log=$logs/dump patterns
    local program=("$build/test/mpi/nbrhood-verify" --filter random --skip duplicates-)
    # shellcheck disable=SC2016
    local not_rank_1=(bash -c '[ "$OMPI_COMM_WORLD_RANK" != 1 ] || unset OMPI_MCA_coll_nbrhood_dump; exec "$@"' bash)
    rm -rf "$directory"
    record_run "$log" "$directory/made/here" "${at_creation[@]}" -- "${program[@]}"
    record $? "nbrhood-verify runs while patterns are recorded" "see $log" "$log"
    patterns=$(find "$directory/made/here" -mindepth 2 -maxdepth 2 -type d | wc -l)
    [ "$patterns" -gt 0 ] && [ "$(find "$directory" -name '[0-5].txt' | wc -l)" -eq $((6 * patterns)) ] \
        && ! grep -q "could not record" "$log"
    record $? "every rank records every pattern" "$patterns patterns in $directory" "$log"
    proves_recordings "$directory/made/here"
    : >"$directory/file"
    record_run "$log.failure" "$directory/file/here" "${at_creation[@]}" -- "${program[@]}" \
        && grep -q "coll_nbrhood_dump" "$log.failure" \
        && grep -q "$directory/file/here/.*: Not a directory" "$log.failure"
    record $? "a recording that fails is reported and does no harm" "see $log.failure" "$log.failure"
    record_run "$log.some" "$directory/some" "${at_creation[@]}" -- "${not_rank_1[@]}" "${program[@]}" \
        && [ -n "$(find "$directory/some" -name 0.txt)" ] && [ -z "$(find "$directory/some" -name 1.txt)" ] \
        && ! grep -q "parameters of coll/nbrhood are not the same" "$log.some"
    record $? "some ranks may record alone" "see $log.some" "$log.some"
    check_dump_later
}

# report_run LOG OPTION... -- PROGRAM...: a run of 6 ranks with the totals of coll_nbrhood_report.
report_run()
{
    local log=$1
    shift
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 2 \
        --ranks-per-node 3 --timeout "$hang" --mca coll_nbrhood_report totals "$@" >"$log" 2>&1
}

check_report()
{
    local verify=$build/test/mpi/nbrhood-verify log=$logs/report
    report_run "$log.none" -- "$verify-allgather" --algorithms locality_bruck --filter sizes \
        && [ "$(grep "^nbrhood: " "$log.none")" = "nbrhood: summary: no communicator of rank 0 had a topology that \
coll/nbrhood serves" ]
    record $? "the report says in one line that no communicator had a topology" "see $log.none" "$log.none"
    report_run "$log.direct" "${at_creation[@]}" -- "$verify" --algorithms auto --filter random-0.1 --skip duplicates- \
        && grep -q " direct .*(no predicted gain)" "$log.direct" \
        && ! grep -q "another algorithm\| default " "$log.direct"
    record $? "the report names no other algorithm where nothing gains" "see $log.direct" "$log.direct"
}

# Regions by binding: to Open MPI's hwloc, each of the first two cores is a socket of its own.
bound_to_sockets()
{
    local title="verify, 8 ranks bound to two sockets" log=$logs/verify-bound-to-sockets status regions
    if [ "$(nproc)" -lt 2 ]; then
        echo "     $title: not run, this machine has one core"
        return
    fi
    HWLOC_SYNTHETIC="package:2 core:1 pu:1" HWLOC_THISSYSTEM=1 timeout "$hang" mpirun --allow-run-as-root \
        --oversubscribe -n 8 --map-by socket --bind-to core:overload-allowed \
        --mca mca_base_component_path "$build/install/openmpi:$(open_mpi_path pkglibdir)" \
        --mca mpi_yield_when_idle 1 --mca btl self,vader --mca coll_nbrhood_region socket \
        "${at_creation[@]}" --mca coll_nbrhood_report 1 "$build/test/mpi/nbrhood-verify" --filter random >"$log" 2>&1
    status=$?
    count_lines "$status" "$title" "$log"
    regions=$(sed -n 's/.*: 8 ranks .* in \([0-9]*\) regions;.*/\1/p' "$log" | sort -u)
    [ "$regions" = 2 ]
    record $? "bindings make two regions" "regions found: ${regions:-none}"
}

# For releases other than 4.1: one run for each way in which the launcher and the messaging layers differ. The component
# has debug checks in these runs. If one call checks several releases, 5.0 and 6.0 share the runs that need not take
# place in both (NBRHOOD_CHECK_SHARED).
stage_mpi_again()
{
    local verify=test/mpi/nbrhood-verify other_has=${NBRHOOD_CHECK_SHARED:+$release}
    on_cluster "verify, 1 node x 1" "$build" --nodes 1 -- "$build/$verify"
    [ "$other_has" = 5.0 ] || on_cluster "verify, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 \
        "${limits[@]}" "${at_creation[@]}" -- "$build/$verify" --skip "comm-dup-,$long_cases" "${for_limits[@]}"
    [ "$other_has" = 6.0 ] || on_cluster "verify, 4 nodes x 4, round robin, ucx" "$build" --nodes 4 --ranks-per-node 4 \
        --by node --pml ucx "${limits[@]}" -- "$build/$verify" "${unshared[@]}" "${for_ucx[@]}"
    verify_builds
    [ "$other_has" = 5.0 ] || verify_allgathers
    stress_alltoallv
    [ "$other_has" = 6.0 ] || verify_devices
    check_dump
    check_presence ob1 short
}

# The runs that the other stages leave out to be short, except for duplicates with every algorithm, which "soak" has: a
# quarter of an hour for a release.
stage_more()
{
    local verify=$build/test/mpi/nbrhood-verify pml
    stage_build
    on_cluster "verify sizes, 4 nodes x 4, small preposted size" "$build" --nodes 4 --ranks-per-node 4 \
        --mca coll_nbrhood_preposted_size 4096 --mca coll_nbrhood_combining_threshold 4096 \
        -- "$verify" --filter size "${for_sockets[@]}"
    on_cluster "verify, 7+1+5+3 ranks, built later" "$build" --nodes 4 --uneven 7,1,5,3 -- "$verify" "${unshared[@]}" \
        "${for_round_robin[@]}"
    on_cluster "verify, 4 nodes x 4, sockets of a synthetic machine" "$build" --nodes 4 --ranks-per-node 4 \
        "${at_creation[@]}" \
        --mca coll_nbrhood_region socket --mca coll_nbrhood_machine "node:4 socket:2 core:2" \
        -- "$verify" "${unshared[@]}" "${for_sockets[@]}"
    for pml in ob1 ucx; do
        verify_dies $pml
    done
    on_cluster "verify blocks of 8 MiB between GPU dies, 2 nodes x 8" "$build" --nodes 2 --ranks-per-node 8 \
        --mca coll_nbrhood_gpu_topology "$top/test/gpu/mi250.tsv" \
        -- "$verify" --algorithms leader_scatter --filter size-8-mebibytes
    on_cluster "verify blocks between L3 caches, 2 nodes x 8" "$build" --nodes 2 --ranks-per-node 8 "${scatter[@]}" \
        --mca coll_nbrhood_machine "node:2 socket:2 l3:2 core:2" --mca coll_nbrhood_leader_scatter_package l3 \
        -- "$verify" --algorithms leader_scatter --filter random
    on_cluster "verify duplicates of what is not tried, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 \
        "${built_later[@]}" "${relays_pay[@]}" --mca coll_nbrhood_trial_calls 0 \
        -- "$verify" --algorithms auto,aggregated --filter comm-dup
    on_cluster "verify allgathers, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 -- "$verify-allgather"
    on_cluster "verify allgathers, 4 nodes x 3, round robin, ucx" "$build" --nodes 4 --ranks-per-node 3 --by node \
        --pml ucx "${named[@]}" multilane -- "$verify-allgather"
    on_cluster "verify shared values, 4 nodes x 16" "$build" --nodes 4 --ranks-per-node 16 \
        -- "$verify" --filter duplicates-lists
    for pml in ob1 ucx; do
        verify_many 16 $pml "${for_many[@]}"
        check_presence $pml
    done
    bench_all
    [ "$release" != 4.1 ] || return
    verify_builds_with_threads
    clients petsc
}

# Counts above 2^31, and more than 2 GiB through a relay; a few minutes and 14 GB of memory.
stage_large_counts()
{
    local most=16777216
    stage_build
    on_cluster "large counts, 2 nodes x 2" "$build" --nodes 2 --ranks-per-node 2 \
        --mca coll_nbrhood_combining_threshold $most --mca coll_nbrhood_packing_threshold $most \
        -- "$build/test/mpi/nbrhood-large-counts"
}

stage_stress()
{
    on_cluster "stress, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 \
        "${limits[@]}" "${at_creation[@]}" --mca coll_nbrhood_preposted_size 4096 \
        -- "$build/test/mpi/nbrhood-stress" --seconds "${stress_seconds[0]}"
    on_cluster "stress, 3+2 ranks, ucx" "$build" --nodes 2 --uneven 3,2 --pml ucx \
        -- "$build/test/mpi/nbrhood-stress" --seconds "${stress_seconds[1]}" --seed 2
    on_cluster "stress patterns built later, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 \
        "${later[@]}" -- "$build/test/mpi/nbrhood-stress" --seconds "${stress_seconds[0]}" --seed 3 --algorithms auto
    on_cluster "stress patterns built later, 3+2 ranks, ucx" "$build" --nodes 2 --uneven 3,2 --pml ucx \
        "${later[@]}" -- "$build/test/mpi/nbrhood-stress" --seconds "${stress_seconds[1]}" --seed 4 --algorithms auto
}

# Twenty runs of each kind over three TCP links, with six busy processes beside the ranks: a quarter of an hour.
# Synchronous sends hang there (test/mpi/STOCK-BUGS.md).
stage_links()
{
    local busy=() i
    stage_build
    for ((i = 0; i < 6; i++)); do
        (while :; do :; done) &
        busy+=($!)
    done
    run_links "aggregated" --mca coll_nbrhood_algorithm aggregated
    run_links "patterns built later" --mca coll_nbrhood_build_after 3 "${relays_pay[@]}"
    kill "${busy[@]}"
    wait "${busy[@]}" 2>/dev/null
}

# run_links KIND CLUSTER_OPTION...
run_links()
{
    local kind=$1 log=$logs/links run right=0
    shift
    for ((run = 1; run <= 20; run++)); do
        NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
            --ranks-per-node 2 --timeout 300 --mca btl_tcp_links 3 "$@" \
            -- "$build/test/mpi/nbrhood-links" 150 3 5000 3 300 >"$log" 2>&1 && grep -aq '^PASS' "$log" \
            && right=$((right + 1))
    done
    [ $right -eq 20 ]
    record $? "three TCP links, $kind: $right of 20 runs end right" "see $log" "$log"
}

# clients [NAME]: real programs, of all kinds or of one.
clients()
{
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/test/clients/run" "$@" >"$logs/clients" 2>&1
    count_lines $? "clients${1:+, $1}" "$logs/clients"
}

stage_clients()
{
    if [ "$release" = 4.1 ]; then
        clients
    else
        clients mpi4py
    fi
}

# Ten minutes on two cores, most of them for 130 packages and for the compiler that dolfinx runs.
stage_dolfinx()
{
    stage_build
    install_missing python3-dolfinx python3-scipy
    clients dolfinx
}

# Duplicates with every algorithm, on all the machines of the stage "mpi".
verify_comm_dup_of_all()
{
    local verify=$build/test/mpi/nbrhood-verify
    build_debug
    on_cluster "verify duplicates, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 -- "$verify" --filter comm-dup
    on_cluster "verify duplicates, 4 nodes x 4, debug build" "$debug" --nodes 4 --ranks-per-node 4 \
        "${limits[@]}" "${at_creation[@]}" -- "$verify" --filter comm-dup
    on_cluster "verify duplicates, 7+1+5+3 ranks" "$build" --nodes 4 --uneven 7,1,5,3 "${at_creation[@]}" \
        -- "$verify" --filter comm-dup "${for_uneven[@]}"
    on_cluster "verify duplicates, 4 nodes x 3, round robin" "$build" --nodes 4 --ranks-per-node 3 --by node \
        -- "$verify" --filter comm-dup
    on_cluster "verify duplicates, 4 nodes x 4, ucx" "$build" --nodes 4 --ranks-per-node 4 --pml ucx \
        "${limits[@]}" -- "$verify" --filter comm-dup
    on_cluster "verify duplicates, 4 nodes x 4, sockets of a synthetic machine" "$build" --nodes 4 --ranks-per-node 4 \
        "${at_creation[@]}" --mca coll_nbrhood_region socket --mca coll_nbrhood_machine "node:4 socket:2 core:2" \
        -- "$verify" --filter comm-dup "${for_sockets[@]}"
}

soak_alltoallv()
{
    local stress=$build/test/mpi/nbrhood-stress-alltoallv pml
    for pml in ob1 ucx; do
        on_cluster "soak alltoallv, 4 nodes x 4, $pml" "$build" --nodes 4 --ranks-per-node 4 --pml $pml \
            -- "$stress" --calls 15000 --seed 3
        on_cluster "soak alltoallv of patterns built soon, 7+1+5+3 ranks, $pml" "$build" --nodes 4 --uneven 7,1,5,3 \
            --pml $pml "${later[@]}" -- "$stress" --calls 15000 --seed 4
    done
    on_cluster "soak alltoallv, 4 nodes x 4, threads" "$build" --nodes 4 --ranks-per-node 4 "${later[@]}" \
        -- "$stress" --calls 15000 --seed 5 --threads
}

# Ten minutes of stress over each messaging layer, and ten with patterns built later; 15,000 calls of MPI_Alltoallv and
# MPI_Alltoallw over each; 10,000 communicators made and freed; all of nbrhood-verify on 64 ranks, where large blocks take
# long on two cores; and all duplicates. 50 minutes.
stage_soak()
{
    stage_build
    on_cluster "soak, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 \
        -- "$build/test/mpi/nbrhood-stress" --seconds 600
    on_cluster "soak, 4 nodes x 4, ucx" "$build" --nodes 4 --ranks-per-node 4 --pml ucx \
        -- "$build/test/mpi/nbrhood-stress" --seconds 600
    on_cluster "soak patterns built later, 4 nodes x 4" "$build" --nodes 4 --ranks-per-node 4 "${later[@]}" \
        -- "$build/test/mpi/nbrhood-stress" --seconds 600 --seed 3 --algorithms auto
    soak_alltoallv
    on_cluster "verify, 4 nodes x 16" "$build" --nodes 4 --ranks-per-node 16 --timeout 3600 \
        -- "$build/test/mpi/nbrhood-verify" --timeout 600
    on_cluster "10,000 communicators" "$build" --nodes 2 --ranks-per-node 2 \
        -- "$build/test/mpi/nbrhood-verify" --filter churn --timeout 600
    verify_comm_dup_of_all
}
