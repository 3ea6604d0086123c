# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The stage of contrib/check about scripts: their refusals, the files that they remove, and the places of installed
# files. Sourced; needs tally.sh, build.sh, check-mpi.sh and the variables of contrib/check.

stage_scripts()
{
    local work=$build/scripts
    rm -rf "$work"
    mkdir -p "$work" || return
    check_tool plot-bench
    check_tool nbrhood-plot
    check_tool auto-against-best
    check_tool draw-results
    check_debian "$work/debian"
    check_cluster_status
    check_cluster_links
    build_in "$build" "${configure_options[@]}"
    record $? "build for the installations" "see $build/log" "$build/log"
    check_install "$work"
    check_ompi_source "$work/ompi"
    check_ignored
    check_versions
}

# check_install DIRECTORY: no installation is incomplete; a private one is in its own directory, and disappears with it.
check_install()
{
    local work=$1 log=$logs/scripts-install elsewhere
    : >"$work/file"
    ! make -C "$build" install nbrhoodcomponentdir="$work/refused" prefix="$work/file" >"$log" 2>&1 \
        && grep -q "^Nothing was installed: $work/file/.* is needed, but $work/file is not a directory" "$log" \
        && [ ! -e "$work/refused" ]
    record $? "make install copies nothing where it cannot copy all" "see $log" "$log"
    { make -s -C "$build" install DESTDIR="$work/there" && make -s -C "$build" installcheck DESTDIR="$work/there"; } \
        >"$log.check" 2>&1 && [ "$(grep -c '^installcheck: PASS' "$log.check")" -eq 2 ]
    record $? "make installcheck finds the component, and a pattern that serves calls" "see $log.check" "$log.check"
    [ "$("$(find "$work/there" -path '*libexec/nbrhood/nbrhood-compare')" --version)" \
        = "nbrhood-compare (coll/nbrhood) $(sed -n 's/^AC_INIT(\[nbrhood\], \[\(.*\)\])$/\1/p' "$top/configure.ac")" ]
    record $? "the installed nbrhood-compare runs" "see $log.check" "$log.check"
    { [ -n "$(find "$work/there" -name mca_coll_nbrhood.so -size -5M)" ] \
        && make -s -C "$build" uninstall DESTDIR="$work/there"; } >"$log.away" 2>&1 \
        && [ -z "$(find "$work/there" ! -type d)" ]
    record $? "make install strips the component to less than 5 MiB, make uninstall takes everything away" "see $log.away, left: $(find "$work/there" ! -type d)" "$log.away"
    mkdir "$work/build" && cp "$build/config.cache" "$work/build" # these tests take half a minute
    (cd "$work/build" && "$top/configure" -C "${configure_options[@]}" --with-component-dir="$work/private") \
        >"$log.private" 2>&1
    elsewhere=$(sed -n 's/^  .* go\(es\)\{0,1\} to  *//p' "$log.private" | grep -cv "^$work/private\(/\|\$\)")
    [ "$elsewhere" = 0 ] && [ "$(grep -c " go\(es\)\{0,1\} to  *$work/private" "$log.private")" -ge 6 ]
    record $? "configure has one directory for all of a private installation" "see $log.private" "$log.private"
    # A private installation leaves no directory behind, either. (Only the library is installed, because it is quickly
    # built; automake's rule for programs needs their directory.)
    { make -s -C "$work/build/ompi/mca/coll/nbrhood/library" install && [ -e "$work/private/include/nbrhood.h" ] \
        && [ -e "$work/private/lib/libnbrhood.so" ] && make -s -C "$work/build" uninstall bin_PROGRAMS=; } \
        >>"$log.private" 2>&1 \
        && [ ! -e "$work/private" ]
    record $? "a private installation is in its directory and goes away with it" "see $log.private" "$log.private"
}

# configure_says TITLE PATTERN CONFIGURE_OPTION...: configure, with the Open MPI in "there", prints a line with PATTERN.
# configure ends soon, because it refuses that component directory.
configure_says()
{
    local title=$1 pattern=$2 log
    log=$logs/scripts-configure-$(tr -c 'a-z0-9\n' - <<<"${title,,}")
    shift 2
    (cd "$there" && "$top/configure" -C "${configure_options[@]}" --with-ompi="$there" --with-component-dir=none "$@") \
        >"$log" 2>&1
    grep -q -- "$pattern" "$log"
    record $? "configure: $title" "see $log" "$log"
}

