# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Source packages of Debian. Sourced; needs common.sh and apt-mirrors.sh.

# fetch_source PACKAGE SUITE DIRECTORY: unpacks the package's sources, with Debian's patches, into
# DIRECTORY/PACKAGE-VERSION. apt fetches them with a separate configuration in DIRECTORY, so that this system's stays
# unchanged. It refuses sources that are not signed with a key of Debian that this system has.
fetch_source()
{
    local package=$1 suite=$2 directory=$3 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg option
    mkdir -p "$directory"/{lists,cache} || return 1
    mirror=$(mirror_with "$suite" "$directory") || {
        echo "none of the mirrors that apt uses here has $suite:"
        cat "$directory/mirror.log"
        return 1
    }
    option=
    [ ! -e "$keyring" ] || option="[signed-by=$keyring] "
    echo "deb-src $option$mirror $suite main" >"$directory/sources.list"
    local apt=(apt-get -q -o Dir::Etc::SourceList="$directory/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$directory/lists" -o Dir::Cache="$directory/cache"
        # apt fetches into directories of this script, which apt's own user cannot read.
        -o APT::Sandbox::User=root)
    "${apt[@]}" update && cd "$directory" && "${apt[@]}" source "$package"
}
