// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "method_result.h"

#include "verification.h"

#include <algorithm>

namespace nbrhood_tools {

void MethodResult::rate(const MethodResult &stock, std::uint64_t seed, int calls)
{
    if (stock.seconds.empty() || seconds.empty())
        return;
    speed_up = ratio_of_medians(stock.seconds, seconds, seed);
    break_even_calls = nbrhood_tools::break_even_calls(
        creation_median() + init_median() - stock.creation_median() - stock.init_median(),
        (stock.call_median() - call_median()) / calls);
}

Timing time_methods(const std::vector<TimedMethod> &methods, const TimingSettings &settings,
                    int creations, std::uint64_t round, const std::string &what, MPI_Comm comm)
{
    std::vector<TimedMethod> right;
    std::vector<Repeatable *> exchanges;
    for (const TimedMethod &timed : methods)
        if (timed.result->verified) {
            right.push_back(timed);
            exchanges.push_back(timed.method);
        }
    if (std::none_of(right.begin(), right.end(),
                     [](const TimedMethod &timed) { return timed.data != nullptr; }))
        return {};
    if (creations > 0) {
        const auto seconds = time_preparation(exchanges, creations, comm);
        for (std::size_t i = 0; i < right.size(); ++i)
            if (right[i].data != nullptr)
                right[i].result->init_seconds = seconds[i];
    }
    Timing timing = time_exchanges(exchanges, settings, comm);
    for (std::size_t i = 0; i < right.size(); ++i) {
        MethodResult &result = *right[i].result;
        result.seconds = timing.seconds[i];
        if (right[i].data != nullptr)
            result.verified = verify(*right[i].method, *right[i].data, ++round,
                                     what + ", " + result.label + ", after timing", comm);
    }
    return timing;
}

} // namespace nbrhood_tools
