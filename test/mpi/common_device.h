// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An imitated device for tests: memory that has addresses but that the CPU cannot touch. Code that
// touches it crashes; only the copy functions that the component gets (coll_nbrhood_device test)
// reach it.
#pragma once

#include <cstddef>
#include <string>

namespace nbrhood_test {

/// The memory in which the buffers of calls are.
enum class Memory {
    host,
    device,
    mixed, ///< by rank and side
};
/// Parses host, device or mixed; exits with a message on anything else.
Memory memory_named(const std::string &name);
/// Sets the memory of buffers made from now on. Unless that is host memory, call it before
/// MPI_Init, because it also sets the component's parameter.
void choose_memory(Memory memory);
/// Whether buffers may be on a device that Open MPI does not support: its own functions would touch
/// them.
bool hidden_from_open_mpi();
/// Whether a buffer of a rank is on the device; `which` is the number of the buffer.
bool is_on_device(int rank, int which);

/// Bytes on a device. There are two devices, and consecutive objects alternate between them.
class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes);
    DeviceMemory(DeviceMemory &&other) noexcept;
    DeviceMemory &operator=(DeviceMemory &&other) noexcept;
    ~DeviceMemory();

    explicit operator bool() const { return view_ != nullptr; }
    /// The address that calls are given.
    char *address() const { return view_; }
    /// The bytes, as kernels of the device see them.
    char *contents() const { return contents_; }
    /// Imitates freeing the memory and allocating it again at this address: in host memory, or on
    /// the device.
    void allocate_again(bool on_device);

private:
    char *view_ = nullptr;
    char *contents_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t mapped_ = 0;
};

/// Counts of what the component did with the device so far.
struct DeviceUse {
    unsigned long copies_out = 0, copies_in = 0; ///< from the device, and to it
    unsigned long bytes_out = 0, bytes_in = 0;
    unsigned long pinned = 0; ///< pinned pieces of host memory now
};
DeviceUse device_use();
/// Lets the n-th copy from now on fail, like a copy of a broken device; 0: none.
void fail_copy(unsigned long n);

} // namespace nbrhood_test
