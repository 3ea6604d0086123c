// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/bruck_equations.h"

#include <algorithm>
#include <cmath>

namespace nbrhood {

namespace {

double latency(const Costs &costs, Link link, double bytes)
{
    return bytes > costs.protocol_switch ? costs[link].long_message : costs[link].message;
}

double per_byte(const Costs &costs, Link link, double bytes)
{
    return bytes > costs.protocol_switch ? costs[link].long_byte : costs[link].byte;
}

double seconds_of(const Costs &costs, Link link, double bytes)
{
    return latency(costs, link, bytes) + bytes * per_byte(costs, link, bytes);
}

// visit(to, blocks) for each message.
template <typename Visit>
void for_each_send(const AllgatherPattern &own, const Visit &visit)
{
    for (const Operation &operation : own.pattern.operations) {
        if (operation.kind != OperationKind::send) {
            continue;
        }
        std::int64_t blocks = 0;
        for (const Slice &slice : operation.slices) {
            blocks += slice.count;
        }
        visit(operation.peer, blocks);
    }
}

} // namespace

double BruckModel::steps() const
{
    return std::round(std::log(regions) / std::log(per_region));
}

double BruckModel::message(Link link, double bytes) const
{
    return seconds_of(costs, link, bytes);
}

double BruckModel::bruck() const
{
    double seconds = 0;
    for (double blocks = 1; blocks < regions * per_region; blocks *= 2) {
        seconds += message(nonlocal, blocks * block_bytes);
    }
    return seconds;
}

double BruckModel::locality_bruck_as_printed() const
{
    const double all = regions * per_region * block_bytes;
    const double last = all / per_region;
    return steps() * latency(costs, nonlocal, last) + last * per_byte(costs, nonlocal, last)
           + (steps() + 1) * latency(costs, local, all)
           + (all - block_bytes) * per_byte(costs, local, all);
}

double BruckModel::gather(double piece_bytes) const
{
    double seconds = 0;
    for (double pieces = 1; pieces < per_region; pieces *= 2) {
        seconds += message(local, pieces * piece_bytes);
    }
    return seconds;
}

double BruckModel::locality_bruck() const
{
    double seconds = gather(block_bytes);
    for (double reached = 1; reached < regions; reached *= per_region) {
        const double piece = reached * per_region * block_bytes;
        seconds += message(nonlocal, piece) + gather(piece);
    }
    return seconds;
}

double counted_seconds(const std::vector<AllgatherPattern> &patterns, const Machine &machine,
                       const BruckModel &model)
{
    double most = 0;
    for (const AllgatherPattern &own : patterns) {
        double seconds = 0;
        for_each_send(own, [&](Rank to, std::int64_t blocks) {
            const Link link = machine.local(own.pattern.rank, to) ? model.local : model.nonlocal;
            seconds +=
                seconds_of(model.costs, link, static_cast<double>(blocks) * model.block_bytes);
        });
        most = std::max(most, seconds);
    }
    return most;
}

LinkCounts count_by_link(const std::vector<AllgatherPattern> &patterns, const Machine &machine,
                         double block_bytes, const Costs &costs)
{
    LinkCounts counts;
    for (const AllgatherPattern &own : patterns) {
        std::array<AllgatherCounts::Side, kLinks> sides;
        double seconds = 0;
        for_each_send(own, [&](Rank to, std::int64_t blocks) {
            const Link link = machine.link(own.pattern.rank, to);
            AllgatherCounts::Side &side = sides[static_cast<std::size_t>(link)];
            ++side.messages;
            side.blocks += blocks;
            seconds += seconds_of(costs, link, static_cast<double>(blocks) * block_bytes);
        });
        for (std::size_t link = 0; link < kLinks; ++link) {
            AllgatherCounts::Side &most = counts.most[link];
            most.messages = std::max(most.messages, sides[link].messages);
            most.blocks = std::max(most.blocks, sides[link].blocks);
        }
        counts.seconds = std::max(counts.seconds, seconds);
    }
    return counts;
}

} // namespace nbrhood
