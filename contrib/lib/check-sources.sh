# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stages of contrib/check that examine only the sources. Sourced; needs tally.sh and the variables of contrib/check.

# list_sources PATTERN...: sets the array "sources" to the files of the project that match; stops if there are none,
# because a check of no files would always pass.
list_sources()
{
    mapfile -t sources < <(cd "$top" && git ls-files "$@")
    [ ${#sources[@]} -gt 0 ] || die "git lists no $* in $top: is this a checkout?"
}

# Every source file is named in the Makefile.am of its directory: a forgotten file would not be built, and nobody would
# notice.
stage_lists()
{
    local makefile source sources missing=()
    local -A words
    list_sources '*.c' '*.cc' '*.h'
    for source in "${sources[@]}"; do
        case $source in
            ompi/mca/coll/nbrhood/library/*) makefile=ompi/mca/coll/nbrhood/library/Makefile.am ;;
            ompi/mca/coll/nbrhood/missing/*) continue ;; # headers for Open MPI's own, a directory of EXTRA_DIST
            ompi/mca/coll/nbrhood/*) makefile=ompi/mca/coll/nbrhood/Makefile.am ;;
            ompi/mca/topo/nbrhood/*) makefile=ompi/mca/topo/nbrhood/Makefile.am ;;
            test/core/*_test.cc) continue ;; # all are compiled
            test/core/*) makefile=test/core/Makefile.am ;;
            test/fuzz/*) makefile=test/fuzz/Makefile.am ;;
            test/mpi/*) makefile=test/mpi/Makefile.am ;;
            test/simgrid/*) makefile=test/simgrid/Makefile.am ;;
            ompi/tools/*) makefile=ompi/tools/Makefile.am ;;
            benchmarks/*) makefile=benchmarks/Makefile.am ;;
            *) continue ;;
        esac
        [ -n "${words[$makefile]:-}" ] || words[$makefile]=" $(tr -s '[:space:]' ' ' <"$top/$makefile") "
        [[ ${words[$makefile]} == *" ${source#"${makefile%/*}"/} "* ]] || missing+=("$source")
    done
    [ ${#missing[@]} -eq 0 ]
    record $? "every source file is in its Makefile.am" "${missing[*]}"
    mapfile -t missing < <(not_distributed)
    [ ${#missing[@]} -eq 0 ]
    record $? "every file, so each that the documentation names, is in the distribution" "${missing[*]}"
    mapfile -t missing < <(mutants_out_of_date)
    [ ${#missing[@]} -eq 0 ]
    record $? "every mutant of test/mutants applies" "${missing[*]}"
    mapfile -t missing < <(includes_across_rooms)
    [ ${#missing[@]} -eq 0 ]
    record $? "a room of the core includes only those that core/README.md allows" "${missing[*]}"
    mapfile -t missing < <(includes_across_tools)
    [ ${#missing[@]} -eq 0 ]
    record $? "tools and benchmarks include only the folders that ompi/tools/README.md allows, and nothing of test/" "${missing[*]}"
    mapfile -t missing < <(without_license)
    [ ${#missing[@]} -eq 0 ]
    record $? "every source file names its license" "${missing[*]}"
    mapfile -t missing < <(topics_without_row)
    [ ${#missing[@]} -eq 0 ]
    record $? "every topic of the help file has a row in the user guide" "${missing[*]}"
}

# Includes in the core, as FILE:HEADER, that its README does not allow: the README has a table with the rooms that each
# room may include. An algorithm's folder may include the toolkit and algorithms/direct.h.
includes_across_rooms()
{
    local core=ompi/mca/coll/nbrhood/core sources
    list_sources "$core/*.h" "$core/*.cc"
    (cd "$top/$core" && awk -v core="$core/" '
        function room_of(path, part) {
            split(path, part, "/")
            return part[1]
        }
        function folder_of(path, part) { # of an algorithm, or nothing
            return split(path, part, "/") > 2 && part[1] == "algorithms" ? part[2] : ""
        }
        FILENAME == "README.md" {
            if (split($0, cell, "|") == 5 && cell[2] ~ /^ `/) {
                room = cell[2]
                gsub(/[ `]/, "", room)
                gsub(/ /, "", cell[4])
                for (n = split(cell[4], other, ","); n > 0; n--)
                    allowed[room, other[n]] = 1
                allowed[room, room] = 1
            }
            next
        }
        /^#include ".*\// {
            header = $2
            gsub(/"|\.\.\//, "", header)
            own = folder_of(FILENAME)
            other_folder = folder_of(header)
            if (!((room_of(FILENAME), room_of(header)) in allowed) || (own != "" && other_folder != own \
                && other_folder != "toolkit" && room_of(header) == "algorithms" && header != "algorithms/direct.h"))
                print core FILENAME ":" header
        }' README.md "${sources[@]#"$core/"}" || echo "awk failed")
}

# Likewise for the folders of ompi/tools, whose README has the table, and for the benchmarks, which may include the three
# libraries; also lines with which their Makefile.am take files from test/.
includes_across_tools()
{
    local sources
    list_sources 'ompi/tools/*.h' 'ompi/tools/*.cc' 'benchmarks/*.h' 'benchmarks/*.cc'
    (cd "$top" && awk '
        function folder_of(path, part, parts) {
            parts = split(path, part, "/")
            return part[parts - 1]
        }
        FILENAME ~ /README.md$/ {
            if (split($0, cell, "|") == 5 && cell[2] ~ /^ `/) {
                folder = cell[2]
                gsub(/[ `]/, "", folder)
                gsub(/ /, "", cell[4])
                known[folder] = allowed[folder, folder] = 1
                for (n = split(cell[4], other, ","); n > 0; n--)
                    allowed[folder, other[n]] = 1
            }
            next
        }
        /^#include ".*\// {
            header = $2
            gsub(/"/, "", header)
            other_folder = header
            sub(/\/.*/, "", other_folder)
            library = other_folder == "analysis" || other_folder == "common" || other_folder == "measuring"
            if (other_folder == ".." || (other_folder in known \
                && !(FILENAME ~ /^benchmarks/ ? library : (folder_of(FILENAME), other_folder) in allowed)))
                print FILENAME ":" header
        }' ompi/tools/README.md "${sources[@]}" || echo "awk failed"
    git grep -nE '(\.\.|srcdir\))/test/' -- 'ompi/*Makefile.am' 'benchmarks/*Makefile.am')
}

