# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stage of contrib/check that runs the benchmarks. Sourced; needs tally.sh, packages.sh, check-mpi.sh and the
# variables of contrib/check.

# masked: prints a text without blank lines, with numbers, the origin of lines and the width of columns masked, because
# these tests check the data of every algorithm, not the times.
masked() { sed -E '/^$/d; s/^\[[^]]*\] //; s/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; s/ $//'; }

# Tests the samples of output in the user guide, indented blocks that begin with "$ COMMAND": their commands must print
# the same today, except for numbers.
check_samples()
{
    local place=$build/samples log=$logs/sample sample number=0
    rm -rf "$place"
    mkdir -p "$place"
    ln -s "$top/contrib" "$top/test" "$build/benchmarks" "$build/ompi" "$place"
    awk -v place="$place" '/^    \$ / { file = place "/" ++number ".sample" } !/^    / { file = "" }
        file { print substr($0, 5) >file }' "$top/docs/user-guide.md"
    for sample in "$place"/*.sample; do
        number=$((number + 1))
        # The command ends with the first line that does not end with a backslash.
        sed '/[^\\]$/q' "$sample" | sed "1s/^\$ //; s:^contrib/cluster once:& --name check$$:" >"$place/command"
        (cd "$place" && NBRHOOD_COMPONENT_DIR=$build/install/openmpi timeout 120 bash command) >"$place/output" 2>"$log.$number"
        diff <(sed '0,/[^\\]$/d' "$sample" | masked) <(masked <"$place/output") >>"$log.$number" 2>&1
        record $? "sample $number of docs/user-guide.md is what its command prints" "see $log.$number" "$log.$number"
    done
    [ "$number" -ge 3 ]
    record $? "the user guide has samples"
}

stage_bench()
{
    local mesh log=$logs/bench
    mesh=$(packaged_file libmetis-doc /usr/share/doc/libmetis-dev/examples/graphs/4elt.graph "$build/meshes")
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout "$hang" --mca coll_nbrhood_build_after 30 -- \
        "$build/benchmarks/nbrhood-bench/nbrhood-bench" --graph "mesh:$mesh" --graph rsg:0.3 \
        --op all --variant all --algorithms auto,direct,aggregated \
        --block-bytes 8 --samples 3 --calls 2 --first-calls 60 --creations 1 --max-seconds 2 >"$log" 2>&1
    record $? "nbrhood-bench finds every algorithm's data right" "see $logs/bench" "$log"
    [ "$release" != 4.1 ] || check_samples
}

# The smallest form of all that measure-results measures, with small matrices under the names of the real ones.
check_results()
{
    local work=$build/results log=$logs/bench-results name i
    rm -rf "$work" && mkdir -p "$work"
    for name in bcsstk13 dwt_193 delaunay_n10 Journals; do
        { echo "%%MatrixMarket matrix coordinate pattern symmetric"; echo "64 64 63"
            for ((i = 2; i <= 64; ++i)); do echo "$i $((i / 2))"; done; } >"$work/$name.mtx"
    done
    NBRHOOD_BUILD=$build NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/benchmarks/measure-results" all --smoke \
        --matrices "$work" --output "$work/data" >"$log" 2>&1
    record $? "measure-results runs all that it measures" "see $log" "$log"
    NBRHOOD_BUILD=$build NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/benchmarks/reproduce" all --smoke \
        --matrices "$work" --output "$work/figures" >"$log-figures" 2>&1
    record $? "reproduce makes all figures of the papers" "see $log-figures" "$log-figures"
}

# The other measuring programs, too: two minutes.
stage_bench_all()
{
    stage_build
    bench_all
}

bench_all()
{
    local mesh
    build_benchmarks
    stage_bench
    [ "$release" != 4.1 ] || check_results
    mesh=$(packaged_file libmetis-doc /usr/share/doc/libmetis-dev/examples/graphs/4elt.graph "$build/meshes")
    check_values "mesh:$mesh" indexed,typed --pack && check_values rsg:0.3 overlapping,indexed --compute 100 --tests 2
    record $? "nbrhood-bench finds values right that several neighbours get" "see $logs/bench.values" "$logs/bench.values"
    check_names "$logs/bench-names"
    check_amg "$logs/amg"
    check_programs "$logs/programs"
    [ "$release" = 4.1 ] || return
    check_calibrate "$logs/calibrate"
}

# check_names LOG: an unknown name of an algorithm is refused, with a list of the known ones.
check_names()
{
    local log=$1 program
    local -A options=([nbrhood-bench]="--graph ring:1" [nbrhood-allgather]="")
    for program in "${!options[@]}"; do
        # shellcheck disable=SC2086
        "$top/contrib/cluster" once --name "check$$" --nodes 1 --ranks-per-node 2 --timeout "$hang" "${kill_at_once[@]}" \
            -- "$build/benchmarks/$program/$program" ${options[$program]} --algorithms auto,best >"$log.$program" 2>&1
        [ $? -eq 2 ] && [ "$(grep -c "^$program: --algorithms: unknown name 'best' (known: stock, auto, default, " \
            "$log.$program")" -eq 1 ]
        record $? "$program refuses an unknown algorithm" "see $log.$program" "$log.$program"
    done
}

# check_programs LOG: a program that makes every kind of call; its times do not matter. It runs on few ranks, because
# most of the time is spent starting Python.
check_programs()
{
    local log=$1 json=$build/programs.json command=$top/benchmarks/compare-programs
    rm -f "$json"
    NBRHOOD_BUILD=$build timeout "$hang" "$command" --nodes 2 --ranks-per-node 2 --pairs 1 --json "$json" mpi4py >"$log" 2>&1 \
        && "$top/contrib/lib/check-programs-json" "$json" mpi4py >>"$log" 2>&1
    record $? "compare-programs times a program with and without the component" "see $log" "$log"
    NBRHOOD_BUILD=$build "$command" nothing >"$log.unknown" 2>&1
    [ $? -eq 2 ] && grep -q 'there is no program "nothing"' "$log.unknown"
    record $? "compare-programs refuses a program that it does not know" "see $log.unknown" "$log.unknown"
}

# check_amg LOG: few rows and calls; every method's data is checked on every level, and the picture is drawn from them.
check_amg()
{
    local log=$1 json=$build/amg.json
    rm -f "$json"
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout "$hang" -- "$build/benchmarks/nbrhood-amg/nbrhood-amg" --rows 4096 --calls 6 \
        --creations 1 --max-seconds 1 --json "$json" >"$log" 2>&1
    record $? "nbrhood-amg finds every method's data right" "see $logs/amg" "$log"
    grep -q "^Here: indices sends up to" "$log" && grep -q "^Here: addresses sends up to" "$log"
    record $? "nbrhood-amg sees that duplicates are left out" "see $logs/amg" "$log"
    [ -s "$json" ] && "$top/benchmarks/plot-bench" "$json" -o "$log.svg" >"$log.plot" 2>&1
    record $? "plot-bench reads what nbrhood-amg writes" "see $logs/amg.plot" "$log.plot"
    check_amg_parts "$json" "$log-parts"
}

# check_amg_parts JSON LOG: dealt to as many parts as there are ranks, the levels have the exchanges of hypre's own
# packages, as nbrhood-amg wrote them into JSON.
check_amg_parts()
{
    local json=$1 log=$2 levels=$build/amg-levels level graphs=()
    rm -rf "$levels"
    mkdir "$levels"
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout "$hang" -- "$build/benchmarks/nbrhood-amg/nbrhood-amg" --rows 4096 --parts 16 \
        --export "$levels" >"$log" 2>&1
    for level in "$levels"/*; do graphs+=(--graph "matrix:$level"); done
    "$build/ompi/tools/nbrhood-explain/nbrhood-explain" --machine "node:4 core:4" "${graphs[@]}" --algorithms direct,aggregated \
        --prove --json "$levels.json" >>"$log" 2>&1 \
        && PYTHONPATH=$top/benchmarks python3 - "$json" "$levels.json" >>"$log" 2>&1 <<'EOF'
import sys
from result_files import read_result
levels = [level for level in read_result(sys.argv[1], "nbrhood-amg")["levels"] if level["edges"]]
graphs = read_result(sys.argv[2], "nbrhood-explain")["graphs"]
assert len(levels) == len(graphs) > 3, (len(levels), len(graphs))
for level, graph in zip(levels, graphs):
    for field in "edges", "mean_entries":
        assert abs(level[field] - graph[field]) < 1e-6 * level[field], (graph["graph"], field, level[field], graph[field])
EOF
    record $? "nbrhood-amg deals the levels to parts" "see $log" "$log"
}

# check_values GRAPH VALUES BENCH_OPTION...
check_values()
{
    local graph=$1 values=$2
    shift 2
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout "$hang" -- "$build/benchmarks/nbrhood-bench/nbrhood-bench" --graph "$graph" \
        --variant persistent --values "$values" "$@" --algorithms direct,aggregated --block-bytes 24 --entry-bytes 8,24 \
        --samples 3 --calls 2 --creations 1 --max-seconds 2 >"$logs/bench.values" 2>&1
}

# check_calibrate LOG: on a busy machine the costs are meaningless, but they must be written and readable. If the
# machine is so busy that the costs are refused, longer measurements are tried.
check_calibrate()
{
    local log=$1 costs=$build/costs calibrate=$build/ompi/tools/nbrhood-calibrate/nbrhood-calibrate seconds status
    rm -rf "$costs"
    mkdir "$costs"
    for seconds in 3 10 30; do
        "$top/contrib/cluster" once --name "check$$" --nodes 4 --ranks-per-node 4 --timeout "$hang" \
            -- "$calibrate" --seconds $seconds --output "$costs/here.txt" --json "$costs/here.json" >"$log" 2>&1
        status=$?
        [ $status -eq 1 ] && grep -q "^nbrhood-calibrate: the costs are useless" "$log" && [ ! -e "$costs/here.txt" ] || break
    done
    [ $status -eq 0 ]
    record $? "nbrhood-calibrate measures 4 nodes x 4" "see $logs/calibrate" "$log"
    if [ "$release" = 4.1 ]; then # only if the core tests are built
        NBRHOOD_COSTS_DIR=$costs one_core_test Costs.FilesCanBeRead "what nbrhood-calibrate writes can be read"
    fi
    "$top/contrib/cluster" once --name "check$$" --nodes 1 --ranks-per-node 4 --timeout "$hang" \
        "${kill_at_once[@]}" -- "$calibrate" --output "$costs/one.txt" >"$log.one" 2>&1
    [ $? -eq 3 ] && [ ! -e "$costs/one.txt" ] && grep -q "all ranks are on one node" "$log.one"
    record $? "nbrhood-calibrate refuses a single node" "see $logs/calibrate.one" "$log.one"
}
