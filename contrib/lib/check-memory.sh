# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stages of contrib/check that watch memory: sanitizers and valgrind. Sourced; needs tally.sh, build.sh and the
# variables of contrib/check.

# build_sanitized: builds the core with sanitizers in a separate directory, for its tests and the fuzz targets, with
# clang, because gcc has no libFuzzer.
build_sanitized()
{
    configure_in "$sanitized" --enable-fuzzing CXX=clang++-14 CXXFLAGS="-O1 -gline-tables-only" \
        && make -j"$(nproc)" -C "$sanitized/ompi/mca/coll/nbrhood" libnbrhood_core_sanitized.la \
        && make -j"$(nproc)" -C "$sanitized/ompi/tools" libnbrhood_analysis_sanitized.la
}

# core_tests_with_sanitizers TITLE MAKE_ARGUMENT...
core_tests_with_sanitizers()
{
    local -x ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    build_sanitized >"$logs/sanitizers" 2>&1
    record $? "build of the core with sanitizers" "see $logs/sanitizers" "$logs/sanitizers"
    core_tests "$1" "$sanitized" "${@:2}"
}

# A tenth of the core's random cases, a quarter of the ranks, and no tests that count or prove on large machines,
# because other tests run the same code on small ones; "sanitizers_all" has all tests. The sanitizers watch the core
# only: the tests are those that the stage "core" compiled, linked with a sanitized core, since compiling them takes
# longer than running them.
stage_sanitizers()
{
    local -x NBRHOOD_TEST_SCALE=0.1
    local -x GTEST_FILTER='-*AnalysisMemory*:*ThousandRanks*:*ThousandsOfRanks*:*HundredsOfRanks*:Grids/*/6:Grids/*/7'
    GTEST_FILTER+=":AllgatherPatterns.SendWhatTheClosedForms*:ComponentBuild.Pauses*:ComputedGraph.TooLarge*"
    GTEST_FILTER+=":Delivery.TakesTheBundles*:DistanceHalving.*OfThePapers*:DistanceHalving.LargeBlocksGainToo"
    GTEST_FILTER+=":EngineAuto.ChoosesWhat*:FriendGroups.OfRandomGraphsAreFew*:SizeIntervals.A*"
    { build_in "$build" "${configure_options[@]}" && make -j"$(nproc)" -C "$build/test/core" core_tests "${quick_compiler[@]}"; } \
        >"$logs/sanitizers-tests" 2>&1
    record $? "build of the core tests" "see $logs/sanitizers-tests" "$logs/sanitizers-tests"
    core_tests_with_sanitizers "core tests with sanitizers" \
        core_test_objects= core_tests_OBJECTS="$(find "$build/test/core" "$build/ompi/tools" "$build/benchmarks" -name 'core_tests-*.o' -printf '%p ')"
}

# All tests, which are also sanitized; that takes ten times as long.
stage_sanitizers_all()
{
    core_tests_with_sanitizers "all core tests with sanitizers" CXXFLAGS="-O0 -gline-tables-only"
}

# The core tests with a fiftieth of their random cases, and without those of thousands of ranks, which take minutes.
stage_valgrind()
{
    { build_in "$build" "${configure_options[@]}" && make -C "$build/test/core" core_tests "${quick_compiler[@]}" \
        && NBRHOOD_TEST_SCALE=0.02 valgrind --quiet --leak-check=full --error-exitcode=1 \
            "$build/test/core/core_tests" --gtest_filter='-*OnFourThousandRanks:*ThousandsOfRanks*'; } >"$logs/valgrind" 2>&1
    count_gtest $? "core tests under valgrind" "$logs/valgrind"
}

# build_to_watch TITLE DIRECTORY CONFIGURE_OPTION...: builds the components and the three tests of calls in a directory
# of their own.
build_to_watch()
{
    local title=$1 directory=$2 coll=$2/ompi/mca/coll/nbrhood
    shift
    configure_in "$@" && { make -s -j"$(nproc)" -C "$coll" install INSTALL_STRIP_FLAG= \
        && make -s -j"$(nproc)" -C "$directory/ompi/mca/topo/nbrhood" install \
        && make -s -j"$(nproc)" -C "$coll/library" libnbrhood_objects.la \
        && make -s -j"$(nproc)" -C "$directory/test/mpi" nbrhood-verify nbrhood-verify-allgather nbrhood-stress \
            nbrhood-stress-alltoallv; } \
        >>"$directory/log" 2>&1
    record $? "build $title" "see $directory/log" "$directory/log"
}

