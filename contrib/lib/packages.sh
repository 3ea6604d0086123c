# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The Debian packages that the scripts in contrib/ install when they are missing. Sourced, not run.

# For users: build, emulated cluster.
build_packages=(
    gcc g++ make perl autoconf automake libtool m4 pkg-config
    openmpi-bin libopenmpi-dev libhwloc-dev
    iproute2 util-linux
)
# The tools, the benchmarks, and a real mesh for them.
bench_packages=(libmetis-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libmetis-doc)
# nbrhood-amg, which is built where hypre is; contrib/quickstart does not need it.
amg_packages=(libhypre-dev)
# The core tests, the model's comparison with SimGrid, the style checks, the fuzz targets, and pictures.
check_packages=(libgtest-dev libsimgrid-dev clang-format-14 clang-tidy-14 clang-14 libclang-rt-14-dev shellcheck valgrind
    python3-matplotlib)
# The documents as a site.
docs_packages=(python3-sphinx python3-myst-parser)
# AMD's libraries for GPUs (test/gpu): 90 MB.
gpu_packages=(libamdhip64-dev librocm-smi-dev)
# Open MPI's own sources and build (contrib/check-in-tree); autogen.pl wants autoconf 2.69 and automake 1.13 or newer.
in_tree_packages=(dpkg-dev ccache flex libevent-dev zlib1g-dev patch xz-utils debian-archive-keyring python3 diffutils)
# Another release of Open MPI in a Debian of its own (contrib/debian).
release_packages=(debootstrap)
# Real programs on top of MPI (test/clients).
client_packages=(petsc-dev python3-mpi4py python3-numpy)

is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_missing PACKAGE...: installs those that are not installed, without asking.
install_missing()
{
    local package release missing=()
    # A Debian that is not released yet has a name and no number.
    release=$(. /etc/os-release 2>/dev/null && echo "$ID ${VERSION_ID:-$VERSION_CODENAME}")
    [[ $release =~ ^debian\ (1[234]|forky)$ ]] \
        || die "this script is for Debian 12 to 14 (here: ${release:-an unknown system}); README.md says how to build by hand."
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || die "these packages are missing and only root can install them: ${missing[*]}"
    echo "installing: ${missing[*]}"
    local log
    log=$(mktemp) || die "cannot make a file in /tmp."
    if ! { apt-get -q update && DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install ${missing[*]}; its last messages are above."
    fi
    rm -f "$log"
}

# packaged_file PACKAGE FILE DIRECTORY: prints where FILE of PACKAGE is. A minimal Debian image may leave out
# documentation when it installs a package; then the function extracts the file from the package into DIRECTORY.
packaged_file()
{
    local package=$1 file=$2 directory=$3 found
    for found in "$file" "$file.gz" "$directory/root$file" "$directory/root$file.gz"; do
        [ -r "$found" ] && { echo "$found"; return 0; }
    done
    mkdir -p "$directory"
    (cd "$directory" && apt-get -q download "$package" && dpkg-deb -x "$package"_*.deb root) \
        >"$directory/log" 2>&1 || return 1
    for found in "$directory/root$file" "$directory/root$file.gz"; do
        [ -r "$found" ] && { echo "$found"; return 0; }
    done
    return 1
}
