// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/traffic.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace nbrhood {
namespace {

// The numbers of one half of a traffic.
struct Half {
    Load Traffic::*all;
    Load Traffic::*busiest;
    std::vector<std::int64_t Traffic::*> greatest;
};
const Half kDirectHalf{&Traffic::direct, &Traffic::busiest_direct, {&Traffic::leaving_direct}};
const Half kRelayedHalf{
    &Traffic::relayed, &Traffic::busiest_relayed, {&Traffic::phases, &Traffic::leaving_relayed}};
// Far more than possible, and so small that sums of a few do not overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 48;

// Calls change(number, other number) for each number of a load that is counted by link.
template <typename Mine, typename Other, typename Change>
void for_each_of_links(Mine &mine, Other &other, const Change &change)
{
    for (std::size_t link = 0; link < kLinks; ++link) {
        change(mine.messages[link], other.messages[link]);
        change(mine.blocks[link], other.blocks[link]);
    }
    change(mine.nonlocal, other.nonlocal);
}

// The same for all numbers of a load.
template <typename Mine, typename Other, typename Change>
void for_each_number(Mine &mine, Other &other, const Change &change)
{
    for_each_of_links(mine, other, change);
    change(mine.all_messages, other.all_messages);
    change(mine.all_blocks, other.all_blocks);
    change(mine.copies, other.copies);
}

// For all ranks together the numbers over all links are sums, so they are not sent.
void encode(const Traffic &traffic, const Half &half, WordWriter &words)
{
    const auto put = [&](std::int64_t number, std::int64_t) { words.put_long(number); };
    for_each_of_links(traffic.*half.all, traffic.*half.all, put);
    for_each_number(traffic.*half.busiest, traffic.*half.busiest, put);
    for (const auto greatest : half.greatest) {
        words.put_long(traffic.*greatest);
    }
}

void take(Traffic &traffic, const Half &half, WordReader &words)
{
    const auto take_number = [&](std::int64_t &number, std::int64_t) {
        number = words.take_long(0, kMost);
    };
    Load &all = traffic.*half.all;
    for_each_of_links(all, all, take_number);
    all.all_messages = std::accumulate(all.messages.begin(), all.messages.end(), std::int64_t{0});
    all.all_blocks = std::accumulate(all.blocks.begin(), all.blocks.end(), std::int64_t{0});
    for_each_number(traffic.*half.busiest, traffic.*half.busiest, take_number);
    for (const auto greatest : half.greatest) {
        traffic.*greatest = words.take_long(0, kMost);
    }
}

} // namespace

void Load::add(Link link, bool local, std::int64_t more_messages, std::int64_t more_blocks)
{
    messages[static_cast<std::size_t>(link)] += more_messages;
    blocks[static_cast<std::size_t>(link)] += more_blocks;
    nonlocal += local ? 0 : more_messages;
    all_messages += more_messages;
    all_blocks += more_blocks;
}

void Load::add(const Load &other)
{
    for_each_number(*this, other, [](std::int64_t &mine, std::int64_t more) { mine += more; });
}

void Load::keep_greatest(const Load &other)
{
    for_each_number(*this, other,
                    [](std::int64_t &mine, std::int64_t more) { mine = std::max(mine, more); });
}

void Traffic::merge(const Traffic &other)
{
    for (const Half *half : {&kDirectHalf, &kRelayedHalf}) {
        (this->*half->all).add(other.*half->all);
        (this->*half->busiest).keep_greatest(other.*half->busiest);
        for (const auto greatest : half->greatest) {
            this->*greatest = std::max(this->*greatest, other.*greatest);
        }
    }
}

void Traffic::merge_member(const Traffic &other)
{
    const std::int64_t direct_blocks = leaving_direct + other.leaving_direct;
    const std::int64_t relayed_blocks = leaving_relayed + other.leaving_relayed;
    merge(other);
    leaving_direct = direct_blocks;
    leaving_relayed = relayed_blocks;
}

void Traffic::encode_direct(WordWriter &words) const
{
    encode(*this, kDirectHalf, words);
}

void Traffic::encode_relayed(WordWriter &words) const
{
    encode(*this, kRelayedHalf, words);
}

void Traffic::take_direct(WordReader &words)
{
    take(*this, kDirectHalf, words);
}

void Traffic::take_relayed(WordReader &words)
{
    take(*this, kRelayedHalf, words);
}

} // namespace nbrhood
