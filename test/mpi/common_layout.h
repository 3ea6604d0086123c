// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Datatypes with an independent model of the bytes they touch, and guarded buffers.
#pragma once

#include "common_device.h"
#include "common_mpi.h"

#include <cstddef>
#include <vector>

namespace nbrhood_test {

/// Shapes of datatypes; the basic element is always MPI_INT.
enum class TypeKind {
    integer,         ///< MPI_INT
    contiguous3,     ///< three ints in a row
    vector3,         ///< three ints with stride two
    resized,         ///< one int with an extent of three ints
    negative_bound,  ///< two ints, the first one before the origin
    reversed,        ///< three ints in descending order of address
    zero_size,       ///< nothing, with extent zero
    zero_size_padded ///< nothing, with a positive extent
};

/// A committed datatype and the model of it: byte offsets of its ints in type map order, and its
/// extent.
class TypeModel {
public:
    explicit TypeModel(TypeKind kind);
    TypeModel(const TypeModel &) = delete;
    TypeModel &operator=(const TypeModel &) = delete;
    TypeModel(TypeModel &&other) noexcept;
    ~TypeModel() { free(); }

    /// Ints in one element of the type.
    int ints() const { return static_cast<int>(offsets_.size()); }
    std::ptrdiff_t extent() const { return extent_; }
    MPI_Datatype handle() const { return handle_; }
    /// Byte offset of the i-th int of a block of elements, relative to the block's origin.
    std::ptrdiff_t offset_of(int i) const
    {
        return i / ints() * extent_ + offsets_[static_cast<std::size_t>(i % ints())];
    }
    /// Count of elements that carries a number of ints (a type without data still gets a count that
    /// is not zero).
    int count_for(int ints_wanted) const { return ints() == 0 ? 5 : ints_wanted / ints(); }
    /// Replaces the handle by a type at an absolute address, to be used with MPI_BOTTOM.
    void make_absolute(const void *address);
    /// Frees the handle as a user may do right after the call; the model stays usable.
    void free();

private:
    void adopt(MPI_Datatype handle);

    std::vector<std::ptrdiff_t> offsets_;
    std::ptrdiff_t extent_ = 0;
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
    bool owned_ = false;
};

/// Memory whose untouched bytes can be checked: filled with a guard value, with guard zones around
/// the used part. It may be on the imitated device; the functions below then work on a copy in host
/// memory.
class GuardedBuffer {
public:
    /// Makes room for byte offsets lowest (may be negative) up to highest (exclusive) around the
    /// origin.
    void reserve(std::ptrdiff_t lowest, std::ptrdiff_t highest, bool on_device = false);
    /// A cleared buffer of the same size, in host memory.
    GuardedBuffer like() const;
    /// Fills everything with the guard value.
    void clear();
    /// The address of offset zero, for calls.
    char *origin() { return (device_ ? device_.address() : bytes_.data()) + origin_; }
    /// The same, for code that writes bytes.
    char *contents() { return bytes_.data() + origin_; }
    /// To be called when all bytes are written, and before bytes are compared; has no effect in
    /// host memory.
    void to_device();
    void from_device();
    /// Like DeviceMemory::allocate_again; a buffer that never was on the device stays in host
    /// memory.
    void allocate_again(bool on_device) { device_.allocate_again(on_device); }
    const std::vector<char> &bytes() const { return bytes_; }
    /// Writes one int at a byte offset.
    void put(std::ptrdiff_t offset, int value);
    /// Byte offset, relative to the origin, of the first difference to another buffer, or -1 with
    /// found = false.
    std::ptrdiff_t first_difference(const GuardedBuffer &expected, bool &found) const;
    /// The four bytes at an offset as an int, for messages.
    int get(std::ptrdiff_t offset) const;

private:
    std::vector<char> bytes_;
    std::ptrdiff_t origin_ = 0;
    DeviceMemory device_;
};

} // namespace nbrhood_test
