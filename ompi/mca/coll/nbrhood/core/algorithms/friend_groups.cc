#include "algorithms/friend_groups.h"

#include <algorithm>
#include <numeric>

namespace nbrhood {
namespace {

// Bits that are set. Without it compilers call a function for each word unless the machine is
// named.
int count_bits(std::uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555U;
    word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<int>(word * 0x0101010101010101U >> 56);
}

using Bitmap = std::vector<std::uint64_t>;

// A set of columns: the words of its bitmap that are not zero. It gets shorter with each row that
// it is cut with.
class Columns {
public:
    Columns() = default;
    explicit Columns(const Bitmap &row)
    {
        for (std::size_t at = 0; at < row.size(); ++at) {
            if (row[at] != 0) {
                words_.push_back({at, row[at]});
            }
        }
    }

    int count_common(const Bitmap &row) const
    {
        int count = 0;
        for (const Word &word : words_) {
            count += count_bits(word.bits & row[word.at]);
        }
        return count;
    }

    // Becomes what `other` and a row have in common.
    void cut(const Columns &other, const Bitmap &row)
    {
        words_.clear();
        for (const Word &word : other.words_) {
            if ((word.bits & row[word.at]) != 0) {
                words_.push_back({word.at, word.bits & row[word.at]});
            }
        }
    }

    void remove_from(Bitmap &row) const
    {
        for (const Word &word : words_) {
            row[word.at] &= ~word.bits;
        }
    }

    // Calls visit(column) for each, ascending.
    template <typename Visit>
    void for_each(const Visit &visit) const
    {
        for (const Word &word : words_) {
            for (std::uint64_t bits = word.bits; bits != 0; bits &= bits - 1) {
                visit(word.at * 64 + static_cast<std::size_t>(count_bits((bits & -bits) - 1)));
            }
        }
    }

private:
    struct Word {
        std::size_t at;
        std::uint64_t bits;
    };
    std::vector<Word> words_;
};

// The friendship matrix of all senders (Algorithm 2), and the steps that empty it.
class Matching {
public:
    Matching(const std::vector<Sender> &senders, int k, std::int64_t most)
        : senders_(senders), k_(static_cast<std::size_t>(k)), most_(static_cast<std::size_t>(most)),
          budget_(most_ * senders.size())
    {
        for (const Sender &sender : senders) {
            columns_.insert(columns_.end(), sender.destinations.begin(), sender.destinations.end());
        }
        std::sort(columns_.begin(), columns_.end());
        columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
        for (const Sender &sender : senders) {
            rows_.emplace_back((columns_.size() + 63) / 64, 0);
            for (const Rank destination : sender.destinations) {
                const std::size_t column = column_of(destination);
                rows_.back()[column / 64] |= std::uint64_t{1} << column % 64;
            }
        }
    }

    FriendMatching run()
    {
        FriendMatching result;
        result.k = static_cast<int>(k_);
        result.bounded = !list_groups();
        if (result.bounded) {
            list_pairs();
        } else {
            result.candidates = static_cast<std::int64_t>(candidates_.size() / k_);
        }
        for (;;) {
            std::vector<FriendGroup> groups = match();
            if (groups.empty()) {
                return result;
            }
            result.steps.push_back(std::move(groups));
        }
    }

private:
    using Members = std::vector<std::size_t>; // places among the senders, ascending

    std::size_t column_of(Rank destination) const
    {
        return static_cast<std::size_t>(
            std::lower_bound(columns_.begin(), columns_.end(), destination) - columns_.begin());
    }

    bool enough(int common) const { return common > static_cast<int>(k_); }

    void add_candidate(const Members &members)
    {
        candidates_.insert(candidates_.end(), members.begin(), members.end());
    }

    // All groups of k with enough common neighbours, in lexicographic order; false where that would
    // be too much work.
    bool list_groups()
    {
        width_ = k_;
        looks_left_ = budget_;
        Members group(1), others(senders_.size());
        std::iota(others.begin(), others.end(), 0);
        for (std::size_t first = 0; first < senders_.size(); ++first) {
            group.front() = first;
            others.erase(others.begin());
            if (!extend(group, Columns(rows_[first]), others)) {
                return false;
            }
        }
        return true;
    }

