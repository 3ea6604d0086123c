// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/lockstep.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

// A message on its way, with the length of the chain of messages that led to it.
struct SentMessage {
    Message message;
    int round = 0;
};

// The messages that a rank has not read yet, by source; those of one source in the order in which
// they were sent.
using Mailbox = std::multimap<Rank, SentMessage>;

// Takes the messages that a step waits for out of the mailbox, and raises `round` to that of the
// latest; returns nothing if a message has not arrived yet.
std::optional<std::vector<Message>> take_expected(const Step &step, Mailbox &mailbox, int &round)
{
    if (!std::all_of(step.expect.begin(), step.expect.end(),
                     [&](Rank peer) { return mailbox.find(peer) != mailbox.end(); })) {
        return std::nullopt;
    }
    std::vector<Message> inbox;
    inbox.reserve(step.expect.size());
    for (Rank peer : step.expect) {
        const auto first = mailbox.lower_bound(peer);
        round = std::max(round, first->second.round);
        inbox.push_back(std::move(first->second.message));
        mailbox.erase(first);
    }
    return inbox;
}

} // namespace

std::size_t Negotiation::bytes() const
{
    std::size_t sum = 0;
    for (const BuilderMessage &message : messages) {
        sum += message.bytes;
    }
    return sum;
}

Negotiation run_lockstep(const std::vector<std::unique_ptr<Builder>> &builders,
                         const std::function<void(Rank)> &done)
{
    std::vector<Mailbox> mailboxes(builders.size());
    std::vector<Step> current(builders.size());
    std::vector<int> round(builders.size(), 0); // of the last message that a rank has read
    Negotiation result;
    bool progress = true;
    while (progress) {
        progress = false;
        for (std::size_t r = 0; r < builders.size(); ++r) {
            const auto self = static_cast<Rank>(r);
            Step &step = current[r];
            const auto inbox =
                step.done ? std::nullopt : take_expected(step, mailboxes[r], round[r]);
            if (!inbox) {
                continue;
            }
            step = builders[r]->step(*inbox);
            progress = true;
            for (Message &out : step.outbox) {
                const Rank receiver = out.peer;
                if (receiver < 0 || static_cast<std::size_t>(receiver) >= builders.size()) {
                    throw std::runtime_error("rank " + std::to_string(r) + " writes to rank "
                                             + std::to_string(receiver));
                }
                const std::size_t bytes = out.words.size() * sizeof(std::int32_t);
                result.messages.push_back({self, receiver, static_cast<std::uint32_t>(bytes)});
                result.rounds = std::max(result.rounds, round[r] + 1);
                out.peer = self;
                mailboxes[static_cast<std::size_t>(receiver)].emplace(
                    self, SentMessage{std::move(out), round[r] + 1});
            }
            step.outbox = {};
            if (step.done && done) {
                done(self);
            }
        }
    }
    for (std::size_t r = 0; r < builders.size(); ++r) {
        if (!current[r].done) {
            throw std::runtime_error("the builder of rank " + std::to_string(r) + " waits forever");
        }
    }
    for (std::size_t r = 0; r < builders.size(); ++r) {
        if (!mailboxes[r].empty()) {
            throw std::runtime_error("rank " + std::to_string(r) + " leaves a message of rank "
                                     + std::to_string(mailboxes[r].begin()->first) + " unread");
        }
    }
    return result;
}

GraphPatterns build_all(const Algorithm &algorithm, BlockKind kind,
                        const std::vector<Neighbourhood> &graph, const Machine &machine,
                        const Tuning &tuning, std::shared_ptr<const DieLinks> die_links)
{
    GraphPatterns built;
    if (algorithm.make_builder == nullptr) {
        built.patterns.reserve(graph.size());
        for (const Neighbourhood &own : graph) {
            built.patterns.push_back(build_direct(own, kind));
            built.patterns.back().operations.shrink_to_fit();
        }
        return built;
    }
    std::vector<char> has_edges;
    has_edges.reserve(graph.size());
    for (const Neighbourhood &own : graph) {
        has_edges.push_back(own.has_edges() ? 1 : 0);
    }
    const KnownRanks all(machine, has_edges);
    BuildInput input;
    input.known_ranks = &all;
    input.ranks = machine.ranks();
    input.tuning = tuning;
    input.die_links = std::move(die_links);
    input.tasks = {Task{kind, algorithm.variant}};
    std::vector<std::unique_ptr<Builder>> builders;
    for (const Neighbourhood &own : graph) {
        input.neighbourhood = &own;
        input.tree = place_in_tree(all, own.rank);
        builders.push_back(algorithm.make_builder(input));
    }
    built.patterns.resize(graph.size());
    // A builder takes more memory than its pattern, a leader's builder much more.
    built.negotiation = run_lockstep(builders, [&](Rank rank) {
        const auto r = static_cast<std::size_t>(rank);
        if (builders[r]->outcome(0) != Outcome::built) {
            throw std::runtime_error("rank " + std::to_string(r) + " could not build its pattern");
        }
        if (has_edges[r] != 0) {
            built.traffic = builders[r]->traffic(0);
        }
        built.patterns[r] = builders[r]->take_pattern(0);
        built.patterns[r].operations.shrink_to_fit();
        builders[r].reset();
    });
    return built;
}

} // namespace nbrhood
