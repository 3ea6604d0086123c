#include "analysis/lockstep.h"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

// A message on its way, with the length of the chain of messages that led to it.
struct Letter {
    Message message;
    int round = 0;
};

} // namespace

std::size_t Negotiation::bytes() const
{
    std::size_t sum = 0;
    for (const BuilderMessage &message : messages) {
        sum += message.bytes;
    }
    return sum;
}

Negotiation run_lockstep(const std::vector<std::unique_ptr<Builder>> &builders)
{
    std::map<std::pair<Rank, Rank>, std::deque<Letter>> channels; // (source, destination)
    std::vector<Step> current(builders.size());
    std::vector<char> started(builders.size(), 0);
    std::vector<int> round(builders.size(), 0); // of the last message that a rank has read
    Negotiation result;
    bool progress = true;
    while (progress) {
        progress = false;
        for (std::size_t r = 0; r < builders.size(); ++r) {
            const auto self = static_cast<Rank>(r);
            Step &step = current[r];
            if (step.done) {
                continue;
            }
            std::vector<Message> inbox;
            bool ready = true;
            for (Rank peer : step.expect) {
                const auto channel = channels.find({peer, self});
                ready = ready && channel != channels.end() && !channel->second.empty();
            }
            if (!ready && started[r] != 0) {
                continue;
            }
            for (Rank peer : step.expect) {
                auto &queue = channels[{peer, self}];
                round[r] = std::max(round[r], queue.front().round);
                inbox.push_back(std::move(queue.front().message));
                queue.pop_front();
            }
            started[r] = 1;
            step = builders[r]->step(inbox);
            progress = true;
            for (Message &out : step.outbox) {
                if (out.peer < 0 || static_cast<std::size_t>(out.peer) >= builders.size()) {
                    throw std::runtime_error("rank " + std::to_string(r) + " writes to rank "
                                             + std::to_string(out.peer));
                }
                const Rank receiver = out.peer;
                auto &queue = channels[{self, receiver}];
                out.peer = self;
                const std::size_t bytes = out.words.size() * sizeof(std::int32_t);
                result.messages.push_back({self, receiver, static_cast<std::uint32_t>(bytes)});
                result.rounds = std::max(result.rounds, round[r] + 1);
                queue.push_back(Letter{std::move(out), round[r] + 1});
            }
        }
    }
    for (std::size_t r = 0; r < builders.size(); ++r) {
        if (!current[r].done) {
            throw std::runtime_error("the builder of rank " + std::to_string(r)
                                     + " waits for ever");
        }
    }
    for (const auto &[pair, queue] : channels) {
        if (!queue.empty()) {
            throw std::runtime_error("rank " + std::to_string(pair.second)
                                     + " leaves a message of rank " + std::to_string(pair.first)
                                     + " unread");
        }
    }
    return result;
}

GraphPatterns build_all(const Algorithm &algorithm, BlockKind kind,
                        const std::vector<Neighbourhood> &graph, const Machine &machine,
                        const Tuning &tuning)
{
    GraphPatterns built;
    if (algorithm.make_builder == nullptr) {
        for (const Neighbourhood &own : graph) {
            built.patterns.push_back(build_direct(own, kind));
        }
        return built;
    }
    std::vector<char> has_edges;
    has_edges.reserve(graph.size());
    for (const Neighbourhood &own : graph) {
        has_edges.push_back(own.has_edges() ? 1 : 0);
    }
    BuildInput input;
    input.machine = &machine;
    input.has_edges = &has_edges;
    input.tuning = tuning;
    input.tasks = {Task{kind, algorithm.variant}};
    std::vector<std::unique_ptr<Builder>> builders;
    for (const Neighbourhood &own : graph) {
        input.neighbourhood = &own;
        builders.push_back(algorithm.make_builder(input));
    }
    built.negotiation = run_lockstep(builders);
    for (std::size_t r = 0; r < graph.size(); ++r) {
        if (builders[r]->outcome(0) != Outcome::built) {
            throw std::runtime_error("rank " + std::to_string(r) + " could not build its pattern");
        }
        if (has_edges[r] != 0) {
            built.traffic = builders[r]->traffic(0);
        }
        built.patterns.push_back(builders[r]->take_pattern(0));
        builders[r].reset();
    }
    return built;
}

} // namespace nbrhood
