// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/evaluation.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "select/model.h"
#include "analysis/shared_link.h"

namespace nbrhood {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Simulator {
public:
    Simulator(const Flow &flow, const Cluster &cluster, const Costs &costs,
              std::vector<Interval> *timeline)
        : flow_(flow), cluster_(cluster), costs_(costs), timeline_(timeline),
          shares_cores_(cluster.ranks_per_core() > 1), ranks_(cluster.node_of.size()),
          nodes_(cluster.cores.size()), links_(2 * cluster.cores.size()),
          next_(2 * flow.messages().size(), kNone), on_its_way_(flow.messages().size(), 1)
    {
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            nodes_[node].cores.assign(static_cast<std::size_t>(cluster.cores[node]), kNoRank);
            nodes_[node].idle = nodes_[node].cores.size();
            nodes_[node].busy.assign(nodes_[node].idle, 0);
            nodes_[node].idle_since.assign(nodes_[node].idle, 0);
        }
        for (const FlowMessage &message : flow.messages()) {
            missing_.push_back(message.waits_for);
        }
        result_.finished.assign(ranks_.size(), 0);
    }

    Evaluation run()
    {
        for (Rank rank = 0; rank < flow_.ranks(); ++rank) {
            for (std::uint32_t m = flow_.first_of(rank); m < flow_.first_of(rank + 1); ++m) {
                if (missing_[m] == 0) {
                    append(rank, 2 * m);
                }
            }
            state(rank).copies = flow_.self_bytes(rank) > 0;
            wake(rank, 0);
        }
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            handle(event);
        }
        if (received_ != flow_.messages().size()) {
            throw std::invalid_argument("messages wait for each other forever");
        }
        if (timeline_ != nullptr) { // the next step was recorded when the switch began
            std::stable_sort(
                timeline_->begin(), timeline_->end(),
                [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
        }
        result_.seconds = result_.finished.empty()
                              ? 0
                              : *std::max_element(result_.finished.begin(), result_.finished.end());
        return std::move(result_);
    }

private:
    enum class EventKind : std::uint8_t { done, through, deliver };
    struct Event {
        double time;
        std::uint64_t order; // the order of events at one time
        EventKind kind;
        std::uint32_t subject; // done: rank; through: link; deliver: message
        bool operator<(const Event &b) const
        {
            return std::tie(b.time, b.order) < std::tie(time, order); // the earliest on top
        }
    };
    // Tasks of a rank are numbers: 2 * message to send it, 2 * message + 1 to receive it. Tasks
    // that can begin form a list through next_.
    struct RankState {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
        std::uint32_t running = kNone;
        std::int32_t core = -1;
        bool copies = false; // copies from its send to its receive buffer that are still to do
        bool queued = false; // the rank waits for a core
    };
    struct NodeState {
        std::vector<Rank> cores; // the rank that the core works for, or worked for last
        std::vector<char> busy;
        std::size_t idle = 0;
        std::vector<std::uint64_t> idle_since; // by core: its place among the idle cores
        std::queue<Rank> waiting;
    };
    // The injection and ejection links of a node, 2 * node and 2 * node + 1.
    struct LinkState {
        SharedLink link;
        std::uint64_t awaited = 0; // number of the event with the valid time of its next end;
                                   // earlier events are outdated
    };
    static constexpr std::uint32_t kCopies = kNone - 1; // the task of RankState::copies

    RankState &state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    std::size_t node_of(Rank rank) const
    {
        return static_cast<std::size_t>(cluster_.node_of[static_cast<std::size_t>(rank)]);
    }
    NodeState &node(Rank rank) { return nodes_[node_of(rank)]; }

    void schedule(double time, EventKind kind, std::uint32_t subject)
    {
        events_.push(Event{time, order_++, kind, subject});
    }

    void record(Rank rank, Activity activity, std::uint32_t message, double begin, double end)
    {
        if (timeline_ != nullptr && end > begin) {
            timeline_->push_back(Interval{rank, activity, message, begin, end});
        }
    }

    void append(Rank rank, std::uint32_t task)
    {
        RankState &own = state(rank);
        (own.first == kNone ? own.first : next_[own.last]) = task;
        own.last = task;
    }

    // Takes a rank's next task; kNone where it has none.
    std::uint32_t take(RankState &own)
    {
        const std::uint32_t task = own.first;
        if (task != kNone) {
            own.first = next_[task];
            next_[task] = kNone;
        } else if (own.copies) { // no message waits for these
            own.copies = false;
            return kCopies;
        }
        return task;
    }

    // A rank has something to do: it begins, if it has a core or there is one for it.
    void wake(Rank rank, double now)
    {
        RankState &own = state(rank);
        if (own.running != kNone || own.queued || (own.first == kNone && !own.copies)) {
            return;
        }
        NodeState &home = node(rank);
        if (home.idle == 0) {
            own.queued = true;
            home.waiting.push(rank);
            return;
        }
        occupy(rank, home, now);
    }

    // Gives a rank an idle core: the one it had if possible, or the one that nobody has used for
    // the longest time.
    void occupy(Rank rank, NodeState &home, double now)
    {
        std::size_t core = home.cores.size();
        for (std::size_t c = 0; c < home.cores.size(); ++c) {
            if (home.busy[c] != 0) {
                continue;
            }
            if (home.cores[c] == rank) {
                core = c;
                break;
            }
            if (core == home.cores.size() || home.idle_since[c] < home.idle_since[core]) {
                core = c;
            }
        }
        // Switching to another rank takes time if there are more ranks than cores. The first rank
        // of a call was already running.
        const bool changes = home.cores[core] != rank && home.cores[core] != kNoRank;
        home.cores[core] = rank;
        home.busy[core] = 1;
        --home.idle;
        state(rank).core = static_cast<std::int32_t>(core);
        double begin = now;
        if (shares_cores_ && changes) {
            begin += costs_.phase_latency;
            record(rank, Activity::context_switch, kNone, now, begin);
        }
        begin_task(rank, begin);
    }

    void begin_task(Rank rank, double now)
    {
        RankState &own = state(rank);
        own.running = take(own);
        double seconds = 0;
        Activity activity = Activity::copy;
        if (own.running == kCopies) {
            seconds = static_cast<double>(flow_.self_bytes(rank)) * costs_.copy_byte;
        } else {
            const FlowMessage &message = flow_.messages()[own.running / 2];
            const LogGops costs = loggops(message, cluster_, costs_, shares_cores_);
            if (own.running % 2 == 0) {
                seconds = costs.send_overhead;
                activity = Activity::send;
                if (costs.injection > 0) { // the bytes flow while the source works on them
                    on_its_way_[own.running / 2] += 2;
                    enter(2 * node_of(message.source), own.running / 2, costs.injection, now);
                    enter(2 * node_of(message.destination) + 1, own.running / 2, costs.injection,
                          now);
                }
            } else {
                activity = Activity::receive;
                seconds = costs.receive_overhead
                          + static_cast<double>(message.copied_bytes) * costs_.copy_byte;
            }
        }
        record(rank, activity, own.running / 2, now, now + seconds);
        schedule(now + seconds, EventKind::done, static_cast<std::uint32_t>(rank));
    }

    void handle(const Event &event)
    {
        switch (event.kind) {
        case EventKind::done:
            finish_task(static_cast<Rank>(event.subject), event.time);
            break;
        case EventKind::through:
            leave(event);
            break;
        case EventKind::deliver: {
            const Rank to = flow_.messages()[event.subject].destination;
            append(to, 2 * event.subject + 1);
            wake(to, event.time);
            break;
        }
        }
    }

    void finish_task(Rank rank, double now)
    {
        RankState &own = state(rank);
        const std::uint32_t task = own.running;
        own.running = kNone;
        result_.finished[static_cast<std::size_t>(rank)] = now;
        if (task != kCopies && task % 2 == 0) {
            pass(task / 2, now);
        } else if (task != kCopies) {
            ++received_;
            for (const std::uint32_t next : flow_.feeds(task / 2)) {
                if (--missing_[next] == 0) {
                    append(rank, 2 * next);
                }
            }
        }
        if (own.first != kNone || own.copies) {
            begin_task(rank, now);
            return;
        }
        NodeState &home = node(rank);
        home.busy[static_cast<std::size_t>(own.core)] = 0;
        home.idle_since[static_cast<std::size_t>(own.core)] = order_++;
        ++home.idle;
        own.core = -1;
        if (!home.waiting.empty()) {
            const Rank next = home.waiting.front();
            home.waiting.pop();
            state(next).queued = false;
            occupy(next, home, now);
        }
    }

    // A message is through one of its stages: its source's work, the injection and the ejection
    // link.
    void pass(std::uint32_t number, double now)
    {
        if (--on_its_way_[number] == 0) {
            schedule(now + (shares_cores_ ? 0 : costs_.phase_latency), EventKind::deliver, number);
        }
    }

    void enter(std::size_t link, std::uint32_t number, double seconds, double now)
    {
        links_[link].link.enter(number, seconds, now);
        await(link);
    }

    // The end that was expected of the link before no longer holds.
    void await(std::size_t link)
    {
        LinkState &state = links_[link];
        if (!state.link.empty()) {
            state.awaited = order_;
            schedule(state.link.next_end(), EventKind::through, static_cast<std::uint32_t>(link));
        }
    }

    void leave(const Event &event)
    {
        LinkState &state = links_[event.subject];
        if (state.awaited == event.order) {
            pass(state.link.leave(), event.time);
            await(event.subject);
        }
    }

    const Flow &flow_;
    const Cluster &cluster_;
    const Costs &costs_;
    std::vector<Interval> *timeline_;
    bool shares_cores_;
    std::vector<RankState> ranks_;
    std::vector<NodeState> nodes_;
    std::vector<LinkState> links_;
    std::vector<std::uint32_t> next_; // by task
    std::vector<std::uint32_t>
        missing_;                  // by message: the number of messages that it still waits for
    std::vector<char> on_its_way_; // by message: see pass()
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
    std::size_t received_ = 0;
    Evaluation result_;
};

} // namespace

