# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# shellcheck disable=SC2154
# Tests of a component that is missing, excluded, of another priority or displaced on some ranks only. Part of the stage
# "mpi" of contrib/check, which sources this file and sets "top", "build" and "logs". Also needs check-mpi.sh.

# The messages for ranks that differ in the component or in its parameters: in a job, between nodes and app contexts,
# and in a communicator.
job_stays_out="coll/nbrhood stays out of this job"
job_builds_nothing="coll/nbrhood builds no patterns in this job"
stays_out="coll/nbrhood stays out of the topologies"
parameters_differ="The parameters of coll/nbrhood are not the same"
any_of_these="$job_stays_out|$job_builds_nothing|$stays_out|$parameters_differ"

# exec_unequal LOG PML RANKS PARAMETER=VALUE: nbrhood-verify on two nodes of three ranks, with an MCA parameter on RANKS
# only. RANKS is a condition for "test" on the rank, or "apps": the ranks of a second app context, all on one node. The
# run replaces this shell.
exec_unequal()
{
    local verify=("$build/test/mpi/nbrhood-verify" --filter random-0.3 --skip duplicates-)
    local machine=(--nodes 2 --ranks-per-node 3)
    local program=(bash -c "[ ! \$OMPI_COMM_WORLD_RANK $3 ] || export OMPI_MCA_$4; exec \"\$@\"" bash "${verify[@]}")
    if [ "$3" = apps ]; then
        machine=(--nodes 1 --ranks-per-node 6)
        program=(-n 3 "${verify[@]}" : -n 3 env "OMPI_MCA_$4" "${verify[@]}")
    fi
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi exec "$top/contrib/cluster" once --name "check$$" "${machine[@]}" \
        --pml "$2" --timeout "$hang" "${building[@]}" -- "${program[@]}" >"$1" 2>&1
}

run_unequal() { (exec_unequal "$@"); }

# run_aborted LOG PML RANKS PARAMETER=VALUE: the same for a run that aborts. After an abort Open MPI 5.0's mpirun
# sometimes waits for ever, though all its ranks have ended. When it has reported the abort, it gets five seconds more,
# and the exit status is 143.
run_aborted()
{
    local log=$1 run turns=0
    : >"$log"
    exec_unequal "$@" &
    run=$!
    while kill -0 "$run" 2>/dev/null; do
        sleep 0.1
        if grep -aq '^prterun has exited due to process rank' "$log" && [ $((++turns)) -gt 50 ]; then
            kill -s TERM "$run"
            break
        fi
    done
    wait "$run"
}

# lost_message LOG: whether Open MPI 4.1's mpirun reports that it lost a message of its ranks, as happens now and then.
lost_message() { grep -aq 'ORTE_ERROR_LOG: .*show_help.c' "$1"; }

