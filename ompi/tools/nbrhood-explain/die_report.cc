// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "die_report.h"

#include "report.h"

#include "common/number_text.h"
#include "common/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace nbrhood_tools::explain {

namespace {

/// Mean and maximum over nodes.
std::string nodes_text(const std::vector<std::uint64_t> &bytes)
{
    const auto sum = static_cast<double>(
        std::accumulate(bytes.begin(), bytes.end(), static_cast<std::uint64_t>(0)));
    return bytes_text(sum / static_cast<double>(bytes.size())) + "/"
           + bytes_text(static_cast<double>(*std::max_element(bytes.begin(), bytes.end())));
}

/// The bottleneck that is busy all the time, if there is one.
std::string limit_text(const nbrhood::DieEvaluation &times)
{
    const auto percent = [&](const char *what, double seconds) {
        return std::string(what) + " " + number_text(100 * seconds / times.seconds, "%.0f") + " %";
    };
    if (times.seconds <= 0)
        return "-";
    if (times.links >= std::max(times.adapters, times.ranks))
        return percent("links", times.links);
    return times.adapters >= times.ranks ? percent("adapters", times.adapters)
                                         : percent("ranks", times.ranks);
}

void print_die_times(const ScenarioReport &report)
{
    TextTable table({"block bytes", "algorithm", "into a node", "out of a node", "over dies' links",
                     "time, ms", "speed-up", "busiest"},
                    2);
    for (std::size_t s = 0; s < report.bytes.size(); ++s)
        for (const AlgorithmReport &algorithm : report.algorithms) {
            if (algorithm.sizes.empty())
                continue;
            const DieReport &dies = *algorithm.sizes[s].dies;
            const auto &links = dies.traffic.link_sum;
            const auto sum = static_cast<double>(
                std::accumulate(links.begin(), links.end(), static_cast<std::uint64_t>(0)));
            const auto nodes = static_cast<double>(dies.traffic.enters.size());
            table.add({std::to_string(report.bytes[s]), algorithm.name,
                       nodes_text(dies.traffic.enters), nodes_text(dies.traffic.leaves),
                       bytes_text(sum / nodes), number_text(dies.times.seconds * 1e3, "%.3f"),
                       dies.speed_up > 0 ? number_text(dies.speed_up, "%.2f") : "-",
                       limit_text(dies.times)});
        }
    table.print();
}

void print_links(const ScenarioReport &report, const nbrhood::DieLinks &links)
{
    TextTable::Row header{"dies", "links"};
    for (const AlgorithmReport &algorithm : report.algorithms)
        if (!algorithm.sizes.empty())
            header.push_back(algorithm.name);
    TextTable table(header, 1);
    const std::size_t nodes = report.algorithms.front().sizes.back().dies->traffic.enters.size();
    for (int from = 0; from < links.dies(); ++from)
        for (int to = 0; to < links.dies(); ++to) {
            if (links.links(from, to) == 0)
                continue;
            TextTable::Row row{std::to_string(from) + " to " + std::to_string(to),
                               std::to_string(links.links(from, to))};
            const auto pair = static_cast<std::size_t>(from * links.dies() + to);
            bool used = false;
            for (const AlgorithmReport &algorithm : report.algorithms)
                if (!algorithm.sizes.empty()) {
                    const nbrhood::DieTraffic &traffic = algorithm.sizes.back().dies->traffic;
                    row.push_back(bytes_text(static_cast<double>(traffic.link_sum[pair])
                                             / static_cast<double>(nodes))
                                  + "/" + bytes_text(static_cast<double>(traffic.link_most[pair])));
                    used = used || traffic.link_sum[pair] > 0;
                }
            if (used)
                table.add(row);
        }
    std::printf("\nbytes over the links between dies, blocks of %lld bytes:\n",
                static_cast<long long>(report.bytes.back()));
    table.print();
}

} // namespace

std::optional<DieReport> find_dies(const nbrhood::Flow &flow, const Layout &layout,
                                   const nbrhood::DieCosts &costs)
{
    if (layout.dies.links.dies() == 0)
        return std::nullopt;
    const nbrhood::DieCluster cluster(layout.machine, layout.dies.links);
    DieReport report;
    report.traffic = nbrhood::count_die_traffic(flow, cluster);
    report.times = nbrhood::evaluate(flow, cluster, costs);
    report.times.finished.clear();
    return report;
}

void print_dies(const ScenarioReport &report, const Layout &layout, const nbrhood::DieCosts &costs)
{
    const bool any = std::any_of(report.algorithms.begin(), report.algorithms.end(),
                                 [](const AlgorithmReport &algorithm) {
                                     return !algorithm.sizes.empty() && algorithm.sizes[0].dies;
                                 });
    if (!any)
        return;
    std::printf("\nGPU dies, modelled with %s; bytes: mean of all nodes / the most of a node\n",
                nbrhood::die_costs_text(costs).c_str());
    print_die_times(report);
    print_links(report, layout.dies.links);
}

Json to_json(const DieReport &dies)
{
    const nbrhood::DieTraffic &traffic = dies.traffic;
    Json json{{"modelled_seconds", dies.times.seconds},
              {"speed_up", dies.speed_up > 0 ? Json(dies.speed_up) : Json(nullptr)},
              {"busiest_links_seconds", dies.times.links},
              {"busiest_adapters_seconds", dies.times.adapters},
              {"busiest_rank_seconds", dies.times.ranks},
              {"bytes_into_nodes", traffic.enters},
              {"bytes_out_of_nodes", traffic.leaves},
              {"bytes_through_hosts", traffic.host},
              {"links", Json::array()}};
    const auto count = static_cast<std::size_t>(
        std::lround(std::sqrt(static_cast<double>(traffic.link_sum.size()))));
    for (std::size_t pair = 0; pair < traffic.link_sum.size(); ++pair)
        if (traffic.link_sum[pair] > 0)
            json["links"].push_back({{"from", pair / count},
                                     {"to", pair % count},
                                     {"bytes", traffic.link_sum[pair]},
                                     {"bytes_of_busiest_node", traffic.link_most[pair]}});
    return json;
}

} // namespace nbrhood_tools::explain
