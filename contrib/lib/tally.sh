# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Counts tests and shows progress. Sourced by the checking scripts; needs common.sh.
#
# Every test is one line of the file $tally, "PASS name" or "FAIL name". One function counts all sums from these lines,
# and the exit status follows from the last printed sum, so that no sum can contradict another. (It is a file and not a
# variable, so that the records of a subshell are not lost.)

# The prefix of the names of all tests.
title_prefix=

tally=$(mktemp) || die "cannot make a file in ${TMPDIR:-/tmp}."
trap 'rm -f "$tally"' EXIT

# For awk: the beginning of every program that reads the log of tests and prints their lines of the tally. A name comes
# from the log, so it may contain any text.
readonly tally_common='
    function put(result, name)
    {
        name = substr(name, 1, 400)
        gsub(/[^ -~]/, "?", name)
        print result " " ENVIRON["NBRHOOD_TITLE"] name
        ++count[result]
    }
    # The sums of the program must agree with its log, and its exit status must fit.
    function conclude(consistent, said)
    {
        good = count["PASS"] + 0
        bad = count["FAIL"] + 0
        status = ENVIRON["NBRHOOD_STATUS"]
        if (!consistent || good + bad == 0 || (status == "0") != (bad == 0))
            put("FAIL", "does not add up: " good " passed, " bad " failed, exit status " status ", " said)
    }
'

# For awk: programs that print "PASS name" and "FAIL name: reason", and at the end "N passed, N failed".
readonly tally_of_lines='
    /^PASS / { put("PASS", substr($0, 6)) }
    /^FAIL([^A-Za-z0-9_]|$)/ { put("FAIL", substr($0, 6)) }
    /^[0-9]+ passed, [0-9]+ failed *$/ { said = $1 " passed, " $3 " failed" }
    END {
        conclude(said == (count["PASS"] + 0) " passed, " (count["FAIL"] + 0) " failed",
                 said == "" ? "no sums at its end" : "its own sums \"" said "\"")
    }
'

# For awk: GoogleTest. A test that was skipped, or began and did not end, has failed.
readonly tally_of_gtest='
    function named(mark, name)
    {
        name = substr($0, index($0, mark) + length(mark))
        sub(/[ ,].*/, "", name)
        return name
    }
    function ended(result, mark, why)
    {
        if (running == "" || named(mark) != running)
            return
        put(result, running why)
        running = ""
    }
    function lost() { if (running != "") put("FAIL", running " did not end") }

    /^\[==========\] Running [0-9]+ tests? from / { announced += $3 }
    /^\[==========\] [0-9]+ tests? from .* ran\./ { ran += $2 }
    /^\[  PASSED  \] [0-9]+ tests?\.$/ { said += $4 }
    /^\[ RUN      \] / { lost(); running = named("[ RUN      ] ") }
    # A test may have printed something before, without the end of a line.
    /\[       OK \] .* \([0-9]+ ms\)$/ { ended("PASS", "[       OK ] ", "") }
    /\[  FAILED  \] .* \([0-9]+ ms\)$/ { ended("FAIL", "[  FAILED  ] ", "") }
    /\[  SKIPPED \] .* \([0-9]+ ms\)$/ { ended("FAIL", "[  SKIPPED ] ", " was skipped") }
    END {
        lost()
        conclude(announced == count["PASS"] + count["FAIL"] && ran == announced && said == count["PASS"] + 0,
                 announced + 0 " announced, " ran + 0 " ran, " said + 0 " said to have passed")
    }
'

# sums [FIRST]: the sums of the tests from line FIRST of the tally on, as "N passed, N failed". A line that is not a
# test counts as failed.
sums()
{
    LC_ALL=C awk -v first="${1:-1}" '
        NR >= first { if (/^PASS /) ++good; else ++bad }
        END { print good + 0 " passed, " bad + 0 " failed" }' "$tally"
}

# The time of a program: the seconds since the stage began, or since the previous program was counted.
lap_start=$SECONDS

next_test() { echo $(($(wc -l <"$tally") + 1)); }

begin_stage()
{
    stage_title=$1
    stage_start=$SECONDS
    lap_start=$SECONDS
    stage_first=$(next_test)
    echo "== $1 ($(date +%T))"
}

# A stage without a test has failed.
end_stage()
{
    [ "$(next_test)" -gt "$stage_first" ] || record 1 "$stage_title: no test ran"
    echo "   $((SECONDS - stage_start)) s: $(sums "$stage_first")"
}

# show LOG: prints its end, as text.
show() { [ ! -r "$1" ] || tail -n 15 "$1" | LC_ALL=C tr -c '[:print:]\n\t' '?' | cut -c 1-400 | sed 's/^/    | /'; }

# record STATUS TITLE [DETAIL [LOG]]: one test. One that failed is shown with the end of LOG.
record()
{
    local result=FAIL name=$title_prefix$2
    [ "$1" != 0 ] || result=PASS
    echo "$result ${name//$'\n'/ }" >>"$tally" || die "cannot write to $tally."
    [ $result = PASS ] || name+=${3:+: $3}
    echo "$result $name"
    [ $result = PASS ] || [ -z "${4:-}" ] || show "$4"
}

# status_text STATUS: 139 is "139 (SEGV)".
status_text() { echo "$1$([ "$1" -le 128 ] || kill -l "$1" 2>/dev/null | sed 's/.*/ (&)/')"; }

# count_with READER STATUS TITLE LOG [OTHER_LOG]: adds the tests of a program that ended with exit status STATUS; returns
# 1 when one failed. OTHER_LOG is shown in place of LOG when the program does not add up.
count_with()
{
    local title=$title_prefix$3 log=$4 first failures
    first=$(next_test)
    # Strings of Open MPI may end in a NUL, lines of others in a CR.
    # shellcheck disable=SC2020
    (set -o pipefail; LC_ALL=C tr '\000\r' '\n\n' <"$log" \
        | LC_ALL=C NBRHOOD_TITLE="$title: " NBRHOOD_STATUS=$(status_text "$2") awk "$tally_common$1") >>"$tally" \
        || record 1 "$3" "$log cannot be read"
    echo "     $title: $(sums "$first")$([ "$SECONDS" = "$lap_start" ] || echo " ($((SECONDS - lap_start)) s)")"
    lap_start=$SECONDS
    failures=$(tail -n "+$first" "$tally" | grep '^FAIL ') || return 0
    echo "$failures"
    [[ $failures != *": does not add up: "* ]] || show "${5:-$log}"
    return 1
}

# count_lines STATUS TITLE LOG: counts the tests of a program that prints PASS and FAIL lines.
count_lines() { count_with "$tally_of_lines" "$@"; }

# count_gtest STATUS TITLE GTEST_LOG [MAKE_LOG]
count_gtest()
{
    count_with "$tally_of_gtest" "$@" || [ ! -r "$3" ] \
        || grep -a -A 6 -E ': Failure$|runtime error:|ERROR: ' "$3" | head -n 60 | cut -c 1-400 | sed 's/^/    | /'
}

# hand_over FILE: writes all tests there, and their sums, for count_lines.
hand_over() { { cat "$tally" && sums; } >"$1" || die "cannot write $1."; }

# finish: shows the failed tests. The last line, for scripts, has the sums.
finish()
{
    local last
    ! grep -q '^FAIL ' "$tally" || echo "failed:"
    sed -n 's/^FAIL /  /p' "$tally"
    echo "after $((SECONDS / 60)) min $((SECONDS % 60)) s"
    last=$(sums)
    echo "$last"
    [[ $last =~ ^[1-9][0-9]*\ passed,\ 0\ failed$ ]]
    exit
}
