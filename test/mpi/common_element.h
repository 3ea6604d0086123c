// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Elements of 1 to 48 bytes with an independent model of the bytes they touch.
#pragma once

#include "common_mpi.h"

#include <cstddef>
#include <vector>

namespace nbrhood_test {

/// Shapes of one element. Shapes on one line have the same type signature, so that one may be sent
/// and another received.
enum class ElementKind {
    byte,    ///< one MPI_BYTE
    integer, ///< one int
    word,    ///< one MPI_INT64_T
    integers2,
    integers2_below, ///< two ints: in a row; with a hole, one before the origin
    integers3,
    spaced3,
    descending3, ///< three ints: in a row; with holes; descending addresses
    doubles3,    ///< 24 bytes
    doubles6,    ///< 48 bytes
    record,
    record_spread ///< a double, an int and a char: 13 bytes; in another order
};

/// The bytes of an element: segments in the order of the type map, relative to its origin.
struct Segment {
    std::ptrdiff_t at = 0;
    int bytes = 0;
};

/// A committed datatype of one element and the model of it.
class Element {
public:
    explicit Element(ElementKind kind);
    Element(const Element &) = delete;
    Element &operator=(const Element &) = delete;
    ~Element();

    MPI_Datatype handle() const { return handle_; }
    const std::vector<Segment> &segments() const { return segments_; }
    std::ptrdiff_t extent() const { return extent_; }
    /// Bytes of data.
    int bytes() const { return bytes_; }
    /// Whether the data lie in one segment from the origin to the extent.
    bool contiguous() const { return segments_.size() == 1 && bytes_ == extent_; }
    /// Lowest byte touched and the end of the highest one, relative to the origin.
    std::ptrdiff_t lowest() const;
    std::ptrdiff_t highest() const;
    /// Frees the handle as a user may do right after the call; the model stays usable.
    void free();

private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
    std::vector<Segment> segments_;
    std::ptrdiff_t extent_ = 0;
    int bytes_ = 0;
    bool owned_ = true;
};

} // namespace nbrhood_test