# under_valgrind TITLE PROGRAM CLUSTER_OPTION...: a test on 2 nodes x 2, in which valgrind must find no error.
under_valgrind()
{
    local title=$1 program=$2 found
    shift 2
    found=$logs/valgrind-$(tr -c 'a-z0-9\n' - <<<"$title")
    rm -rf "$found"
    mkdir -p "$found"
    on_cluster "$title" "$debug" --nodes 2 --ranks-per-node 2 --timeout 3600 "$@" -- valgrind --track-origins=yes \
        --num-callers=30 --keep-debuginfo=yes --suppressions="$top/test/mpi/valgrind.supp" --error-exitcode=9 \
        --quiet --log-file="$found/rank-%q{OMPI_COMM_WORLD_RANK}" \
        "$debug/test/mpi/$program" "${arguments[@]}"
    [ "$(find "$found" -name 'rank-[0-3]' | wc -l)" -eq 4 ]
    record $? "$title: valgrind watched every rank"
    cat "$found"/rank-* >"$found/all"
    [ ! -s "$found/all" ]
    record $? "$title: no findings" "see $found/all" "$found/all"
}

# nbrhood-verify and its allgathers under valgrind, and patterns that are built and tried beside the calls, for
# neighbourhood collectives and for MPI_Alltoallv. The component has debug checks. Unlike sanitizers, valgrind sees
# values that were never set, also when Open MPI reads data
# of the component. Leaks are left to the core tests, because Open MPI has many.
stage_verify_valgrind()
{
    local arguments=(--timeout 900)
    install_missing valgrind
    build_to_watch "with debug checks" "$debug" "${debug_options[@]}"
    under_valgrind "verify under valgrind, 2 nodes x 2" nbrhood-verify "${at_creation[@]}"
    under_valgrind "verify allgathers under valgrind, 2 nodes x 2" nbrhood-verify-allgather
    arguments=(--timeout 900 --seconds 300 --seed 5 --algorithms auto)
    under_valgrind "stress patterns built later under valgrind, 2 nodes x 2" nbrhood-stress "${later[@]}"
    arguments=(--calls 400 --seed 6)
    under_valgrind "stress alltoallv under valgrind, 2 nodes x 2" nbrhood-stress-alltoallv "${later[@]}"
}

# with_sanitizers TITLE PROGRAM CLUSTER_OPTION...: the same on 2 nodes x 3, with the sanitized build.
with_sanitizers()
{
    local title=$1 program=$2 directory=$sanitized-mpi log
    shift 2
    log=$(log_of "$title")
    # Leaks are left to the core tests, because Open MPI has many.
    on_cluster "$title" "$directory" --nodes 2 --ranks-per-node 3 --timeout 1800 "$@" \
        -x "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1" \
        -x "UBSAN_OPTIONS=print_stacktrace=1" \
        -- "$directory/test/mpi/$program" "${arguments[@]}"
    # A program that was built without sanitizers would find nothing.
    nm -D "$directory/install/openmpi/mca_coll_nbrhood.so" | grep -q __asan_report \
        && nm -D "$directory/test/mpi/$program" | grep -q __asan_init
    record $? "$title: component and program are watched"
    ! grep -aqE 'runtime error:|ERROR: AddressSanitizer' "$log" "$log.stderr"
    record $? "$title: no findings" "see $log.stderr"
}

# The same tests and the component with sanitizers: the program brings the sanitizers' library, which must be there
# before the component is loaded.
stage_verify_sanitizers()
{
    local flags arguments=(--timeout 300)
    # gcc's check of bool values reads a volatile bool only once, so a loop in Open MPI's headers (WAIT_SYNC_RELEASE)
    # would never end.
    flags="-g -O1 -fsanitize=address,undefined -fno-sanitize=bool -fno-sanitize-recover=all -fno-omit-frame-pointer"
    build_to_watch "with sanitizers" "$sanitized-mpi" "${configure_options[@]}" CFLAGS="$flags" CXXFLAGS="$flags"
    with_sanitizers "verify with sanitizers, 2 nodes x 3" nbrhood-verify "${at_creation[@]}"
    with_sanitizers "verify allgathers with sanitizers, 2 nodes x 3" nbrhood-verify-allgather
    arguments=(--timeout 300 --threads)
    with_sanitizers "verify allgathers with sanitizers, 2 nodes x 3, threads" nbrhood-verify-allgather
    arguments=(--timeout 300 --seconds 120 --seed 5 --algorithms auto)
    with_sanitizers "stress patterns built later with sanitizers, 2 nodes x 3" nbrhood-stress "${later[@]}"
    arguments=(--calls 3000 --seed 6)
    with_sanitizers "stress alltoallv with sanitizers, 2 nodes x 3" nbrhood-stress-alltoallv "${later[@]}"
    arguments=(--calls 2000 --seed 7 --threads)
    with_sanitizers "stress alltoallv with sanitizers, 2 nodes x 3, threads" nbrhood-stress-alltoallv "${later[@]}"
}
