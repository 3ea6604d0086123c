#include "comparison.h"

#include "verification.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace nbrhood_bench {

namespace {

std::string describe(const Configuration &configuration, const std::string &label, const char *when)
{
    return configuration.graph_text + ", " + name_of(configuration.operation) + ", "
           + name_of(configuration.variant) + ", entries of "
           + std::to_string(configuration.entry_bytes) + " bytes, algorithm " + label + ", " + when;
}

/// Verifies each algorithm with free space between the blocks, where a write past a block's end
/// cannot hide behind the next block's data. Twice, since stale data can look right the first time.
void verify_with_gaps(const Configuration &configuration, const Neighbourhood &part,
                      const std::vector<Candidate> &candidates, bool takes_part, MPI_Comm comm,
                      std::vector<AlgorithmResult> &results)
{
    Traffic traffic(part, configuration.facts, configuration.operation, configuration.entry_bytes,
                    1, comm);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        Exchange exchange(candidates[i].comm, traffic, configuration.variant, takes_part);
        exchange.prepare();
        AlgorithmResult &result = results[i];
        result.verified =
            verify(exchange, traffic, 2 * i, describe(configuration, result.label, "first call"),
                   comm, &result.first_call_seconds);
        result.verified = result.verified
                          && verify(exchange, traffic, 2 * i + 1,
                                    describe(configuration, result.label, "second call"), comm);
    }
}

/// How many calls it takes until the gain of each has paid for the dearer set-up.
double calls_to_pay_back(const AlgorithmResult &stock, const AlgorithmResult &other)
{
    const double dearer = other.creation_median() + other.init_median() - stock.creation_median()
                          - stock.init_median();
    const double gain = stock.call_median() - other.call_median();
    if (gain <= 0)
        return std::numeric_limits<double>::infinity();
    return std::max(dearer, 0.0) / gain;
}

} // namespace

bool Comparison::all_verified() const
{
    return std::all_of(algorithms.begin(), algorithms.end(),
                       [](const AlgorithmResult &r) { return r.verified; });
}

Comparison compare(const Configuration &configuration, const Neighbourhood &part,
                   const std::vector<Candidate> &candidates, const ComparisonSettings &settings,
                   MPI_Comm comm)
{
    Comparison comparison;
    comparison.configuration = configuration;
    std::vector<AlgorithmResult> &results = comparison.algorithms;
    for (const Candidate &candidate : candidates) {
        results.emplace_back();
        results.back().label = candidate.label;
        results.back().creation_seconds = candidate.creation_seconds;
    }
    const bool isolated = part.sources.empty() && part.destinations.empty();
    const bool takes_part = !(settings.skip_isolated && isolated);
    verify_with_gaps(configuration, part, candidates, takes_part, comm, results);

    // One set of buffers for all, as cache and page placement would otherwise differ between
    // algorithms.
    Traffic traffic(part, configuration.facts, configuration.operation, configuration.entry_bytes,
                    0, comm);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    std::vector<Repeatable *> right_ones;
    std::vector<AlgorithmResult *> right_results;
    std::uint64_t round = 1000;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        exchanges.push_back(std::make_unique<Exchange>(candidates[i].comm, traffic,
                                                       configuration.variant, takes_part));
        if (!results[i].verified)
            continue;
        exchanges[i]->prepare();
        results[i].verified =
            verify(*exchanges[i], traffic, ++round,
                   describe(configuration, results[i].label, "without gaps"), comm);
        if (results[i].verified) {
            right_ones.push_back(exchanges[i].get());
            right_results.push_back(&results[i]);
        }
    }
    if (right_ones.empty())
        return comparison;

    if (configuration.variant == Variant::persistent) {
        const auto seconds = time_preparation(right_ones, settings.creations, comm);
        for (std::size_t i = 0; i < right_results.size(); ++i)
            right_results[i]->init_seconds = seconds[i];
    }
    Timing timing = time_exchanges(right_ones, settings.timing, comm);
    comparison.calls = timing.calls;
    comparison.cut_short = timing.cut_short;
    for (std::size_t i = 0; i < right_ones.size(); ++i) {
        AlgorithmResult &result = *right_results[i];
        result.call_seconds = timing.seconds[i];
        result.verified = verify(*right_ones[i], traffic, ++round,
                                 describe(configuration, result.label, "after timing"), comm);
    }
    for (AlgorithmResult *result : right_results) {
        const AlgorithmResult &stock = results.front();
        result->speed_up =
            ratio_of_medians(stock.call_seconds, result->call_seconds, settings.timing.seed);
        result->calls_to_pay_back = stock.call_seconds.empty()
                                        ? std::numeric_limits<double>::quiet_NaN()
                                        : calls_to_pay_back(stock, *result);
    }
    return comparison;
}

} // namespace nbrhood_bench
