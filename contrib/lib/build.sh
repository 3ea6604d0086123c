# Builds the checkout into a folder of its own. Sourced; wants common.sh and the variable "top".

# build_in FOLDER CONFIGURE_OPTION...: configures when needed and builds. Components go to
# FOLDER/install/openmpi, nothing goes outside FOLDER. The output is in FOLDER/log.
build_in()
{
    local folder=$1
    shift
    mkdir -p "$folder" || return 1
    {
        generate_configure && cd "$folder" \
            && { configured "$*" || { "$top/configure" --with-component-dir="$folder/install/openmpi" "$@" \
                && echo "$*" >configured-with; }; } \
            && make -j"$(nproc)"
    } >"$folder/log" 2>&1
}

# Compilers, options and Open MPI are as in the last build here.
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
        for source in "$top"/configure.ac "$top"/config/nbrhood_*.m4; do
            [ "$source" -nt "$top/configure" ] && break
            source=
        done
        [ -n "$source" ] || return 0
    fi
    (cd "$top" && ./autogen.pl)
}

# install_in FOLDER: puts the components of build_in where NBRHOOD_COMPONENT_DIR can name them.
install_in()
{
    (cd "$1" && make -s install) >>"$1/log" 2>&1
}
