#include "algorithms/agent_selection.h"

#include <algorithm>
#include <queue>

namespace nbrhood {
namespace {

// The best candidates that an origin keeps.
constexpr std::size_t kKept = 16;

struct Pair {
    int shared = 0;
    int origin = 0;
    int candidate = 0;
};

// Whether a pair is matched later than another.
bool operator<(const Pair &a, const Pair &b)
{
    if (a.shared != b.shared) {
        return a.shared < b.shared;
    }
    if (a.origin != b.origin) {
        return a.origin > b.origin;
    }
    return a.candidate > b.candidate;
}

int count_shared(const AgentSearch::Row &a, const AgentSearch::Row &b)
{
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        count += __builtin_popcountll(a[i] & b[i]);
    }
    return count;
}

class Selection {
public:
    explicit Selection(const AgentSearch &search)
        : search_(search), agents_(search.origins.size(), -1), load_(search.candidates.size(), 0),
          best_(search.origins.size())
    {}

    // Matches origins that have no agent with candidates that have fewer than `most` origins.
    void match(int most)
    {
        std::priority_queue<Pair> queue;
        for (std::size_t origin = 0; origin < agents_.size(); ++origin) {
            if (agents_[origin] < 0) {
                best_[origin].clear();
                offer_next(static_cast<int>(origin), most, queue);
            }
        }
        while (!queue.empty()) {
            const Pair pair = queue.top();
            queue.pop();
            int &load = load_[static_cast<std::size_t>(pair.candidate)];
            if (load < most) {
                ++load;
                agents_[static_cast<std::size_t>(pair.origin)] = pair.candidate;
            } else {
                offer_next(pair.origin, most, queue);
            }
        }
    }

    std::vector<int> take() { return std::move(agents_); }

private:
    // The best candidate that is free goes to the queue. What the queue has of an origin is never
    // worse than the best that is left to it, so the first pair with a free candidate is the best.
    void offer_next(int origin, int most, std::priority_queue<Pair> &queue)
    {
        std::vector<Pair> &best = best_[static_cast<std::size_t>(origin)];
        const auto taken = [&](const Pair &pair) {
            return load_[static_cast<std::size_t>(pair.candidate)] >= most;
        };
        while (!best.empty() && taken(best.back())) {
            best.pop_back();
        }
        if (best.empty()) {
            find_best(origin, most, best);
        }
        if (!best.empty()) {
            queue.push(best.back());
            best.pop_back();
        }
    }

    // The best few free candidates, the best one last.
    void find_best(int origin, int most, std::vector<Pair> &best)
    {
        const AgentSearch::Row &row = search_.origins[static_cast<std::size_t>(origin)];
        for (std::size_t i = 0; i < search_.candidates.size(); ++i) {
            const AgentSearch::Row &other = search_.candidates[i];
            if (load_[i] >= most || other.empty()) {
                continue;
            }
            const Pair pair{count_shared(row, other), origin, static_cast<int>(i)};
            if (pair.shared == 0 || (best.size() == kKept && pair < best.front())) {
                continue;
            }
            best.insert(std::upper_bound(best.begin(), best.end(), pair), pair);
            if (best.size() > kKept) {
                best.erase(best.begin());
            }
        }
    }

    const AgentSearch &search_;
    std::vector<int> agents_;             // by origin
    std::vector<int> load_;               // by candidate: its origins
    std::vector<std::vector<Pair>> best_; // by origin
};

} // namespace

std::vector<std::int32_t> Samples::bits_of(const std::vector<int> &positions) const
{
    std::vector<std::int32_t> bits(words_, 0);
    auto next = std::lower_bound(positions.begin(), positions.end(), begin_);
    for (; next != positions.end() && *next < end_; ++next) {
        if ((*next - begin_) % stride_ == 0) {
            const auto bit = static_cast<std::size_t>((*next - begin_) / stride_);
            bits[bit / 32] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits[bit / 32])
                                                       | 1U << bit % 32);
        }
    }
    return bits;
}

AgentSearch::Row Samples::take_row(WordReader &words) const
{
    AgentSearch::Row row((words_ + 1) / 2, 0);
    for (std::size_t i = 0; i < words_; ++i) {
        row[i / 2] |= std::uint64_t{static_cast<std::uint32_t>(words.take())} << i % 2 * 32;
    }
    return row;
}

std::vector<int> select_agents(const AgentSearch &search, int most_origins)
{
    Selection selection(search);
    for (int most = 1; most <= most_origins; ++most) {
        selection.match(most);
    }
    return selection.take();
}

} // namespace nbrhood