# check_ompi_source DIRECTORY: tests an Open MPI that was installed without internal headers, and trees with these
# headers, made from the installed ones.
check_ompi_source()
{
    local there=$1 headers tree=$1/tree
    headers=$(mpicc --showme:incdirs | tr ' ' '\n' | while read -r directory; do
        [ ! -e "$directory/opal_config.h" ] || echo "$directory"
    done | sed -n 1p)
    mkdir -p "$there"/{bin,include} && cp "$(dirname "$headers")"/mpi*.h "$there/include" && cp -rs "$headers" "$tree" || return
    printf '%s\n' '#!/bin/sh' "[ \"\$1\" = --showme:compile ] || exec $(command -v mpicc) \"\$@\"" "echo -I$there/include" \
        >"$there/bin/mpicc"
    ln -s "$(command -v ompi_info)" "$there/bin"
    chmod +x "$there/bin/mpicc"
    # configure must not take a cached mpicc.
    grep -vE 'MPICC|OMPI_INFO' "$build/config.cache" >"$there/config.cache"
    configure_says "no internal headers" "no usable internal headers such as .*--with-ompi-source=DIR"
    open_mpi_release | sed 's/\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\).*/major=\1\nminor=\2\nrelease=\3/' >"$tree/VERSION"
    rm "$tree"/opal_config.h
    configure_says "sources that were not configured" "whose configure was not run yet" --with-ompi-source="$tree"
    mkdir -p "$tree"/{opal,ompi,orte}/include
    sed 's/\(#define OPAL_ENABLE_DEBUG\) 0/\1 1/' "$headers/opal_config.h" >"$tree/opal/include/opal_config.h"
    configure_says "sources with another option" '--enable-debug is "yes" there but "no" in ompi_info' \
        --with-ompi-source="$tree"
    cp "$headers/opal_config.h" "$tree/opal/include"
    mv "$tree"/opal_*.h "$tree/opal/include"
    mv "$tree/ompi_config.h" "$tree/ompi/include"
    mv "$tree/orte_config.h" "$tree/orte/include"
    configure_says "sources with the same options" "internal headers... installed, the rest in $tree" \
        --with-ompi-source="$tree"
    # A directory in which Open MPI was built names its sources.
    mkdir -p "$there/built/opal" && mv "$tree/opal/include" "$there/built/opal" \
        && echo "abs_top_srcdir = $tree" >"$there/built/Makefile"
    configure_says "a directory in which Open MPI was built" "internal headers... installed, the rest in $there/built" \
        --with-ompi-source="$there/built"
}

# git ignores all files that a build makes, because the build may be in the source tree.
check_ignored()
{
    local seen
    seen=$(cd "$build" && find ompi test benchmarks config Makefile libtool config.status -type f \
        | git -C "$top" check-ignore --no-index --stdin --verbose --non-matching | sed -n 's/^::\t//p')
    [ -z "$seen" ]
    record $? "git ignores what a build in the source tree makes" "${seen//$'\n'/ }"
}

