// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measures while the program runs whether a pattern is as fast as the model predicted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/tree.h"

namespace nbrhood {

// Blocks of calls go direct and by the pattern in turn, so that other load that begins or ends
// within a round falsifies only one of its two comparisons. The first block of the first round is
// the last direct calls before the build, if there were enough; then the pattern serves as soon as
// it exists. The trial compares the time from the start of a call to the start of the next, because
// the time that the application waits for a request is not visible, and the time in a blocking call
// includes the lateness of neighbours. As long as the result is open, further rounds of four blocks
// follow.
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
// The lower quartile of each block, because other load and the application's own work only add
// time. periods: block after block, equally many for each. The first of each block does not count,
// because plans are made in it. Calls that were in flight together count with their mean time,
// because one of these periods contains the application's time for all of them. If a block contains
// no complete group of such calls, incomplete groups count.
Periods typical_periods(const std::vector<Period> &periods);

struct Measured {
    Periods calls;
    Periods starts;
};

// Result of a trial, the same on all ranks.
struct TrialResult {
    bool measured = false; // on all ranks
    bool decided = true;   // otherwise another round follows
    bool keep = true;      // the pattern
    // The mean period over ranks and blocks, seconds.
    double direct_seconds = 0;
    double pattern_seconds = 0;
};

// One rank's part of a trial. All ranks of the component must begin at some time. The tree adds up
// the measured times. For each of the four blocks the shortest time of all rounds counts, because
// other load only adds time, and a burst of it covers whole blocks. Direct messages or the pattern
// win if they are faster by more than one part in twenty in both comparisons (blocks 0 and 1,
// blocks 2 and 3). After the last round the pattern stays unless it is slower in the mean of both
// comparisons. Direct messages cannot win before the third round, because a burst of load during
// the blocks of the pattern looks like a slow pattern. Another round also follows if some rank did
// not measure the first one, for example because the last calls before the build were of another
// kind. After each round the ranks agree, as at the end of a build, on the first call for which the
// result holds or with which the next round begins. If direct messages win, they serve from there
// on; duplicates of the communicator inherit the winner (docs/wire.md, section 8).
class Trial {
public:
    // propose: see ComponentBuild. The post of the tree must outlive this.
    Trial(const Tree &tree, std::function<CallCounts()> propose)
        : tree_(tree), propose_(std::move(propose))
    {}

    // Call it at the end of each round. Both functions throw std::bad_alloc, and BadMessage for a
    // message that no rank can have sent.
    void begin(const Measured &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    // Whether this rank sends or expects messages.
    bool runs() const { return stage_ != Stage::rests; }
    const TrialResult &result() const { return result_; }
    // The first calls for which the result holds, or those of the next round; nothing before the
    // end of a round.
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
    std::vector<std::uint64_t> best_; // sums over ranks; for each block the least of all rounds
    TrialResult result_;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

// Decides from the sums that go up the tree: for calls, then starts, the number of ranks that
// measured and the nanoseconds of each block; then the number of all ranks. is_last: no further
// round follows. Throws BadMessage.
TrialResult compare_sums(const std::vector<std::uint64_t> &sums, bool is_last);

} // namespace nbrhood
