// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Joins the files of a pattern that all ranks recorded in a real run (MCA parameter
// coll_nbrhood_dump). For tools and tests.
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

// Joins the files of all ranks of one pattern, at least one, in rank order. Messages name the files
// by `directory`. Ranks of the communicator that took no part in the pattern (they are in other
// components of the graph or have no edges) have no edges in the result. Throws
// std::invalid_argument, which names the file or the directory, if ranks are missing or appear
// twice, or files belong to different patterns.
std::vector<RecordedRank> join_recording(const std::string &directory,
                                         std::vector<RecordedFile> &&files);

// Reads the files DIRECTORY/*.txt and joins them. Throws std::invalid_argument, which names the
// file or the directory, also if there are no files, or if they have more than kMostRecordingBytes
// in all (in memory they take up to four times as much).
constexpr std::uint64_t kMostRecordingBytes = std::uint64_t{4} << 30;
std::vector<RecordedRank> read_recording(const std::string &directory);

} // namespace nbrhood