# Files that do not name the license; data and documentation need not.
without_license()
{
    (cd "$top" && git grep -LI 'SPDX-License-Identifier: BSD-3-Clause-Open-MPI' -- . ':!LICENSE' ':!NEWS' ':!docs/results/data' ':!.gitignore' \
        ':!.clang-*' ':!*.md' ':!*.txt' ':!*.tsv' ':!*.svg' ':!*.supp' ':!test/fuzz/corpus' ':!test/fuzz/dictionaries')
}

# Prints the topics of messages for users that are missing in the table of docs/user-guide.md.
topics_without_row()
{
    local topic
    sed -n 's/^\[\(.*\)\]$/\1/p' "$top/ompi/mca/coll/nbrhood/help-mpi-coll-nbrhood.txt" | while read -r topic; do
        grep -qF "| $topic | " "$top/docs/user-guide.md" || echo "[$topic]"
    done
}

# The files that "make dist" leaves out: neither in a Makefile.am above them, nor in a directory that an EXTRA_DIST there
# names, nor one that automake takes by itself.
not_distributed()
{
    local sources makefile listed
    list_sources
    listed=$(list_sources Makefile.am '*/Makefile.am'
        for makefile in "${sources[@]}"; do
            awk -v directory="${makefile%Makefile.am}" '
                { sub(/#.*/, "") }
                /^[A-Za-z_]+ *\+?=/ { extra = /^EXTRA_DIST / }
                { for (i = 1; i <= NF; i++) print directory $i (extra ? " extra" : "") }' "$top/$makefile"
        done)
    printf '%s\n' "${sources[@]}" | awk -v listed="$listed" '
        BEGIN {
            for (n = split(listed, line, "\n"); n > 0; n--) {
                split(line[n], word, " ")
                named[word[1]] = 1
                if (word[2] != "")
                    extra[word[1]] = 1
            }
        }
        /(^|\/)Makefile\.am$|^test\/core\/[^\/]*_test\.cc$|^configure\.ac$|^config\/[^\/]*\.m4$|^\.gitignore$/ || $0 in named { next }
        {
            directory = $0
            while (sub(/\/[^\/]*$/, "", directory))
                if (directory in extra)
                    next
            print
        }'
}

# Prints the mutants with an edit that changes nothing. A mutant's edits are made one after the other.
mutants_out_of_date()
{
    local copy name file expression last=
    copy=$(mktemp -d) || die "cannot make a directory."
    while IFS=$'\t' read -r name _ file expression; do
        [[ $name != \#* ]] || continue
        [ "$name" = "$last" ] || rm -rf "${copy:?}"/*
        last=$name
        [ -e "$copy/$file" ] || { mkdir -p "$copy/${file%/*}" && cp "$top/$file" "$copy/$file"; }
        cp "$copy/$file" "$copy/before"
        sed -i "$expression" "$copy/$file"
        ! cmp -s "$copy/before" "$copy/$file" || echo "$name"
    done <"$top/test/mutants/mutants.tsv"
    rm -rf "$copy"
}

stage_style()
{
    local sources
    list_sources '*.c' '*.cc' '*.h'
    (cd "$top" && printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 20 clang-format-14 --dry-run --Werror) \
        >"$logs/clang-format" 2>&1
    record $? "clang-format has nothing to change" "see $logs/clang-format" "$logs/clang-format"
    check_scripts "$logs/shellcheck"
}

# check_scripts LOG: all files that begin as a shell script, and the files that scripts source, which use the variables
# of these scripts.
check_scripts()
{
    local log=$1 file sources scripts=()
    list_sources
    for file in "${sources[@]}"; do
        ! head -n 1 "$top/$file" | grep -aqE '^#! ?[^ ]*[/ ](ba|da)?sh( |$)' || scripts+=("$file")
    done
    list_sources 'contrib/lib/*.sh'
    (cd "$top" && printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -n 3 shellcheck \
        && printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 3 shellcheck --exclude=SC2034,SC2154) >"$log" 2>&1
    record $? "shellcheck has no findings" "see $log" "$log"
}

# tidy TITLE CHECKS FILE...: CHECKS are added to those of .clang-tidy. (Open MPI's headers, which the glue includes, have
# findings of their own.)
tidy()
{
    local title=$1 checks=$2 log sources=("${@:3}")
    log=$(log_of "$title")
    (cd "$top" && printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' clang-tidy-14 --quiet --checks="$checks" '{}' -- \
        -std=c++17 -Iompi/mca/coll/nbrhood/core -Iompi/tools -Itest/core -Ibenchmarks \
        -DNBRHOOD_COSTS_DIR='"ompi/mca/coll/nbrhood/costs"') >"$log" 2>&1
    record $? "clang-tidy has no findings in $title" "see $log" "$log"
}

# changed_sources PATTERN...: sets the array "sources" to the matching files in which the last ten commits changed code,
# including includes, or which have uncommitted changes; to all matching files if there are none.
changed_sources()
{
    mapfile -t sources < <(cd "$top" \
        && { git log -10 -G'[;{}#]' --format= --name-only -- "$@"; git diff --name-only HEAD -- "$@"; } | sort -u \
        | while read -r source; do [ ! -e "$source" ] || echo "$source"; done)
    [ ${#sources[@]} -gt 0 ] || list_sources "$@"
}

# Leaves out clang's analyzer, which takes two thirds of the time, and files that have not changed lately.
stage_tidy()
{
    local sources
    changed_sources 'ompi/mca/coll/nbrhood/core/*.cc' 'ompi/tools/analysis/*.cc'
    tidy "what changed of the core and the analysis" '-clang-analyzer-*' "${sources[@]}"
}

stage_tidy_all()
{
    local sources
    list_sources 'ompi/mca/coll/nbrhood/core/*.cc' 'ompi/tools/analysis/*.cc'
    tidy "the core and the analysis, with the analyzer" "" "${sources[@]}"
    list_sources 'test/core/*.cc' 'test/simgrid/*.cc'
    tidy "the core's tests" "" "${sources[@]}"
}

# The documents make a site, in which each link inside them leads somewhere.
stage_docs()
{
    install_missing "${docs_packages[@]}"
    /usr/bin/python3 -m sphinx -c "$top/docs" -E -d "$logs/doctrees" -b html -q -W --keep-going "$top" "$logs/html" \
        >"$logs/docs" 2>&1
    record $? "the documents make a site without a broken link" "see $logs/docs" "$logs/docs"
}

# unknown_options: the options that pages of docs/tools name and the --help of the tool does not.
unknown_options()
{
    local page tool option help
    for page in "$top"/docs/tools/*.md; do
        tool=$(basename "$page" .md)
        help=$("$build/install/bin/$tool" --help 2>&1)
        while read -r option; do
            grep -qE -- "$option([^a-z-]|\$)" <<<"$help" || echo "$tool $option"
        done < <(grep -oE '`--[a-z-]+' "$page" | tr -d '`')
    done
}
