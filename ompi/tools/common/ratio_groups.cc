// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "ratio_groups.h"

#include "ratio_text.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools {

void RatioGroups::add(const std::string &title, const std::string &label, const Ratio &ratio)
{
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const RatioGroup &g) { return g.title == title; });
    if (group == groups_.end())
        group = groups_.insert(groups_.end(), RatioGroup{title, {}});
    std::vector<LabelledRatios> &labels = group->labels;
    auto row = std::find_if(labels.begin(), labels.end(),
                            [&](const LabelledRatios &l) { return l.label == label; });
    if (row == labels.end())
        row = labels.insert(labels.end(), LabelledRatios{label, {}});
    row->ratios.push_back(ratio);
}

void RatioGroups::print_means(int label_width) const
{
    for (const RatioGroup &group : groups_) {
        for (const LabelledRatios &row : group.labels) {
            if (row.ratios.size() < 2)
                continue;
            const Ratio mean = geometric_mean(row.ratios);
            std::printf("geometric mean of %zu graphs, %s: %-*s %8.2f %s\n", row.ratios.size(),
                        group.title.c_str(), label_width, row.label.c_str(), mean.value,
                        interval_text(mean).c_str());
        }
    }
}

} // namespace nbrhood_tools
