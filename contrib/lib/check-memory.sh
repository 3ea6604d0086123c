# shellcheck shell=bash
# The stages of contrib/check that watch memory: sanitizers and valgrind. Sourced; wants tally.sh, build.sh and the
# variables of contrib/check.

# build_sanitized: the core with sanitizers, configured apart, for its tests and the fuzz targets. By clang, which alone
# has libFuzzer.
build_sanitized()
{
    configure_in "$sanitized" --enable-fuzzing CXX=clang++-14 CXXFLAGS="-g -O1" \
        && make -j"$(nproc)" -C "$sanitized/ompi/mca/coll/nbrhood" libnbrhood_core_sanitized.la
}

# A quarter of the core's random cases.
stage_sanitizers()
{
    local -x ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    build_sanitized >"$logs/sanitizers" 2>&1
    record $? "build of the core with sanitizers" "see $logs/sanitizers" "$logs/sanitizers"
    NBRHOOD_TEST_SCALE=0.25 core_tests "core tests with sanitizers" "$sanitized"
}

# The core tests with a fiftieth of their random cases.
stage_valgrind()
{
    { build_in "$build" "${configure_options[@]}" && make -C "$build/test/core" core_tests \
        && NBRHOOD_TEST_SCALE=0.02 valgrind --quiet --leak-check=full --error-exitcode=1 \
            "$build/test/core/core_tests"; } >"$logs/valgrind" 2>&1
    count_gtest $? "core tests under valgrind" "$logs/valgrind"
}