# unequal TITLE PML RANKS PARAMETER=VALUE [SENTENCE DETAIL]: such a run must succeed, and print SENTENCE once, with
# DETAIL; without these arguments it must print neither.
unequal()
{
    local title="unequal ranks, $2: $1" log status lost good bad told sentence=${5:-} detail=${6:-}
    log=$(log_of "$title")
    run_unequal "$log" "$2" "$3" "$4"
    status=$?
    for ((lost = 0; lost < 5; lost++)); do
        lost_message "$log" || break
        run_unequal "$log" "$2" "$3" "$4"
        status=$?
    done
    good=$(grep -ac '^PASS ' "$log")
    bad=$(grep -ac '^FAIL ' "$log")
    # The mpirun of 5.0.7 prints this if the component asks for an unknown attribute.
    [ $status -eq 0 ] && [ "$good" -gt 0 ] && [ "$bad" -eq 0 ] && ! grep -aq "Query for unrecognized attribute" "$log"
    record $? "$title: ends well" "exit status $status, $good passed, $bad failed" "$log"
    told=$(grep -acE "$any_of_these" "$log")
    [ "$told" -eq $((${#sentence} > 0)) ] && grep -aqF -- "$sentence" "$log" && grep -aqF -- "$detail" "$log"
    record $? "$title: $((${#sentence} > 0)) message" "told $told times, see $log"
}

# stops TITLE PML RANKS PARAMETER=VALUE DETAIL: such a run must end soon, with the message that it stops, and DETAIL.
stops()
{
    local title="unequal ranks, $2: $1" log status lost began=$SECONDS hang=60
    local building=("${kill_at_once[@]}")
    log=$(log_of "$title")
    for ((lost = 0; lost < 5; lost++)); do
        run_aborted "$log" "$2" "$3" "$4"
        status=$?
        [ $status -eq 143 ] || lost_message "$log" || break
    done
    [ $status -ne 0 ] && [ $status -ne 124 ] && [ $status -ne 143 ] && ! grep -aq '^PASS ' "$log" \
        && grep -aq "^The program ends" "$log" && grep -aqF -- "$5" "$log"
    record $? "$title: stops" "exit status $status after $((SECONDS - began)) s, see $log" "$log"
}

# other_names DIRECTORY: installs the component there with one algorithm under another name, as built from another registry.
other_names()
{
    mkdir -p "$1" && cp "$build/install/openmpi"/mca_*_nbrhood.so "$1" \
        && sed -i 's/\x00grid_paths\x00/\x00grid_walks\x00/' "$1/mca_coll_nbrhood.so" \
        && ! cmp -s "$build/install/openmpi/mca_coll_nbrhood.so" "$1/mca_coll_nbrhood.so" || die "cannot change the component."
}

# check_presence PML [short]: imitates a node, an app context or a rank with different settings. The facts that ranks
# compare do not come through the PML. "short" leaves out cases that differ only in the reason.
check_presence()
{
    local building=() pml=$1 second="rank 3 (1 of 2)"
    unequal "not installed on a node" "$pml" "-ge 3" "mca_base_component_path=$(open_mpi_path pkglibdir)" \
        "$job_stays_out" "missing or excluded (host nbh-check$$-1) on $second"
    other_names "$logs/other-names"
    unequal "another algorithm on a node" "$pml" "-ge 3" \
        "mca_base_component_path=$logs/other-names:$(open_mpi_path pkglibdir)" \
        "$job_stays_out" "coll/nbrhood is version"
    unequal "other parameters on a node" "$pml" "-ge 3" coll_nbrhood_packing_threshold=256 \
        "$job_builds_nothing" "coll_nbrhood_packing_threshold is the default on rank 0 (1 of 2), 256 on $second"
    building=("${later[@]}")
    unequal "other parameters on a rank, built later" "$pml" "-eq 1" coll_nbrhood_packing_threshold=256 \
        "$parameters_differ" "256 on rank 1 (1 of 6)"
    building=()
    stops "excluded on a rank" "$pml" "-eq 4" coll=^nbrhood "missing or excluded (host nbh-check$$-1) on rank 4 (1 of 6)"
    [ "${2:-}" != short ] || return
    stops "another priority on a rank" "$pml" "-eq 1" coll_nbrhood_priority=40 "40 on rank 1 (1 of 6)"
    unequal "excluded on the first node" "$pml" "-lt 3" coll=^nbrhood \
        "$job_stays_out" "missing or excluded (host nbh-check$$-0) on rank 0 (1 of 2)"
    unequal "another priority on a node" "$pml" "-ge 3" coll_nbrhood_priority=40 \
        "$job_stays_out" "coll_nbrhood_priority is 90 on rank 0 (1 of 2), 40 on $second"
    # The mpirun of 5.0.7 crashes with two app contexts (test/mpi/STOCK-BUGS.md), and the mpirun of 6.0 does not accept
    # the first -n of contrib/cluster with them.
    [ "$release" != 4.1 ] || unequal "another priority in an app context" "$pml" apps coll_nbrhood_priority=40 \
        "$job_stays_out" "coll_nbrhood_priority is 90 on rank 0 (1 of 2), 40 on $second"
    unequal "built at creation on a node" "$pml" "-ge 3" coll_nbrhood_build_after=0 \
        "$job_stays_out" "coll_nbrhood_build_after is the default on rank 0 (1 of 2), 0 on $second"
    # Rank 1 begins builds in which nobody takes part.
    unequal "builds on a rank" "$pml" "-eq 1" coll_nbrhood_build_after=1 "$parameters_differ" "1 on rank 1 (1 of 6)"
    unequal "too low a priority on all" "$pml" "-ge 0" coll_nbrhood_priority=5
    building=("${at_creation[@]}")
    unequal "excluded on a rank, built at creation" "$pml" "-eq 4" coll=^nbrhood \
        "$stays_out" "missing or excluded (host nbh-check$$-1) on rank 4 (1 of 6)"
    unequal "switched off on a rank, built at creation" "$pml" "-eq 1" coll_nbrhood_priority=-1 \
        "$stays_out" "coll_nbrhood_priority is 90 on ranks 0, 2, 3, 4, 5 (5 of 6), -1 on rank 1 (1 of 6)"
    unequal "topo/nbrhood excluded on a rank, built at creation" "$pml" "-eq 1" topo=^nbrhood \
        "$stays_out" "topo_nbrhood_priority is 80 on ranks 0, 2, 3, 4, 5 (5 of 6), missing or excluded on rank 1 (1 of 6)"
    # coll/basic is not used: if it comes first on one rank, Open MPI's own collectives hang.
    unequal "another component first on a rank, built at creation" "$pml" "-eq 1" coll_libnbc_priority=95 \
        "$stays_out" "coll_libnbc_priority is the default on ranks 0, 2, 3, 4, 5 (5 of 6), 95 on rank 1 (1 of 6)"
    unequal "other parameters on a rank, built at creation" "$pml" "-eq 1" coll_nbrhood_packing_threshold=256 \
        "$parameters_differ" "256 on rank 1 (1 of 6)"
}
