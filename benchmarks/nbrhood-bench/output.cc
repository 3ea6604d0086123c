// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "common/number_text.h"
#include "common/ratio_groups.h"
#include "common/ratio_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nbrhood_tools::bench {

namespace {

/// "512", or "mean/max" where edges differ.
std::string bytes_text(const EdgeBytes &bytes)
{
    const std::string most = number_text(bytes.max, "%.0f");
    return bytes.mean == bytes.max ? most : number_text(bytes.mean, "%.0f") + "/" + most;
}

/// Results of several graphs are averaged if all else is identical.
RatioGroups groups_of(const std::vector<Comparison> &comparisons)
{
    RatioGroups groups;
    for (const Comparison &comparison : comparisons) {
        const Configuration &c = comparison.configuration;
        const std::string title = name_of(c.operation) + " " + name_of(c.variant) + ", "
                                  + (c.counts_from_file ? "entries" : "blocks") + " of "
                                  + std::to_string(c.entry_bytes) + " bytes";
        for (const AlgorithmResult &result : comparison.algorithms)
            if (result.label != "stock" && result.label != "stock+compute" && result.verified
                && !std::isnan(result.speed_up.value))
                groups.add(title, result.label, result.speed_up);
    }
    return groups;
}

} // namespace

Table::Table(const Environment &environment, const std::vector<std::string> &graph_names,
             const std::vector<std::string> &labels)
    : environment_(environment),
      table_({"graph", "ranks", "nodes", "degree", "operation", "variant", "bytes/edge",
              "algorithm", "create ms", "init ms", "us/call", "speed-up", "95% interval",
              "break-even"},
             1, {4, 5, 7, 12})
{
    for (const std::string &name : graph_names)
        table_.widen(0, name);
    for (const std::string &label : labels) {
        table_.widen(7, label);
        label_width_ = std::max(label_width_, static_cast<int>(label.size()));
    }
    const char *const widest[] = {"100.0/1000", "mpi_alltoallv", "nonblocking", "100000/100000"};
    for (std::size_t c = 0; c < 4; ++c)
        table_.widen(3 + c, widest[c]);
    table_.widen(10, "1000000.0");
    table_.widen(12, "[10.00, 10.00]");
}

void Table::print_title(const CallSettings &calls) const
{
    print_environment(environment_);
    if (calls.use_vector())
        std::printf("# values are entries of a vector; a call %s\n",
                    calls.pack ? "includes the packing of packed and indexed values"
                               : "does not include the packing of packed and indexed values");
    if (calls.hip != nullptr)
        std::printf("# buffers are in the memory of a GPU (HIP)%s\n",
                    Hip::known_to_open_mpi()
                        ? ""
                        : "; Open MPI's own calls include copies to and from "
                          "host memory, because this Open MPI does not know it");
    if (calls.change_every > 0)
        std::printf("# the ranks change places in the graph after every %d calls\n",
                    calls.change_every);
    if (calls.compute_seconds > 0)
        std::printf("# computation: %.0f us of a core's time in %d slices, MPI_Test between them\n",
                    calls.compute_seconds * 1e6, calls.tests + 1);
}

void Table::print_graph(const Configuration &c) const
{
    std::printf("# %s: %lld entries cross between nodes, %lld of them (%.0f %%) are "
                "copies of one that the node gets anyway\n",
                c.graph_name.c_str(), static_cast<long long>(c.duplicates.between_nodes),
                static_cast<long long>(c.duplicates.duplicates), c.duplicates.share() * 100);
}

