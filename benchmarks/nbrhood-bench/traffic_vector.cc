// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Traffic whose values are entries of the application's vector.
#include "block_values.h"
#include "traffic.h"

#include "common/error.h"

namespace nbrhood_tools::bench {

/// Lets the call read the vector itself, by displacements or by types. Collective.
void Traffic::send_from_vector(MPI_Comm comm)
{
    int scattered = 0; // blocks that are not ranges of the vector
    for (const std::vector<int> &entries : send_entries_)
        scattered += entries.back() - entries.front() + 1 != static_cast<int>(entries.size());
    MPI_Allreduce(MPI_IN_PLACE, &scattered, 1, MPI_INT, MPI_MAX, comm);
    if (values_ == SendLayout::overlapping && scattered > 0)
        throw InputError("--values overlapping: the entries of an edge must follow each other, as "
                         "they do in computed graphs");
    send_.memory.clear();
    send_.elsewhere = vector_->data();
    const int units = static_cast<int>(entry_bytes_ / type_bytes_);
    for (std::size_t edge = 0; edge < send_entries_.size(); ++edge) {
        send_.displacements[edge] = send_entries_[edge].front() * units;
        if (values_ == SendLayout::typed) {
            send_.counts[edge] = 1;
            send_.byte_displacements[edge] = 0;
            send_.types[edge] = vector_->pick(edge, type_, units);
            owned_types_.push_back(send_.types[edge]);
        }
    }
    if (values_ == SendLayout::typed)
        operation_ = Operation::alltoallw;
}

/// A program would number the columns of the whole matrix; owner and place are equivalent.
void Traffic::make_indices(const Neighbourhood &part)
{
    const auto index = [](int owner, int entry) {
        return (static_cast<std::int64_t>(owner) << 32) + entry;
    };
    for (const std::vector<int> &entries : send_entries_)
        for (int entry : entries)
            send_indices_.push_back(index(rank_, entry));
    for (std::size_t edge = 0; edge < receive_entries_.size(); ++edge)
        for (int entry : receive_entries_[edge])
            receive_indices_.push_back(index(part.sources[edge], entry));
}

void Traffic::pack()
{
    if (vector_ == nullptr || !needs_packing(values_))
        return;
    unsigned char *sent = send_.blocks();
    for (std::size_t edge = 0; edge < send_entries_.size(); ++edge)
        vector_->pack(edge, sent + send_.byte_displacements[edge]);
}

void Traffic::fill_vector(std::uint64_t round)
{
    vector_->clear(guard_value);
    for (int entry = 0; entry < vector_->entries(); ++entry) {
        BlockValues values(seed_of_entry(rank_, entry, round));
        unsigned char *bytes = vector_->data() + static_cast<std::size_t>(entry) * entry_bytes_;
        for (std::size_t index = 0; index < entry_bytes_; ++index)
            bytes[index] = values[index];
    }
    pack();
}

/// The number of changed bytes of the vector; describes the first one if asked to.
std::size_t Traffic::check_vector(std::uint64_t round, Mismatch &mismatch, bool describe) const
{
    std::size_t wrong = 0;
    int current = -1;
    BlockValues values(0);
    vector_->for_each_byte([&](unsigned got, int entry, std::size_t index) {
        if (entry >= 0 && entry != current) {
            current = entry;
            values = BlockValues(seed_of_entry(rank_, entry, round));
        }
        const unsigned expected = entry >= 0 ? values[index] : guard_value;
        if (got == expected || wrong++ > 0 || !describe)
            return;
        mismatch = {};
        mismatch.where = "the vector was changed";
        mismatch.offset = index;
        mismatch.expected = expected;
        mismatch.got = got;
    });
    return wrong;
}

} // namespace nbrhood_tools::bench
