// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A builder's protocol that ends with the sum of the ranks' traffic, and with the decision.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/toolkit/protocol.h"
#include "graph/roles.h"

namespace nbrhood {

// For builders whose ranks know their patterns before the decision. The traffic is counted from the
// patterns themselves (pattern_traffic.h), and the decision comes last, so that no rank waits for
// messages that the decision makes superfluous.
class CountedProtocol : public Protocol {
protected:
    explicit CountedProtocol(const BuildInput &input) : Protocol(input), roles_(input.ranks) {}

    // The last supersteps of a rank with edges. The first call ignores its inbox; later calls get
    // the inbox of each superstep. Before the first call `totals` in works() must have the traffic
    // of this rank; at the end totals, outcomes and one_size() are those of all ranks.
    Step conclude(const std::vector<Message> &inbox);

private:
    TreeExchange::Terms terms();
    std::vector<Rank> receivers() const;

    std::optional<TreeExchange> sum_;
    Roles roles_;
};

} // namespace nbrhood
