# shellcheck shell=bash
# The stage of contrib/check that runs the benchmarks. Sourced; needs tally.sh, packages.sh, check-mpi.sh and the
# variables of contrib/check.

# The benchmark checks the data of every algorithm; its times do not matter here.
stage_bench()
{
    local mesh log=$logs/bench
    mesh=$(packaged_file libmetis-doc /usr/share/doc/libmetis-dev/examples/graphs/4elt.graph "$build/meshes")
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" --nodes 4 \
        --ranks-per-node 4 --timeout "$hang" -- "$build/benchmarks/nbrhood-bench/nbrhood-bench" \
        --graph "mesh:$mesh" --graph rsg:0.3 --op all --variant all --algorithms auto,direct,aggregated \
        --block-bytes 8 --samples 3 --calls 2 --creations 1 --max-seconds 2 >"$log" 2>&1
    record $? "nbrhood-bench finds every algorithm's data right" "see $logs/bench" "$log"
    check_values "mesh:$mesh" indexed,typed --pack && check_values rsg:0.3 overlapping,indexed --compute 100 --tests 2
    record $? "nbrhood-bench finds values right that several neighbours get" "see $logs/bench.values" "$logs/bench.values"
    check_calibrate "$logs/calibrate"
    check_amg "$logs/amg"
    check_programs "$logs/programs"
}

# check_programs LOG: a program that makes every kind of call; how long they take does not matter here.
check_programs()
{
    local log=$1 json=$build/programs.json command=$top/benchmarks/compare-programs
    rm -f "$json"
    NBRHOOD_BUILD=$build timeout "$hang" "$command" --pairs 1 --build-after 1 --json "$json" mpi4py >"$log" 2>&1 \
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
    [ -s "$json" ] && "$top/benchmarks/plot-bench" "$json" --script -o amg.svg >"$log.plot" 2>&1
    record $? "plot-bench reads what nbrhood-amg writes" "see $logs/amg.plot" "$log.plot"
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

# check_calibrate LOG: the costs mean nothing on a busy machine; that they are written, and can be read
# again, does.
check_calibrate()
{
    local log=$1 costs=$build/costs calibrate=$build/benchmarks/nbrhood-calibrate/nbrhood-calibrate
    rm -rf "$costs"
    mkdir "$costs" && "$top/contrib/cluster" once --name "check$$" --nodes 4 --ranks-per-node 4 --timeout "$hang" \
        -- "$calibrate" --seconds 3 --output "$costs/here.txt" --json "$costs/here.json" >"$log" 2>&1
    record $? "nbrhood-calibrate measures 4 nodes x 4" "see $logs/calibrate" "$log"
    if [ "$release" = 4.1 ]; then # where the core tests are built
        NBRHOOD_COSTS_DIR=$costs one_core_test Costs.FilesCanBeRead "what nbrhood-calibrate writes can be read"
    fi
    "$top/contrib/cluster" once --name "check$$" --nodes 1 --ranks-per-node 4 --timeout "$hang" \
        -- "$calibrate" --output "$costs/one.txt" >"$log.one" 2>&1
    [ $? -eq 3 ] && [ ! -e "$costs/one.txt" ] && grep -q "all ranks are on one node" "$log.one"
    record $? "nbrhood-calibrate refuses a single node" "see $logs/calibrate.one" "$log.one"
}
