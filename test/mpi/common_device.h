// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An imitated device for tests: memory that has addresses, and that the CPU cannot touch. Whoever
// does crashes; only the copy functions that the component is given (coll_nbrhood_device test)
// reach it.
#pragma once

#include <cstddef>
#include <string>

namespace nbrhood_test {

/// Which memory the buffers of calls are in.
enum class Memory {
    host,
    device,
    mixed, ///< by rank and side
};
/// host, device, mixed; exits with a message on anything else.
Memory memory_named(const std::string &name);
/// What buffers that are made from now on are in. Unless that is the host's, call it before
/// MPI_Init: it also tells the component.
void choose_memory(Memory memory);
/// Whether buffers may be on a device of which Open MPI knows nothing: its own functions would
/// touch them.
bool hidden_from_open_mpi();
/// Whether a buffer of a rank is on the device; `which` tells its buffers apart.
bool is_on_device(int rank, int which);

/// Bytes on the device. Neighbouring objects are on different ones of two.
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
    /// As if it were freed, and allocated again at this address: in host memory, or on the device.
    void allocate_again(bool on_device);

private:
    char *view_ = nullptr;
    char *contents_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t mapped_ = 0;
};

/// What the component did with the device so far.
struct DeviceUse {
    unsigned long copies_out = 0, copies_in = 0; ///< from the device, and to it
    unsigned long bytes_out = 0, bytes_in = 0;
    unsigned long pinned = 0; ///< pieces of host memory that are pinned now
};
DeviceUse device_use();
/// From now on the n-th copy fails, as copies of a broken device do; 0: none.
void fail_copy(unsigned long n);

} // namespace nbrhood_test
