// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/shared_link.h"

#include <algorithm>

namespace nbrhood {

void SharedLink::enter(std::uint32_t message, double seconds, double now)
{
    served_ = open_.empty() ? 0 : served(now);
    since_ = now;
    open_.push(Entry{served_ + seconds, order_++, message});
}

double SharedLink::next_end() const
{
    // Rounding must not move the end into the past.
    return since_ + std::max(0.0, open_.top().end - served_) * static_cast<double>(open_.size());
}

std::uint32_t SharedLink::leave()
{
    const Entry first = open_.top();
    since_ = next_end();
    served_ = std::max(
        served_, first.end); // exactly, so that other messages with the same end leave now, too
    open_.pop();
    return first.message;
}

} // namespace nbrhood
