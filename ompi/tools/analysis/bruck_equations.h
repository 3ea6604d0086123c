// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The performance model of the paper on the locality-aware Bruck allgather: as printed, corrected,
// and from the counted messages of patterns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/allgather_proof.h"
#include "select/costs.h"

namespace nbrhood {

// The setting of equations 3 and 4 of Bienz, Gautam, Kharel (2022), section 4: `regions` (r) of
// `per_region` (p_l) ranks, each of which contributes `block_bytes`. r is a power of p_l, and p_l a
// power of 2. Messages between regions have the costs of one link, messages inside regions those of
// another, and long messages the costs of the second protocol, as in the paper's figures 7 and 8.
// Results are seconds of a call.
struct BruckModel {
    double regions = 1;
    double per_region = 1;
    double block_bytes = 4;
    Link local = Link::socket;
    Link nonlocal = Link::network;
    Costs costs;

    // Equation 3: log2(p) messages between regions, with the bytes of all other ranks.
    double bruck() const;
    // Equation 4 as printed: one local message for each allgather inside a region, and between
    // regions the bytes of the last step only.
    double locality_bruck_as_printed() const;
    // Equation 4 corrected: log2(p_l) local messages for each local allgather, and the bytes of all
    // steps.
    double locality_bruck() const;

private:
    double steps() const; // log_{p_l}(r)
    double message(Link link, double bytes) const;
    double gather(double piece_bytes) const; // inside a region
};

// The time of the messages that a rank sends by its pattern, with the same costs: the maximum over
// all ranks. No rank waits for another, so this is the time of a call only if all ranks send the
// same, as in Bruck's algorithms on equal regions.
double counted_seconds(const std::vector<AllgatherPattern> &patterns, const Machine &machine,
                       const BruckModel &model);

// The same, but each message has the costs of the link that it crosses: inside a socket, between
// the sockets of a node, between nodes (figure 3 of the paper).
struct LinkCounts {
    std::array<AllgatherCounts::Side, kLinks> most; // by Link, each the maximum over ranks
    double seconds = 0;
};
LinkCounts count_by_link(const std::vector<AllgatherPattern> &patterns, const Machine &machine,
                         double block_bytes, const Costs &costs);

} // namespace nbrhood