void Table::print(const Comparison &comparison) const
{
    const Configuration &c = comparison.configuration;
    const std::string degree =
        number_text(c.facts.mean_degree, "%.1f") + "/" + std::to_string(c.facts.max_degree);
    const std::string name = name_of(c.operation), prefix = "neighbor_";
    const std::string operation = name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
    const std::string bytes = bytes_text(edge_bytes(c.facts, c.operation, c.entry_bytes));
    for (const AlgorithmResult &result : comparison.algorithms) {
        const bool is_base = result.label == "stock" || result.label == "stock+compute";
        const bool has_set_up = !is_base && !is_stock(result.label);
        TextTable::Row row{
            c.graph_name,
            std::to_string(environment_.ranks),
            std::to_string(environment_.nodes),
            degree,
            operation,
            name_of(c.variant),
            bytes,
            result.label,
            result.exchanges ? number_text(result.creation_median() * 1e3, "%.2f") : "-",
            result.init_seconds.empty() ? "-" : number_text(result.init_median() * 1e3, "%.2f")};
        if (result.verified)
            row.insert(row.end(), {number_text(result.call_median() * 1e6, "%.1f"),
                                   is_base ? "1" : ratio_text(result.speed_up),
                                   is_base ? "" : interval_text(result.speed_up),
                                   has_set_up ? break_even_text(result.break_even_calls) : "",
                                   comparison.cut_short && is_base ? "*" : ""});
        else
            row.emplace_back("WRONG RESULT");
        table_.print_row(row);
    }
    print_first_calls(comparison);
    print_overlap(comparison);
    std::fflush(stdout);
}

/// The cost of auto's decision, build and trial, and the call after which it was paid back.
void Table::print_first_calls(const Comparison &comparison) const
{
    const AlgorithmResult *own = comparison.find("auto"), *stock = comparison.find("stock");
    if (own == nullptr || stock == nullptr || own->first_calls_seconds.empty()
        || stock->first_calls_seconds.empty())
        return;
    const std::vector<double> &theirs = stock->first_calls_seconds;
    const double call = theirs.back() / static_cast<double>(theirs.size());
    double behind = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
        behind = std::max(behind, (own->first_calls_seconds[i] - theirs[i]) / call);
    const auto ahead = calls_until_ahead(theirs, own->first_calls_seconds);
    std::printf("  auto: its first %zu calls took %.2f of the time of stock's, at most %.1f calls "
                "behind, %s\n",
                theirs.size(), own->first_calls_seconds.back() / theirs.back(), behind,
                ahead ? ("ahead of these from call " + std::to_string(*ahead) + " on").c_str()
                      : "and were not ahead at their end");
}

/// For each exchange with a computation: the time of both, one after the other.
void Table::print_overlap(const Comparison &comparison) const
{
    const AlgorithmResult *computation = comparison.find("computation");
    for (const AlgorithmResult &both : comparison.algorithms) {
        if (!both.exchanges || !both.with_computation || !both.verified || computation == nullptr)
            continue;
        const std::string label = both.label.substr(0, both.label.rfind('+'));
        const AlgorithmResult *exchange = comparison.find(label);
        if (exchange == nullptr)
            continue;
        const double alone = exchange->call_median(), sum = alone + computation->call_median();
        std::printf("  %s: alone %.1f + computation %.1f = %.1f us, together %.1f us: %.0f %% of "
                    "the exchange hidden\n",
                    label.c_str(), alone * 1e6, computation->call_median() * 1e6, sum * 1e6,
                    both.call_median() * 1e6, (sum - both.call_median()) / alone * 100);
    }
}

void Table::print_footer(const std::vector<Comparison> &comparisons) const
{
    groups_of(comparisons).print_means(label_width_);
    const bool cut = std::any_of(comparisons.begin(), comparisons.end(),
                                 [](const Comparison &c) { return c.cut_short; });
    std::printf(
        "\nspeed-up: stock's median time of a call divided by the algorithm's (above 1: faster), "
        "with a bootstrap\n"
        "interval over paired samples. stock#2 is stock measured twice: its distance from 1 is the "
        "noise.\n"
        "degree: mean out-degree / largest degree. bytes/edge: mean / largest where edges differ.\n"
        "break-even: calls that make up for the set-up overhead (creation and init) over stock.\n");
    if (cut)
        std::printf("*: the time limit (--max-seconds) cut calls or samples short.\n");
    print_caution(environment_);
}

} // namespace nbrhood_tools::bench
