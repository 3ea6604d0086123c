# shellcheck shell=bash
# Source packages of Debian. Sourced; wants common.sh and apt-mirrors.sh.

# fetch_source PACKAGE SUITE FOLDER: unpacks the package's sources, with Debian's patches, into FOLDER/PACKAGE-VERSION.
# apt does it, with a configuration of its own in FOLDER, so that this system's stays as it is; it refuses what is not
# signed with a key of Debian that this system has.
fetch_source()
{
    local package=$1 suite=$2 folder=$3 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg option
    mkdir -p "$folder"/{lists,cache} || return 1
    mirror=$(mirror_with "$suite" "$folder") || {
        echo "none of the mirrors that apt uses here has $suite:"
        cat "$folder/mirror.log"
        return 1
    }
    option=
    [ ! -e "$keyring" ] || option="[signed-by=$keyring] "
    echo "deb-src $option$mirror $suite main" >"$folder/sources.list"
    local apt=(apt-get -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache"
        # What it fetches lies in folders of ours, into which apt's own user may not look.
        -o APT::Sandbox::User=root)
    "${apt[@]}" update && cd "$folder" && "${apt[@]}" source "$package"
}
