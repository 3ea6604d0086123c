// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/differences.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace nbrhood {

namespace {

constexpr std::size_t kMostRanks = 8;
constexpr std::size_t kMostValues = 4;

using Line = std::pair<std::string, std::string>; // name and value

std::vector<Line> lines_of(const std::string &text)
{
    std::vector<Line> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const std::size_t sign = line.find('=');
        if (sign != std::string::npos) {
            lines.emplace_back(line.substr(0, sign), line.substr(sign + 1));
        }
    }
    return lines;
}

// The ranks that have one value.
struct Group {
    std::string value;
    std::vector<int> ranks;
};

std::string text_of(const Group &group, std::size_t of)
{
    std::string text = group.value + (group.ranks.size() == 1 ? " on rank " : " on ranks ");
    for (std::size_t i = 0; i < std::min(group.ranks.size(), kMostRanks); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(group.ranks[i]);
    }
    text += group.ranks.size() > kMostRanks ? " and others" : "";
    return text + " (" + std::to_string(group.ranks.size()) + " of " + std::to_string(of) + ")";
}

std::string text_of(const std::string &name, const std::vector<Group> &groups, std::size_t of)
{
    std::string text = name + " is ";
    for (std::size_t i = 0; i < std::min(groups.size(), kMostValues); ++i) {
        text += (i == 0 ? "" : ", ") + text_of(groups[i], of);
    }
    return text + (groups.size() > kMostValues ? ", and other values" : "");
}

} // namespace

std::vector<std::string> differences(const std::vector<RankFacts> &ranks)
{
    std::vector<std::vector<Line>> facts;
    std::vector<std::string> names;
    for (const RankFacts &rank : ranks) {
        facts.push_back(lines_of(rank.text));
        for (const Line &line : facts.back()) {
            if (std::find(names.begin(), names.end(), line.first) == names.end()) {
                names.push_back(line.first);
            }
        }
    }
    std::vector<std::string> found;
    for (const std::string &name : names) {
        std::vector<Group> groups;
        for (std::size_t i = 0; i < facts.size(); ++i) {
            const auto line = std::find_if(facts[i].begin(), facts[i].end(),
                                           [&](const Line &one) { return one.first == name; });
            if (line == facts[i].end() && facts[i].size() < 2) {
                continue;
            }
            const std::string value = line == facts[i].end() ? "the default" : line->second;
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [&](const Group &one) { return one.value == value; });
            if (group == groups.end()) {
                group = groups.insert(group, Group{value, {}});
            }
            group->ranks.push_back(ranks[i].rank);
        }
        if (groups.size() > 1) {
            found.push_back(text_of(name, groups, ranks.size()));
        }
    }
    return found;
}

} // namespace nbrhood
