#include "thread_team.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace nbrhood::test {
namespace {

constexpr int kTimeout = 99;

// What the threads share.
class Team {
public:
    Team(std::size_t ranks, ChangeLetter change) : ranks_(ranks), change_(std::move(change)) {}

    bool allgather(std::size_t rank, const void *own, std::size_t bytes, void *all)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        gathered_.resize(ranks_ * bytes);
        std::memcpy(gathered_.data() + rank * bytes, own, bytes);
        if (!wait_for_all(lock)) {
            return false;
        }
        std::memcpy(all, gathered_.data(), gathered_.size());
        return wait_for_all(lock);
    }

    bool sum(std::vector<std::uint64_t> &values)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        sums_.resize(values.size(), 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            sums_[i] += values[i];
        }
        if (!wait_for_all(lock)) {
            return false;
        }
        values = sums_;
        if (!wait_for_all(lock)) {
            return false;
        }
        sums_.clear();
        return wait_for_all(lock);
    }

    void post(Rank from, Message message)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (change_) {
            change_(from, message);
        }
        mail_[{from, message.peer}].push_back(Message{from, message.failed, message.words});
        changed_.notify_all();
    }

    bool fetch(Rank from, Rank to, Message &message)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        auto &box = mail_[{from, to}];
        if (!changed_.wait_for(lock, kPatience, [&] { return !box.empty(); })) {
            return false;
        }
        message = box.front();
        box.pop_front();
        return true;
    }

    bool mail_left() const
    {
        for (const auto &entry : mail_) {
            if (!entry.second.empty()) {
                return true;
            }
        }
        return false;
    }

private:
    static constexpr std::chrono::seconds kPatience{30};

    bool wait_for_all(std::unique_lock<std::mutex> &lock)
    {
        const int round = round_;
        if (++arrived_ == ranks_) {
            arrived_ = 0;
            ++round_;
            changed_.notify_all();
            return true;
        }
        return changed_.wait_for(lock, kPatience, [&] { return round_ != round; });
    }

    std::size_t ranks_;
    ChangeLetter change_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0;
    int round_ = 0;
    std::vector<char> gathered_;
    std::vector<std::uint64_t> sums_;
    std::map<std::pair<Rank, Rank>, std::deque<Message>> mail_;
};

class Member : public Creation {
public:
    Member(Team &team, const std::vector<Place> &places, Level region, Rank rank, bool told)
        : team_(team), places_(places), region_(region), rank_(rank), told_(told)
    {}

    int allgather(const void *own, std::size_t bytes, void *all) override
    {
        ++synchronisations;
        return team_.allgather(static_cast<std::size_t>(rank_), own, bytes, all) ? 0 : kTimeout;
    }

    int sum(std::vector<std::uint64_t> &values) override
    {
        ++synchronisations;
        return team_.sum(values) ? 0 : kTimeout;
    }

    Locality locality(Rank peer) const override
    {
        const Place &own = places_[static_cast<std::size_t>(rank_)];
        const Place &other = places_[static_cast<std::size_t>(peer)];
        return own.node != other.node ? Locality::elsewhere
               : told_ && (region_ == Level::node || own.domain(region_) == other.domain(region_))
                   ? Locality::same_region
                   : Locality::same_node;
    }

    int exchange(const std::vector<Message> &outbox, const std::vector<Rank> &expect,
                 std::vector<Message> &inbox) override
    {
        for (const Message &message : outbox) {
            team_.post(rank_, message);
        }
        for (Rank from : expect) {
            inbox.emplace_back();
            if (!team_.fetch(from, rank_, inbox.back())) {
                return kTimeout;
            }
        }
        return 0;
    }

    int synchronisations = 0;

private:
    Team &team_;
    const std::vector<Place> &places_;
    Level region_;
    Rank rank_;
    bool told_;
};

} // namespace

const Served &served_at(const ServedSizes &sizes, std::size_t bytes)
{
    return *std::find_if(sizes.begin(), sizes.end(),
                         [&](const Served &served) { return bytes <= served.most; });
}

void set_tuning(Settings &settings, const Tuning &tuning)
{
    settings.values = tuning.values;
    settings.ranks_per_core = tuning.ranks_per_core;
    settings.values.set(kBlockBytes, static_cast<std::size_t>(tuning.block_bytes));
}

void change_value(ParameterValues &values, const Parameter &parameter)
{
    if (parameter.type == ValueType::text) {
        values.set_text(parameter, values.text(parameter) + "node:6");
    } else {
        const std::int64_t value = values.number(parameter);
        values.set_number(parameter, value < parameter.range.most ? value + 1 : value - 1);
    }
}

Created create_all(const Graph &graph, const std::vector<Place> &places,
                   const std::vector<Settings> &settings, bool told, const ChangeLetter &change)
{
    Team team(graph.size(), change);
    Created created;
    created.topologies.resize(graph.size());
    created.errors.assign(graph.size(), 0);
    created.synchronisations.assign(graph.size(), 0);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < graph.size(); ++r) {
        threads.emplace_back([&, r] {
            const auto rank = static_cast<Rank>(r);
            Member member(team, places, settings[r].values.get(kRegion), rank, told);
            created.errors[r] =
                create_topology(graph[r], places[r], static_cast<Rank>(graph.size()), settings[r],
                                member, created.topologies[r]);
            created.synchronisations[r] = member.synchronisations;
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    created.mail_left = team.mail_left();
    return created;
}

Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings, const ChangeLetter &change)
{
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(machine.ranks()));
    for (Rank rank = 0; rank < machine.ranks(); ++rank) {
        places.push_back(machine.place(rank));
    }
    return create_all(graph, places, settings, true, change);
}

Created create_all(const Graph &graph, const Machine &machine, const Settings &settings)
{
    return create_all(graph, machine, std::vector<Settings>(graph.size(), settings));
}

} // namespace nbrhood::test
