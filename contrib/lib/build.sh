# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Builds the checkout into a directory of its own. Sourced; needs common.sh and the variable "top".

# configure_in DIRECTORY CONFIGURE_OPTION...: configures when needed. Components will go to
# DIRECTORY/install/openmpi, nothing outside DIRECTORY. The output is in DIRECTORY/log.
configure_in()
{
    local directory=$1
    shift
    mkdir -p "$directory" || return 1
    (
        generate_configure && cd "$directory" || exit 1
        configured "$*" && exit 0
        rm -f config.cache # results of other options, or from before some package was installed
        # libtool runs once for each source, and takes half the time in dash.
        CONFIG_SHELL=/bin/dash /bin/dash "$top/configure" -C --prefix="$directory/install" --with-component-dir="$directory/install/openmpi" "$@" \
            && echo "$*" >configured-with
    ) >"$directory/log" 2>&1
}

# build_in DIRECTORY CONFIGURE_OPTION...: configures when needed and builds everything.
build_in()
{
    configure_in "$@" && make -j"$(nproc)" -C "$1" >>"$1/log" 2>&1
}

# configured OPTIONS: tests that the current directory was configured with these options, by the present configure.
configured()
{
    [ -e config.status ] && [ -e configured-with ] && [ "$(cat configured-with)" = "$1" ] \
        && [ config.status -nt "$top/configure" ]
}

# configure is remade when any of its sources is newer.
generate_configure()
{
    local source
    if [ -e "$top/configure" ]; then
        # The Makefile.am count, too: make would remake their outputs, but only with the automake that made them, which
        # another Debian (contrib/debian) does not have.
        source=$(cd "$top" && find configure.ac config/nbrhood_*.m4 Makefile.am ompi test benchmarks \
            \( -name Makefile.am -o -name 'nbrhood_*.m4' -o -name configure.ac \) -newer configure | head -n 1)
        [ -n "$source" ] || return 0
    fi
    (cd "$top" && ./autogen.pl)
}

# install_in DIRECTORY: puts the components of build_in where NBRHOOD_COMPONENT_DIR can name them.
install_in()
{
    make -s -C "$1" install >>"$1/log" 2>&1
}
