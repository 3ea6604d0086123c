// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis.h"

#include "answer.h"
#include "flow_counts.h"

#include "analysis/prove.h"
#include "common/error.h"
#include "algorithms/common_neighbor/common_neighbor.h"
#include "algorithms/distance_halving/distance_halving.h"
#include "graph/roles.h"
#include "select/automatic.h"

#include <algorithm>
#include <future>
#include <optional>
#include <stdexcept>

namespace nbrhood_tools::explain {

using nbrhood::Flow;
using nbrhood::Rank;

namespace {

std::size_t index(Rank rank)
{
    return static_cast<std::size_t>(rank);
}

const nbrhood::Algorithm &row_of(const std::string &name)
{
    return nbrhood::row_of(nbrhood::find_choice(name));
}

class Analysis {
public:
    Analysis(const Scenario &scenario, const Layout &layout, const AnalysisSettings &settings,
             const Tell &tell)
        : scenario_(scenario), layout_(layout), settings_(settings), tell_(tell),
          sizes_(each_once(scenario.has_counts ? settings.entry_bytes : settings.block_bytes)),
          ranks_per_core_(layout.cluster.ranks_per_core())
    {
        report_.graph = scenario.name;
        report_.compared_with = nbrhood::registry().front().name;
        report_.kind = scenario.kind;
        report_.has_counts = scenario.has_counts;
        report_.density = scenario.density;
        report_.mean_entries = scenario.mean_entries();
        report_.bytes = sizes_;
        report_.facts = nbrhood::find_facts(scenario.graph, layout.machine, ranks_per_core_);
    }

    ScenarioReport run(const Recording *recording)
    {
        if (recording != nullptr)
            analyse_recorded(*recording);
        for (const std::string &name : settings_.algorithms) {
            const nbrhood::Algorithm &row = row_of(name);
            if (!nbrhood::serves(row, scenario_.kind) || !can_simulate(row))
                continue;
            if (is_left_out(row))
                report_.left_out.push_back(name);
            else
                analyse_row(row);
        }
        for (const std::int64_t size : sizes_)
            report_.bounds.push_back(nbrhood::lower_bound(scenario_.graph, scenario_.kind,
                                                          block_bytes(size), layout_.cluster,
                                                          settings_.costs));
        predict_direct();
        compare(report_);
        report_.automatic = decision();
        report_.answers = find_answers(report_);
        return std::move(report_);
    }

private:
    /// Bytes of blocks, for entries of that size.
    nbrhood::BlockBytes block_bytes(std::int64_t size) const
    {
        return [this, size](Rank rank, std::uint32_t block) {
            return static_cast<std::uint64_t>(scenario_.entries[index(rank)][block] * size);
        };
    }

    nbrhood::BlockEntries block_entries() const
    {
        if (scenario_.entry_numbers.empty())
            return {};
        return [this](Rank rank, std::uint32_t block) -> const std::vector<int> & {
            return scenario_.entry_numbers[index(rank)][block];
        };
    }

    /// In distance_halving each rank keeps an order of all ranks. This process has all ranks, so
    /// that takes nine bytes for each pair.
    bool can_simulate(const nbrhood::Algorithm &row) const
    {
        constexpr std::size_t most_halved = 16384;
        return row.make_builder != nbrhood::make_distance_halving_builder
               || scenario_.graph.size() <= most_halved;
    }

    /// The patterns of leader_scatter have thousands of messages for each rank of a dense graph,
    /// which takes minutes and gigabytes, and blocks of all sizes asked for may go directly.
    bool is_left_out(const nbrhood::Algorithm &row) const
    {
        constexpr std::int64_t most_edges = 1000000;
        if (row.above == nullptr || !settings_.all_algorithms || settings_.prove
            || report_.facts.edges <= most_edges)
            return false;
        std::int64_t most = 0; // entries of a block
        for (const auto &blocks : scenario_.entries)
            for (const std::int64_t entries : blocks)
                most = std::max(most, entries);
        const auto above = static_cast<std::int64_t>(settings_.values.get(*row.above));
        return std::all_of(sizes_.begin(), sizes_.end(),
                           [&](std::int64_t size) { return size * most <= above; });
    }

    nbrhood::Automatic automatic() const
    {
        return {report_.facts, settings_.costs, settings_.values};
    }

    std::size_t packing_threshold() const
    {
        return settings_.values.get(nbrhood::kPackingThreshold);
    }

