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
    mesh=$(packaged_file libmetis-doc /usr/share/doc/libmetis-dev/examples/graphs/4elt.graph "$build/meshes")
    check_values "mesh:$mesh" indexed,typed --pack && check_values rsg:0.3 overlapping,indexed --compute 100 --tests 2
    record $? "nbrhood-bench finds values right that several neighbours get" "see $logs/bench.values" "$logs/bench.values"
    check_names "$logs/bench-names"
    check_amg "$logs/amg"
    check_programs "$logs/programs"
    [ "$release" = 4.1 ] || return
    check_calibrate "$logs/calibrate"
    check_spmm "$logs/spmm" "$build/spmm"
    check_spmm_refusals "$logs/spmm-refusals" "$build/spmm"
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
    NBRHOOD_BUILD=$build timeout "$hang" "$command" --nodes 2 --ranks-per-node 2 --pairs 1 --build-after 1 \
        --json "$json" mpi4py >"$log" 2>&1 \
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
}

# matrix ROWS COLUMNS: prints a sparse matrix in MatrixMarket form, with empty rows and columns.
matrix()
{
    awk -v rows="$1" -v columns="$2" 'BEGIN {
        for (row = 0; row < rows; row++)
            if (row % 9 != 4)
                for (k = 0; k < 4; k++)
                    if ((column = (row * (2 * k + 1) + 5 * k * k) % columns) % 8 != 3 && !((row, column) in seen)) {
                        seen[row, column] = 1
                        text = text (row + 1) " " (column + 1) "\n"
                        entries++
                    }
        printf "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n%s", rows, columns, entries, text }'
}

# spmm OPTION...: nbrhood-spmm with few products on the machine that the caller names.
spmm()
{
    NBRHOOD_COMPONENT_DIR=$build/install/openmpi "$top/contrib/cluster" once --name "check$$" "${machine[@]}" \
        --timeout "$hang" --mca coll_nbrhood_build_after 30 -- \
        "$build/benchmarks/nbrhood-spmm/nbrhood-spmm" --samples 2 \
        --products 1 --warmup 0 --creations 1 --max-seconds 1 --first-calls 60 --no-aa "$@"
}

# check_spmm LOG DIRECTORY: every product is compared with the serial one; stripes of rows are not equally long, the last
# block of columns is not full, and the picture is drawn from the results.
check_spmm()
{
    local log=$1 directory=$2 machine=(--nodes 4 --ranks-per-node 4)
    rm -rf "$directory"
    mkdir "$directory" && matrix 90 90 >"$directory/90.mtx" && matrix 61 61 >"$directory/61.mtx" \
        && matrix 40 75 >"$directory/wide.mtx" \
        && spmm --matrix "$directory/90.mtx" --matrix "$directory/61.mtx" --right all --widths 5 --block-columns 2 \
        --op all --variant all --algorithms auto,direct,aggregated,allgather --json "$directory/here.json" >"$log" 2>&1
    record $? "nbrhood-spmm finds every product right" "see $log" "$log"
    "$top/contrib/lib/check-spmm-json" "$directory/here.json" >"$log.json" 2>&1
    record $? "what nbrhood-spmm writes is what it measured" "see $log.json" "$log.json"
    grep -q "^geometric mean of 2 matrices, neighbor_allgatherv persistent, x itself, 5 columns in blocks of 2: aggregated" "$log"
    record $? "nbrhood-spmm prints means over matrices" "see $log" "$log"
    "$top/benchmarks/plot-bench" "$directory/here.json" --op allgatherv -o "$log.svg" >"$log.plot" 2>&1
    record $? "plot-bench reads what nbrhood-spmm writes" "see $log.plot" "$log.plot"
    spmm --matrix "$directory/wide.mtx" --widths 3,all --block-columns all --op all >"$log.wide" 2>&1
    record $? "nbrhood-spmm multiplies a matrix that is not square" "see $log.wide" "$log.wide"
}

# spmm_refuses TITLE STATUS MESSAGE LOG OPTION...
spmm_refuses()
{
    local title=$1 wanted=$2 message=$3 log=$4 status
    shift 4
    spmm "$@" >"$log" 2>&1
    status=$?
    [ $status -eq "$wanted" ] && [ "$(grep -c "^nbrhood-spmm: .*$message" "$log")" -eq 1 ]
    record $? "nbrhood-spmm refuses $title" "exit status $status, see $log" "$log"
}

# check_spmm_refusals LOG DIRECTORY: one message, and the exit status that --help names. The directory is that of
# check_spmm.
check_spmm_refusals()
{
    local log=$1 directory=$2 good machine=(--nodes 4 --ranks-per-node 4 "${kill_at_once[@]}")
    good=(--matrix "$directory/90.mtx")
    matrix 15 90 >"$directory/flat.mtx" && matrix 90 1 >"$directory/narrow.mtx"
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '90 90 2' '1 1' '91 1' >"$directory/broken.mtx"
    { printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '90 90 90' && seq 90 | sed 's/.*/& &/'; } \
        >"$directory/diagonal.mtx"
    spmm_refuses "more ranks than rows" 3 "flat.mtx: a matrix of 15 x 90 cannot be cut" "$log" \
        "${good[@]}" --matrix "$directory/flat.mtx"
    # Most of the time goes into starting ranks: two are enough for the other tests.
    machine=(--nodes 1 --ranks-per-node 2 "${kill_at_once[@]}")
    spmm_refuses "more ranks than columns" 3 "narrow.mtx: a matrix of 90 x 1 cannot be cut" "$log.narrow" \
        --matrix "$directory/narrow.mtx"
    spmm_refuses "a matrix that cannot be multiplied by itself" 3 "wide.mtx: .*cannot be multiplied with itself" \
        "$log.wide" --matrix "$directory/wide.mtx" --right matrix
    spmm_refuses "a broken file" 3 "broken.mtx:4: entry (91, 1) lies outside" "$log.broken" --matrix "$directory/broken.mtx"
    spmm_refuses "a file that is not there" 3 "none.mtx: No such file" "$log.none" --matrix "$directory/none.mtx"
    spmm_refuses "a matrix without edges" 3 "diagonal.mtx: no rank needs rows of another" "$log.diagonal" \
        --matrix "$directory/diagonal.mtx"
    spmm_refuses "what does not fit into memory" 3 "90.mtx: a product of 60000000 columns .*takes more than 1 GiB" \
        "$log.large" "${good[@]}" --widths 60000000
    spmm_refuses "a place where it cannot write" 3 "$directory/none/x.json: No such file" "$log.place" \
        "${good[@]}" --json "$directory/none/x.json"
    spmm_refuses "no matrix" 2 "--matrix is required" "$log.nothing"
    spmm_refuses "no columns" 2 "--widths: '0' is neither" "$log.widths" "${good[@]}" --widths 0
    spmm_refuses "half a column" 2 "--block-columns: '1.5' is neither" "$log.blocks" "${good[@]}" --block-columns 1.5
    spmm_refuses "an unknown operation" 2 "--op: unknown name 'alltoall'" "$log.op" "${good[@]}" --op alltoall
    spmm_refuses "an algorithm twice" 2 "--algorithms: 'direct' is listed twice" "$log.twice" \
        "${good[@]}" --algorithms direct,direct
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
