// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "support.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <stdexcept>

#include "algorithms/direct.h"
#include "analysis/lockstep.h"

namespace nbrhood::test {

int scaled(int cases)
{
    const char *text = std::getenv("NBRHOOD_TEST_SCALE");
    const double scale = text != nullptr ? std::atof(text) : 1.0;
    return std::max(1, static_cast<int>(cases * (scale > 0 ? scale : 1.0)));
}

int scaled_ranks(int ranks)
{
    return scaled(1000) < 1000 ? ranks / 4 : ranks;
}

std::uint64_t hash_of(const Edge &edge)
{
    return mix(mix(static_cast<std::uint32_t>(edge.source)) * 31
               + mix(static_cast<std::uint32_t>(edge.destination)) * 7
               + static_cast<std::uint32_t>(edge.key));
}

std::vector<Rank> components_of(const Graph &graph)
{
    std::vector<Rank> label(graph.size(), kNoRank);
    std::vector<std::vector<Rank>> near(graph.size());
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            if (end.peer != kNoRank) {
                near[static_cast<std::size_t>(own.rank)].push_back(end.peer);
                near[static_cast<std::size_t>(end.peer)].push_back(own.rank);
            }
        }
    }
    for (std::size_t first = 0; first < graph.size(); ++first) {
        std::vector<std::size_t> open{first};
        while (!open.empty()) {
            const std::size_t now = open.back();
            open.pop_back();
            if (label[now] == kNoRank) {
                label[now] = static_cast<Rank>(first);
                open.insert(open.end(), near[now].begin(), near[now].end());
            }
        }
    }
    return label;
}

std::vector<Task> all_tasks()
{
    std::vector<Task> tasks;
    for (BlockKind kind : kKinds) {
        for (Scheme scheme : kSchemes) {
            tasks.push_back(Task{kind, scheme});
        }
    }
    return tasks;
}

bool enters_regions_once(const Algorithm &row)
{
    return row.make_builder == nullptr || row.make_builder == make_aggregated_builder;
}

std::vector<BlockKind> kinds_of(const Algorithm &row)
{
    std::vector<BlockKind> kinds;
    std::copy_if(std::begin(kKinds), std::end(kKinds), std::back_inserter(kinds),
                 [&](BlockKind kind) { return serves(row, kind); });
    return kinds;
}

Construction::Construction(Graph graph, Machine machine, const Tuning &tuning, BlockKind kind,
                           Scheme scheme)
    : Construction(std::move(graph), std::move(machine), tuning, {Task{kind, scheme}})
{}

Construction::Construction(Graph graph, Machine machine, const Tuning &tuning,
                           std::vector<Task> tasks, const DecisionFunction &decide, Rank fail_rank,
                           int fail_step, Maker maker)
    : graph_(std::move(graph)), machine_(std::move(machine))
{
    for (const Neighbourhood &own : graph_) {
        has_edges_.push_back(own.has_edges() ? 1 : 0);
    }
    known_ranks_ = KnownRanks(machine_, has_edges_);
    BuildInput input;
    input.known_ranks = &known_ranks_;
    input.ranks = machine_.ranks();
    input.tuning = tuning;
    input.tasks = std::move(tasks);
    input.decide = decide;
    for (const Neighbourhood &own : graph_) {
        input.neighbourhood = &own;
        input.tree = place_in_tree(known_ranks_, own.rank);
        input.fail_in_step = own.rank == fail_rank ? fail_step : -1;
        builders_.push_back(maker(input));
    }
}

std::vector<Pattern> Construction::run()
{
    run_lockstep(builders_);
    return take();
}

std::vector<Pattern> Construction::run(Random &random)
{
    if (run_in_random_order(builders_, random) < 0) {
        throw std::runtime_error("a builder waits forever, or leaves a message");
    }
    return take();
}

std::vector<Pattern> Construction::take(std::size_t task)
{
    std::vector<Pattern> patterns;
    for (const auto &builder : builders_) {
        if (builder->outcome(task) != Outcome::built) {
            throw std::runtime_error("a rank has not built its pattern");
        }
        patterns.push_back(builder->take_pattern(task));
    }
    return patterns;
}

int run_in_random_order(const std::vector<std::unique_ptr<Builder>> &builders, Random &random)
{
    std::map<std::pair<Rank, Rank>, std::deque<Message>> channels;
    std::vector<Step> current(builders.size());
    int messages = 0;
    int unread = 0;
    std::vector<std::size_t> open(builders.size());
    for (std::size_t r = 0; r < open.size(); ++r) {
        open[r] = r;
    }
    std::size_t idle = 0; // unsuccessful tries since the last step
    while (!open.empty()) {
        const auto at = static_cast<std::size_t>(random() % open.size());
        // After many unsuccessful tries the loop goes through all of them in turn.
        const std::size_t i = idle < 4 * open.size() ? at : idle % open.size();
        if (idle++ > 6 * open.size()) {
            return -1;
        }
        const std::size_t r = open[i];
        const auto self = static_cast<Rank>(r);
        const std::vector<Rank> &expect = current[r].expect;
        const bool ready = std::all_of(expect.begin(), expect.end(), [&](Rank peer) {
            return !channels[{peer, self}].empty();
        });
        if (!ready) {
            continue;
        }
        idle = 0;
        std::vector<Message> inbox;
        for (Rank peer : expect) {
            inbox.push_back(channels[{peer, self}].front());
            channels[{peer, self}].pop_front();
            --unread;
        }
        current[r] = builders[r]->step(inbox);
        for (Message &out : current[r].outbox) {
            auto &queue = channels[{self, out.peer}];
            out.peer = self;
            queue.push_back(out);
            ++messages;
            ++unread;
        }
        if (current[r].done) {
            open[i] = open.back();
            open.pop_back();
        }
    }
    return unread == 0 ? messages : -1;
}

std::vector<Pattern> direct_patterns(const Graph &graph, BlockKind kind)
{
    std::vector<Pattern> patterns;
    for (const Neighbourhood &own : graph) {
        patterns.push_back(build_direct(own, kind));
    }
    return patterns;
}

std::string joined(const std::vector<std::string> &faults)
{
    std::string text;
    for (const std::string &fault : faults) {
        text += fault + "; ";
    }
    return text;
}

std::vector<std::int32_t> words_of(const Traffic &traffic)
{
    WordWriter words;
    traffic.encode_direct(words);
    traffic.encode_relayed(words);
    return words.take();
}

} // namespace nbrhood::test
