# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Helpers of the scripts in contrib/. Sourced, not run.

# package_version: prints the version from configure.ac.
package_version()
{
    sed -n 's/^AC_INIT(\[nbrhood\], \[\(.*\)\])$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../../configure.ac"
}

# Every script has --version. "$1" is the first argument of the script that sources this file.
case ${1:-} in
    --version) echo "${script_name##*/} (coll/nbrhood) $(package_version)"; exit 0 ;;
esac

# Scripts fail with one sentence.
die()
{
    echo "${script_name:-$(basename "$0")}: $*" >&2
    exit 1
}

# need PROGRAM PACKAGE: stops when a program that Debian ships in PACKAGE is missing.
need()
{
    command -v "$1" >/dev/null 2>&1 || die "$1 not found: install it (Debian package $2)."
}

need_root()
{
    [ "$(id -u)" -eq 0 ] || die "$1 needs root."
}

# open_mpi_path NAME: one of Open MPI's directories (pkglibdir, pkgdatadir ...), empty when unknown.
open_mpi_path()
{
    ompi_info --parsable --path "$1" 2>/dev/null | sed -n "s/^path:$1://p" | sed -n 1p
}

# open_mpi_release: the release of the mpirun in PATH, such as 4.1.4; empty if it is not Open MPI's.
open_mpi_release()
{
    mpirun --version 2>/dev/null | sed -n '1s/^mpirun (Open MPI) \([0-9][0-9.]*\).*/\1/p'
}
