// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measurement of a trial on one rank: the time from the start of a call to the start of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "build/trial.h"

namespace nbrhood {

// Times of calls, and of the starts of one persistent request: the first that is noted. The caller
// gives the time, in seconds since any moment.
class TrialTimes {
public:
    // periods: that there are to be of calls, and as many of starts.
    explicit TrialTimes(std::size_t periods) : calls_(periods), starts_(periods) {}

    // Number `since`, from 0 on, of the calls or starts that the trial looks at begins now. alone:
    // no other call is in flight.
    void note_call(std::uint32_t since, bool alone, double now) { calls_.note(since, alone, now); }
    void note_start(std::uint32_t request, std::uint32_t since, double now);

    // The numbers of the next call and the next start that are noted, which need not follow the
    // last ones: the trial goes on there if it has all periods before.
    void go_on(std::uint32_t call, std::uint32_t start);

    // Typical periods of the blocks, where all periods were measured.
    Measured measured() const { return {calls_.typical(), starts_.typical()}; }

private:
    class Track {
    public:
        explicit Track(std::size_t periods) : all_(periods) {}
        void note(std::uint32_t since, bool alone, double now);
        void go_on(std::uint32_t since);
        Periods typical() const;

    private:
        std::vector<Period> all_;
        std::size_t seen_ = 0; // periods that were measured, all of those before the last start
        bool gap_ = false;     // one is missing
        double last_ = 0;
    };

    Track calls_;
    Track starts_;
    bool has_request_ = false;
    std::uint32_t request_ = 0;
};

} // namespace nbrhood
