// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/recorded_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "files/file_io.h"

namespace nbrhood {
namespace {

bool is_of_rank(const std::filesystem::path &path)
{
    return path.extension() == ".txt";
}

// The first directory below this one (in the order of names, at most two levels down, as
// coll_nbrhood_dump makes them) that holds files of ranks; "" if there is none.
std::string find_recording_below(const std::string &directory)
{
    std::string found;
    std::error_code error;
    std::filesystem::recursive_directory_iterator entry(directory, error);
    for (; !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
        const std::string above = entry->path().parent_path().string();
        if (entry.depth() > 0 && is_of_rank(entry->path()) && (found.empty() || above < found)) {
            found = above;
        }
        if (entry.depth() == 2) {
            entry.disable_recursion_pending();
        }
    }
    return found;
}

// The files of a directory that belong to a recording, in the order of their names.
std::vector<std::string> list_files(const std::string &directory)
{
    std::vector<std::string> files;
    std::error_code error;
    std::filesystem::directory_iterator entry(directory, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (is_of_rank(entry->path())) {
            files.push_back(entry->path().string());
        }
    }
    if (error) {
        throw std::invalid_argument(directory + ": " + error.message());
    }
    if (files.empty()) {
        const std::string below = find_recording_below(directory);
        throw std::invalid_argument(
            directory + ": there is no file of a rank (*.txt) in this directory"
            + (below.empty() ? ""
                             : "; a recording is the directory of one pattern, such as " + below));
    }
    std::sort(files.begin(), files.end());
    return files;
}

void expect_same(const RecordedFile &a, const RecordedFile &b, const char *what,
                 const std::string &of_a, const std::string &of_b)
{
    if (of_a != of_b) {
        throw std::invalid_argument(b.name + ": not of the same pattern as " + a.name + ": " + what
                                    + " " + of_b + " here, " + of_a + " there");
    }
}

// Two files belong to one pattern if the facts that all ranks share are equal.
void expect_same_pattern(const RecordedFile &a, const RecordedFile &b)
{
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const RecordedRank &x = a.rank;
    const RecordedRank &y = b.rank;
    expect_same(a, b, "communicator", x.communicator, y.communicator);
    expect_same(a, b, "ranks", std::to_string(x.ranks), std::to_string(y.ranks));
    expect_same(a, b, "members", std::to_string(x.members), std::to_string(y.members));
    expect_same(a, b, "algorithm", x.algorithm, y.algorithm);
    expect_same(a, b, "region", x.region, y.region);
    expect_same(a, b, "blocks", name_of(x.pattern.kind), name_of(y.pattern.kind));
    expect_same(a, b, "packing_threshold", number(x.packing_threshold),
                number(y.packing_threshold));
}

// Ranks with edges know the combining threshold, others do not.
void expect_same_threshold(const std::map<Rank, RecordedFile> &files)
{
    const RecordedFile *known = nullptr;
    for (const auto &entry : files) {
        const RecordedFile &file = entry.second;
        if (file.rank.combining_threshold == 0) {
            continue;
        }
        if (known != nullptr) {
            expect_same(*known, file, "combining_threshold",
                        std::to_string(known->rank.combining_threshold),
                        std::to_string(file.rank.combining_threshold));
        }
        known = &file;
    }
}

// Says how many ranks are missing, if any, and names them if the pattern includes all ranks. The
// files are of distinct ranks of the communicator.
void expect_all_members(const std::string &directory, const std::map<Rank, RecordedFile> &files)
{
    const RecordedRank &any = files.begin()->second.rank;
    const auto members = static_cast<std::size_t>(any.members);
    if (files.size() > members) {
        throw std::invalid_argument(directory + ": " + std::to_string(files.size())
                                    + " ranks of a pattern of " + std::to_string(members));
    }
    if (files.size() == members) {
        return;
    }
    Rank first = 0;
    while (files.count(first) != 0) {
        ++first;
    }
    throw std::invalid_argument(
        directory + ": " + std::to_string(members - files.size()) + " of " + std::to_string(members)
        + " ranks are missing"
        + (any.members == any.ranks ? ", the first is rank " + std::to_string(first) : ""));
}

// Makes a rank without edges for a rank of the communicator that took no part in the pattern.
// Nobody recorded where that rank runs, and no message depends on it, so it gets the place of
// `beside`.
RecordedRank bystander(Rank rank, const RecordedRank &beside)
{
    RecordedRank result = beside;
    result.combining_threshold = 0;
    result.neighbourhood = {};
    result.neighbourhood.rank = rank;
    result.pattern = {};
    result.pattern.kind = beside.pattern.kind;
    result.pattern.rank = rank;
    return result;
}

} // namespace

std::vector<RecordedRank> join_recording(const std::string &directory,
                                         std::vector<RecordedFile> &&files)
{
    std::map<Rank, RecordedFile> by_rank;
    for (RecordedFile &file : files) {
        if (!by_rank.empty()) {
            expect_same_pattern(by_rank.begin()->second, file);
        }
        const Rank rank = file.rank.pattern.rank;
        const auto added = by_rank.try_emplace(rank, std::move(file));
        if (!added.second) {
            throw std::invalid_argument(file.name + ": rank " + std::to_string(rank)
                                        + " is also in " + added.first->second.name);
        }
    }
    expect_all_members(directory, by_rank);
    expect_same_threshold(by_rank);
    const RecordedRank &first = by_rank.begin()->second.rank;
    std::vector<RecordedRank> ranks;
    ranks.reserve(static_cast<std::size_t>(first.ranks));
    for (Rank rank = 0; rank < first.ranks; ++rank) {
        const auto found = by_rank.find(rank);
        ranks.push_back(found != by_rank.end()
                            ? found->second.rank
                            : bystander(rank, ranks.empty() ? first : ranks.back()));
    }
    return ranks;
}

std::vector<RecordedRank> read_recording(const std::string &directory)
{
    std::vector<RecordedFile> files;
    std::uint64_t bytes = 0;
    for (const std::string &name : list_files(directory)) {
        const std::string text = read_file(name, kMostRecordingBytes);
        bytes += text.size();
        if (bytes > kMostRecordingBytes) {
            throw std::invalid_argument(directory + ": the files have more than "
                                        + std::to_string(kMostRecordingBytes) + " bytes in all");
        }
        std::istringstream in(text);
        files.push_back({name, read_recorded(in, name)});
    }
    return join_recording(directory, std::move(files));
}

} // namespace nbrhood
