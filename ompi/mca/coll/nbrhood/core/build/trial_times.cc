// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/trial_times.h"

namespace nbrhood {

void TrialTimes::Track::note(std::uint32_t since, bool alone, double now)
{
    if (since > 0 && since <= all_.size() && !gap_ && seen_ + 1 == since) {
        all_[seen_++].seconds = now - last_;
    }
    if (since < all_.size()) {
        all_[since].alone = alone;
    }
    last_ = now;
}

void TrialTimes::Track::go_on(std::uint32_t since)
{
    gap_ = since != 0 && seen_ != since;
    seen_ = since;
}

Periods TrialTimes::Track::typical() const
{
    return !gap_ && seen_ == all_.size() ? typical_periods(all_) : std::nullopt;
}

void TrialTimes::note_start(std::uint32_t request, std::uint32_t since, double now)
{
    if (!has_request_) {
        has_request_ = true;
        request_ = request;
    }
    if (request_ == request) {
        starts_.note(since, true, now);
    }
}

void TrialTimes::go_on(std::uint32_t call, std::uint32_t start)
{
    calls_.go_on(call);
    starts_.go_on(start);
}

} // namespace nbrhood
