// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Whether the blocks of calls still have the size for which a pattern was built and tried.
#pragma once

#include <cstdint>
#include <vector>

#include "build/tree.h"

namespace nbrhood {

// Blocks that were sent in some calls, and their bytes.
struct SentBlocks {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
};

// Whether the mean size of blocks differs from that of the decision by a factor of four or more,
// because a trial says nothing about such messages. Blocks without bytes do not count.
bool has_other_size(const SentBlocks &decided, const SentBlocks &now);

// One rank's part of a question that all ranks of a component ask with the same call, repeatedly:
// has the size of blocks changed? The tree of the build adds up the blocks that they sent, in the
// background. No call waits for the answer, which is the same on all ranks (docs/wire.md, section
// 8).
class SizeWatch {
public:
    // The post of the tree must outlive this.
    SizeWatch(const Tree &tree, const SentBlocks &decided) : tree_(tree), decided_(decided) {}

    // Begins a question, if none runs. own: blocks that this rank sent since the last one. Both
    // functions throw std::bad_alloc, and BadMessage for a message that no rank can have sent.
    void begin(const SentBlocks &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    // Whether this rank sends or expects messages.
    bool runs() const { return stage_ != Stage::rests; }
    // The answer to the last question; false before the first.
    bool changed() const { return changed_; }

private:
    enum class Stage { rests, parts, total };

    void advance();

    Tree tree_;
    SentBlocks decided_;
    SentBlocks own_;
    Stage stage_ = Stage::rests;
    bool changed_ = false;
};

} // namespace nbrhood