    // Lists the groups that begin with these members, by those others that may follow.
    bool extend(Members &group, const Columns &common, const Members &others)
    {
        if (looks_left_ < others.size()) {
            return false;
        }
        looks_left_ -= others.size();
        Members next;
        for (const std::size_t other : others) {
            if (enough(common.count_common(rows_[other]))) {
                next.push_back(other);
            }
        }
        for (auto other = next.begin(); other != next.end(); ++other) {
            group.push_back(*other);
            if (group.size() == k_) {
                add_candidate(group);
            } else {
                Columns fewer;
                fewer.cut(common, rows_[*other]);
                if (!extend(group, fewer, {other + 1, next.end()})) {
                    return false;
                }
            }
            group.pop_back();
        }
        return true;
    }

    // Pairs to grow groups from.
    void list_pairs()
    {
        width_ = 2;
        candidates_.clear();
        for (std::size_t first = 0; first < senders_.size(); ++first) {
            const Columns own(rows_[first]);
            const std::size_t end = std::min(senders_.size(), first + 1 + most_);
            for (std::size_t second = first + 1; second < end; ++second) {
                if (enough(own.count_common(rows_[second]))) {
                    add_candidate({first, second});
                }
            }
        }
    }

    const std::uint32_t *candidate(std::size_t number) const
    {
        return candidates_.data() + number * width_;
    }

    Columns common_of(const Members &members) const
    {
        Columns common(rows_[members.front()]), fewer;
        for (std::size_t i = 1; i < members.size(); ++i) {
            fewer.cut(common, rows_[members[i]]);
            std::swap(common, fewer);
        }
        return common;
    }

    // The number of common neighbours of each candidate. Forgets those that have not enough any
    // more, and those that were dropped.
    std::vector<int> weigh()
    {
        std::vector<int> weights;
        std::vector<std::uint32_t> kept;
        const std::uint32_t *before = nullptr; // whose members but the last made `common`
        Columns common;
        for (std::size_t number = 0; number * width_ < candidates_.size(); ++number) {
            const std::uint32_t *const members = candidate(number), *const last =
                                                                        members + width_ - 1;
            if (before == nullptr || !std::equal(members, last, before)) {
                common = common_of({members, last});
                before = members;
            }
            const int weight = common.count_common(rows_[*last]);
            if (enough(weight) && (dropped_.empty() || dropped_[number] == 0)) {
                weights.push_back(weight);
                kept.insert(kept.end(), members, last + 1);
            }
        }
        candidates_ = std::move(kept);
        dropped_.assign(weights.size(), 0);
        return weights;
    }

