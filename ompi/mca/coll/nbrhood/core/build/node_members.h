// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which ranks of each node belong to a component.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// By node one bit for each of its ranks, as they go up a tree of the component and come down again.
// All ranks of a node know which of the communicator's ranks are there, in the same order.
class NodeMembers {
public:
    // The rank at this place of a node's list.
    void add(std::int32_t node, std::size_t place);

    // As words, of all nodes or of some; and added from words, which returns the nodes that they
    // name and throws BadMessage for what put() cannot have written.
    void put(WordWriter &words) const;
    void put(const std::set<std::int32_t> &nodes, WordWriter &words) const;
    std::set<std::int32_t> take(WordReader words);

    // The ranks of a node that are here, of the node's list. Throws BadMessage where the list is
    // shorter than it should be, or a node is not here.
    std::vector<Rank> of(std::int32_t node, const std::vector<Rank> &list) const;

private:
    using Bits = std::vector<std::uint32_t>;
    static void put(std::int32_t node, const Bits &bits, WordWriter &words);

    std::map<std::int32_t, Bits> by_node_;
};

} // namespace nbrhood
