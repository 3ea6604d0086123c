// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choices of an episode: graphs, blocks and operations. The choices are the same on all ranks.
#include "stress_episode.h"

#include <algorithm>

namespace nbrhood_test {

void Episode::choose_topology()
{
    const std::uint64_t seed = choices_.next();
    EdgeList edges;
    // Open MPI's own nonblocking calls are wrong on periodic grids, so such grids are left out for
    // it.
    const int shape = choices_.below(algorithm_ == stock ? 6 : 8);
    const double densities[] = {0.05, 0.15, 0.4, 0.8};
    const double density = densities[choices_.below(4)];
    const int half = size_ / 2;
    switch (shape) {
    case 0:
        shape_ = "random";
        edges = random_edges(size_, density, seed);
        break;
    case 1:
        shape_ = "one-directional";
        for (const auto &edge : random_edges(size_, std::max(0.3, density), seed)) {
            if (edge.first < half && edge.second >= half)
                edges.push_back(edge);
        }
        break;
    case 2:
        shape_ = "isolated";
        edges = edges_with_isolated_ranks(size_, density, seed);
        break;
    case 3:
        shape_ = "parts";
        for (const auto &edge : random_edges(size_, std::max(0.4, density), seed)) {
            if (edge.first % 3 == edge.second % 3)
                edges.push_back(edge);
        }
        break;
    case 4:
        shape_ = "ring-with-duplicates";
        edges = ring_edges(size_, 1 + choices_.below(3));
        break;
    case 5: {
        shape_ = "grid";
        const int dimensions = 1 + choices_.below(3);
        edges = grid_edges(balanced_dims(size_, dimensions), 1 + choices_.below(3));
        break;
    }
    case 6:
        shape_ = "moore";
        edges = moore_edges(balanced_dims(size_, 2));
        break;
    default:
        shape_ = "cart";
        topology_ = Topology::cart(balanced_dims(size_, 2), {choices_.below(2), choices_.below(2)});
        return;
    }
    topology_ = Topology::from_edges(size_, edges, seed);
}

Workload Episode::choose_workload()
{
    const std::uint64_t seed = choices_.next();
    const long t = settings_.combining_threshold, e = settings_.relay_capacity;
    const int share = 1 + choices_.below(16);
    std::vector<long> bytes;
    switch (choices_.below(6)) {
    case 0:
        bytes = {t - 8, t, t + 8};
        break;
    case 1:
        bytes = {std::min(t, e / share) - 8, std::min(t, e / share)};
        break;
    case 2:
        bytes = {0, 0, 0, 8, 4};
        break;
    case 3:
        bytes = {8, 100, 20000, 0, t};
        break;
    default:
        bytes = {0, 4, 8, 40, 400};
        break;
    }
    // In some episodes one part of the graph has only empty blocks.
    const int silent = choices_.chance(0.3) ? choices_.below(3) : -1;
    const Topology &topology = topology_;
    const auto pick = [bytes, silent](std::uint64_t h, int component) {
        const long chosen = std::max(0L, bytes[h % bytes.size()]);
        return component % 3 == silent ? 0 : static_cast<int>(chosen / 4);
    };
    Workload workload;
    workload.ints = [seed, pick, &topology](Endpoint end) {
        return pick(hash_of(seed, end.rank, end.slot), topology.component(end.rank));
    };
    workload.uniform_ints = [seed, pick](int component) {
        return pick(hash_of(seed, component), component);
    };
    return workload;
}

EntryPoint Episode::choose_entry(Variant variant)
{
    // Half of the calls are alltoallv, the operation that programs use most. If the algorithm does
    // not serve a call, auto does.
    auto operation = static_cast<Operation>(choices_.below(5));
    if (choices_.chance(0.5))
        operation = Operation::alltoallv;
    if (!serves(algorithm_, operation))
        operation = choices_.chance(0.5) ? Operation::allgather : Operation::allgatherv;
    return entry_point(operation, variant);
}

// Values that go to several neighbours: by alltoallv from overlapping displacements, by alltoallw
// with types that pick the same bytes.
SharedWorkload Episode::choose_shared_workload(Operation operation)
{
    const std::uint64_t seed = choices_.next();
    // Blocks of 8-byte values; some up to twice the limit above which they go direct.
    const auto limit = static_cast<int>(settings_.combining_threshold / 8);
    const int lengths[] = {1, 6, 40, 2 * limit};
    const int longest = lengths[choices_.below(4)];
    const int step = choices_.below(3) * (1 + longest / 5);
    const bool equal = choices_.chance(0.3);
    SharedWorkload workload;
    workload.in = operation == Operation::alltoallw ? ValuesIn::types : ValuesIn::windows;
    const bool ordered = workload.in == ValuesIn::windows || choices_.chance(0.5);
    if (!ordered) {
        workload.send =
            choices_.chance(0.5) ? ElementKind::integers2 : ElementKind::integers2_below;
        workload.recv =
            choices_.chance(0.5) ? ElementKind::integers2 : ElementKind::integers2_below;
    }
    workload.values = [=](Endpoint end) {
        Random random(hash_of(seed, end.rank, end.slot));
        const int length = equal ? longest : random.below(longest + 1);
        std::vector<int> values(static_cast<std::size_t>(length));
        for (int k = 0; k < length; ++k) {
            values[static_cast<std::size_t>(k)] =
                ordered ? end.slot * step + k : random.below(longest);
        }
        return values;
    };
    return workload;
}

// Half of the alltoallv and alltoallw calls send some values to several neighbours.
Pending Episode::choose_one(Variant variant)
{
    const EntryPoint entry = choose_entry(variant);
    const bool may_share =
        entry.operation == Operation::alltoallv || entry.operation == Operation::alltoallw;
    if (may_share && choices_.chance(0.5)) {
        const SharedWorkload workload = choose_shared_workload(entry.operation);
        return Pending(
            entry, std::make_unique<SharedExchange>(topology_, rank_, workload, choices_.next()));
    }
    const Workload workload = choose_workload();
    return Pending(entry, topology_, rank_, workload, choices_.next());
}

std::vector<Pending> Episode::choose_pending(Variant variant, int count)
{
    std::vector<Pending> all;
    for (int i = 0; i < count; ++i)
        all.push_back(choose_one(variant));
    return all;
}

} // namespace nbrhood_test
