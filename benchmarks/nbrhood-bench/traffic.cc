// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "traffic.h"

#include "block_values.h"

#include "common/error.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>

namespace nbrhood_tools::bench {

namespace {

/// Largest basic type that divides an entry: programs send numbers, not bytes.
MPI_Datatype basic_type(std::size_t entry_bytes, std::size_t &type_bytes)
{
    if (entry_bytes % 8 == 0)
        return type_bytes = 8, MPI_UINT64_T;
    if (entry_bytes % 4 == 0)
        return type_bytes = 4, MPI_UINT32_T;
    if (entry_bytes % 2 == 0)
        return type_bytes = 2, MPI_UINT16_T;
    return type_bytes = 1, MPI_BYTE;
}

std::vector<std::size_t> repeated(std::size_t times, int value)
{
    return std::vector<std::size_t>(times, static_cast<std::size_t>(value));
}

/// Goes through a whole buffer: `visit(position, block or -1, index in the block)`.
template <typename Visitor>
void for_each_byte(const Side &side, Visitor visit)
{
    std::size_t position = 0;
    for (std::size_t block = 0; block < side.bytes.size(); ++block) {
        const std::size_t start =
            Side::guard_bytes + static_cast<std::size_t>(side.byte_displacements[block]);
        for (; position < start; ++position)
            visit(position, -1, position);
        for (std::size_t index = 0; index < side.bytes[block]; ++index, ++position)
            visit(position, static_cast<int>(block), index);
    }
    for (; position < side.memory.size(); ++position)
        visit(position, -1, position);
}

} // namespace

std::string name_of(Operation operation)
{
    switch (operation) {
    case Operation::allgather:
        return "neighbor_allgather";
    case Operation::allgatherv:
        return "neighbor_allgatherv";
    case Operation::alltoall:
        return "neighbor_alltoall";
    case Operation::alltoallv:
        return "neighbor_alltoallv";
    case Operation::alltoallw:
        return "neighbor_alltoallw";
    case Operation::mpi_alltoallv:
        return "mpi_alltoallv";
    case Operation::mpi_alltoallw:
        break;
    }
    return "mpi_alltoallw";
}

std::string Mismatch::describe() const
{
    char text[200];
    if (edge >= 0)
        std::snprintf(text, sizeof text,
                      "in-edge %d (from rank %d), byte %zu: expected 0x%02x, got 0x%02x", edge,
                      source, offset, expected, got);
    else
        std::snprintf(text, sizeof text, "%s, byte %zu of the buffer: expected 0x%02x, got 0x%02x",
                      where, offset, expected, got);
    return text;
}

/// The bytes that blocks must hold: values of the block's own, or entries of the source's vector.
struct Traffic::Content {
    const Traffic &traffic;
    bool receiving;
    std::uint64_t round;
    BlockValues values{0};
    std::size_t current_block = SIZE_MAX, current_entry = SIZE_MAX;

    unsigned char at(std::size_t block, std::size_t index)
    {
        const bool own = traffic.vector_ == nullptr;
        const std::size_t entry = own ? 0 : index / traffic.entry_bytes_;
        if (block != current_block || entry != current_entry) {
            current_block = block;
            current_entry = entry;
            values = BlockValues(own ? own_seed(block) : entry_seed(block, entry));
        }
        return values[own ? index : index % traffic.entry_bytes_];
    }
    std::uint64_t own_seed(std::size_t block) const
    {
        return receiving ? traffic.receive_seed(block, round) : traffic.send_seed(block, round);
    }
    std::uint64_t entry_seed(std::size_t block, std::size_t entry) const
    {
        const auto &entries = receiving ? traffic.receive_entries_ : traffic.send_entries_;
        const int owner = receiving ? traffic.receive_blocks_[block].peer : traffic.rank_;
        return seed_of_entry(owner, entries[block][entry], round);
    }
};

Traffic::Traffic(const Neighbourhood &part, const GraphFacts &facts, Operation operation,
                 std::size_t entry_bytes, int gap_entries, MPI_Comm comm)
    : operation_(operation), entry_bytes_(entry_bytes)
{
    type_ = basic_type(entry_bytes, type_bytes_);
    lay_out_both(part, facts, gap_entries, comm);
}

Traffic::Traffic(const Neighbourhood &part, const GraphFacts &facts, SendLayout values,
                 std::size_t entry_bytes, int gap_entries, MPI_Comm comm)
    : operation_(Operation::alltoallv), values_(values), entry_bytes_(entry_bytes),
      vector_(std::make_unique<ValueVector>(part, entry_bytes)),
      send_entries_(part.destination_entries), receive_entries_(part.source_entries)
{
    type_ = basic_type(entry_bytes, type_bytes_);
    if (values == SendLayout::indexed && entry_bytes > type_bytes_) {
        // Indices name elements, so an entry must be exactly one element.
        MPI_Type_contiguous(static_cast<int>(entry_bytes / type_bytes_), type_, &type_);
        MPI_Type_commit(&type_);
        owned_types_.push_back(type_);
        type_bytes_ = entry_bytes;
    }
    lay_out_both(part, facts, gap_entries, comm);
    if (values == SendLayout::indexed)
        make_indices(part);
    if (!needs_packing(values))
        send_from_vector(comm);
}

Traffic::~Traffic()
{
    for (MPI_Datatype &type : owned_types_)
        MPI_Type_free(&type);
}

void Traffic::lay_out_both(const Neighbourhood &part, const GraphFacts &facts, int gap_entries,
                           MPI_Comm comm)
{
    const Operation operation = operation_;
    const std::size_t entry_bytes = entry_bytes_;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks);

