// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "distribute.h"

#include "common/error.h"
#include "measuring/agreement.h"

#include <algorithm>
#include <climits>
#include <new>
#include <numeric>
#include <random>

namespace nbrhood_tools::bench {

namespace {

void append(std::vector<int> &message, const std::vector<int> &values)
{
    message.insert(message.end(), values.begin(), values.end());
}

std::vector<int> packed(const Neighbourhood &part)
{
    std::vector<int> message{part.own_entries, static_cast<int>(part.sources.size()),
                             static_cast<int>(part.destinations.size())};
    append(message, part.sources);
    append(message, part.source_counts);
    append(message, part.source_own_entries);
    append(message, part.destinations);
    append(message, part.destination_counts);
    for (const auto *edges : {&part.source_entries, &part.destination_entries})
        for (const std::vector<int> &entries : *edges)
            append(message, entries);
    return message;
}

Neighbourhood unpacked(const std::vector<int> &message)
{
    Neighbourhood part;
    part.own_entries = message[0];
    auto at = message.begin() + 3;
    const auto take = [&at](int count) {
        std::vector<int> values(at, at + count);
        at += count;
        return values;
    };
    part.sources = take(message[1]);
    part.source_counts = take(message[1]);
    part.source_own_entries = take(message[1]);
    part.destinations = take(message[2]);
    part.destination_counts = take(message[2]);
    for (int count : part.source_counts)
        part.source_entries.push_back(take(count));
    for (int count : part.destination_counts)
        part.destination_entries.push_back(take(count));
    return part;
}

/// Rank 0 reads spec.file and partitions the graph, the others receive their part. Collective over
/// `comm`.
Neighbourhood read_and_distribute(const GraphSpec &spec, int rank, int ranks, MPI_Comm comm)
{
    std::string failure;
    std::vector<int> lengths;
    std::vector<int> starts;
    std::vector<int> messages;
    if (rank == 0) {
        try {
            for (const Neighbourhood &part : make_all_neighbourhoods(spec, ranks)) {
                starts.push_back(static_cast<int>(messages.size()));
                append(messages, packed(part));
                if (messages.size() > INT_MAX)
                    throw InputError(spec.file + ": too many entries to hand out");
                lengths.push_back(static_cast<int>(messages.size()) - starts.back());
            }
        } catch (const InputError &error) {
            failure = error.what();
        } catch (const std::bad_alloc &) {
            failure = spec.file + ": not enough memory to read it";
        }
    }
    agree_on_failure(failure, comm);

    int length = 0;
    MPI_Scatter(lengths.data(), 1, MPI_INT, &length, 1, MPI_INT, 0, comm);
    std::vector<int> message(static_cast<std::size_t>(length));
    MPI_Scatterv(messages.data(), lengths.data(), starts.data(), MPI_INT, message.data(), length,
                 MPI_INT, 0, comm);
    return unpacked(message);
}

} // namespace

Neighbourhood make_neighbourhood(const GraphSpec &spec, MPI_Comm comm)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    return spec.has_counts() ? read_and_distribute(spec, rank, ranks, comm)
                             : compute_neighbourhood(spec, rank, ranks);
}

std::vector<Neighbourhood> make_changing_neighbourhoods(const GraphSpec &spec, int graphs,
                                                        MPI_Comm comm)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    std::mt19937_64 random(spec.seed); // the same on all ranks
    std::vector<int> rank_at(static_cast<std::size_t>(ranks));
    std::iota(rank_at.begin(), rank_at.end(), 0);
    std::vector<Neighbourhood> parts;
    for (int graph = 0; graph < graphs; ++graph) {
        const auto place = std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin();
        parts.push_back(compute_neighbourhood(spec, static_cast<int>(place), ranks));
        for (std::vector<int> *peers : {&parts.back().sources, &parts.back().destinations})
            for (int &peer : *peers)
                peer = rank_at[static_cast<std::size_t>(peer)];
        std::shuffle(rank_at.begin(), rank_at.end(), random);
    }
    return parts;
}

} // namespace nbrhood_tools::bench