    void analyse_recorded(const Recording &recording)
    {
        AlgorithmReport report;
        report.name = "recorded " + recording.algorithm;
        report.source = recording.directory;
        report.combining_threshold = recording.combining_threshold;
        report.packing_threshold = recording.packing_threshold;
        prove(recording.patterns, report);
        try {
            if (report.proved)
                model(recording.patterns, nullptr, report);
        } catch (const std::invalid_argument &error) {
            throw InputError(recording.directory + ": " + error.what());
        }
        report_.algorithms.push_back(std::move(report));
    }

    void analyse_row(const nbrhood::Algorithm &row)
    {
        AlgorithmReport report;
        report.name = row.name;
        report.source = row.source;
        report.shares_cores = row.shares_cores;
        tell_(report_.graph + ": building " + row.name);
        const nbrhood::Tuning tuning{settings_.values, ranks_per_core_,
                                     automatic().expected_bytes()};
        // Searches again, beside the build, because builders do not tell what they found.
        std::future<nbrhood::FriendReport> friends;
        if (row.make_builder == nbrhood::make_common_neighbor_builder)
            friends = std::async(std::launch::async, [this] {
                return nbrhood::report_friends(scenario_.graph, layout_.machine, settings_.values);
            });
        const nbrhood::GraphPatterns built = nbrhood::build_all(
            row, scenario_.kind, scenario_.graph, layout_.machine, tuning, die_links());
        report.creation = built.negotiation;
        count_creation(report);
        if (row.make_builder == nbrhood::make_distance_halving_builder)
            report.halving =
                nbrhood::search_agents(scenario_.graph, layout_.machine, settings_.values);
        if (friends.valid())
            report.friends = friends.get();
        report.creation_seconds =
            nbrhood::creation_seconds(built.negotiation, layout_.cluster, settings_.costs);
        const bool relays = row.make_builder != nullptr;
        if (relays) {
            report.packing_threshold = packing_threshold();
            report.combining_threshold = automatic().combining_threshold(row, built.traffic);
            counted_.push_back({nbrhood::find_choice(row.name), scenario_.kind, built.traffic});
        }
        if (settings_.prove)
            prove(built.patterns, report);
        if (report.faults.empty())
            model(built.patterns, relays ? &built.traffic : nullptr, report);
        report_.algorithms.push_back(std::move(report));
    }

    std::shared_ptr<const nbrhood::DieLinks> die_links() const
    {
        return layout_.dies.links.dies() > 0
                   ? std::make_shared<const nbrhood::DieLinks>(layout_.dies.links)
                   : nullptr;
    }

    static Sums sums_of(const nbrhood::Negotiation &creation, Rank ranks, bool of_bytes)
    {
        Sums sums(ranks);
        for (const nbrhood::BuilderMessage &message : creation.messages)
            sums.add(message.source, message.destination, of_bytes ? message.bytes : 1);
        return sums;
    }

    void count_creation(AlgorithmReport &report) const
    {
        const auto ranks = static_cast<Rank>(scenario_.graph.size());
        report.creation_messages = sums_of(report.creation, ranks, false).amount();
        report.creation_bytes = sums_of(report.creation, ranks, true).amount();
    }

    /// Once with all blocks below T, and once with all above, which take other routes.
    void prove(const std::vector<nbrhood::Pattern> &patterns, AlgorithmReport &report)
    {
        for (const bool large : {false, true}) {
            tell_(report_.graph + ": proving " + report.name + " with "
                  + (large ? "large" : "small") + " blocks");
            const auto faults =
                nbrhood::prove(patterns, scenario_.graph,
                               [large](const nbrhood::Edge & /*edge*/) { return large; });
            report.faults.insert(report.faults.end(), faults.begin(), faults.end());
        }
        report.proved = report.faults.empty();
    }

    /// traffic: the builder's count, or null for direct and recorded patterns.
    void model(const std::vector<nbrhood::Pattern> &patterns, const nbrhood::Traffic *traffic,
               AlgorithmReport &report)
    {
        for (const std::int64_t size : sizes_) {
            tell_(report_.graph + ": modelling " + report.name + " with "
                  + (scenario_.has_counts ? "entries" : "blocks") + " of " + std::to_string(size)
                  + " bytes");
            const Flow flow(patterns, block_bytes(size),
                            {report.combining_threshold, report.packing_threshold},
                            block_entries());
            SizeReport &result = add_size(flow, layout_, settings_, size, report);
            if (traffic != nullptr)
                result.seconds.automatic =
                    nbrhood::relayed_seconds(*traffic, report_.facts, settings_.costs,
                                             static_cast<double>(size) * report_.mean_entries,
                                             static_cast<double>(packing_threshold()));
        }
    }

