#include "measurement.h"

#include "communicators.h"
#include "timing.h"
#include "verification.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nbrhood_amg {

namespace {

using nbrhood_bench::Candidate;
using nbrhood_bench::Repeatable;

constexpr int repetitions = 3; // the paper takes the minimum of three averages
/// Each average is made of so many parts, between which the ways alternate.
constexpr int parts = 10;

/// Init and first exchange as one step: what a request does once may be done in either.
class FirstExchange : public Repeatable {
public:
    explicit FirstExchange(Repeatable &way) : way_(way) {}
    void prepare() override
    {
        way_.prepare();
        way_.run();
    }
    void release() override { way_.release(); }
    void run() override { way_.run(); }

private:
    Repeatable &way_;
};

double smallest(const std::vector<double> &values, double none)
{
    return values.empty() ? none : *std::min_element(values.begin(), values.end());
}

/// The communicators that the ways need, each once.
std::vector<Candidate> make_communicators(const Level &level, const Settings &settings,
                                          MPI_Comm comm)
{
    std::vector<std::string> labels;
    for (const WayKind &way : settings.ways)
        if (*way.communicator != '\0'
            && std::find(labels.begin(), labels.end(), way.communicator) == labels.end())
            labels.emplace_back(way.communicator);
    return nbrhood_bench::create_candidates(level.edges, labels, settings.creations, comm);
}

/// Runs one exchange that is verified like the others, and counts its messages.
bool count_messages(Repeatable &way, Vectors &vectors, std::uint64_t round,
                    const std::string &title, MPI_Comm comm, MessageCounts &most)
{
    const std::vector<int> nodes = nodes_of_ranks(comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const ComponentCounters counters;
    const bool right = nbrhood_bench::verify(way, vectors, round, title, comm);
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

double WayResult::seconds() const
{
    return smallest(averages, std::numeric_limits<double>::quiet_NaN());
}

double WayResult::creation() const
{
    return smallest(creation_seconds, 0);
}

double WayResult::first() const
{
    return smallest(first_seconds, std::numeric_limits<double>::quiet_NaN());
}

bool LevelResult::all_verified() const
{
    return std::all_of(ways.begin(), ways.end(), [](const WayResult &w) { return w.verified; });
}

LevelResult measure_level(const Level &level, const std::string &title, const Settings &settings,
                          MPI_Comm comm)
{
    LevelResult result;
    result.rows = level.rows;
    result.nonzeros = level.nonzeros;
    result.facts = nbrhood_bench::summarise(level.edges, comm);
    if (result.facts.edges == 0)
        return result;

    Vectors vectors(level);
    std::vector<Candidate> candidates = make_communicators(level, settings, comm);
    std::vector<std::unique_ptr<Repeatable>> ways;
    std::uint64_t round = 0;
    for (const WayKind &kind : settings.ways) {
        const auto candidate =
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const Candidate &c) { return c.label == kind.communicator; });
        const bool topology = candidate != candidates.end();
        ways.push_back(make_way(kind.name, vectors, topology ? candidate->comm : comm));
        WayResult &way = result.ways.emplace_back();
        way.name = kind.name;
        if (topology)
            way.creation_seconds = candidate->creation_seconds;

        const std::string what = title + ", " + kind.name;
        ways.back()->prepare();
        // Twice, as the first exchange of a request goes another way than those behind it, and
        // stale data can look right the first time.
        way.verified =
            nbrhood_bench::verify(*ways.back(), vectors, ++round, what + ", first exchange", comm);
        way.verified &= count_messages(*ways.back(), vectors, ++round, what + ", second exchange",
                                       comm, way.most);
    }

    std::vector<Repeatable *> right;
    std::vector<WayResult *> right_results;
    std::vector<FirstExchange> first_exchanges;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        if (!result.ways[i].verified)
            continue;
        right.push_back(ways[i].get());
        right_results.push_back(&result.ways[i]);
        first_exchanges.emplace_back(*ways[i]);
    }
    if (!right.empty()) {
        std::vector<Repeatable *> firsts;
        for (FirstExchange &first : first_exchanges)
            firsts.push_back(&first);
        const auto first_seconds =
            nbrhood_bench::time_preparation(firsts, settings.creations, comm);

        nbrhood_bench::TimingSettings timing_settings;
        const int pieces = std::min(parts, settings.calls);
        timing_settings.samples = repetitions * pieces;
        timing_settings.calls = (settings.calls + pieces - 1) / pieces;
        timing_settings.max_seconds = settings.max_seconds;
        const nbrhood_bench::Timing timing =
            nbrhood_bench::time_exchanges(right, timing_settings, comm);
        const int samples = static_cast<int>(timing.seconds.front().size());
        result.calls = timing.calls * (samples / repetitions);
        result.cut_short = timing.cut_short;
        for (std::size_t i = 0; i < right.size(); ++i) {
            WayResult &way = *right_results[i];
            way.first_seconds = first_seconds[i];
            way.averages = averages_of(timing.seconds[i]);
            way.verified = nbrhood_bench::verify(*right[i], vectors, ++round,
                                                 title + ", " + way.name + ", after timing", comm);
        }
    }
    ways.clear(); // requests before their communicators
    nbrhood_bench::free_candidates(candidates);
    return result;
}

} // namespace nbrhood_amg
