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

} // namespace

double BruckModel::steps() const
{
    return std::round(std::log(regions) / std::log(per_region));
}

double BruckModel::message(Link link, double bytes) const
{
    return latency(costs, link, bytes) + bytes * per_byte(costs, link, bytes);
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
        for (const Operation &operation : own.pattern.operations) {
            if (operation.kind != OperationKind::send) {
                continue;
            }
            double bytes = 0;
            for (const Slice &slice : operation.slices) {
                bytes += slice.count * model.block_bytes;
            }
            const Link link =
                machine.local(own.pattern.rank, operation.peer) ? model.local : model.nonlocal;
            seconds +=
                latency(model.costs, link, bytes) + bytes * per_byte(model.costs, link, bytes);
        }
        most = std::max(most, seconds);
    }
    return most;
}

} // namespace nbrhood
