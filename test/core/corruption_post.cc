// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption_post.h"

#include <algorithm>

#include "algorithms/toolkit/checked_messages.h"
#include "corruption_run.h"
#include "corruption_words.h"

namespace nbrhood::test {
namespace {

// The kinds of messages that builders have: their own, and, for some, those of a sum at the end.
constexpr int kMessageKinds = 64;
constexpr int kSums = 1000;

template <typename Try>
void for_kinds(const Try &try_kind)
{
    for (int kind = 0; kind < kMessageKinds; ++kind) {
        if (try_kind(kind)) {
            return;
        }
    }
    for (int kind = kSums; kind < kSums + 3; ++kind) {
        if (try_kind(kind)) {
            return;
        }
    }
}

// The agreement of the ranks afterwards: whether any failed, or received other data than others.
bool all_built(const Construction &ranks, std::size_t tasks, int &failed)
{
    std::vector<std::int32_t> first;
    bool identical = true;
    for (std::size_t r = 0; r < ranks.builders().size(); ++r) {
        failed += ranks.outcome(r) == Outcome::failed ? 1 : 0;
        WordWriter received;
        for (std::size_t task = 0; task < tasks && failed == 0; ++task) {
            received.put(static_cast<std::int32_t>(ranks.outcome(r, task)));
            received.put_all(words_of(ranks.traffic(r, task)));
        }
        if (ranks.has_edges(r)) {
            first = first.empty() ? received.words() : first;
            identical = identical && received.words() == first;
        }
    }
    return failed == 0 && identical;
}

// Runs the pattern that false messages produced: it may be wrong, but must do no harm.
std::string run_patterns(const Graph &graph, const std::vector<Pattern> &patterns, BlockKind kind,
                         Random &random)
{
    World world(static_cast<int>(graph.size()), random(), {});
    try {
        const Programs programs(patterns);
        GuardedRun run(graph, programs, WireSettings{24, 64, 16, 0, true}, world, kind,
                       chance(random, 0.5), random);
        return run.run(2);
    } catch (const std::invalid_argument &) { // this rank cannot build it
        return {};
    }
}

} // namespace

bool CorruptPost::run(const std::vector<std::unique_ptr<Builder>> &builders)
{
    std::vector<Step> current(builders.size());
    std::size_t done = 0;
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t r = 0; r < builders.size(); ++r) {
            Step &step = current[r];
            std::vector<Message> inbox;
            if (step.done || !fetch(static_cast<Rank>(r), step.expect, inbox)) {
                continue;
            }
            step = builders[r]->step(inbox);
            progress = true;
            done += step.done ? 1 : 0;
            for (const Message &message : step.outbox) {
                send(static_cast<Rank>(r), message);
            }
        }
    }
    return done == builders.size();
}

bool CorruptPost::fetch(Rank self, const std::vector<Rank> &expect, std::vector<Message> &inbox)
{
    const bool ready = std::all_of(expect.begin(), expect.end(), [&](Rank peer) {
        return !channels_[{peer, self}].empty();
    });
    for (std::size_t i = 0; ready && i < expect.size(); ++i) {
        auto &channel = channels_[{expect[i], self}];
        inbox.push_back(std::move(channel.front()));
        channel.pop_front();
    }
    return ready;
}

void CorruptPost::send(Rank self, const Message &message)
{
    Message sent{self, message.failed, message.words};
    if (changed_ < most_ && !script_.ended() && script_.below(4) == 0) {
        if (lies_) {
            lie(self, message, sent);
        } else {
            corrupt_words(script_, sent.words, earlier_);
            sent.failed = sent.failed != (script_.below(8) == 0);
        }
    }
    changed_ += sent.words != message.words || sent.failed != message.failed ? 1 : 0;
    earlier_.push_back(message.words);
    channels_[{self, message.peer}].push_back(std::move(sent));
}

// Changes the content of a message and seals it again.
void CorruptPost::lie(Rank self, const Message &message, Message &sent)
{
    for_kinds([&](int kind) {
        std::vector<std::int32_t> words;
        try {
            words = CheckedMessages(message.peer)
                        .open(kind, Message{self, message.failed, message.words})
                        .copy();
        } catch (const std::exception &) { // not of this kind, or from a rank that failed
            return false;
        }
        const std::vector<std::int32_t> before = words;
        corrupt_words(script_, words, contents_[kind]);
        contents_[kind].push_back(before);
        sent.words = CheckedMessages(self).write(kind, message.peer, false, words).words;
        may_wait_ = may_wait_ || (words != before && appoints_(kind));
        return true;
    });
}

CorruptionResult result_of(Construction &construction, const std::vector<Task> &tasks, bool done,
                           const CorruptPost &post, bool lies, Random &random)
{
    CorruptionResult result;
    result.changed = post.changed();
    if (!done) {
        result.fault = post.may_wait() ? "" : "a rank waits forever";
        return result;
    }
    if (!all_built(construction, tasks.size(), result.noticed)) {
        result.fault = post.changed() == 0 ? "ranks fail without a cause" : "";
        return result;
    }
    result.built = 1;
    for (std::size_t task = 0; task < tasks.size() && result.fault.empty(); ++task) {
        bool built = true;
        for (std::size_t r = 0; r < construction.builders().size(); ++r) {
            built = built && construction.outcome(r, task) == Outcome::built;
        }
        if (!built) {
            continue;
        }
        const std::vector<Pattern> patterns = construction.take(task);
        result.fault = lies ? run_patterns(construction.graph(), patterns, tasks[task].kind, random)
                            : joined(prove(patterns, construction.graph(), random_large(random)));
    }
    return result;
}

} // namespace nbrhood::test
