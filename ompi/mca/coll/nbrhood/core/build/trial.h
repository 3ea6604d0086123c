// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Whether a pattern that was built keeps what the model of messages promised: measured while the
// program runs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/tree.h"

namespace nbrhood {

// Calls are made in blocks, direct and by the pattern in turn: other load that begins or ends
// within a round then falsifies one of its two comparisons, not both. The first block of the first
// round is the last calls before the build, which all were direct, if the build began after so
// many: then the pattern serves as soon as it is there. The trial compares the time from the start
// of a call to the start of the next: nobody sees the application wait for a request, and the time
// in a blocking call contains how late neighbours are. While that leaves open which is faster,
// further rounds of four blocks follow.
inline constexpr std::size_t kTrialBlocks = 4;
inline constexpr int kTrialRounds = 6;  // at most
inline constexpr int kRoundsToDrop = 3; // at least
constexpr bool is_direct_block(std::size_t block)
{
    return block < kTrialBlocks && block % 2 == 0;
}

// From the start of a call to the start of the next.
struct Period {
    double seconds = 0;
    bool alone = true; // no other call was in flight when it began
};

// Measurement of one rank for calls, or for the starts of a persistent request: the typical period
// of each block, nanoseconds; nothing if the rank did not see all of them.
using Periods = std::optional<std::array<std::uint64_t, kTrialBlocks>>;
// The lower quartile of each block: other load, and what else the application does, only add time.
// periods: as many of each block, one block after the other. The first of each block does not
// count, since plans are made in it. Calls that were in flight together count with their mean time,
// because one of these periods contains the application's time for all of them; only where a block
// has none that are all in it do the others count, with their mean.
Periods typical_periods(const std::vector<Period> &periods);

struct Measured {
    Periods calls;
    Periods starts;
};

// Result of a trial, the same on all ranks.
struct TrialResult {
    bool measured = false; // on all ranks
    bool decided = true;   // else another round is to come
    bool keep = true;      // the pattern
    // Mean over ranks and blocks of a period, seconds.
    double direct_seconds = 0;
    double pattern_seconds = 0;
};

// One rank's part of a trial. All ranks of the component must begin at some time. The tree adds
// up the times that they measured. Of each of the four blocks the shortest time of all rounds
// counts: other load only adds time, and a burst of it covers whole blocks. Direct messages or the
// pattern win if they are faster by more than one part in twenty in both comparisons (blocks 0 and
// 1, blocks 2 and 3). After the last round the pattern stays unless it is slower in the mean of
// both. Direct messages win in the third round at the earliest, because bursts during the blocks of
// the pattern look the same. Another round also follows if some rank did not measure the first,
// as where the build began with calls that are not those before. After each round the ranks agree,
// as at the end of a build, on the first call for which the result holds or with which the next
// round begins. If direct messages win, they serve from there on; duplicates of the communicator
// inherit the winner (docs/wire.md, section 8).
class Trial {
public:
    // propose: see ComponentBuild. The post of the tree must outlive this.
    Trial(const Tree &tree, std::function<CallCounts()> propose)
        : tree_(tree), propose_(std::move(propose))
    {}

    // At the end of each round. Both throw std::bad_alloc, and BadMessage for a message that no
    // rank can have sent.
    void begin(const Measured &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    // Whether this rank sends or expects anything: not before it begins, nor after the end.
    bool runs() const { return stage_ != Stage::rests; }
    const TrialResult &result() const { return result_; }
    // The first calls for which the result holds, direct ones where the pattern loses, or those of
    // the next round; nothing before the end of a round.
    const std::optional<CallCounts> &switch_point() const { return first_; }

private:
    enum class Stage { rests, measured, total, counts, first };

    void advance();
    void take_total(const std::vector<std::int32_t> &words);

    Tree tree_;
    std::function<CallCounts()> propose_;
    Stage stage_ = Stage::rests;
    int rounds_ = 0;
    std::vector<std::uint64_t> own_;
    std::vector<std::uint64_t> best_; // sums over ranks, of each block the least of all rounds
    TrialResult result_;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

// Decides from the sums that go up the tree: for calls, then starts, the number of ranks that
// measured and the nanoseconds of each block; then the number of all ranks. is_last: no further
// round follows. Throws BadMessage.
TrialResult compare_sums(const std::vector<std::uint64_t> &sums, bool is_last);

} // namespace nbrhood
