// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "measuring/communicators.h"
#include "measuring/timing.h"
#include "measuring/verification.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nbrhood_tools::amg {

namespace {

constexpr int repetitions = 3; // the paper takes the minimum of three averages
/// Each average is made of this many parts, between which the methods alternate.
constexpr int parts = 10;

/// Init and first exchange as one step, because a request may do its set-up in either.
class FirstExchange : public Repeatable {
public:
    explicit FirstExchange(Repeatable &method) : method_(method) {}
    void prepare() override
    {
        method_.prepare();
        method_.run();
    }
    void release() override { method_.release(); }
    void run() override { method_.run(); }

private:
    Repeatable &method_;
};

double smallest(const std::vector<double> &values, double none)
{
    return values.empty() ? none : *std::min_element(values.begin(), values.end());
}

/// The communicators that the methods need, each once.
std::vector<Candidate> make_communicators(const Level &level, const Settings &settings,
                                          MPI_Comm comm)
{
    std::vector<std::string> labels;
    for (const Method &method : settings.methods)
        if (*method.communicator != '\0'
            && std::find(labels.begin(), labels.end(), method.communicator) == labels.end())
            labels.emplace_back(method.communicator);
    return create_candidates(level.edges, labels, settings.creations, comm);
}

/// Runs one exchange that is verified like the others, and counts its messages.
bool count_messages(Repeatable &method, Vectors &vectors, std::uint64_t round,
                    const std::string &title, MPI_Comm comm, MessageCounts &most)
{
    const std::vector<int> nodes = nodes_of_ranks(comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const ComponentCounters counters;
    const bool right = verify(method, vectors, round, title, comm);
    const ComponentCounters::Totals totals = counters.read();
    std::uint64_t served = totals.operations;
    MPI_Allreduce(MPI_IN_PLACE, &served, 1, MPI_UINT64_T, MPI_SUM, comm);
    most = served > 0 ? totals.sent : count_direct(vectors.level(), rank, nodes);
    take_largest(most, comm);
    return right;
}

/// The averages of `repetitions` groups of consecutive samples.
std::vector<double> averages_of(const std::vector<double> &samples)
{
    const auto group = static_cast<std::ptrdiff_t>(samples.size()) / repetitions;
    std::vector<double> averages;
    for (auto first = samples.begin(); samples.end() - first >= group && group > 0; first += group)
        averages.push_back(std::accumulate(first, first + group, 0.0) / static_cast<double>(group));
    averages.resize(std::min<std::size_t>(averages.size(), repetitions));
    return averages;
}

} // namespace

double MethodResult::seconds() const
{
    return smallest(averages, std::numeric_limits<double>::quiet_NaN());
}

double MethodResult::creation() const
{
    return smallest(creation_seconds, 0);
}

double MethodResult::first() const
{
    return smallest(first_seconds, std::numeric_limits<double>::quiet_NaN());
}

bool LevelResult::all_verified() const
{
    return std::all_of(methods.begin(), methods.end(),
                       [](const MethodResult &w) { return w.verified; });
}

LevelResult measure_level(const Level &level, const std::string &title, const Settings &settings,
                          MPI_Comm comm)
{
    LevelResult result;
    result.rows = level.rows;
    result.nonzeros = level.nonzeros;
    result.facts = summarise(level.edges, comm);
    if (result.facts.edges == 0)
        return result;

    Vectors vectors(level);
    std::vector<Candidate> candidates = make_communicators(level, settings, comm);
    std::vector<std::unique_ptr<Repeatable>> methods;
    std::uint64_t round = 0;
    for (const Method &kind : settings.methods) {
        const auto candidate =
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const Candidate &c) { return c.label == kind.communicator; });
        const bool topology = candidate != candidates.end();
        methods.push_back(make_method(kind.name, vectors, topology ? candidate->comm : comm));
        MethodResult &method = result.methods.emplace_back();
        method.name = kind.name;
        if (topology)
            method.creation_seconds = candidate->creation_seconds;

        const std::string what = title + ", " + kind.name;
        methods.back()->prepare();
        // Twice, because the first exchange of a request has other messages than later ones, and
        // stale data can look right the first time.
        method.verified =
            verify(*methods.back(), vectors, ++round, what + ", first exchange", comm);
        method.verified &= count_messages(*methods.back(), vectors, ++round,
                                          what + ", second exchange", comm, method.most);
    }

    std::vector<Repeatable *> right;
    std::vector<MethodResult *> right_results;
    std::vector<FirstExchange> first_exchanges;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        if (!result.methods[i].verified)
            continue;
        right.push_back(methods[i].get());
        right_results.push_back(&result.methods[i]);
        first_exchanges.emplace_back(*methods[i]);
    }
    if (!right.empty()) {
        std::vector<Repeatable *> firsts;
        for (FirstExchange &first : first_exchanges)
            firsts.push_back(&first);
        const auto first_seconds = time_preparation(firsts, settings.creations, comm);

        TimingSettings timing_settings;
        const int pieces = std::min(parts, settings.calls);
        timing_settings.samples = repetitions * pieces;
        timing_settings.calls = (settings.calls + pieces - 1) / pieces;
        timing_settings.max_seconds = settings.max_seconds;
        const Timing timing = time_exchanges(right, timing_settings, comm);
        const int samples = static_cast<int>(timing.seconds.front().size());
        result.calls = timing.calls * (samples / repetitions);
        result.cut_short = timing.cut_short;
        for (std::size_t i = 0; i < right.size(); ++i) {
            MethodResult &method = *right_results[i];
            method.first_seconds = first_seconds[i];
            method.averages = averages_of(timing.seconds[i]);
            method.verified = verify(*right[i], vectors, ++round,
                                     title + ", " + method.name + ", after timing", comm);
        }
    }
    methods.clear(); // requests are freed before their communicators
    free_candidates(candidates);
    return result;
}

} // namespace nbrhood_tools::amg