    const std::size_t in = part.sources.size();
    const std::size_t out = part.destinations.size();
    std::vector<std::size_t> sent(part.destination_counts.begin(), part.destination_counts.end());
    std::vector<std::size_t> received(part.source_counts.begin(), part.source_counts.end());
    if (operation == Operation::alltoall) {
        sent = repeated(out, facts.max_entries);
        received = repeated(in, facts.max_entries);
    } else if (operation == Operation::allgather) {
        sent = repeated(1, facts.max_own_entries);
        received = repeated(in, facts.max_own_entries);
    } else if (operation == Operation::allgatherv) {
        sent = repeated(1, part.own_entries);
        received.assign(part.source_own_entries.begin(), part.source_own_entries.end());
    }

    if (operation == Operation::alltoall || operation == Operation::allgather)
        gap_entries = 0;
    int failed = 0;
    try {
        const std::size_t units = entry_bytes / type_bytes_;
        bool fits = lay_out(send_, sent, units, gap_entries)
                    && lay_out(receive_, received, units, gap_entries);
        if (fits && names_all_ranks(operation)) {
            // Displacements in bytes are ints there, too.
            fits = std::max(send_.memory.size(), receive_.memory.size()) <= INT_MAX;
            name_all_ranks(send_, part.destinations, ranks);
            name_all_ranks(receive_, part.sources, ranks);
        }
        failed = fits ? 0 : 1;
    } catch (const std::bad_alloc &) {
        failed = 2;
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    if (failed > 0)
        throw InputError(name_of(operation) + " with entries of " + std::to_string(entry_bytes)
                         + " bytes: "
                         + (failed == 1 ? "counts or displacements do not fit into MPI's int"
                                        : "not enough memory"));
    if (operation == Operation::alltoall || operation == Operation::allgather) {
        const int entries =
            operation == Operation::alltoall ? facts.max_entries : facts.max_own_entries;
        send_.uniform_count = receive_.uniform_count =
            entries * static_cast<int>(entry_bytes / type_bytes_);
    }

    // Edges are identified by their ends and a count among equal ones, which both ends know.
    const auto blocks = [](const std::vector<int> &peers) {
        std::map<int, int> earlier;
        std::vector<Block> result;
        for (int peer : peers)
            result.push_back({peer, earlier[peer]++});
        return result;
    };
    receive_blocks_ = blocks(part.sources);
    send_blocks_ = blocks(part.destinations);
}

bool Traffic::lay_out(Side &side, const std::vector<std::size_t> &entries, std::size_t unit_entries,
                      int gap_entries)
{
    // Open MPI refuses null pointers for the arrays of a rank without neighbours, and data() of an
    // empty vector may be one.
    const std::size_t room = std::max<std::size_t>(entries.size(), 1);
    side.counts.reserve(room);
    side.displacements.reserve(room);
    side.byte_displacements.reserve(room);
    side.types.reserve(room);

    std::size_t position = 0;
    for (std::size_t count : entries) {
        const std::size_t units = count * unit_entries;
        if (units > INT_MAX || position > INT_MAX)
            return false;
        side.counts.push_back(static_cast<int>(units));
        side.displacements.push_back(static_cast<int>(position));
        side.byte_displacements.push_back(static_cast<MPI_Aint>(position * type_bytes_));
        side.types.push_back(type_);
        side.bytes.push_back(units * type_bytes_);
        position += units + static_cast<std::size_t>(gap_entries) * unit_entries;
    }
    side.uniform_count = side.counts.empty() ? 0 : side.counts[0];
    side.memory.assign(position * type_bytes_ + 2 * Side::guard_bytes, guard_value);
    return true;
}

/// Makes the arguments by rank. No graph has two edges from one rank to another.
void Traffic::name_all_ranks(Side &side, const std::vector<int> &peers, int ranks) const
{
    WholeSide &whole = side.whole;
    const auto size = static_cast<std::size_t>(ranks);
    whole.counts.assign(size, 0);
    whole.displacements.assign(size, 0);
    whole.byte_displacements.assign(size, 0);
    whole.types.assign(size, type_);
    for (std::size_t block = 0; block < peers.size(); ++block) {
        const auto peer = static_cast<std::size_t>(peers[block]);
        whole.counts[peer] = side.counts[block];
        whole.displacements[peer] = side.displacements[block];
        whole.byte_displacements[peer] = static_cast<int>(side.byte_displacements[block]);
    }
}

std::uint64_t Traffic::send_seed(std::size_t block, std::uint64_t round) const
{
    if (gathers())
        return seed_of(rank_, -1, 0, round);
    return seed_of(rank_, send_blocks_[block].peer, send_blocks_[block].ordinal, round);
}

std::uint64_t Traffic::receive_seed(std::size_t block, std::uint64_t round) const
{
    if (gathers())
        return seed_of(receive_blocks_[block].peer, -1, 0, round);
    return seed_of(receive_blocks_[block].peer, rank_, receive_blocks_[block].ordinal, round);
}

void Traffic::put_on_gpu(const Hip &hip)
{
    hip_ = &hip;
    for (Side *side : {&send_, &receive_})
        side->on_gpu = hip.allocate(side->memory.size());
    use_gpu(true);
}

void Traffic::use_gpu(bool use)
{
    for (Side *side : {&send_, &receive_})
        if (side->on_gpu != nullptr)
            side->elsewhere = use ? side->on_gpu.get() + Side::guard_bytes : nullptr;
}

void Traffic::copy_to_gpu(const Side &side) const
{
    if (side.on_gpu != nullptr)
        hip_->copy(side.on_gpu.get(), side.memory.data(), side.memory.size());
}

void Traffic::copy_from_gpu(Side &side) const
{
    if (side.on_gpu != nullptr)
        hip_->copy(side.memory.data(), side.on_gpu.get(), side.memory.size());
}

void Traffic::fill(std::uint64_t round)
{
    std::fill(send_.memory.begin(), send_.memory.end(), guard_value);
    std::fill(receive_.memory.begin(), receive_.memory.end(), guard_value);
    if (vector_ != nullptr) {
        fill_vector(round);
    } else {
        unsigned char *sent = send_.blocks();
        Content content{*this, false, round};
        for (std::size_t block = 0; block < send_.bytes.size(); ++block)
            for (std::size_t index = 0; index < send_.bytes[block]; ++index)
                sent[send_.byte_displacements[block] + static_cast<MPI_Aint>(index)] =
                    content.at(block, index);
    }
    unsigned char *received = receive_.blocks();
    for (std::size_t block = 0; block < receive_.bytes.size(); ++block)
        std::memset(received + receive_.byte_displacements[block], unwritten_value,
                    receive_.bytes[block]);
    copy_to_gpu(send_);
    copy_to_gpu(receive_);
}

std::size_t Traffic::check(std::uint64_t round, std::string &first) const
{
    copy_from_gpu(send_);
    copy_from_gpu(receive_);
    Mismatch mismatch;
    const std::size_t wrong = compare(round, mismatch);
    first = wrong > 0 ? mismatch.describe() : "";
    return wrong;
}

/// The number of wrong bytes, and the first of them.
std::size_t Traffic::compare(std::uint64_t round, Mismatch &mismatch) const
{
    std::size_t wrong = 0;
    const auto compare_side = [&](const Side &side, bool receiving) {
        Content content{*this, receiving, round};
        for_each_byte(side, [&](std::size_t position, int block, std::size_t index) {
            const unsigned expected =
                block >= 0 ? content.at(static_cast<std::size_t>(block), index) : guard_value;
            const unsigned got = side.memory[position];
            if (got == expected || wrong++ > 0)
                return;
            mismatch = {};
            mismatch.where =
                receiving ? "receive buffer outside of every block" : "send buffer was changed";
            if (receiving && block >= 0) {
                mismatch.edge = block;
                mismatch.source = receive_blocks_[static_cast<std::size_t>(block)].peer;
            }
            mismatch.offset = index;
            mismatch.expected = expected;
            mismatch.got = got;
        });
    };
    compare_side(receive_, true);
    if (!send_.memory.empty())
        compare_side(send_, false);
    if (vector_ != nullptr)
        wrong += check_vector(round, mismatch, wrong == 0);
    return wrong;
}

EdgeBytes edge_bytes(const GraphFacts &facts, Operation operation, std::size_t entry_bytes)
{
    const auto bytes = static_cast<double>(entry_bytes);
    switch (operation) {
    case Operation::allgather:
        return {facts.max_own_entries * bytes, facts.max_own_entries * bytes};
    case Operation::allgatherv:
        return {facts.mean_gathered_entries * bytes, facts.max_own_entries * bytes};
    case Operation::alltoall:
        return {facts.max_entries * bytes, facts.max_entries * bytes};
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::mpi_alltoallv:
    case Operation::mpi_alltoallw:
        break;
    }
    return {facts.mean_entries * bytes, facts.max_entries * bytes};
}

} // namespace nbrhood_tools::bench
