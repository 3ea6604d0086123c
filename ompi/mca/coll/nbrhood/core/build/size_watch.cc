// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/size_watch.h"

#include <algorithm>
#include <utility>

#include "pattern/message_words.h"

namespace nbrhood {
namespace {

constexpr double kOtherSize = 4;

// Below this size, the costs of messages hardly differ.
constexpr double kSameCostBelow = 64;

} // namespace

bool has_other_size(const SentBlocks &decided, const SentBlocks &now)
{
    if (decided.blocks == 0 || now.bytes == 0) {
        return false;
    }
    const auto mean = [](const SentBlocks &sent) {
        return std::max(kSameCostBelow,
                        static_cast<double>(sent.bytes) / static_cast<double>(sent.blocks));
    };
    const double times = mean(now) / mean(decided);
    return times >= kOtherSize || times <= 1 / kOtherSize;
}

void SizeWatch::begin(const SentBlocks &own)
{
    own_ = own;
    stage_ = Stage::parts;
    tree_.await(tree_.children());
    advance();
}

void SizeWatch::arrived(Rank peer, std::vector<std::int32_t> words)
{
    tree_.arrived(peer, std::move(words));
    advance();
}

void SizeWatch::advance()
{
    if (stage_ == Stage::parts && tree_.complete()) {
        stage_ = Stage::total;
        tree_.send_up(tree_.add({own_.blocks, own_.bytes}));
    }
    if (stage_ == Stage::total && tree_.complete()) {
        const std::vector<std::int32_t> words = tree_.message();
        tree_.send_down(words);
        const std::vector<std::uint64_t> sums = Tree::read_sums(words);
        if (sums.size() != 2 || (sums[0] == 0 && sums[1] != 0)) {
            throw BadMessage("not what ranks sent");
        }
        changed_ = has_other_size(decided_, {sums[0], sums[1]});
        stage_ = Stage::rests;
    }
}

} // namespace nbrhood
