// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_element.h"

#include <algorithm>

namespace nbrhood_test {

namespace {

/// A basic type at an offset.
struct Field {
    MPI_Datatype type;
    int count;
    std::ptrdiff_t at;
    int bytes;
};

/// The fields of a kind, and its extent if the fields do not determine it.
struct Recipe {
    std::vector<Field> fields;
    std::ptrdiff_t lower = 0;
    std::ptrdiff_t extent = 0;
};

Recipe recipe_of(ElementKind kind)
{
    switch (kind) {
    case ElementKind::byte:
        return {{{MPI_BYTE, 1, 0, 1}}, 0, 1};
    case ElementKind::integer:
        return {{{MPI_INT, 1, 0, 4}}, 0, 4};
    case ElementKind::word:
        return {{{MPI_INT64_T, 1, 0, 8}}, 0, 8};
    case ElementKind::integers2:
        return {{{MPI_INT, 2, 0, 8}}, 0, 8};
    case ElementKind::integers2_below:
        return {{{MPI_INT, 1, -8, 4}, {MPI_INT, 1, 4, 4}}, -8, 16};
    case ElementKind::integers3:
        return {{{MPI_INT, 3, 0, 12}}, 0, 12};
    case ElementKind::spaced3:
        return {{{MPI_INT, 1, 0, 4}, {MPI_INT, 1, 8, 4}, {MPI_INT, 1, 16, 4}}, 0, 20};
    case ElementKind::descending3:
        return {{{MPI_INT, 1, 16, 4}, {MPI_INT, 1, 8, 4}, {MPI_INT, 1, 0, 4}}, 0, 20};
    case ElementKind::doubles3:
        return {{{MPI_DOUBLE, 3, 0, 24}}, 0, 24};
    case ElementKind::doubles6:
        return {{{MPI_DOUBLE, 6, 0, 48}}, 0, 48};
    case ElementKind::record:
        return {{{MPI_DOUBLE, 1, 0, 8}, {MPI_INT, 1, 8, 4}, {MPI_CHAR, 1, 12, 1}}, 0, 16};
    case ElementKind::record_spread:
        break;
    }
    return {{{MPI_DOUBLE, 1, 16, 8}, {MPI_INT, 1, 0, 4}, {MPI_CHAR, 1, 8, 1}}, 0, 24};
}

} // namespace

Element::Element(ElementKind kind)
{
    const Recipe recipe = recipe_of(kind);
    extent_ = recipe.extent;
    std::vector<int> counts;
    std::vector<MPI_Aint> displs;
    std::vector<MPI_Datatype> types;
    for (const Field &field : recipe.fields) {
        segments_.push_back({field.at, field.bytes});
        bytes_ += field.bytes;
        counts.push_back(field.count);
        displs.push_back(field.at);
        types.push_back(field.type);
    }
    if (recipe.fields.size() == 1 && counts[0] == 1) {
        handle_ = types[0];
        owned_ = false;
        return;
    }
    if (recipe.fields.size() == 1) {
        MPI_Type_contiguous(counts[0], types[0], &handle_);
    } else {
        MPI_Datatype fields = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(static_cast<int>(counts.size()), counts.data(), displs.data(),
                               types.data(), &fields);
        MPI_Type_create_resized(fields, recipe.lower, recipe.extent, &handle_);
        MPI_Type_free(&fields);
    }
    MPI_Type_commit(&handle_);
}

Element::~Element()
{
    free();
}

void Element::free()
{
    if (owned_)
        MPI_Type_free(&handle_);
    owned_ = false;
}

std::ptrdiff_t Element::lowest() const
{
    std::ptrdiff_t lowest = 0;
    for (const Segment &segment : segments_)
        lowest = std::min(lowest, segment.at);
    return lowest;
}

std::ptrdiff_t Element::highest() const
{
    std::ptrdiff_t highest = 0;
    for (const Segment &segment : segments_)
        highest = std::max(highest, segment.at + segment.bytes);
    return highest;
}

} // namespace nbrhood_test
