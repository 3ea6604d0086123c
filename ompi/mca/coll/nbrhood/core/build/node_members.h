// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The ranks of each node that belong to a component.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// For each node, one bit for each of its ranks. The bits go up a tree of the component and down
// again. All ranks of a node have the same list of the communicator's ranks on the node.
class NodeMembers {
public:
    // Adds the rank at this place of a node's list.
    void add(std::int32_t node, std::size_t place);

    // put() writes all nodes or some as words. add() adds such words and returns their nodes; it
    // throws BadMessage for words that put() cannot have written.
    void put(WordWriter &words) const;
    void put(const std::set<std::int32_t> &nodes, WordWriter &words) const;
    std::set<std::int32_t> take(WordReader words);

    // The ranks of a node's list that were added. Throws BadMessage if the list is too short, or
    // the node was not added.
    std::vector<Rank> of(std::int32_t node, const std::vector<Rank> &list) const;

private:
    using Bits = std::vector<std::uint32_t>;
    static void put(std::int32_t node, const Bits &bits, WordWriter &words);

    std::map<std::int32_t, Bits> by_node_;
};

} // namespace nbrhood
