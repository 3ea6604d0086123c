// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "tables.h"

#include "answer.h"

#include "common/number_text.h"
#include "common/text_table.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools::explain {

namespace {

std::string microseconds(double seconds)
{
    return seconds > 0 ? number_text(seconds * 1e6, seconds < 1e-3 ? "%.2f" : "%.0f") : "-";
}

/// A cell for each of mean and maximum.
void add_messages(TextTable::Row &row, const Amount &amount)
{
    row.push_back(number_text(amount.mean, "%.1f") + "/" + std::to_string(amount.most));
}

void add_bytes(TextTable::Row &row, const Amount &amount)
{
    row.push_back(bytes_text(amount.mean) + "/" + bytes_text(static_cast<double>(amount.most)));
}

const char *unit_of(const ScenarioReport &report)
{
    return report.has_counts ? "entry" : "block";
}

void print_head(const ScenarioReport &report)
{
    const double ranks =
        static_cast<double>(std::max<std::int64_t>(1, report.facts.ranks_with_edges));
    std::printf("\n== %s, blocks one %s: %lld edges (density %.3g), %.1f out-edges per rank, at "
                "most %lld; %.0f %% between regions\n",
                report.graph.c_str(),
                report.kind == nbrhood::BlockKind::one_per_rank ? "per rank" : "per edge",
                static_cast<long long>(report.facts.edges), report.density,
                static_cast<double>(report.facts.edges) / ranks,
                static_cast<long long>(report.facts.busiest_edges),
                100.0 * static_cast<double>(report.facts.edges_nonlocal)
                    / static_cast<double>(std::max<std::int64_t>(1, report.facts.edges)));
    if (report.has_counts)
        std::printf("%.1f entries per edge\n", report.mean_entries);
}

/// The success of distance_halving's search for agents.
void print_search(const AlgorithmReport &algorithm)
{
    std::printf("%s: ranks that found an agent, by step:", algorithm.name.c_str());
    std::int64_t found = 0;
    std::int64_t second = 0;
    for (const nbrhood::HalvingStep &step : algorithm.halving) {
        std::printf(" %.1f %%",
                    100.0 * static_cast<double>(step.found) / static_cast<double>(step.ranks));
        found += step.found;
        second += step.second;
    }
    std::printf("; of these as its second origin or a later one: %.1f %%\n",
                found > 0 ? 100.0 * static_cast<double>(second) / static_cast<double>(found) : 0.0);
}

/// The groups of common_neighbor, and the cost of its bound on candidates.
void print_friends(const std::string &name, const nbrhood::FriendReport &friends)
{
    std::printf("%s: %lld groups", name.c_str(), static_cast<long long>(friends.groups));
    if (friends.least_k < friends.most_k)
        std::printf(" of %d to %d friends", friends.least_k, friends.most_k);
    else if (friends.groups > 0)
        std::printf(" of %d friends", friends.most_k);
    std::printf(", found in %lld searches and up to %d steps",
                static_cast<long long>(friends.searches), friends.steps);
    if (friends.bounded > 0) {
        std::printf(", in %lld of them by growing pairs: there candidates were too many; %lld "
                    "messages a call, ",
                    static_cast<long long>(friends.bounded),
                    static_cast<long long>(friends.messages));
        if (friends.exact_messages)
            std::printf("%lld by the paper's matching",
                        static_cast<long long>(*friends.exact_messages));
        else
            std::printf("by the paper's matching not computed");
    }
    std::printf("\n");
}

/// What was found about each algorithm, and its faults.
void print_findings(const ScenarioReport &report)
{
    for (const AlgorithmReport &algorithm : report.algorithms) {
        if (algorithm.friends)
            print_friends(algorithm.name, *algorithm.friends);
        if (!algorithm.halving.empty())
            print_search(algorithm);
        for (const std::string &fault : algorithm.faults)
            std::printf("%s: %s\n", algorithm.name.c_str(), fault.c_str());
        if (!algorithm.faults.empty())
            std::printf("%s: not modelled, because the pattern is wrong\n", algorithm.name.c_str());
    }
}

void print_creation(const ScenarioReport &report)
{
    TextTable table({"creation", "messages", "bytes", "rounds", "time", "T", "P", "pattern"}, 1);
    for (const AlgorithmReport &algorithm : report.algorithms) {
        const bool relays = algorithm.packing_threshold > 0;
        table.add({algorithm.name, std::to_string(algorithm.creation.messages.size()),
                   bytes_text(static_cast<double>(algorithm.creation.bytes())),
                   std::to_string(algorithm.creation.rounds),
                   microseconds(algorithm.creation_seconds),
                   relays ? bytes_text(static_cast<double>(algorithm.combining_threshold)) : "-",
                   relays ? bytes_text(static_cast<double>(algorithm.packing_threshold)) : "-",
                   !algorithm.faults.empty() ? "WRONG"
                   : algorithm.proved        ? "proved"
                                             : "not checked"});
    }
    table.print();
    print_findings(report);
}

void print_allgather_head(const ScenarioReport &report, const Layout &layout)
{
    std::printf("\n== %s, %zu ranks in %d regions", report.graph.c_str(),
                layout.cluster.node_of.size(), static_cast<int>(layout.machine.regions()));
    std::string proved;
    for (const AlgorithmReport &algorithm : report.algorithms)
        if (algorithm.proved)
            proved += (proved.empty() ? "" : ", ") + algorithm.name;
    std::printf(", proved: %s\n", proved.empty() ? "none" : proved.c_str());
}

void print_traffic(const ScenarioReport &report, const Layout &layout)
{
    TextTable::Row header{std::string(unit_of(report)) + " bytes", "algorithm"};
    std::vector<Distance> columns{in_socket, in_node, between_nodes};
    const char *const names[] = {"in socket", "in node", "between nodes"};
    if (!layout.has_sockets)
        columns.erase(columns.begin() + 1); // a node is one socket
    for (const Distance far : columns) {
        const char *const name = far == in_socket && !layout.has_sockets ? "in node" : names[far];
        header.push_back(std::string(name) + ": messages");
        header.emplace_back("bytes");
    }
    header.emplace_back("staging");
    TextTable table(header, 2);
    for (std::size_t s = 0; s < report.bytes.size(); ++s) {
        for (const AlgorithmReport &algorithm : report.algorithms) {
            if (algorithm.sizes.empty())
                continue;
            const SizeReport &size = algorithm.sizes[s];
            TextTable::Row row{std::to_string(size.bytes), algorithm.name};
            for (const Distance far : columns) {
                add_messages(row, size.counts.messages[far]);
                add_bytes(row, size.counts.bytes[far]);
            }
            add_bytes(row, size.staging_bytes);
            table.add(row);
        }
        if (!report.has_graph())
            continue;
        const double ranks = static_cast<double>(layout.cluster.node_of.size());
        const nbrhood::LowerBound &bound = report.bounds[s];
        TextTable::Row row{std::to_string(report.bytes[s]), "lower bound"};
        row.resize(2 + 2 * (columns.size() - 1), "");
        row.push_back(number_text(static_cast<double>(bound.messages) / ranks, "%.1f"));
        row.push_back(bytes_text(static_cast<double>(bound.bytes) / ranks));
        row.emplace_back("");
        table.add(row);
    }
    std::printf("\n");
    table.print();
}

void print_times(const ScenarioReport &report)
{
    TextTable table({std::string(unit_of(report)) + " bytes", "algorithm", "Hockney", "postal",
                     "max-rate", "auto's model", "events", "lower bound", "speed-up"},
                    2);
    for (std::size_t s = 0; s < report.bytes.size(); ++s)
        for (const AlgorithmReport &algorithm : report.algorithms) {
            if (algorithm.sizes.empty())
                continue;
            const SizeReport &size = algorithm.sizes[s];
            table.add({std::to_string(size.bytes), algorithm.name,
                       microseconds(size.seconds.hockney), microseconds(size.seconds.postal),
                       microseconds(size.seconds.max_rate), microseconds(size.seconds.automatic),
                       microseconds(size.seconds.events),
                       microseconds(report.has_graph() ? report.bounds[s].seconds : 0),
                       size.speed_up > 0 ? number_text(size.speed_up, "%.2f") : "-"});
        }
    std::printf("\n");
    table.print();
}

void print_answer(const ScenarioReport &report, const nbrhood::Costs &costs)
{
    std::printf("\nanswer, by events with the costs \"%s\":\n", costs.name.c_str());
    for (const std::string &statement : answer_statements(report))
        std::printf("- %s\n", statement.c_str());
}

} // namespace

