# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The options with which mpirun starts its ranks on the emulated cluster. Sourced by contrib/cluster; needs its
# variables and common.sh. The releases of Open MPI have different launchers: 4.1 ORTE, 5.0 and 6.0 PRRTE.

# launch_options RUN_DIRECTORY: sets the array "options" from pml, by, uneven, ranks and ranks_per_node.
launch_options()
{
    local run_dir=$1 release interfaces
    release=$(open_mpi_release)
    interfaces=$(interfaces_of "$name")
    options=(-n "$ranks" --hostfile "$run_dir/hosts" --bind-to none --allow-run-as-root
        --mca btl_tcp_if_include "$interfaces"
        # Ranks outnumber cores: a waiting rank must let the others run.
        --mca mpi_yield_when_idle 1)
    case $release in
        4.1.*)
            options+=(--map-by "$by"
                --mca plm_rsh_agent "$lib/rsh-agent" --mca plm_rsh_no_tree_spawn 1
                --mca oob_tcp_if_include eth0 --mca orte_tmpdir_base "$run_dir") ;;
        5.0.*|6.0.*)
            options+=(--map-by "$(mapping_of_prrte)"
                --prtemca plm_ssh_agent "$lib/rsh-agent" --prtemca plm_ssh_no_tree_spawn 1
                --prtemca prte_if_include eth0 --prtemca prte_tmpdir_base "$run_dir") ;;
        *) die "mpirun is of ${release:+Open MPI }${release:-an unknown MPI}; this script knows how 4.1, 5.0 and 6.0 start ranks." ;;
    esac
    case $pml in
        ob1) options+=(--mca pml ob1 --mca btl "self,$(shared_memory_btl "$release"),tcp") ;;
        # UCX looks for interfaces in /sys, which shows those of the machine, so it does not see further interfaces of a
        # node.
        ucx) options+=(--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any
                -x "UCX_TLS=tcp,self,sysv,posix" -x UCX_NET_DEVICES=eth0) ;;
    esac
    if [ -n "${NBRHOOD_COMPONENT_DIR:-}" ]; then
        [ -d "$NBRHOOD_COMPONENT_DIR" ] \
            || die "NBRHOOD_COMPONENT_DIR names $NBRHOOD_COMPONENT_DIR, which is not a directory."
        component_options "$release"
    fi
}

# The directories in which Open MPI looks for components. In 5.0 PMIx has a parameter of the same name, which mpirun
# also sets. Without a value of its own, PMIx looks at Open MPI's components, warns about each, and lacks its own.
component_options()
{
    local pmix
    options+=(--mca mca_base_component_path "$(component_path)")
    case $1 in 4.*) return 0 ;; esac
    pmix=$(pkg-config --variable=libdir pmix 2>/dev/null)/pmix
    [ ! -d "$pmix" ] || options+=(--pmixmca mca_base_component_path "$pmix")
}

# The ranks of a node are more than its cores, which PRRTE refuses unless told otherwise.
mapping_of_prrte()
{
    if [ "$by" = slot ] && [ -z "$uneven" ]; then
        echo "ppr:$ranks_per_node:node:OVERSUBSCRIBE"
    else
        echo "$by:OVERSUBSCRIBE"
    fi
}

shared_memory_btl()
{
    case $1 in
        4.*) echo vader ;;
        *) echo sm ;;
    esac
}

# Open MPI looks for components in these directories only, so its own must be among them.
component_path()
{
    local own
    own=$(open_mpi_path pkglibdir)
    case :$NBRHOOD_COMPONENT_DIR: in
        *:"$own":*) echo "$NBRHOOD_COMPONENT_DIR" ;;
        *) echo "$NBRHOOD_COMPONENT_DIR${own:+:$own}" ;;
    esac
}
