// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "engine/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "files/file_io.h"
#include "pattern/dump.h"

namespace nbrhood {
namespace {

constexpr std::int64_t kMicroseconds = 1000000;

// Creates a new file; returns the reason of a failure, or "". A file that cannot be written
// completely is removed.
std::string write_new(const std::filesystem::path &path, const std::string &text)
{
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed) {
        return path.parent_path().string() + ": " + failed.message();
    }
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.number() < 0) {
        return path.string() + ": " + reason_text(errno);
    }
    const int unwritten = write_all(file.number(), text);
    const int unclosed = file.close();
    if (unwritten != 0 || unclosed != 0) {
        ::unlink(path.c_str());
        return path.string() + ": " + reason_text(unwritten != 0 ? unwritten : unclosed);
    }
    return "";
}

// The name of this node in one word, without blanks.
std::string host_name()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') {
        return "unknown";
    }
    std::string word = name.data();
    for (char &letter : word) {
        if (letter <= ' ' || letter > '~') {
            letter = '_';
        }
    }
    return word;
}

// With leading zeros, so that names sort like ranks.
std::string file_name(Rank rank, Rank ranks)
{
    std::string number = std::to_string(rank);
    const std::size_t width = std::to_string(ranks - 1).size();
    return std::string(width - number.size(), '0') + number + ".txt";
}

// T of a pattern if sizes are not known; 0 if this rank does not know T, and for direct.
std::size_t threshold_of(const Topology &topology, int choice, BlockKind kind)
{
    for (const Expectation &expected : topology.expected) {
        if (expected.choice == choice && expected.kind == kind) {
            return expected.combining_threshold;
        }
    }
    return 0;
}

std::string text_of(const RecordedRank &rank)
{
    std::ostringstream out;
    write_recorded(out, rank);
    return out.str();
}

} // namespace

std::string recording_name(std::int64_t timestamp, std::uint32_t job, std::uint32_t number)
{
    const std::time_t seconds = timestamp / kMicroseconds;
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y%m%dT%H%M%S", &utc);
    std::array<char, 96> name{};
    std::snprintf(name.data(), name.size(), "%s.%06d-job%08x-rank%u", date.data(),
                  static_cast<int>(timestamp % kMicroseconds), job, number);
    return name.data();
}

Recording record_patterns(Topology &topology, const Neighbourhood &neighbourhood, Place place,
                          Rank ranks, const Settings &settings, const RecordingPlace &where)
{
    Recording result;
    RecordedRank rank;
    rank.communicator = recording_name(topology.timestamp, where.job, where.number);
    rank.ranks = ranks;
    rank.members = topology.members != 0 ? topology.members : ranks;
    rank.host = host_name();
    rank.node = place.node;
    rank.domains = place.domains;
    rank.region = level_name(static_cast<int>(settings.values.get(kRegion)));
    rank.ranks_per_core = settings.ranks_per_core;
    rank.neighbourhood = neighbourhood;
    const std::filesystem::path directory =
        std::filesystem::path(where.directory) / rank.communicator;
    result.directory = directory.string();
    std::set<std::string> done; // <algorithm>-<kind>; several collectives share a pattern
    for (ServedSizes &sizes : topology.served) {
        for (Served &served : sizes) {
            const std::shared_ptr<const Pattern> pattern = std::move(served.pattern);
            served.pattern.reset();
            if (pattern == nullptr || !result.failure.empty()) {
                continue;
            }
            rank.algorithm = choice_name(served.choice);
            rank.pattern = *pattern;
            // Thresholds have no meaning for messages of one block, the only ones if parameters
            // differ.
            rank.combining_threshold =
                static_cast<std::uint32_t>(threshold_of(topology, served.choice, pattern->kind));
            rank.packing_threshold =
                served.choice != kDirectChoice
                    ? static_cast<std::uint32_t>(settings.values.get(kPackingThreshold))
                    : 0;
            const std::string name = rank.algorithm + "-" + name_of(pattern->kind);
            if (done.insert(name).second) {
                result.failure =
                    write_new(directory / name / file_name(pattern->rank, ranks), text_of(rank));
                result.files += result.failure.empty() ? 1 : 0;
            }
        }
    }
    return result;
}

} // namespace nbrhood
