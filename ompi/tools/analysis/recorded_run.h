// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What all ranks recorded of a pattern in a real run (MCA parameter coll_nbrhood_dump), put
// together again. For tools and tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pattern/dump.h"

namespace nbrhood {

// A file of a recording.
struct RecordedFile {
    std::string name; // for messages
    RecordedRank rank;
};

// Puts the files of all ranks of one pattern, one at least, together in rank order. `directory`
// names them all in messages. Ranks of the communicator that took no part in the pattern, those of
// other components of the graph or without edges, are without edges in the result. Throws
// std::invalid_argument, which names the file or the directory, where ranks are missing or there
// twice, or files are not of one pattern.
std::vector<RecordedRank> join_recording(const std::string &directory,
                                         std::vector<RecordedFile> &&files);

// Reads the files DIRECTORY/*.txt and joins them. Throws std::invalid_argument, which names the
// file or the directory, also where there are none, or they have more than kMostRecordingBytes in
// all (in memory they take up to four times as much).
constexpr std::uint64_t kMostRecordingBytes = std::uint64_t{4} << 30;
std::vector<RecordedRank> read_recording(const std::string &directory);

} // namespace nbrhood
