// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "comparison.h"

#include "measuring/verification.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace nbrhood_tools::bench {

namespace {

std::string describe(const Configuration &configuration)
{
    return configuration.graph_text + ", " + name_of(configuration.operation) + ", "
           + name_of(configuration.variant) + ", entries of "
           + std::to_string(configuration.entry_bytes) + " bytes";
}

/// The data of one send layout.
std::unique_ptr<Traffic> make_traffic(const Configuration &configuration, const Neighbourhood &part,
                                      const CallSettings &calls, SendLayout values, int gap_entries,
                                      MPI_Comm comm)
{
    if (calls.use_vector())
        return std::make_unique<Traffic>(part, configuration.facts, values,
                                         configuration.entry_bytes, gap_entries, comm);
    auto traffic = std::make_unique<Traffic>(part, configuration.facts, configuration.operation,
                                             configuration.entry_bytes, gap_entries, comm);
    if (calls.hip != nullptr)
        traffic->put_on_gpu(*calls.hip);
    return traffic;
}

/// One for each send layout that is compared.
std::map<SendLayout, GraphTraffic> make_all_traffic(const Configuration &configuration,
                                                    const std::vector<Neighbourhood> &parts,
                                                    const CallSettings &calls, int gap_entries,
                                                    MPI_Comm comm)
{
    std::map<SendLayout, GraphTraffic> traffic;
    for (SendLayout values : calls.values)
        for (const Neighbourhood &part : parts)
            traffic[values].push_back(
                make_traffic(configuration, part, calls, values, gap_entries, comm));
    return traffic;
}

/// Verifies each algorithm with free space between the blocks, so that a write past a block's end
/// is not hidden by the next block's data. Twice, since stale data can look right the first time.
void verify_with_gaps(const Configuration &configuration, const std::vector<Neighbourhood> &parts,
                      const std::vector<Contender> &contenders, const std::vector<Method> &methods,
                      const CallSettings &calls, bool takes_part, MPI_Comm comm,
                      std::vector<AlgorithmResult> &results)
{
    const auto traffic = make_all_traffic(configuration, parts, calls, 1, comm);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        AlgorithmResult &result = results[i];
        if (!methods[i].exchanges) {
            result.verified = true;
            continue;
        }
        const Contender &contender = contenders[methods[i].candidate];
        ExchangeSequence exchange(contender.comm, traffic.at(methods[i].values), calls.change_every,
                                  configuration.variant, contender.way, takes_part);
        exchange.include(calls.pack, nullptr);
        exchange.prepare();
        result.verified = verify(exchange, exchange, 2 * i,
                                 describe(configuration) + ", " + result.label + ", first call",
                                 comm, &result.first_seconds);
        result.verified =
            result.verified
            && verify(exchange, exchange, 2 * i + 1,
                      describe(configuration) + ", " + result.label + ", second call", comm);
    }
}

/// Times the first calls of stock and auto in all rounds but the first, which is already in their
/// results.
void time_first_rounds(const Configuration &configuration, const Neighbourhood &part,
                       const GraphTraffic &data, bool takes_part, Way stock_way,
                       const ComparisonSettings &settings, MPI_Comm comm,
                       const std::array<AlgorithmResult *, 2> &results)
{
    for (int round = 1; round < settings.timing.first_rounds; ++round) {
        for (std::size_t turn = 0; turn < results.size(); ++turn) {
            AlgorithmResult &result =
                *results.at((static_cast<std::size_t>(round) + turn) % results.size());
            MPI_Comm made = create_communicator(configuration.operation, part, result.label, comm);
            {
                ExchangeSequence exchange(
                    made, data, settings.calls.change_every, configuration.variant,
                    is_stock(result.label) ? stock_way : Way::call, takes_part);
                exchange.include(settings.calls.pack, nullptr);
                exchange.prepare();
                const auto seconds = time_first_calls(exchange, settings.timing, comm);
                std::transform(seconds.begin(), seconds.end(), result.first_calls_seconds.begin(),
                               result.first_calls_seconds.begin(), std::plus<>());
            }
            MPI_Comm_free(&made);
        }
    }
    for (AlgorithmResult *result : results)
        for (double &seconds : result->first_calls_seconds)
            seconds /= settings.timing.first_rounds;
}

} // namespace

