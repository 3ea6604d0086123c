// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Methods that are compared with Open MPI's own: timed together, and rated.
#pragma once

#include "interfaces.h"
#include "timing.h"

#include "common/statistics.h"

#include <limits>
#include <string>
#include <vector>

namespace nbrhood_tools {

/// One method's results. Times in seconds, of the slowest rank.
struct MethodResult {
    std::string label;
    bool verified = false;
    std::vector<double> creation_seconds; ///< one for each creation; empty without a communicator
    std::vector<double> init_seconds;     ///< of the persistent request; empty for other variants
    double first_seconds = 0;    ///< of the first call, with set-up work put off until then
    std::vector<double> seconds; ///< of a call, one for each sample; empty if results were wrong
    /// stock's median / this one's: above 1 it is faster than stock; NaN where there is none.
    Ratio speed_up{std::numeric_limits<double>::quiet_NaN(), {}};
    /// Calls that make up for the set-up overhead; 0: no overhead; infinity: never; NaN: not known.
    double break_even_calls = std::numeric_limits<double>::quiet_NaN();

    /// Of creation and init: 0 where there is none.
    double creation_median() const
    {
        return creation_seconds.empty() ? 0 : median(creation_seconds);
    }
    double init_median() const { return init_seconds.empty() ? 0 : median(init_seconds); }
    double call_median() const { return median(seconds); }

    /// Compares with stock, where both were timed. What was timed may consist of several calls.
    void rate(const MethodResult &stock, std::uint64_t seed, int calls = 1);
};

/// True if the results of all methods are right.
template <typename Result>
bool all_verified(const std::vector<Result> &results)
{
    for (const Result &result : results)
        if (!result.verified)
            return false;
    return true;
}

/// A method that takes part in a comparison.
struct TimedMethod {
    Repeatable *method = nullptr;
    Checkable *data = nullptr; ///< null for a method that communicates nothing
    MethodResult *result = nullptr;
};

/// Times those of the methods that are verified so far, all together, and verifies them again with
/// values of the rounds after `round`; `what` names the comparison in messages. A number of
/// creations above 0: also times as many inits. Times nothing where no method that communicates is
/// right. Collective over `comm`.
Timing time_methods(const std::vector<TimedMethod> &methods, const TimingSettings &settings,
                    int creations, std::uint64_t round, const std::string &what, MPI_Comm comm);

} // namespace nbrhood_tools
