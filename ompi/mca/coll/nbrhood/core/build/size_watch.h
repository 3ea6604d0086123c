// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Whether the blocks of calls still have the size for which something was built and tried.
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

// Whether blocks have another size, in the mean, than those that were decided for: a trial says
// nothing of messages four times as long, nor of so much shorter ones. Blocks without bytes say
// nothing.
bool has_other_size(const SentBlocks &decided, const SentBlocks &now);

// One rank's part of the question, which all ranks of a component ask with the same call, again and
// again. What they sent is added up along the tree of the build, in the background: no call waits
// for the answer, which is the same on all of them (docs/wire.md, section 8).
class SizeWatch {
public:
    // The post of the tree must outlive this.
    SizeWatch(const Tree &tree, const SentBlocks &decided) : tree_(tree), decided_(decided) {}

    // Begins a question. own: blocks that this rank sent since the last one. Must not be called
    // while a question runs. Both throw std::bad_alloc, and BadMessage for a message that no rank
    // can have sent.
    void begin(const SentBlocks &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    // Whether this rank sends or expects anything.
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
