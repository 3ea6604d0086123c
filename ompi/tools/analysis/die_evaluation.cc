// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/die_evaluation.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>

#include "analysis/shared_places.h"

namespace nbrhood {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The places that messages share, and the routes over them.
class DiePlaces {
public:
    DiePlaces(const DieCluster &cluster, const DieCosts &costs)
        : cluster_(cluster), costs_(costs), routes_(cluster.links), dies_(cluster.links.dies())
    {
        for (int node = 0; node < cluster.nodes; ++node) {
            for (int from = 0; from < dies_; ++from) {
                for (int to = 0; to < dies_; ++to) {
                    add(links_, cluster.links.links(from, to) * costs.link * costs.share);
                }
            }
            for (int die = 0; die < dies_; ++die) {
                add(memories_, costs.memory);
                add(to_host_, costs.host);
                add(from_host_, costs.host);
            }
            add(outs_, costs.adapters * costs.adapter);
            add(ins_, costs.adapters * costs.adapter);
        }
        for (std::size_t rank = 0; rank < cluster.node_of.size(); ++rank) {
            add(sends_, costs.rank > 0 ? costs.rank : kUnlimited);
            add(receives_, costs.rank > 0 ? costs.rank : kUnlimited);
        }
    }

    SharedPlaces &shared() { return shared_; }

    // The route of a message, whose bytes count for the busiest places.
    std::size_t take_way(const FlowMessage &message)
    {
        std::vector<std::size_t> places;
        double most = 0;
        const int node = cluster_.node(message.source);
        const int to_node = cluster_.node(message.destination);
        if (node != to_node) {
            pass(outs_, node, message, places);
            pass(ins_, to_node, message, places);
            most = costs_.adapter;
            if (costs_.rank > 0) {
                pass(sends_, message.source, message, places);
                pass(receives_, message.destination, message, places);
            }
            return shared_.way(places, most);
        }
        const int from = cluster_.die(message.source);
        const int to = cluster_.die(message.destination);
        if (from == to) {
            pass(memories_, node * dies_ + from, message, places);
            return shared_.way(places, most);
        }
        for (const DieStep &step : routes_.way(from, to)) {
            pass(links_, (node * dies_ + step.from) * dies_ + step.to, message, places);
        }
        if (places.empty()) {
            pass(to_host_, node * dies_ + from, message, places);
            pass(from_host_, node * dies_ + to, message, places);
        }
        return shared_.way(places, costs_.transfer);
    }

    void report(DieEvaluation &result) const
    {
        result.links = links_.busiest;
        result.adapters = std::max(outs_.busiest, ins_.busiest);
        result.ranks = std::max(sends_.busiest, receives_.busiest);
    }

private:
    // Places of one kind.
    struct Sort {
        std::vector<std::size_t> numbers; // in shared_
        std::vector<double> capacities;
        std::vector<double> bytes;
        double busiest = 0; // seconds
    };

    void add(Sort &sort, double capacity)
    {
        sort.numbers.push_back(shared_.add(capacity));
        sort.capacities.push_back(capacity);
        sort.bytes.push_back(0);
    }

    static void pass(Sort &sort, int number, const FlowMessage &message,
                     std::vector<std::size_t> &places)
    {
        const auto at = static_cast<std::size_t>(number);
        sort.bytes[at] += static_cast<double>(message.bytes);
        sort.busiest = std::max(sort.busiest, sort.bytes[at] / sort.capacities[at]);
        places.push_back(sort.numbers[at]);
    }

    const DieCluster &cluster_;
    const DieCosts &costs_;
    DieRoutes routes_;
    int dies_;
    SharedPlaces shared_;
    Sort links_, memories_, to_host_, from_host_; // by node, and there by dies
    Sort outs_, ins_;                             // by node
    Sort sends_, receives_;                       // by rank
};

class DieRun {
public:
    DieRun(const Flow &flow, const DieCluster &cluster, const DieCosts &costs)
        : flow_(flow), cluster_(cluster), costs_(costs), places_(cluster, costs),
          free_(cluster.node_of.size(), 0)
    {}

    DieEvaluation run()
    {
        const std::vector<FlowMessage> &messages = flow_.messages();
        result_.finished.assign(messages.size(), -1);
        ways_.reserve(messages.size());
        waits_for_.reserve(messages.size());
        for (const FlowMessage &message : messages) {
            ways_.push_back(places_.take_way(message));
            waits_for_.push_back(message.waits_for);
        }
        places_.report(result_);
        for (std::uint32_t number = 0; number < messages.size(); ++number) {
            if (waits_for_[number] == 0) {
                start(number, 0);
            }
        }
        std::vector<std::uint32_t> ended;
        std::size_t left = messages.size();
        while (left > 0) {
            const double next_begin = begins_.empty() ? kUnlimited : begins_.top().time;
            const double now = std::min(next_begin, places_.shared().next_end());
            if (now == kUnlimited) {
                throw std::invalid_argument("messages wait for each other forever");
            }
            ended.clear();
            places_.shared().end(now, ended);
            for (; !begins_.empty() && begins_.top().time <= now; begins_.pop()) {
                const std::uint32_t number = begins_.top().message;
                if (messages[number].bytes == 0) {
                    ended.push_back(number);
                } else {
                    places_.shared().begin(ways_[number], now, number,
                                           static_cast<double>(messages[number].bytes));
                }
            }
            places_.shared().settle(now);
            std::sort(ended.begin(), ended.end());
            for (const std::uint32_t number : ended) {
                finish(number, now);
            }
            left -= ended.size();
        }
        return std::move(result_);
    }

private:
    struct Begin {
        double time;
        std::uint32_t message;
        bool operator<(const Begin &b) const // the first on top of the queue
        {
            return time != b.time ? time > b.time : message > b.message;
        }
    };

    // A message starts as soon as its source has time for it.
    void start(std::uint32_t number, double now)
    {
        const FlowMessage &message = flow_.messages()[number];
        double &free = free_[static_cast<std::size_t>(message.source)];
        free = std::max(free, now) + costs_.overhead;
        const bool local = cluster_.node(message.source) == cluster_.node(message.destination);
        const double latency = local ? costs_.latency : costs_.network_latency;
        const bool agreed = static_cast<double>(message.bytes) > costs_.eager;
        begins_.push(Begin{free + (agreed ? 3 : 1) * latency, number});
    }

    void finish(std::uint32_t number, double now)
    {
        result_.finished[number] = now;
        result_.seconds = std::max(result_.seconds, now);
        for (const std::uint32_t fed : flow_.feeds(number)) {
            if (--waits_for_[fed] == 0) {
                start(fed, now);
            }
        }
    }

    const Flow &flow_;
    const DieCluster &cluster_;
    const DieCosts &costs_;
    DiePlaces places_;
    std::vector<std::size_t> ways_;        // by message
    std::vector<std::uint32_t> waits_for_; // by message, the messages that it still waits for
    std::vector<double> free_;             // by rank: the time until which it starts messages
    std::priority_queue<Begin> begins_;
    DieEvaluation result_;
};

} // namespace

DieEvaluation evaluate(const Flow &flow, const DieCluster &cluster, const DieCosts &costs)
{
    if (cluster.node_of.size() != static_cast<std::size_t>(flow.ranks())) {
        throw std::invalid_argument("the cluster does not have the ranks of the flow");
    }
    return DieRun(flow, cluster, costs).run();
}

} // namespace nbrhood
