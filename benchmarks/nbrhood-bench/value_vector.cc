// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "value_vector.h"

#include <cstring>

namespace nbrhood_tools::bench {

ValueVector::ValueVector(const Neighbourhood &part, std::size_t entry_bytes)
    : entry_bytes_(entry_bytes), entry_count_(part.own_entries), entries_(part.destination_entries),
      memory_(static_cast<std::size_t>(part.own_entries) * entry_bytes + 2 * guard_bytes)
{}

void ValueVector::clear(unsigned char guard_value)
{
    std::memset(memory_.data(), guard_value, memory_.size());
}

void ValueVector::pack(std::size_t edge, unsigned char *block) const
{
    const unsigned char *entries = memory_.data() + guard_bytes;
    for (int entry : entries_[edge]) {
        std::memcpy(block, entries + static_cast<std::size_t>(entry) * entry_bytes_, entry_bytes_);
        block += entry_bytes_;
    }
}

MPI_Datatype ValueVector::pick(std::size_t edge, MPI_Datatype unit, int units_an_entry) const
{
    std::vector<MPI_Aint> places;
    for (int entry : entries_[edge])
        places.push_back(static_cast<MPI_Aint>(entry) * static_cast<MPI_Aint>(entry_bytes_));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(places.size()), units_an_entry, places.data(),
                                   unit, &type);
    MPI_Type_commit(&type);
    return type;
}

} // namespace nbrhood_tools::bench