    void predict_direct()
    {
        for (AlgorithmReport &algorithm : report_.algorithms)
            for (SizeReport &size : algorithm.sizes)
                if (algorithm.name == report_.compared_with && !counted_.empty())
                    size.seconds.automatic = nbrhood::direct_seconds(
                        counted_.front().traffic, report_.facts, settings_.costs,
                        static_cast<double>(size.bytes) * report_.mean_entries);
    }

    /// Uses the code of the component's own report, for the same words.
    Decision decision() const
    {
        const nbrhood::Automatic automatic = this->automatic();
        const bool one_per_rank = scenario_.kind == nbrhood::BlockKind::one_per_rank;
        const auto collective = one_per_rank ? nbrhood::Collective::neighbor_allgatherv
                                             : nbrhood::Collective::neighbor_alltoallv;
        const auto with_one_count = one_per_rank ? nbrhood::Collective::neighbor_allgather
                                                 : nbrhood::Collective::neighbor_alltoall;
        const nbrhood::Reason refused = automatic.refuse_early(collective);
        if (refused != nbrhood::Reason::none)
            return {nbrhood::choice_name(nbrhood::kDirectChoice), nbrhood::describe(refused)};
        for (const nbrhood::Algorithm &row : nbrhood::registry())
            if (automatic.may_gain(row, collective) && report_.find(row.name) == nullptr)
                return {"", can_simulate(row)
                                ? std::string("--algorithms leaves ") + row.name + " out"
                                : std::string("too many ranks to simulate ") + row.name};
        const int fastest = automatic.fastest(collective, counted_);
        Decision decision{nbrhood::choice_name(fastest),
                          nbrhood::describe(fastest == nbrhood::kDirectChoice
                                                ? nbrhood::Reason::no_gain
                                                : nbrhood::Reason::gain)};
        if (!one_size())
            return decision;
        decision.by_size = automatic.fastest_by_size(
            with_one_count,
            built_by(automatic, nbrhood::bit(collective) | nbrhood::bit(with_one_count)));
        return decision;
    }

    /// The patterns that the component builds if these collectives are left to `auto`: one builder
    /// after the other.
    std::vector<nbrhood::Counted> built_by(const nbrhood::Automatic &automatic,
                                           unsigned collectives) const
    {
        std::vector<nbrhood::Counted> built;
        for (const nbrhood::Maker maker : automatic.order_makers(collectives)) {
            std::vector<nbrhood::Counted> candidates;
            std::copy_if(counted_.begin(), counted_.end(), std::back_inserter(candidates),
                         [&](const nbrhood::Counted &counted) {
                             return nbrhood::row_of(counted.choice).make_builder == maker;
                         });
            const std::vector<char> worth = automatic.worth_building(
                collectives, built, candidates, std::vector<char>(candidates.size(), 0), true);
            for (std::size_t i = 0; i < candidates.size(); ++i)
                if (worth[i] != 0)
                    built.push_back(candidates[i]);
        }
        return built;
    }

    /// Whether all ranks know the size of blocks if each rank gives one count.
    bool one_size() const
    {
        nbrhood::Roles roles(static_cast<Rank>(scenario_.graph.size()));
        for (const nbrhood::Neighbourhood &own : scenario_.graph)
            for (const nbrhood::EdgeEnd &end : own.out)
                if (end.peer != nbrhood::kNoRank)
                    roles.add_edge(own.rank, end.peer);
        return roles.one_size();
    }

    const Scenario &scenario_;
    const Layout &layout_;
    const AnalysisSettings &settings_;
    const Tell &tell_;
    std::vector<std::int64_t> sizes_;
    double ranks_per_core_; ///< ranks per core
    ScenarioReport report_;
    std::vector<nbrhood::Counted> counted_; ///< of the rows that relay
};

} // namespace

std::size_t steps_of(const AnalysisSettings &settings, nbrhood::BlockKind kind, bool has_counts,
                     bool recorded)
{
    const std::size_t sizes =
        each_once(has_counts ? settings.entry_bytes : settings.block_bytes).size();
    const std::size_t proofs = 2;
    const auto rows = static_cast<std::size_t>(std::count_if(
        settings.algorithms.begin(), settings.algorithms.end(),
        [kind](const std::string &name) { return nbrhood::serves(row_of(name), kind); }));
    return rows * (1 + (settings.prove ? proofs : 0) + sizes) + (recorded ? proofs + sizes : 0);
}

ScenarioReport analyse(const Scenario &scenario, const Layout &layout,
                       const AnalysisSettings &settings, const Recording *recording,
                       const Tell &tell)
{
    return Analysis(scenario, layout, settings, tell).run(recording);
}

} // namespace nbrhood_tools::explain
