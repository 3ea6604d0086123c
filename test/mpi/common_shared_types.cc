// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_shared_types.h"

namespace nbrhood_test {

namespace {

/// A constructed type is committed here, so that no constructor forgets it.
TypedBlock with_type(MPI_Aint displ, int count, MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return {displ, count, type, true};
}

// No data: by a count of zero, by an empty type with a count, or by a list without entries.
TypedBlock pick_nothing(MPI_Datatype element, std::uint64_t choice)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    switch (choice % 3) {
    case 0:
        return {0, 0, element, false};
    case 1:
        MPI_Type_contiguous(0, element, &made);
        return with_type(16, 3, made);
    default:
        MPI_Type_create_hindexed(0, nullptr, nullptr, element, &made);
        return with_type(0, 1, made);
    }
}

/// Distance of the elements if it is the same between all of them, otherwise 0.
std::ptrdiff_t common_distance(const std::vector<std::ptrdiff_t> &at)
{
    const std::ptrdiff_t distance = at.size() > 1 ? at[1] - at[0] : 0;
    for (std::size_t k = 2; k < at.size(); ++k) {
        if (at[k] - at[k - 1] != distance)
            return 0;
    }
    return distance;
}

// Elements that follow each other become one entry of a longer block.
TypedBlock pick_runs(const std::vector<std::ptrdiff_t> &at, MPI_Datatype element)
{
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(element, &lower, &extent);
    std::vector<int> lengths;
    std::vector<MPI_Aint> displs;
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (k > 0 && at[k] - at[k - 1] == extent) {
            ++lengths.back();
        } else {
            lengths.push_back(1);
            displs.push_back(at[k]);
        }
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displs.data(),
                             element, &made);
    return with_type(0, 1, made);
}

// Offsets are relative to the first element, so that the displacement of the block is not zero.
TypedBlock pick_by_struct(const std::vector<std::ptrdiff_t> &at, MPI_Datatype element)
{
    const std::vector<int> ones(at.size(), 1);
    const std::vector<MPI_Datatype> types(at.size(), element);
    std::vector<MPI_Aint> displs;
    for (std::ptrdiff_t offset : at)
        displs.push_back(offset - at[0]);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(at.size()), ones.data(), displs.data(), types.data(),
                           &made);
    return with_type(at[0], 1, made);
}

} // namespace

TypedBlock pick_elements(const std::vector<std::ptrdiff_t> &at, MPI_Datatype element,
                         std::uint64_t choice)
{
    if (at.empty())
        return pick_nothing(element, choice);
    const int count = static_cast<int>(at.size());
    const std::ptrdiff_t distance = common_distance(at);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    switch (choice % 5) {
    case 0:
        if (distance == 0 || (distance == -1 && element == MPI_BYTE)) // see STOCK-BUGS.md
            break;
        MPI_Type_create_hvector(count, 1, distance, element, &made);
        return with_type(at[0], 1, made);
    case 1:
        if (distance <= 0)
            break;
        MPI_Type_create_resized(element, 0, distance, &made);
        return with_type(at[0], count, made);
    case 2:
        return pick_by_struct(at, element);
    case 3:
        return pick_runs(at, element);
    default:
        break;
    }
    const std::vector<MPI_Aint> displs(at.begin(), at.end());
    MPI_Type_create_hindexed_block(count, 1, displs.data(), element, &made);
    return with_type(0, 1, made);
}

} // namespace nbrhood_test
