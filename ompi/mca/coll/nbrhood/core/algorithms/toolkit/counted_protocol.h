// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A builder's protocol that ends with the sum of what its ranks counted, and with the decision.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/toolkit/protocol.h"
#include "graph/roles.h"

namespace nbrhood {

// For builders whose ranks know their patterns before anybody decides: what these cost is counted
// from the patterns themselves (pattern_traffic.h), and the decision is the last thing that ranks
// learn, so that nobody waits for messages that a decision makes superfluous.
class CountedProtocol : public Protocol {
protected:
    explicit CountedProtocol(const BuildInput &input) : Protocol(input), roles_(input.ranks) {}

    // The last supersteps of a rank with edges: first with any inbox, which is not looked at, then
    // with that of each superstep. At its start works() have in `totals` the traffic of this rank;
    // at its end totals, outcomes and one_size() are those of all.
    Step conclude(const std::vector<Message> &inbox);

private:
    TreeExchange::Terms terms();
    std::vector<Rank> receivers() const;

    std::optional<TreeExchange> sum_;
    Roles roles_;
};

} // namespace nbrhood
