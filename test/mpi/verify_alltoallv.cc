// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases for MPI_Alltoallv and MPI_Alltoallw: whether the component serves them where few pairs of
// ranks exchange bytes, or all small ones, and leaves the others to Open MPI.
#include "common_mpi_t.h"
#include "verify_case.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace nbrhood_test {

namespace {

constexpr int kCalls = 40;

/// Whether the ranks of a communicator are on several nodes; those of a synthetic machine are.
bool spans_nodes(MPI_Comm comm)
{
    if (std::getenv("OMPI_MCA_coll_nbrhood_machine") != nullptr)
        return true;
    MPI_Comm node = MPI_COMM_NULL;
    int near = 0, all = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &near);
    MPI_Comm_size(comm, &all);
    MPI_Comm_free(&node);
    return near < all;
}

/// A block from each rank to all, or from even ranks to the next one: at most half of all pairs.
struct Exchanged {
    std::vector<int> send_counts, receive_counts, places;
    std::vector<int> sent, received;
};

/// The ints of a block. Large ones are above the limit for exchanges between many pairs.
constexpr int kSmall = 1;
constexpr int kLarge = 2000;

Exchanged exchanged(int rank, int size, bool dense, int ints)
{
    const auto exchange = [&](int from, int to) {
        return dense || (from % 2 == 0 && to == (from + 1) % size) ? ints : 0;
    };
    const auto length = static_cast<std::size_t>(size) * static_cast<std::size_t>(ints);
    Exchanged result{{}, {}, {}, std::vector<int>(length, rank), std::vector<int>(length, -1)};
    for (int peer = 0; peer < size; ++peer) {
        result.send_counts.push_back(exchange(rank, peer));
        result.receive_counts.push_back(exchange(peer, rank));
        result.places.push_back(peer * ints);
    }
    return result;
}

void check(Context &context, Exchanged &blocks)
{
    for (int peer = 0; peer < context.size; ++peer) {
        const auto slot = static_cast<std::size_t>(peer);
        const auto first = blocks.received.begin() + blocks.places[slot];
        const int wanted = blocks.receive_counts[slot] != 0 ? peer : -1;
        const auto ints = static_cast<long>(blocks.received.size() / blocks.places.size());
        context.expect(std::count(first, first + ints, wanted) == ints,
                       "wrong data from rank " + std::to_string(peer));
    }
    std::fill(blocks.received.begin(), blocks.received.end(), -1);
}

/// Makes many calls on a new communicator and returns how many the component has served.
unsigned long long served(Context &context, bool dense, int ints, bool with_types)
{
    const Pvars pvars;
    const unsigned long long before = pvars.count("alltoallvs");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Exchanged blocks = exchanged(context.rank, context.size, dense, ints);
    std::vector<int> bytes = blocks.places;
    for (int &place : bytes)
        place *= static_cast<int>(sizeof(int));
    const std::vector<MPI_Datatype> types(blocks.places.size(), MPI_INT);
    for (int call = 0; call < kCalls; ++call) {
        if (with_types) {
            MPI_Alltoallw(blocks.sent.data(), blocks.send_counts.data(), bytes.data(), types.data(),
                          blocks.received.data(), blocks.receive_counts.data(), bytes.data(),
                          types.data(), comm);
        } else {
            MPI_Alltoallv(blocks.sent.data(), blocks.send_counts.data(), blocks.places.data(),
                          MPI_INT, blocks.received.data(), blocks.receive_counts.data(),
                          blocks.places.data(), MPI_INT, comm);
        }
        check(context, blocks);
        MPI_Barrier(comm); // progress
    }
    MPI_Comm_free(&comm);
    return pvars.count("alltoallvs") - before;
}

