// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "papers.h"

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/common_neighbor/common_neighbor.h"
#include "algorithms/distance_halving/distance_halving.h"
#include "algorithms/leader_scatter/leader_scatter.h"
#include "select/parameters.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <set>

namespace nbrhood_tools {

namespace {

template <typename Value>
std::pair<const nbrhood::Parameter *, std::int64_t> value_of(const nbrhood::Typed<Value> &parameter,
                                                             std::common_type_t<Value> value)
{
    return {&parameter, static_cast<std::int64_t>(value)};
}

/// Papers have no T and P: blocks of all sizes are relayed, and packed.
constexpr std::size_t all_sizes = 1 << 24;

std::vector<Paper> make_papers()
{
    using namespace nbrhood;
    return {{"distance-halving",
             {value_of(kHalvingCut, Cut::count), value_of(kHalvingOrigins, 1),
              value_of(kHalvingSamples, 0), value_of(kHalvingPassOn, PassOn::all),
              value_of(kCombiningThreshold, all_sizes), value_of(kPackingThreshold, all_sizes)}},
            // The paper lists all candidates, and compares several k; this is its best one for
            // sparse graphs.
            {"common-neighbour",
             {value_of(kFriendsPerGroup, 2), value_of(kFriendCandidates, 1 << 20),
              value_of(kCombiningThreshold, all_sizes), value_of(kPackingThreshold, all_sizes)}},
            {"leader-scatter", {value_of(kScatterTurns, false)}},
            // Each rank is the relay of its part of the messages.
            {"locality-aware-alltoallv",
             {value_of(kRelaysPerRegion, INT_MAX), value_of(kCombineLocal, 0),
              value_of(kCombiningThreshold, all_sizes), value_of(kPackingThreshold, all_sizes)}},
            {"locality-aware-bruck", {value_of(kAllgatherFirstRank, FirstRank::idles)}}};
}

} // namespace

const std::vector<Paper> &papers()
{
    static const std::vector<Paper> all = make_papers();
    return all;
}

const Paper *find_paper(const std::string &name)
{
    const auto found = std::find_if(papers().begin(), papers().end(),
                                    [&](const Paper &paper) { return name == paper.name; });
    return found == papers().end() ? nullptr : &*found;
}

CLI::Option *add_paper_option(CLI::App &app, std::string &name)
{
    std::set<std::string> names;
    for (const Paper &paper : papers())
        names.insert(paper.name);
    return app
        .add_option("--paper", name,
                    "values of parameters by which an algorithm follows its paper (docs/papers), "
                    "without our additions; parameters that are set besides keep their values")
        ->check(CLI::IsMember(names));
}

void export_paper(int argc, char **argv)
{
    const std::string option = "--paper";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const Paper *paper = nullptr;
        if (word == option && i + 1 < argc)
            paper = find_paper(argv[i + 1]);
        else if (word.rfind(option + "=", 0) == 0)
            paper = find_paper(word.substr(option.size() + 1));
        if (paper == nullptr)
            continue;
        for (const auto &[parameter, value] : paper->values)
            setenv((std::string("OMPI_MCA_coll_nbrhood_") + parameter->name).c_str(),
                   nbrhood::value_text(*parameter, value).c_str(), 0);
    }
}

} // namespace nbrhood_tools
