# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The nodes of an emulated cluster. Sourced by contrib/cluster.
#
# Each node is a network namespace nbh-NAME-0, nbh-NAME-1 ...; the bridge that joins them lives in a namespace
# nbh-NAME-sw, so the host's own network is never touched. These namespaces are the only state: a cluster is up if its
# nbh-NAME-sw exists.

# The number of a node's first network interface; the next ones follow.
readonly subnet=77

switch_of() { echo "nbh-$1-sw"; }
node_of() { echo "nbh-$1-$2"; }

namespace_exists() { [ -e "/run/netns/$1" ]; }

cluster_is_up() { namespace_exists "$(switch_of "$1")"; }

# The number of nodes of the cluster NAME.
node_count()
{
    local n=0
    while namespace_exists "$(node_of "$1" $n)"; do n=$((n + 1)); done
    echo $n
}

in_namespace()
{
    local namespace=$1
    shift
    nsenter --net="/run/netns/$namespace" "$@"
}

# shape NAMESPACE DEVICE RATE: limits the outgoing rate of DEVICE.
shape()
{
    # The bucket must hold the data of one timer tick (4 ms), and at least one segment of 64 KiB.
    local burst
    burst=$(awk -v rate="$3" 'BEGIN {
        n = rate + 0; u = tolower(rate); sub(/^[0-9.]+/, "", u)
        f["bit"] = 1; f["kbit"] = 1e3; f["mbit"] = 1e6; f["gbit"] = 1e9; f["tbit"] = 1e12
        if (n <= 0 || !(u in f)) exit 1
        b = n * f[u] / 8 / 250; printf "%d", b < 131072 ? 131072 : b }') \
        || die "--bandwidth wants a rate such as 1gbit or 100mbit, not \"$3\"."
    in_namespace "$1" tc qdisc add dev "$2" root tbf rate "$3" burst "$burst" latency 50ms \
        || die "tc cannot limit the bandwidth on this kernel (no tbf?)."
}

# interfaces_of NAME: the network interfaces of each node of the cluster NAME, with commas between them.
interfaces_of()
{
    in_namespace "$(node_of "$1" 0)" ip -o link show type veth | sed 's/^[0-9]*: \([^@]*\)@.*/\1/' | sort | paste -sd,
}

# nodes_up NAME NODES BANDWIDTHS: makes nodes with a network interface for each bandwidth of the list, or one if the
# list is empty. After a failure the caller cleans up.
nodes_up()
{
    local name=$1 nodes=$2 bandwidths i j switch node
    IFS=, read -r -a bandwidths <<<"${3:-unlimited}"
    switch=$(switch_of "$name")
    for j in "${!bandwidths[@]}"; do
        in_namespace "$switch" ip link add "br$j" type bridge \
            || die "this kernel has no network bridges, so there is no cluster to be had."
        in_namespace "$switch" ip link set "br$j" up
    done
    for ((i = 0; i < nodes; i++)); do
        node=$(node_of "$name" "$i")
        ip netns add "$node"
        in_namespace "$node" ip link set lo up
        for j in "${!bandwidths[@]}"; do
            ip link add "eth$j" netns "$node" type veth peer name "p$j-$i" netns "$switch"
            in_namespace "$switch" ip link set "p$j-$i" master "br$j" up
            in_namespace "$node" ip addr add "10.$((subnet + j)).0.$((i + 1))/24" dev "eth$j"
            in_namespace "$node" ip link set "eth$j" up
            if [ "${bandwidths[j]}" != unlimited ]; then
                shape "$node" "eth$j" "${bandwidths[j]}"
                shape "$switch" "p$j-$i" "${bandwidths[j]}"
            fi
        done
    done
}

# Processes on the cluster NAME; only those of the run RUN if one is given. contrib/cluster started all processes in its
# namespaces, with the run in their environment.
pids_of()
{
    local name=$1 run=${2:-} i pid nodes
    nodes=$(node_count "$name")
    for ((i = 0; i < nodes; i++)); do
        for pid in $(ip netns pids "$(node_of "$name" "$i")" 2>/dev/null); do
            if [ -z "$run" ] || tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" \
                    | grep -qxF "NBRHOOD_CLUSTER_RUN=$run"; then
                echo "$pid"
            fi
        done
    done
}

# end_processes NAME [RUN]: asks them to end, then makes them.
end_processes()
{
    local signal pids tries
    for signal in TERM KILL; do
        pids=$(pids_of "$@")
        [ -z "$pids" ] && return 0
        # shellcheck disable=SC2086
        kill -s $signal $pids 2>/dev/null
        for ((tries = 0; tries < 20; tries++)); do
            [ -z "$(pids_of "$@")" ] && return 0
            sleep 0.1
        done
    done
    return 0
}

nodes_down()
{
    local name=$1 namespace
    end_processes "$name"
    for namespace in /run/netns/nbh-"$name"-*; do
        [ -e "$namespace" ] || continue
        ip netns del "${namespace##*/}"
    done
    # Shared-memory files and session directories carry the node's host name; killed ranks leave theirs.
    rm -rf /dev/shm/{vader,sm}_segment.nbh-"$name"-[0-9]* /tmp/{ompi,prte}.nbh-"$name"-[0-9]*
}