/// Communicators are duplicates without info keys, which the component is on in any case.
void sparse_or_dense(Context &context)
{
    const bool serves = spans_nodes(MPI_COMM_WORLD);
    if (!context.ours())
        return;
    for (const bool with_types : {false, true}) {
        const auto expect_some = [&](bool dense, int ints, const char *name) {
            const unsigned long long count = served(context, dense, ints, with_types);
            context.expect(serves ? count > 0 && count < kCalls : count == 0,
                           std::to_string(count) + " " + name + " calls are served");
        };
        expect_some(false, kSmall, "sparse");
        expect_some(false, kLarge, "large sparse");
        expect_some(true, kSmall, "small dense");
        const unsigned long long large = served(context, true, kLarge, with_types);
        context.expect(large == 0, std::to_string(large) + " large dense calls are served");
    }
}

/// Nonblocking calls: first ranks 0 and 1 exchange blocks, and then all pairs do, so ranks that had
/// no edge in the first graph of pairs have some in the second.
void ranks_join(Context &context)
{
    constexpr int kAlone = 40, kAll = 200; // a survey takes place in each part
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < kAll; ++call) {
        Exchanged blocks = exchanged(context.rank, context.size, true, kSmall);
        for (int peer = 0; call < kAlone && peer < context.size; ++peer) {
            if (context.rank + peer != 1) {
                const auto slot = static_cast<std::size_t>(peer);
                blocks.send_counts[slot] = blocks.receive_counts[slot] = 0;
            }
        }
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ialltoallv(blocks.sent.data(), blocks.send_counts.data(), blocks.places.data(), MPI_INT,
                       blocks.received.data(), blocks.receive_counts.data(), blocks.places.data(),
                       MPI_INT, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(context, blocks);
        MPI_Barrier(comm); // progress
    }
    MPI_Comm_free(&comm);
}

MPI_Datatype every_other(int ints)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(ints, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/// The program frees the datatypes of nonblocking calls at once, and makes others in their place.
/// All ranks but the first two exchange blocks, since Open MPI 4.1 retains as many datatypes as a
/// rank has neighbours in the communicator's topology, here two (STOCK-BUGS.md).
void types_freed_at_once(Context &context)
{
    constexpr int kFirst = 2, kSpan = 3;
    MPI_Comm comm = MPI_COMM_NULL;
    const int dimension = context.size, periodic = 1;
    if (context.size < kFirst)
        return;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dimension, &periodic, 0, &comm);
    const auto size = static_cast<std::size_t>(context.size);
    std::vector<int> counts(size), to(size), from(size), received(size * kSpan), wanted;
    std::vector<MPI_Datatype> types(size, MPI_INT);
    for (int call = 0; call < 2 * kCalls; ++call) {
        MPI_Datatype type = every_other(2);
        wanted.assign(received.size(), -1);
        received = wanted;
        for (int peer = kFirst; context.rank >= kFirst && peer < context.size; ++peer) {
            const auto slot = static_cast<std::size_t>(peer);
            types[slot] = type;
            counts[slot] = 1;
            from[slot] = peer * kSpan * static_cast<int>(sizeof(int));
            wanted[slot * kSpan] = peer;
            wanted[slot * kSpan + 2] = call;
        }
        const std::vector<int> sent = {context.rank, -2, call};
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ialltoallw(sent.data(), counts.data(), to.data(), types.data(), received.data(),
                       counts.data(), from.data(), types.data(), comm, &request);
        MPI_Type_free(&type);
        MPI_Datatype other = every_other(3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        context.expect(received == wanted, "wrong data in call " + std::to_string(call));
        MPI_Type_free(&other);
        MPI_Barrier(comm); // progress
    }
    MPI_Comm_free(&comm);
}

} // namespace

const std::vector<Case> &alltoallv_cases()
{
    static const std::vector<Case> cases = {{"alltoallv", sparse_or_dense},
                                            {"alltoallv-ranks-join", ranks_join},
                                            {"alltoallv-types-freed", types_freed_at_once}};
    return cases;
}

} // namespace nbrhood_test
