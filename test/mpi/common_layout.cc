// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_layout.h"

#include <algorithm>
#include <cstring>

namespace nbrhood_test {

namespace {
constexpr std::ptrdiff_t int_size = sizeof(int);
constexpr std::ptrdiff_t guard_size = 64;
constexpr char guard_value = static_cast<char>(0xa5);
} // namespace

TypeModel::TypeModel(TypeKind kind)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    switch (kind) {
    case TypeKind::integer:
        offsets_ = {0};
        extent_ = int_size;
        handle_ = MPI_INT;
        return;
    case TypeKind::contiguous3:
        offsets_ = {0, int_size, 2 * int_size};
        extent_ = 3 * int_size;
        MPI_Type_contiguous(3, MPI_INT, &made);
        break;
    case TypeKind::vector3:
        offsets_ = {0, 2 * int_size, 4 * int_size};
        extent_ = 5 * int_size;
        MPI_Type_vector(3, 1, 2, MPI_INT, &made);
        break;
    case TypeKind::resized:
        offsets_ = {0};
        extent_ = 3 * int_size;
        MPI_Type_create_resized(MPI_INT, 0, extent_, &made);
        break;
    case TypeKind::negative_bound: {
        offsets_ = {-2 * int_size, int_size};
        extent_ = 4 * int_size; // from the first int to the end of the second
        const int lengths[2] = {1, 1};
        const MPI_Aint displs[2] = {offsets_[0], offsets_[1]};
        MPI_Type_create_hindexed(2, lengths, displs, MPI_INT, &made);
        break;
    }
    case TypeKind::reversed: {
        offsets_ = {4 * int_size, 2 * int_size, 0};
        extent_ = 5 * int_size;
        const int lengths[3] = {1, 1, 1};
        const MPI_Aint displs[3] = {offsets_[0], offsets_[1], offsets_[2]};
        MPI_Type_create_hindexed(3, lengths, displs, MPI_INT, &made);
        break;
    }
    case TypeKind::zero_size:
        MPI_Type_contiguous(0, MPI_INT, &made);
        break;
    case TypeKind::zero_size_padded: {
        extent_ = 2 * int_size;
        MPI_Datatype empty = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(0, MPI_INT, &empty);
        MPI_Type_create_resized(empty, 0, extent_, &made);
        MPI_Type_free(&empty);
        break;
    }
    }
    adopt(made);
}

TypeModel::TypeModel(TypeModel &&other) noexcept
    : offsets_(std::move(other.offsets_)), extent_(other.extent_), handle_(other.handle_),
      owned_(other.owned_)
{
    other.owned_ = false;
}

void TypeModel::adopt(MPI_Datatype handle)
{
    MPI_Type_commit(&handle);
    free();
    handle_ = handle;
    owned_ = true;
}

void TypeModel::make_absolute(const void *address)
{
    const int one = 1;
    MPI_Aint at = 0;
    MPI_Get_address(address, &at);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &one, &at, handle_, &made);
    adopt(made);
}

void TypeModel::free()
{
    if (owned_)
        MPI_Type_free(&handle_);
    owned_ = false;
}

void GuardedBuffer::reserve(std::ptrdiff_t lowest, std::ptrdiff_t highest, bool on_device)
{
    lowest = std::min<std::ptrdiff_t>(lowest, 0);
    highest = std::max<std::ptrdiff_t>(highest, 0);
    origin_ = (guard_size - lowest + 15) / 16 * 16;
    bytes_.resize(static_cast<std::size_t>(origin_ + highest + guard_size));
    device_ = on_device ? DeviceMemory(bytes_.size()) : DeviceMemory();
    clear();
}

GuardedBuffer GuardedBuffer::like() const
{
    GuardedBuffer other;
    other.bytes_.resize(bytes_.size());
    other.origin_ = origin_;
    other.clear();
    return other;
}

void GuardedBuffer::to_device()
{
    if (device_)
        std::copy(bytes_.begin(), bytes_.end(), device_.contents());
}

void GuardedBuffer::from_device()
{
    if (device_)
        std::copy_n(device_.contents(), bytes_.size(), bytes_.begin());
}

void GuardedBuffer::clear()
{
    std::fill(bytes_.begin(), bytes_.end(), guard_value);
}

void GuardedBuffer::put(std::ptrdiff_t offset, int value)
{
    std::memcpy(contents() + offset, &value, sizeof value);
}

int GuardedBuffer::get(std::ptrdiff_t offset) const
{
    int value = 0;
    const auto at = static_cast<std::size_t>(origin_ + offset);
    if (at + sizeof value <= bytes_.size())
        std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
}

std::ptrdiff_t GuardedBuffer::first_difference(const GuardedBuffer &expected, bool &found) const
{
    const auto at = std::mismatch(bytes_.begin(), bytes_.end(), expected.bytes_.begin()).first;
    found = at != bytes_.end();
    return found ? at - bytes_.begin() - origin_ : -1;
}

} // namespace nbrhood_test