void print_title(const Layout &layout, const nbrhood::Costs &costs)
{
    std::printf("# %s\n# costs: %s\n", layout.description.c_str(), costs.name.c_str());
}

void print_report(const ScenarioReport &report, const Layout &layout, const nbrhood::Costs &costs,
                  const nbrhood::DieCosts &die_costs)
{
    if (report.has_graph()) {
        print_head(report);
        print_creation(report);
    } else {
        print_allgather_head(report, layout);
        print_findings(report);
    }
    for (const std::string &name : report.left_out)
        std::printf("%s is left out: %s (--algorithms %s builds it)%s\n", name.c_str(),
                    report.has_graph() ? "it sends blocks of all these sizes directly"
                                       : "it has a message for each pair of ranks",
                    name.c_str(),
                    report.has_graph() ? ", so the answer does not have it either" : "");
    print_traffic(report, layout);
    print_times(report);
    print_dies(report, layout, die_costs);
    if (report.has_graph())
        print_answer(report, costs);
    std::fflush(stdout);
}

void print_footer()
{
    std::printf(
        "\ncreation: the messages of all ranks to build the pattern, the longest chain of messages "
        "that wait for one another, and the\n"
        "predicted microseconds that they add to the creation of a communicator. T and P: blocks "
        "of more "
        "than T bytes go directly, of more\n"
        "than P unpacked, as messages of their own. Traffic: mean of all ranks / the most that any "
        "rank sends or receives in a call of a\n"
        "persistent request (after its first start). Times in microseconds: closed formulas, the "
        "prediction of auto from the builders'\n"
        "counts, and the evaluation of every message (events), from which the speed-up over direct "
        "(of MPI_Allgather:\n"
        "over bruck) follows. The lower bound holds for patterns that send no data through third "
        "nodes.\n");
}

} // namespace nbrhood_tools::explain
