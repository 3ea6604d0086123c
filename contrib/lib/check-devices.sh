# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Buffers in device memory: nbrhood-verify with a device that it imitates, whose pages the CPU cannot read. Sourced;
# needs check-mpi.sh.

# The directory in which Open MPI finds the components and, from 5.0 on, an accelerator component for the imitated
# device.
with_imitated_device()
{
    local directory=$build/imitated/install/openmpi
    mkdir -p "$directory" || return 1
    ln -sf "$build"/install/openmpi/mca_*_nbrhood.so "$directory/"
    [ "$release" = 4.1 ] || ln -sf "$build/test/mpi/.libs/mca_accelerator_imitated.so" "$directory/"
}

# Otherwise the component finds the device in the program, and Open MPI does not support it.
known_device=(--mca coll_nbrhood_device open_mpi)

# Then all calls that can go from device to device do so. A copy that fails in such a call ends the program, and blocks
# that reach beyond their memory are copied.
from_device_to_device=("${known_device[@]}" --mca coll_nbrhood_device_above 0)
which_stay=(--skip "device-failing,device-no-memory")

# A few cases in each run of contrib/check; stage_verify_devices has all.
verify_devices()
{
    local verify=test/mpi/nbrhood-verify
    on_cluster "verify device memory, 2 nodes x 4" "$build" --nodes 2 --ranks-per-node 4 \
        -- "$build/$verify" --buffers device --filter device- --algorithms direct,aggregated
    on_cluster "verify datatypes in several memories, 2 nodes x 4" "$build" --nodes 2 --ranks-per-node 4 \
        -- "$build/$verify" --buffers mixed --filter type --algorithms direct,two_step,common_neighbor
    [ "$release" = 4.1 ] && return
    with_imitated_device
    on_cluster "verify device memory that Open MPI knows, 2 nodes x 4" "$build/imitated" --nodes 2 --ranks-per-node 4 \
        "${known_device[@]}" -- "$build/$verify" --buffers device --filter device- --algorithms direct,aggregated
    on_cluster "verify from device to device, 2 nodes x 4" "$build/imitated" --nodes 2 --ranks-per-node 4 \
        "${from_device_to_device[@]}" "${limits[@]}" -- "$build/$verify" --buffers mixed --filter device- "${which_stay[@]}" \
        --algorithms direct,leader_scatter,aggregated
}

# All cases, all algorithms, both messaging layers, threads, builds beside the calls, allgathers.
stage_verify_devices()
{
    local verify=$build/test/mpi/nbrhood-verify memory pml
    with_imitated_device
    for memory in device mixed; do
        for pml in ob1 ucx; do
            on_cluster "verify in $memory memory, 2 nodes x 4, $pml" "$build" --nodes 2 --ranks-per-node 4 --pml $pml \
                "${limits[@]}" -- "$verify" --buffers $memory
        done
        on_cluster "verify in $memory memory, 2 nodes x 4, threads" "$build" --nodes 2 --ranks-per-node 4 \
            -- "$verify" --buffers $memory --threads --algorithms direct,aggregated,common_neighbor
        on_cluster "verify in $memory memory, built later, 2 nodes x 4" "$build" --nodes 2 --ranks-per-node 4 \
            "${later[@]}" -- "$verify" --buffers $memory --algorithms auto
        on_cluster "verify allgathers in $memory memory, 2 nodes x 4" "$build" --nodes 2 --ranks-per-node 4 \
            -- "$verify-allgather" --buffers $memory
        on_cluster "stress in $memory memory, 2 nodes x 4" "$build" --nodes 2 --ranks-per-node 4 \
            -- "$build/test/mpi/nbrhood-stress" --buffers $memory --seconds 30
        [ "$release" = 4.1 ] || verify_known_device $memory
    done
}

# On a device that Open MPI supports blocks may stay on it; while patterns are built and tried, requests leave the
# device.
verify_known_device()
{
    local verify=$build/test/mpi/nbrhood-verify memory=$1
    on_cluster "verify in $memory memory that Open MPI knows, 2 nodes x 4" "$build/imitated" --nodes 2 --ranks-per-node 4 \
        "${known_device[@]}" -- "$verify" --buffers "$memory"
    # Open MPI's own functions get the device's addresses.
    on_cluster "verify default in $memory memory that Open MPI knows, 2 nodes x 4" "$build/imitated" --nodes 2 \
        --ranks-per-node 4 "${known_device[@]}" -- "$verify" --buffers "$memory" --algorithms default --filter random-0
    on_cluster "verify allgathers in $memory memory that Open MPI knows, 2 nodes x 4" "$build/imitated" --nodes 2 \
        --ranks-per-node 4 "${known_device[@]}" -- "$verify-allgather" --buffers "$memory"
    on_cluster "verify from device to device, $memory, 2 nodes x 4" "$build/imitated" --nodes 2 --ranks-per-node 4 \
        "${from_device_to_device[@]}" "${limits[@]}" -- "$verify" --buffers "$memory" "${which_stay[@]}" \
        --algorithms direct,leader_scatter,aggregated
    on_cluster "verify from device to device, $memory, built later, 2 nodes x 4" "$build/imitated" --nodes 2 \
        --ranks-per-node 4 "${from_device_to_device[@]}" "${later[@]}" -- "$verify" --buffers "$memory" "${which_stay[@]}" \
        --algorithms auto
    on_cluster "verify from device to device, $memory, built later, 2 nodes x 4, threads" "$build/imitated" --nodes 2 \
        --ranks-per-node 4 "${from_device_to_device[@]}" "${later[@]}" -- "$verify" --buffers "$memory" "${which_stay[@]}" \
        --algorithms auto --threads
}