    // One step: the heaviest groups of free senders, one after the other.
    std::vector<FriendGroup> match()
    {
        const std::vector<int> weights = weigh();
        std::vector<std::size_t> order(weights.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
        taken_.assign(senders_.size(), 0);
        looks_left_ = budget_;
        std::vector<Members> groups;
        for (const std::size_t number : order) {
            const std::uint32_t *const begin = candidate(number), *const end = begin + width_;
            if (std::any_of(begin, end, [&](auto member) { return taken_[member] != 0; })) {
                continue;
            }
            Members group(begin, end);
            if (grow(group)) {
                for (const std::size_t member : group) {
                    taken_[member] = 1;
                }
                groups.push_back(std::move(group));
            } else if (looks_left_ == 0) {
                break;
            } else if (groups.empty()) {
                dropped_[number] = 1;
            }
        }
        std::vector<FriendGroup> result;
        result.reserve(groups.size());
        for (const Members &group : groups) {
            result.push_back(settle(group));
        }
        return result;
    }

    // Adds free senders to a pair until there are k; false where too few keep enough neighbours, or
    // where nothing is left to look at.
    bool grow(Members &group)
    {
        if (group.size() == k_) {
            return true;
        }
        Columns common = common_of(group), fewer;
        while (group.size() < k_) {
            if (looks_left_ < senders_.size()) {
                looks_left_ = 0;
                return false;
            }
            looks_left_ -= senders_.size();
            std::size_t best = 0;
            int most = 0;
            for (std::size_t other = 0; other < senders_.size(); ++other) {
                if (taken_[other] == 0
                    && std::find(group.begin(), group.end(), other) == group.end()) {
                    const int count = common.count_common(rows_[other]);
                    if (count > most) {
                        most = count;
                        best = other;
                    }
                }
            }
            if (!enough(most)) {
                return false;
            }
            group.push_back(best);
            fewer.cut(common, rows_[best]);
            std::swap(common, fewer);
        }
        std::sort(group.begin(), group.end());
        return true;
    }

    // Takes what a group deals with out of the rows of its members.
    FriendGroup settle(const Members &members)
    {
        FriendGroup group;
        const Columns common = common_of(members);
        common.for_each([&](std::size_t column) { group.common.push_back(columns_[column]); });
        for (const std::size_t member : members) {
            group.friends.push_back(senders_[member].rank);
        }
        for (const std::size_t member : members) {
            common.remove_from(rows_[member]);
            for (const Rank other : group.friends) {
                const std::size_t column = column_of(other);
                if (column < columns_.size() && columns_[column] == other) {
                    rows_[member][column / 64] &= ~(std::uint64_t{1} << column % 64);
                }
            }
        }
        return group;
    }

    const std::vector<Sender> &senders_;
    std::size_t k_;
    std::size_t most_;
    std::size_t budget_;         // candidates to look at in a step
    std::size_t looks_left_ = 0; // of this one
    std::vector<Rank> columns_;  // the destinations of any sender, ascending
    std::vector<Bitmap> rows_;   // by sender: its active destinations
    std::size_t width_ = 0;      // of each candidate: its members
    // One behind the other: groups of k, or pairs to grow groups from. In lexicographic order.
    std::vector<std::uint32_t> candidates_;
    std::vector<char> dropped_; // by candidate: whether it is not to be tried again
    std::vector<char> taken_;   // by sender, in this step
};

// A sender in the middle and those that have most neighbours in common with it, by rank.
std::vector<Sender> sample_of(std::vector<Sender> senders)
{
    constexpr std::size_t kSample = 64;
    if (senders.size() <= kSample) {
        return senders;
    }
    const std::vector<Rank> middle = senders[senders.size() / 2].destinations;
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> by_common; // less than none, place
    for (std::size_t i = 0; i < senders.size(); ++i) {
        const std::vector<Rank> &other = senders[i].destinations;
        const auto common = std::count_if(other.begin(), other.end(), [&](Rank destination) {
            return std::binary_search(middle.begin(), middle.end(), destination);
        });
        by_common.emplace_back(-common, i);
    }
    std::sort(by_common.begin(), by_common.end());
    by_common.resize(kSample);
    std::sort(by_common.begin(), by_common.end(),
              [](const auto &a, const auto &b) { return a.second < b.second; });
    std::vector<Sender> sample;
    sample.reserve(by_common.size());
    for (const auto &entry : by_common) {
        sample.push_back(std::move(senders[entry.second]));
    }
    return sample;
}

} // namespace

FriendMatching match_friends(const std::vector<Sender> &senders, int k, std::int64_t most)
{
    return k < 2 ? FriendMatching{} : Matching(senders, k, most).run();
}

int best_group_size(const std::vector<Sender> &senders, std::int64_t most)
{
    const std::vector<Sender> sample = sample_of(senders);
    most = std::max<std::int64_t>(1, most / 8);
    int best = 2;
    std::int64_t fewest = INT64_MAX;
    for (int k = 2; k <= std::min(best + 2, kMostFriends); ++k) {
        const FriendMatching matching = match_friends(sample, k, most);
        const std::int64_t messages = count_messages(sample, plan_friends(sample, matching));
        if (messages < fewest) {
            fewest = messages;
            best = k;
        }
    }
    return best;
}

} // namespace nbrhood
