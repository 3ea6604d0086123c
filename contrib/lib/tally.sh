# shellcheck shell=bash
# Counts tests and shows progress. Sourced by the scripts that check.

# What the names of all tests begin with.
title_prefix=

passed=0
failed=0
failures=()

begin_stage()
{
    stage_start=$SECONDS
    echo "== $1 ($(date +%T))"
}

end_stage() { echo "   $((SECONDS - stage_start)) s"; }

# add_failure TITLE DETAIL [LOG]: remembers it for the end, shows it and the end of LOG now.
add_failure()
{
    failed=$((failed + 1))
    failures+=("$title_prefix$1")
    echo "FAIL $title_prefix$1${2:+: $2}"
    [ -z "${3:-}" ] || [ ! -r "$3" ] || tail -n 15 "$3" | sed 's/^/    | /'
}

# record STATUS TITLE [DETAIL [LOG]]: one test.
record()
{
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "PASS $title_prefix$2"
    else
        add_failure "$2" "${3:-}" "${4:-}"
    fi
}

# count_lines STATUS TITLE LOG: the tests of a program that printed "PASS name" and "FAIL name". A program
# that fails without saying which test did, or that ran no test, is a failed test itself.
count_lines()
{
    local status=$1 title=$2 log=$3 good bad line
    good=$(grep -c '^PASS ' "$log")
    bad=$(grep -c '^FAIL ' "$log")
    passed=$((passed + good))
    echo "     $title_prefix$title: $good passed, $bad failed"
    while read -r line; do
        add_failure "$title: ${line#FAIL }" ""
    done < <(grep '^FAIL ' "$log")
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        add_failure "$title" "exit status $status, $good tests passed before" "$log"
    fi
}

# count_gtest STATUS TITLE GTEST_LOG MAKE_LOG
count_gtest()
{
    local status=$1 title=$2 log=$3 good=0 name bad=0
    if [ -r "$log" ]; then
        good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\.$/\1/p' "$log" | tail -n 1)
        : "${good:=0}"
        while read -r name; do
            add_failure "$title: $name" ""
            bad=$((bad + 1))
        # The summary at the end names each failed test once more, without its time.
        done < <(sed -n 's/^\[  FAILED  \] \([^ ,]*\.[^ ,]*\)\(, where.*\)\{0,1\}$/\1/p' "$log" | sort -u)
        [ $bad -eq 0 ] || grep -A 6 -E ': Failure$|runtime error:|ERROR: ' "$log" | head -n 60 | sed 's/^/    | /'
    fi
    passed=$((passed + good))
    echo "     $title_prefix$title: $good passed, $bad failed"
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        add_failure "$title" "exit status $status, $good tests passed" "$4"
    fi
}

# add_tally FILE: what another run of contrib/check wrote there with write_tally.
add_tally()
{
    local name
    while read -r name; do
        case $name in
            "passed "*) passed=$((passed + ${name#passed })) ;;
            *) failed=$((failed + 1)); failures+=("$name") ;;
        esac
    done <"$1"
}

# write_tally FILE: the number of tests that passed, the names of those that failed.
write_tally()
{
    echo "passed $passed" >"$1"
    [ ${#failures[@]} -eq 0 ] || printf '%s\n' "${failures[@]}" >>"$1"
}

# The last line is for scripts.
finish()
{
    local failure
    [ ${#failures[@]} -eq 0 ] || echo "failed:"
    for failure in ${failures[@]+"${failures[@]}"}; do echo "  $failure"; done
    echo "after $((SECONDS / 60)) min $((SECONDS % 60)) s"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