const AlgorithmResult *Comparison::find(const std::string &label) const
{
    for (const AlgorithmResult &result : algorithms)
        if (result.label == label && result.verified)
            return &result;
    return nullptr;
}

std::optional<std::size_t> calls_until_ahead(const std::vector<double> &stock,
                                             const std::vector<double> &other)
{
    const std::size_t calls = std::min(stock.size(), other.size());
    std::size_t ahead = calls;
    while (ahead > 0 && other[ahead - 1] <= stock[ahead - 1])
        --ahead;
    return ahead < calls ? std::make_optional(ahead + 1) : std::nullopt;
}

Comparison compare(const Configuration &configuration, const std::vector<Neighbourhood> &parts,
                   const std::vector<Contender> &contenders, const ComparisonSettings &settings,
                   MPI_Comm comm)
{
    const CallSettings &calls = settings.calls;
    std::vector<std::string> labels;
    for (const Contender &contender : contenders)
        labels.push_back(contender.label);
    const std::vector<Method> methods = make_methods(labels, calls);
    Comparison comparison;
    comparison.configuration = configuration;
    std::vector<AlgorithmResult> &results = comparison.algorithms;
    for (const Method &method : methods) {
        results.emplace_back();
        results.back().label = method.label;
        results.back().values = method.values;
        results.back().exchanges = method.exchanges;
        results.back().with_computation = method.with_computation;
        if (method.exchanges)
            results.back().creation_seconds = contenders[method.candidate].creation_seconds;
    }
    const Neighbourhood &part = parts.front();
    const bool isolated = part.sources.empty() && part.destinations.empty();
    const bool takes_part = !(settings.skip_isolated && isolated);
    verify_with_gaps(configuration, parts, contenders, methods, calls, takes_part, comm, results);

    // One set of buffers for all algorithms with the same values, because cache and page placement
    // would otherwise differ between them.
    const auto traffic = make_all_traffic(configuration, parts, calls, 0, comm);
    std::optional<Computation> computation;
    if (calls.compute_seconds > 0)
        computation.emplace(calls.compute_seconds, calls.tests, comm);
    std::vector<std::unique_ptr<ExchangeSequence>> exchanges;
    std::vector<TimedMethod> timed;
    std::uint64_t round = 1000;
    const bool with_auto = std::find(labels.begin(), labels.end(), "auto") != labels.end();
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const Method &method = methods[i];
        const Contender &contender = contenders[method.candidate];
        exchanges.push_back(std::make_unique<ExchangeSequence>(
            contender.comm, traffic.at(method.values), calls.change_every, configuration.variant,
            contender.way, takes_part && method.exchanges));
        ExchangeSequence &exchange = *exchanges.back();
        exchange.include(calls.pack, method.with_computation ? &*computation : nullptr);
        if (!results[i].verified)
            continue;
        exchange.prepare();
        results[i].verified =
            !method.exchanges
            || verify(exchange, exchange, ++round,
                      describe(configuration) + ", " + results[i].label + ", without gaps", comm);
        if (results[i].verified
            && (contender.learns(configuration.operation)
                || (with_auto && results[i].label == "stock")))
            results[i].first_calls_seconds = time_first_calls(exchange, settings.timing, comm);
        timed.push_back({&exchange, method.exchanges ? &exchange : nullptr, &results[i]});
    }
    const auto own =
        std::find_if(results.begin(), results.end(), [](const AlgorithmResult &result) {
            return result.label == "auto" && result.verified;
        });
    if (own != results.end() && results.front().verified)
        time_first_rounds(configuration, part, traffic.at(results.front().values), takes_part,
                          contenders.front().way, settings, comm, {&results.front(), &*own});

    const int inits = configuration.variant == Variant::persistent ? settings.creations : 0;
    const Timing timing =
        time_methods(timed, settings.timing, inits, round, describe(configuration), comm);
    comparison.calls = timing.calls;
    comparison.cut_short = timing.cut_short;
    // With stock that does the same besides.
    for (AlgorithmResult &result : results)
        if (const AlgorithmResult *stock =
                comparison.find(result.with_computation ? "stock+compute" : "stock");
            stock != nullptr && result.exchanges)
            result.rate(*stock, settings.timing.seed);
    return comparison;
}

} // namespace nbrhood_tools::bench