# All scripts, and all programs that are built by now, print their name and version, except for the small programs in C
# for one fault or figure each.
check_versions()
{
    local program without=() wanted
    wanted="(coll/nbrhood) $(package_version)"
    while read -r program; do
        [ "$(timeout 60 "$program" --version 2>&1 </dev/null)" = "${program##*/} $wanted" ] || without+=("${program#"$top"/}")
    done < <(find "$top/contrib" "$top/benchmarks" "$top/benchmarks/experiments" "$build/test/mpi" -maxdepth 1 -type f -perm -u+x \
            ! -name 'stock-*' ! -name 'nbrhood-links' ! -name 'nbrhood-run-ahead'
        find "$build/benchmarks" "$build/ompi/tools" -mindepth 2 -maxdepth 2 -type f -perm -u+x ! -name '*.la')
    [ ${#without[@]} -eq 0 ]
    record $? "every program has --version" "${without[*]}"
}

# check_tool NAME: runs the tool's own test.
check_tool()
{
    local log=$logs/scripts-$1
    "$top/test/tools/check-$1" >"$log" 2>&1
    count_lines $? "$1" "$log"
}

# cluster_ends TITLE STATUS TOLD CLUSTER_OPTION... -- PROGRAM...: a run ends with that exit status; TOLD is the number
# of times that it reports a time-out.
cluster_ends()
{
    local title=$1 wanted=$2 told=$3 log status
    shift 3
    log=$logs/scripts-cluster-$(tr -c 'a-z0-9\n' - <<<"$title")
    "$top/contrib/cluster" once --name "check$$" --nodes 1 "$@" >"$log" 2>&1
    status=$?
    [ $status -eq "$wanted" ] && [ "$(grep -ac '^contrib/cluster: ended after [0-9]* seconds' "$log")" -eq "$told" ]
    record $? "cluster: $title" "exit status $status, see $log" "$log"
}

# A killed rank is not mistaken for a time-out. A node with two links has two interfaces, each with its rate, and Open
# MPI gets both.
check_cluster_links()
{
    local log=$logs/scripts-cluster-links
    # shellcheck disable=SC2016
    "$top/contrib/cluster" once --name "check$$" --nodes 1 --bandwidth 200mbit,100mbit --timeout 60 \
        -- sh -c 'tc qdisc show; echo "$OMPI_MCA_btl_tcp_if_include"' >"$log" 2>&1
    grep -q "dev eth0 .*rate 200Mbit" "$log" && grep -q "dev eth1 .*rate 100Mbit" "$log" && grep -qx "eth0,eth1" "$log"
    record $? "cluster: nodes with two links" "see $log" "$log"
}
check_cluster_status()
{
    # Stops contrib/cluster, which is mpirun's parent, until its time is over.
    # shellcheck disable=SC2016
    local seen_late='cluster=$(cut -d " " -f 4 /proc/$PPID/stat)
        kill -s STOP $cluster
        setsid sh -c "sleep 4; kill -s CONT $cluster" >/dev/null 2>&1 &
        kill -s KILL $$'
    cluster_ends "a rank that is killed" 137 0 --timeout 60 "${kill_at_once[@]}" -- sh -c 'kill -s KILL $$'
    cluster_ends "a rank that is killed, seen only when the time is over" 137 0 --timeout 3 "${kill_at_once[@]}" \
        -- sh -c "$seen_late"
    cluster_ends "a program that ends with 124" 124 0 --timeout 60 "${kill_at_once[@]}" -- sh -c 'exit 124'
    cluster_ends "time that is over for what does not want to end" 124 1 --timeout 1 \
        -- sh -c 'trap "" TERM; sleep 60; sleep 60'
}

# debian_refuses TITLE MESSAGE ARGUMENT...: prints one line with the message on stderr, and leaves "there" untouched.
debian_refuses()
{
    local title=$1 message=$2 said status
    shift 2
    said=$(cd "$there" && "$top/contrib/debian" 13 "$@" 2>&1 >/dev/null)
    status=$?
    [ $status -eq 1 ] && [ "$(wc -l <<<"$said")" -eq 1 ] && grep -qF -- "$message" <<<"$said" \
        && (cd "$there" && cmp -s /dev/fd/3 <(find . -print | sort)) 3<<<"$listing"
    record $? "debian refuses $title" "exit status $status, message: $said"
}

# check_debian DIRECTORY: tests the refusals of "remove" and "make", and the files that "remove" removes.
check_debian()
{
    local there=$1 listing programs=$1/programs name
    # Directories: one of the user's own, with names that "make" also uses; an empty one; one that make began; and a
    # link to it.
    mkdir -p "$there"/{own/root,own/log,own/archives,empty,programs} && touch "$there"/own/{root/file,mirror.log,lock}
    # The directory of a "make" that ends early.
    printf '%s\n' '#!/bin/sh' 'exit 1' | tee "$programs/debootstrap" >"$programs/curl"
    chmod +x "$programs"/*
    PATH=$programs:$PATH "$top/contrib/debian" 13 make --in "$there/begun" >"$logs/scripts-debian" 2>&1
    mkdir -p "$there/begun"/{root.new,mine} && touch "$there/begun/root.new/file" "$there/begun/mine/file"
    ln -s begun "$there/link"
    listing=$(cd "$there" && find . -print | sort)
    debian_refuses "to remove what it did not make" "did not make it" remove --in "$there/own"
    debian_refuses "to remove an empty directory" "did not make it" remove --in "$there/empty"
    debian_refuses "to remove a directory that is not there" "there is no directory" remove --in "$there/none"
    debian_refuses "to remove what a link names" "is a link" remove --in "$there/link"
    debian_refuses "to remove what a link names, with a slash" "is a link" remove --in "$there/link/"
    debian_refuses "to remove /" "belongs to the system" remove --in /
    debian_refuses "to remove /home" "belongs to the system" remove --in /home
    debian_refuses "to remove / by way of .." "belongs to the system" remove --in "$there/../../../../../../../../.."
    debian_refuses "to remove a directory by way of .." "$there/own has no file" remove --in begun/../own
    debian_refuses "to remove nothing" "--in wants a directory" remove --in ""
    debian_refuses "an --in without a directory" "--in wants a directory" remove --in
    debian_refuses "to remove with a program" "takes options only" remove "$there/own"
    debian_refuses "to make one in somebody's directory" "is not empty" make --in own
    debian_refuses "to run in somebody's directory" "is not empty" run --in "$there/own" true
    debian_refuses "to make one in /" "belongs to the system" make --in /
    name=$(mount --bind "$there/own" "$there/begun/root.new" 2>&1) && {
        listing=$(cd "$there" && find . -print | sort)
        debian_refuses "to remove what something is mounted on" "something is mounted on" remove --in "$there/begun"
        umount "$there/begun/root.new"
    }
    [ -z "$name" ] || record 1 "debian: a mount to try it with" "$name"
    (cd "$there" && "$top/contrib/debian" 13 remove --in ./begun) >>"$logs/scripts-debian" 2>&1 \
        && [ "$(ls -A "$there/begun")" = mine ] && [ -e "$there/begun/mine/file" ] && [ -e "$there/own/root/file" ]
    record $? "debian removes what an interrupted make left, and nothing else" "see $logs/scripts-debian" \
        "$logs/scripts-debian"
}
