// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Delivers the messages of builders, with changes that a script chooses, and checks the result.
#pragma once

#include <climits>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "corruption.h"
#include "corruption_script.h"
#include "support.h"

namespace nbrhood::test {

// Delivers the messages of all builders; a script chooses the changes.
class CorruptPost {
public:
    // lies: changed messages are sealed again. appoints: whether messages of a kind tell ranks who
    // will write to them; if such messages are false, ranks may wait in vain. most: the number of
    // messages to change.
    CorruptPost(Script &script, bool lies, std::function<bool(int)> appoints, int most = INT_MAX)
        : script_(script), lies_(lies), appoints_(std::move(appoints)), most_(most)
    {}

    // Steps all builders until none can go on. Returns whether all are done.
    bool run(const std::vector<std::unique_ptr<Builder>> &builders);

    int changed() const { return changed_; }
    // Whether a rank may have been told of a message that nobody sends.
    bool may_wait() const { return may_wait_; }

private:
    bool fetch(Rank self, const std::vector<Rank> &expect, std::vector<Message> &inbox);
    void send(Rank self, const Message &message);
    void lie(Rank self, const Message &message, Message &sent);

    Script &script_;
    bool lies_;
    std::function<bool(int)> appoints_;
    int most_;
    int changed_ = 0;
    bool may_wait_ = false;
    std::map<std::pair<Rank, Rank>, std::deque<Message>> channels_;
    std::vector<std::vector<std::int32_t>> earlier_;
    std::map<int, std::vector<std::vector<std::int32_t>>> contents_; // by kind
};

// The result of builders whose messages that post has delivered: see corrupt_builders().
CorruptionResult result_of(Construction &construction, const std::vector<Task> &tasks, bool done,
                           const CorruptPost &post, bool lies, Random &random);

} // namespace nbrhood::test
