#include "summary.h"

#include <algorithm>
#include <limits>

namespace nbrhood_amg {

namespace {

double exchanges_to_pay(double dearer, double gain)
{
    if (gain <= 0)
        return std::numeric_limits<double>::infinity();
    return dearer <= 0 ? 0 : dearer / gain; // NaN where a time is missing
}

/// What a way costs more, and gains with each exchange, against the first.
struct Balance {
    double first = 0;
    double creation = 0;
    double gain = 0;

    void add(const WayResult &base, const WayResult &way)
    {
        first += way.first() - base.first();
        creation += way.creation() - base.creation();
        gain += base.seconds() - way.seconds();
    }
};

const WayResult *find(const LevelResult &level, const std::string &name)
{
    const auto way = std::find_if(level.ways.begin(), level.ways.end(),
                                  [&](const WayResult &w) { return w.name == name; });
    return way == level.ways.end() ? nullptr : &*way;
}

} // namespace

std::vector<Total> sum_up(const std::vector<LevelResult> &levels)
{
    std::vector<Total> totals;
    std::vector<Balance> everywhere;
    std::vector<Balance> where_faster;
    for (const LevelResult &level : levels) {
        totals.resize(std::max(totals.size(), level.ways.size()));
        everywhere.resize(totals.size());
        where_faster.resize(totals.size());
        for (std::size_t i = 0; i < level.ways.size(); ++i) {
            const WayResult &base = level.ways.front();
            const WayResult &way = level.ways[i];
            Total &total = totals[i];
            total.name = way.name;
            total.seconds += way.seconds();
            total.best_seconds += way.seconds() > base.seconds() ? base.seconds() : way.seconds();
            total.creation += way.creation();
            total.first += way.first();
            everywhere[i].add(base, way);
            if (way.seconds() < base.seconds())
                where_faster[i].add(base, way);
        }
    }
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto with = [](const Balance &b) { return b.first + b.creation; };
        const Balance &all = everywhere[i];
        const Balance &faster = where_faster[i];
        totals[i].crossover = exchanges_to_pay(all.first, all.gain);
        totals[i].crossover_with_creation = exchanges_to_pay(with(all), all.gain);
        totals[i].best_crossover = exchanges_to_pay(faster.first, faster.gain);
        totals[i].best_crossover_with_creation = exchanges_to_pay(with(faster), faster.gain);
    }
    return totals;
}

Saving largest_saving(const std::vector<LevelResult> &levels, const std::string &more,
                      const std::string &fewer)
{
    Saving saving;
    for (std::size_t number = 0; number < levels.size(); ++number) {
        const WayResult *large = find(levels[number], more);
        const WayResult *small = find(levels[number], fewer);
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

} // namespace nbrhood_amg
