// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "served.h"
#include "totals.h"

#include "common/schema.h"
#include "measuring/mpi_headers.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace neighbour_times {
namespace {

/// Calls and nanoseconds of one rank, or their sum or maximum over all.
struct Spent {
    std::int64_t calls = 0;
    std::int64_t nanoseconds = 0;

    void add(const Spent &other)
    {
        calls += other.calls;
        nanoseconds += other.nanoseconds;
    }
};

constexpr std::size_t kCreations = kFunctions;
constexpr std::size_t kCalls = kFunctions + 1;
constexpr std::size_t kBoth = kFunctions + 2;
constexpr std::size_t kElapsed = kFunctions + 3; // its calls: 1
constexpr std::size_t kInit = kFunctions + 4;
constexpr std::size_t kServed = kFunctions + 5;    // without a time
constexpr std::size_t kComponent = kFunctions + 6; // its calls: 1 if the component is loaded
constexpr std::size_t kEntries = kFunctions + 7;

std::vector<Spent> of_this_rank()
{
    const Totals &all = totals();
    std::vector<Spent> spent(kEntries);
    spent[kElapsed] = {1, nanoseconds_since(all.initialized)};
    spent[kInit] = {1, all.init_nanoseconds};
    spent[kServed].calls = served_calls().count();
    spent[kComponent].calls = served_calls().component();
    for (std::size_t i = 0; i < kFunctions; ++i) {
        spent[i] = {all.functions[i].calls.load(), all.functions[i].nanoseconds.load()};
        const bool counts = kFacts[i].is_creation || kFacts[i].begins_calls;
        spent[kFacts[i].is_creation ? kCreations : kCalls].add(
            {counts ? spent[i].calls : 0, spent[i].nanoseconds});
    }
    spent[kBoth].add(spent[kCreations]);
    spent[kBoth].add(spent[kCalls]);
    return spent;
}

std::vector<Spent> over_ranks(const std::vector<Spent> &own, MPI_Op operation)
{
    static_assert(sizeof(Spent) == 2 * sizeof(std::int64_t));
    std::vector<Spent> result(own.size());
    PMPI_Reduce(own.data(), result.data(), static_cast<int>(2 * own.size()), MPI_INT64_T, operation,
                0, MPI_COMM_WORLD);
    return result;
}

/// Without floating-point numbers, which some locales write with a comma.
std::string seconds(std::int64_t nanoseconds)
{
    constexpr std::int64_t second = 1000000000;
    char text[64];
    std::snprintf(text, sizeof text, "%" PRId64 ".%09" PRId64, nanoseconds / second,
                  nanoseconds % second);
    return text;
}

std::string members(const Spent &total, const Spent &most)
{
    return "\"calls\": {\"total\": " + std::to_string(total.calls)
           + ", \"most\": " + std::to_string(most.calls) + "}, \"seconds\": {\"total\": "
           + seconds(total.nanoseconds) + ", \"most\": " + seconds(most.nanoseconds) + "}";
}

std::string json_line(int ranks, const std::vector<Spent> &total, const std::vector<Spent> &most)
{
    std::string line =
        "{\"program\": \"neighbour-times\", \"schema_version\": "
        + std::to_string(nbrhood_tools::schema_version) + ", \"ranks\": " + std::to_string(ranks)
        + ", \"elapsed_seconds\": " + seconds(most[kElapsed].nanoseconds)
        + ", \"init_seconds\": " + seconds(most[kInit].nanoseconds) + ", \"creations\": {"
        + members(total[kCreations], most[kCreations]) + "}, \"calls\": {"
        + members(total[kCalls], most[kCalls]) + "}, \"both\": {"
        + members(total[kBoth], most[kBoth])
        + "}, \"ranks_with_component\": " + std::to_string(total[kComponent].calls)
        + ", \"served_calls\": " + std::to_string(total[kServed].calls) + ", \"functions\": [";
    const char *separator = "";
    for (std::size_t i = 0; i < kFunctions; ++i) {
        if (total[i].calls == 0)
            continue;
        line += separator + ("{\"name\": \"" + std::string(kFacts[i].name) + "\", ")
                + members(total[i], most[i]) + "}";
        separator = ", ";
    }
    return line + "], \"complete\": true}\n";
}

void write(const std::string &line)
{
    const char *const name = std::getenv("NBRHOOD_TIMES_FILE");
    std::FILE *const file = name == nullptr || *name == '\0' ? stderr : std::fopen(name, "a");
    bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if (file != nullptr && file != stderr)
        written = std::fclose(file) == 0 && written;
    if (!written)
        std::fprintf(stderr, "neighbour-times: cannot write %s: %s\n", name, std::strerror(errno));
}

} // namespace

void report()
{
    const std::vector<Spent> own = of_this_rank();
    const std::vector<Spent> total = over_ranks(own, MPI_SUM), most = over_ranks(own, MPI_MAX);
    int rank = 0, ranks = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        write(json_line(ranks, total, most));
}

} // namespace neighbour_times
