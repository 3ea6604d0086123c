// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "summary.h"

#include "common/statistics.h"

#include <algorithm>

namespace nbrhood_tools::amg {

namespace {

/// The additional cost of a method, and its gain with each exchange, compared with the first
/// method.
struct Balance {
    double first = 0;
    double creation = 0;
    double gain = 0;

    void add(const MethodResult &base, const MethodResult &method)
    {
        first += method.first() - base.first();
        creation += method.creation() - base.creation();
        gain += base.seconds() - method.seconds();
    }
};

const MethodResult *find(const LevelResult &level, const std::string &name)
{
    const auto method = std::find_if(level.methods.begin(), level.methods.end(),
                                     [&](const MethodResult &w) { return w.name == name; });
    return method == level.methods.end() ? nullptr : &*method;
}

} // namespace

std::vector<Total> sum_up(const std::vector<LevelResult> &levels)
{
    std::vector<Total> totals;
    std::vector<Balance> everywhere;
    std::vector<Balance> where_faster;
    for (const LevelResult &level : levels) {
        totals.resize(std::max(totals.size(), level.methods.size()));
        everywhere.resize(totals.size());
        where_faster.resize(totals.size());
        for (std::size_t i = 0; i < level.methods.size(); ++i) {
            const MethodResult &base = level.methods.front();
            const MethodResult &method = level.methods[i];
            Total &total = totals[i];
            total.name = method.name;
            total.seconds += method.seconds();
            total.best_seconds +=
                method.seconds() > base.seconds() ? base.seconds() : method.seconds();
            total.creation += method.creation();
            total.first += method.first();
            everywhere[i].add(base, method);
            if (method.seconds() < base.seconds())
                where_faster[i].add(base, method);
        }
    }
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto with = [](const Balance &b) { return b.first + b.creation; };
        const Balance &all = everywhere[i];
        const Balance &faster = where_faster[i];
        totals[i].crossover = break_even_calls(all.first, all.gain);
        totals[i].crossover_with_creation = break_even_calls(with(all), all.gain);
        totals[i].best_crossover = break_even_calls(faster.first, faster.gain);
        totals[i].best_crossover_with_creation = break_even_calls(with(faster), faster.gain);
    }
    return totals;
}

Saving largest_saving(const std::vector<LevelResult> &levels, const std::string &more,
                      const std::string &fewer)
{
    Saving saving;
    for (std::size_t number = 0; number < levels.size(); ++number) {
        const MethodResult *large = find(levels[number], more);
        const MethodResult *small = find(levels[number], fewer);
        if (large == nullptr || small == nullptr || large->most.nonlocal_bytes == 0)
            continue;
        const double fraction = 1
                                - static_cast<double>(small->most.nonlocal_bytes)
                                      / static_cast<double>(large->most.nonlocal_bytes);
        if (fraction > saving.fraction)
            saving = {fraction, static_cast<int>(number)};
    }
    return saving;
}

} // namespace nbrhood_tools::amg
