// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/distance_halving/halving_tree.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace nbrhood {
namespace {

constexpr std::uint8_t kSocketBorder = 1;
constexpr std::uint8_t kNodeBorder = 2;

// Key of a rank in locality order: nodes by their lowest ranks, then sockets, inner domains, ranks.
using Key = std::tuple<Rank, std::array<std::int16_t, kLevels - 1>, Rank>;

std::vector<Key> sorted_keys(const KnownRanks &all)
{
    const std::vector<Rank> ranks = all.ranks();
    std::unordered_map<std::int32_t, Rank> lowest;
    for (const Rank rank : ranks) { // ascending
        lowest.emplace(all.of(rank).place.node, rank);
    }
    std::vector<Key> keys;
    keys.reserve(ranks.size());
    for (const Rank rank : ranks) {
        const Place &place = all.of(rank).place;
        keys.emplace_back(lowest.at(place.node), place.domains, rank);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

} // namespace

HalvingTree::HalvingTree(const KnownRanks &all, Cut cut, Leaf leaf)
{
    const std::vector<Key> keys = sorted_keys(all);
    leaf_border_ = leaf == Leaf::node ? kNodeBorder : kSocketBorder;
    order_.reserve(keys.size());
    border_.reserve(keys.size());
    for (const Key &key : keys) {
        const auto rank = static_cast<std::size_t>(std::get<2>(key));
        position_.resize(std::max(position_.size(), rank + 1), -1);
    }
    int run = 0; // ranks since the last border
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto &[node, domains, rank] = keys[i];
        order_.push_back(rank);
        position_[static_cast<std::size_t>(rank)] = static_cast<int>(i);
        std::uint8_t border = 0;
        if (i > 0) {
            const auto &[node_before, domains_before, rank_before] = keys[i - 1];
            border = node != node_before               ? kNodeBorder
                     : domains[0] != domains_before[0] ? kSocketBorder
                                                       : 0;
        }
        border_.push_back(border);
        run = border >= leaf_border_ ? 1 : run + 1;
        leaf_ranks_ = std::max(leaf_ranks_, run);
    }
    halve(0, static_cast<int>(order_.size()), 0, cut);
}

int HalvingTree::position(Rank rank) const
{
    const auto at = static_cast<std::size_t>(rank);
    if (rank < 0 || at >= position_.size() || position_[at] < 0) {
        throw BadMessage("a rank that takes no part");
    }
    return position_[at];
}

// The outermost border nearest to the middle; `first` if there is no border.
int HalvingTree::cut_at_border(int first, int end) const
{
    const int middle = first + (end - first + 1) / 2;
    for (std::uint8_t border = kNodeBorder; border >= leaf_border_; --border) {
        for (int away = 0; away < end - first; ++away) {
            for (const int position : {middle - away, middle + away}) {
                if (position > first && position < end
                    && border_[static_cast<std::size_t>(position)] >= border) {
                    return position;
                }
            }
        }
    }
    return first;
}

void HalvingTree::halve(int first, int end, int depth, Cut cut)
{
    int middle = first + (end - first + 1) / 2;
    if (cut == Cut::border) {
        middle = cut_at_border(first, end);
    } else if (end - first <= leaf_ranks_) {
        return;
    }
    if (middle == first || middle == end) {
        return;
    }
    halvings_.push_back({first, middle, end, depth});
    halve(first, middle, depth + 1, cut);
    halve(middle, end, depth + 1, cut);
}

std::vector<Halving> HalvingTree::of(int position) const
{
    std::vector<Halving> mine;
    std::copy_if(halvings_.begin(), halvings_.end(), std::back_inserter(mine),
                 [&](const Halving &halving) { return halving.contains(position); });
    return mine;
}

int HalvingTree::depth() const
{
    int depth = 0;
    for (const Halving &halving : halvings_) {
        depth = std::max(depth, halving.depth + 1);
    }
    return depth;
}

// A rank in the middle of the half, so that a part and the parts that it consists of have different
// coordinators.
Rank HalvingTree::coordinator(const Halving &halving, int half) const
{
    return at(halving.begin_of(half) + halving.size_of(half) / 2);
}

} // namespace nbrhood
