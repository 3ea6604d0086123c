// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/tree.h"

#include <algorithm>
#include <limits>

#include "pattern/message_words.h"

namespace nbrhood {

void Tree::await(const std::vector<Rank> &peers)
{
    inbox_.clear();
    missing_ = peers.size();
    for (const Rank peer : peers) {
        inbox_.push_back(Message{peer, false, {}});
        post_->expect(peer, Channel::step);
    }
}

void Tree::await_next(Message &message)
{
    message.words.clear();
    ++missing_;
    post_->expect(message.peer, Channel::step);
}

void Tree::arrived(Rank peer, std::vector<std::int32_t> words)
{
    const auto slot = std::find_if(inbox_.begin(), inbox_.end(), [&](const Message &message) {
        return message.peer == peer && message.words.empty();
    });
    if (slot == inbox_.end() || words.empty()) {
        throw BadMessage("not a message of a build");
    }
    slot->words = std::move(words);
    --missing_;
}

void Tree::send(Rank peer, std::vector<std::int32_t> words)
{
    post_->send(peer, Channel::step, std::move(words));
}

void Tree::send_up(std::vector<std::int32_t> words)
{
    if (parent_ != kNoRank) {
        send(parent_, std::move(words));
        await({parent_});
    } else {
        missing_ = 0;
        inbox_ = {Message{kNoRank, false, std::move(words)}};
    }
}

void Tree::send_down(const std::vector<std::int32_t> &words)
{
    for (const Rank child : children_) {
        send(child, words);
    }
}

std::vector<std::int32_t> Tree::add(std::vector<std::uint64_t> values)
{
    for (const Message &message : inbox_) {
        const std::vector<std::uint64_t> more = read_sums(message.words);
        if (more.size() != values.size()) {
            throw BadMessage("not as many sums as this rank has");
        }
        std::transform(values.begin(), values.end(), more.begin(), values.begin(), std::plus<>());
    }
    WordWriter words;
    for (const std::uint64_t value : values) {
        words.put_long(static_cast<std::int64_t>(value));
    }
    return words.take();
}

std::vector<std::uint64_t> Tree::read_sums(const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    std::vector<std::uint64_t> sums;
    while (reader.left() != 0) {
        sums.push_back(static_cast<std::uint64_t>(reader.take_long()));
    }
    return sums;
}

std::vector<std::int32_t> Tree::greatest(CallCounts counts)
{
    for (const Message &message : inbox_) {
        const CallCounts more = read_counts(message.words);
        counts.calls = std::max(counts.calls, more.calls);
        counts.requests = std::max(counts.requests, more.requests);
        counts.starts = std::max(counts.starts, more.starts);
    }
    WordWriter words;
    words.put_long(counts.calls);
    words.put_long(counts.requests);
    words.put_long(counts.starts);
    return words.take();
}

CallCounts Tree::read_counts(const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    const auto take = [&] {
        return static_cast<std::uint32_t>(
            reader.take_long(0, std::numeric_limits<std::uint32_t>::max()));
    };
    CallCounts counts;
    counts.calls = take();
    counts.requests = take();
    counts.starts = take();
    reader.expect_end();
    return counts;
}

} // namespace nbrhood