Link Cluster::link(Rank a, Rank b) const
{
    return !local(a, b)     ? Link::network
           : places.empty() ? Link::node
                            : link_between(places[static_cast<std::size_t>(a)],
                                           places[static_cast<std::size_t>(b)]);
}

std::vector<int> Cluster::ranks_of_nodes() const
{
    std::vector<int> ranks(cores.size(), 0);
    for (const std::int32_t node : node_of) {
        ++ranks[static_cast<std::size_t>(node)];
    }
    return ranks;
}

double Cluster::ranks_per_core() const
{
    const std::vector<int> ranks = ranks_of_nodes();
    double most = 1;
    for (std::size_t node = 0; node < cores.size(); ++node) {
        most = std::max(most, static_cast<double>(ranks[node]) / cores[node]);
    }
    return most;
}

double end_seconds(const LinkCosts &link, const Costs &costs, std::uint64_t message_bytes)
{
    const auto bytes = static_cast<double>(message_bytes);
    const bool is_long = bytes > costs.protocol_switch;
    return ((is_long ? link.long_message : link.message)
            + bytes * (is_long ? link.long_byte : link.byte))
           / 2;
}

LogGops loggops(const FlowMessage &message, const Cluster &cluster, const Costs &costs,
                bool shares_cores)
{
    const Link link = cluster.link(message.source, message.destination);
    const auto bytes = static_cast<double>(message.bytes);
    LogGops result;
    const double end = end_seconds(costs[link], costs, message.bytes);
    const double segment = per_block_overhead(costs, shares_cores) / 2;
    const double gathered = message.gathered != 0 ? bytes : 0;
    result.send_overhead = end + gathered * costs.copy_byte + message.gathered * segment;
    result.receive_overhead = end + static_cast<double>(message.scattered_bytes) * costs.copy_byte
                              + message.scattered * segment;
    result.injection = link == Link::network ? bytes * costs.injection_byte : 0;
    return result;
}

Evaluation evaluate(const Flow &flow, const Cluster &cluster, const Costs &costs,
                    std::vector<Interval> *timeline)
{
    if (cluster.node_of.size() != static_cast<std::size_t>(flow.ranks())) {
        throw std::invalid_argument("the cluster has " + std::to_string(cluster.node_of.size())
                                    + " ranks, the pattern " + std::to_string(flow.ranks()));
    }
    if (!cluster.places.empty() && cluster.places.size() != cluster.node_of.size()) {
        throw std::invalid_argument("the cluster has places for "
                                    + std::to_string(cluster.places.size()) + " of its "
                                    + std::to_string(cluster.node_of.size()) + " ranks");
    }
    for (const std::int32_t node : cluster.node_of) {
        if (node < 0 || static_cast<std::size_t>(node) >= cluster.cores.size()
            || cluster.cores[static_cast<std::size_t>(node)] < 1) {
            throw std::invalid_argument("a rank runs on a node without cores");
        }
    }
    return Simulator(flow, cluster, costs, timeline).run();
}

} // namespace nbrhood
