# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stages of contrib/check that fuzz the readers of text and messages (test/fuzz). Sourced; needs tally.sh,
# check-memory.sh and the variables of contrib/check.

# Two seconds for each target, from the committed corpus only.
stage_fuzz_short()
{
    rm -rf "$sanitized/test/fuzz/corpus-short"
    fuzz_all 2 corpus-short
}

# Three minutes for each target, continuing the last run: 20 minutes on two cores.
stage_fuzz() { fuzz_all 180 corpus; }

# fuzz_all SECONDS CORPUS: builds and fuzzes every target, as many at a time as there are cores. Each target keeps new
# inputs that reach new code in CORPUS of its build directory.
fuzz_all()
{
    local log=$logs/fuzz target targets status
    { build_sanitized && make -j"$(nproc)" -C "$sanitized/test/fuzz" fuzzers; } >"$log" 2>&1
    status=$?
    record $status "the fuzz targets are built" "see $log" "$log"
    [ $status -eq 0 ] || return
    mapfile -t targets < <(make -s --no-print-directory -C "$sanitized/test/fuzz" list)
    for target in "${targets[@]}"; do
        rm -f "$logs/$target.status"
        while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do wait -n; done
        fuzz "$target" "$@" &
    done
    wait
    for target in "${targets[@]}"; do
        record_fuzz "$target"
    done
}

# fuzz TARGET SECONDS CORPUS: the output and the exit status go to files in the directory of logs. An input that ends a
# target (an error, a demand that does not hold, more than 10 s or 1 GiB) stays in the target's directory "found", and
# is tried first the next time.
fuzz()
{
    local target=$1 directory=$sanitized/test/fuzz log=$logs/$1 dictionary=$top/test/fuzz/dictionaries/$1
    local options=(-seed=1 -max_total_time="$2" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
        -artifact_prefix="$directory/found/$target/")
    local corpora=("$directory/$3/$target" "$top/test/fuzz/corpus/$target" "$directory/found/$target")
    [ ! -e "$dictionary" ] || options+=(-dict="$dictionary")
    mkdir -p "${corpora[@]}"
    ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=64 UBSAN_OPTIONS=print_stacktrace=1 \
        "$directory/$target" "${options[@]}" "${corpora[@]}" >"$log" 2>&1
    echo $? >"$log.status"
}

# record_fuzz TARGET: records the result of its last run.
record_fuzz()
{
    local log=$logs/$1 inputs found
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    [ "$(cat "$log.status")" = 0 ] && [ "${inputs:-0}" -gt 0 ]
    record $? "$1: ${inputs:-no} inputs" "${found:+to reproduce: $sanitized/test/fuzz/$1 $found; }see $log" "$log"
}
