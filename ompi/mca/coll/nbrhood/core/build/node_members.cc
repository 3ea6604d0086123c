// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/node_members.h"

#include <algorithm>

namespace nbrhood {

namespace {

constexpr std::size_t kBits = 32;

std::uint32_t bit_of(std::size_t place)
{
    return std::uint32_t{1} << (place % kBits);
}

} // namespace

void NodeMembers::add(std::int32_t node, std::size_t place)
{
    Bits &bits = by_node_[node];
    bits.resize(std::max(bits.size(), place / kBits + 1));
    bits[place / kBits] |= bit_of(place);
}

void NodeMembers::put(std::int32_t node, const Bits &bits, WordWriter &words)
{
    words.put(node);
    words.put(static_cast<std::int32_t>(bits.size()));
    for (const std::uint32_t word : bits) {
        words.put(static_cast<std::int32_t>(word));
    }
}

void NodeMembers::put(WordWriter &words) const
{
    for (const auto &[node, bits] : by_node_) {
        put(node, bits, words);
    }
}

void NodeMembers::put(const std::set<std::int32_t> &nodes, WordWriter &words) const
{
    for (const std::int32_t node : nodes) {
        put(node, by_node_.at(node), words);
    }
}

std::set<std::int32_t> NodeMembers::take(WordReader words)
{
    std::set<std::int32_t> nodes;
    while (words.left() != 0) {
        const std::int32_t node = words.take();
        nodes.insert(node);
        Bits &bits = by_node_[node];
        const std::size_t count = words.take_count();
        bits.resize(std::max(bits.size(), count));
        for (std::size_t i = 0; i < count; ++i) {
            bits[i] |= static_cast<std::uint32_t>(words.take());
        }
    }
    return nodes;
}

std::vector<Rank> NodeMembers::of(std::int32_t node, const std::vector<Rank> &list) const
{
    const auto found = by_node_.find(node);
    std::vector<Rank> ranks;
    for (std::size_t place = 0; found != by_node_.end() && place < kBits * found->second.size();
         ++place) {
        if ((found->second[place / kBits] & bit_of(place)) != 0) {
            if (place >= list.size()) {
                throw BadMessage("a rank that its node does not have");
            }
            ranks.push_back(list[place]);
        }
    }
    if (ranks.empty()) {
        throw BadMessage("a node without ranks");
    }
    return ranks;
}

} // namespace nbrhood
