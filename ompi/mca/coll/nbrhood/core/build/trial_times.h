// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measurement of a trial on one rank: the time from the start of a call to the start of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "build/trial.h"

namespace nbrhood {

// Times of calls, and of the starts of one persistent request: the request whose start was noted
// first. The caller gives the time, in seconds since an arbitrary moment.
class TrialTimes {
public:
    // periods: how many to measure, of calls and also of starts.
    explicit TrialTimes(std::size_t periods) : calls_(periods), starts_(periods) {}

    // Notes that call or start number `since` of the trial, from 0 on, begins now. alone: no other
    // call is in flight.
    void note_call(std::uint32_t since, bool alone, double now) { calls_.note(since, alone, now); }
    void note_start(std::uint32_t request, std::uint32_t since, double now);

    // Sets the numbers of the next call and the next start to note, which need not follow the last
    // ones. The trial continues there if it has all earlier periods.
    void go_on(std::uint32_t call, std::uint32_t start);

    // Typical periods of the blocks, if all periods were measured.
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
        std::size_t seen_ = 0; // periods measured before the last start
        bool gap_ = false;     // a period is missing
        double last_ = 0;
    };

    Track calls_;
    Track starts_;
    bool has_request_ = false;
    std::uint32_t request_ = 0;
};

} // namespace nbrhood
