// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph/forest.h"

#include <algorithm>

namespace nbrhood {

Rank Forest::label(Rank rank)
{
    Rank root = rank;
    for (auto up = parent_.find(root); up != parent_.end(); up = parent_.find(root)) {
        root = up->second;
    }
    // Path compression keeps later look-ups short.
    while (rank != root) {
        Rank &up = parent_[rank];
        rank = up;
        up = root;
    }
    return root;
}

void Forest::unite(Rank a, Rank b)
{
    const Rank root_a = label(a);
    const Rank root_b = label(b);
    if (root_a != root_b) {
        parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
    }
}

std::vector<std::int32_t> Forest::encode()
{
    std::vector<Rank> ranks;
    ranks.reserve(parent_.size());
    for (const auto &entry : parent_) {
        ranks.push_back(entry.first);
    }
    std::sort(ranks.begin(), ranks.end());
    std::vector<std::int32_t> words;
    words.reserve(2 * ranks.size());
    for (Rank rank : ranks) {
        words.push_back(rank);
        words.push_back(label(rank));
    }
    return words;
}

bool Forest::is_encoded(const std::vector<std::int32_t> &words, Rank ranks)
{
    Rank last = -1;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i] <= last || words[i] >= ranks || words[i + 1] < 0 || words[i + 1] >= words[i]) {
            return false;
        }
        last = words[i];
    }
    return words.size() % 2 == 0;
}

void Forest::merge(const std::vector<std::int32_t> &words)
{
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        unite(words[i], words[i + 1]);
    }
}

void Forest::merge(const std::vector<std::int32_t> &words, const std::vector<Rank> &ranks)
{
    for (const Rank rank : ranks) {
        std::size_t from = 0;
        std::size_t to = words.size() / 2;
        while (from < to) { // binary search for the rank's pair
            const std::size_t middle = from + (to - from) / 2;
            (words[2 * middle] < rank ? from : to) = words[2 * middle] < rank ? middle + 1 : middle;
        }
        if (2 * from + 1 < words.size() && words[2 * from] == rank) {
            unite(rank, words[2 * from + 1]);
        }
    }
}

} // namespace nbrhood
