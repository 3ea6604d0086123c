# shellcheck shell=bash
# The stages of contrib/check that look at the sources alone. Sourced; wants tally.sh and the variables of contrib/check.

# Every source file is named in the Makefile.am of its folder: one that is forgotten is not built, and
# nobody notices.
stage_lists()
{
    local makefile source missing=()
    while read -r source; do
        case $source in
            ompi/mca/coll/nbrhood/library/*) makefile=ompi/mca/coll/nbrhood/library/Makefile.am ;;
            ompi/mca/coll/nbrhood/*) makefile=ompi/mca/coll/nbrhood/Makefile.am ;;
            ompi/mca/topo/nbrhood/*) makefile=ompi/mca/topo/nbrhood/Makefile.am ;;
            test/core/*) makefile=test/core/Makefile.am ;;
            test/mpi/*) makefile=test/mpi/Makefile.am ;;
            test/simgrid/*) makefile=test/simgrid/Makefile.am ;;
            benchmarks/*) makefile=benchmarks/Makefile.am ;;
            *) continue ;;
        esac
        grep -qE "(^|[[:space:]])${source#"$(dirname "$makefile")"/}([[:space:]]|\$)" "$top/$makefile" \
            || missing+=("$source")
    done < <(cd "$top" && git ls-files '*.c' '*.cc' '*.h')
    [ ${#missing[@]} -eq 0 ]
    record $? "every source file is in its Makefile.am" "${missing[*]}"
}

stage_style()
{
    local file wrong=()
    while read -r file; do
        clang-format-14 --dry-run --Werror "$top/$file" >/dev/null 2>&1 || wrong+=("$file")
    done < <(cd "$top" && git ls-files '*.c' '*.cc' '*.h')
    [ ${#wrong[@]} -eq 0 ]
    record $? "clang-format has nothing to change" "${wrong[*]}"
}

# tidy TITLE FILE...: Open MPI's headers, which the glue includes, have findings of their own.
tidy()
{
    local title=$1 log
    shift
    log=$logs/$(tr -c 'a-z0-9\n' - <<<"$title")
    (cd "$top" && git ls-files "$@" | xargs -P "$(nproc)" -I '{}' clang-tidy-14 --quiet '{}' -- \
        -std=c++17 -Iompi/mca/coll/nbrhood/core -Itest/core -Ibenchmarks \
        -DNBRHOOD_COSTS_DIR='"ompi/mca/coll/nbrhood/costs"') >"$log" 2>&1
    record $? "clang-tidy has no findings in $title" "see $log" "$log"
}

stage_tidy() { tidy "the core" 'ompi/mca/coll/nbrhood/core/*.cc'; }

stage_tidy_tests() { tidy "the core's tests" 'test/core/*.cc' 'test/simgrid/*.cc'; }
