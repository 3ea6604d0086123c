// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_device.h"

#include "coll_nbrhood_device.h"
#include "common_random.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace nbrhood_test {

namespace {

struct Allocation {
    std::size_t bytes = 0;
    char *contents = nullptr;
    int id = 0;
};

struct Device {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> allocations; // by address
    std::map<std::uintptr_t, std::size_t> pinned;
    DeviceUse use;
    unsigned long until_failure = 0;
    int next_id = 0;
};

Device &device()
{
    static Device the;
    return the;
}

Memory chosen = Memory::host;

[[noreturn]] void die(const char *what)
{
    std::fprintf(stderr, "imitated device: %s\n", what);
    std::abort();
}

std::uintptr_t number(const void *address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

// The allocation that has the byte at an address; the lock is held.
const Allocation *find(std::uintptr_t address, std::uintptr_t *begin = nullptr)
{
    auto next = device().allocations.upper_bound(address);
    if (next == device().allocations.begin())
        return nullptr;
    --next;
    if (begin != nullptr)
        *begin = next->first;
    return address - next->first < next->second.bytes ? &next->second : nullptr;
}

// The place of the bytes of a copy; the lock is held.
char *contents_of(const void *address, int id, std::size_t bytes, const void *host)
{
    std::uintptr_t begin = 0;
    const Allocation *allocation = find(number(address), &begin);
    if (allocation == nullptr || number(address) - begin + bytes > allocation->bytes)
        die("a copy leaves the allocation");
    if (id != allocation->id)
        die("a copy names the wrong device");
    if (find(number(host)) != nullptr)
        die("host memory of a copy is on the device");
    return allocation->contents + (number(address) - begin);
}

bool fails()
{
    return device().until_failure != 0 && --device().until_failure == 0;
}

bool holds(const void *address, int *id)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    const Allocation *allocation = find(number(address));
    if (allocation != nullptr)
        *id = allocation->id;
    return allocation != nullptr;
}

bool find_allocation(const void *address, int id, std::uintptr_t *begin, std::uintptr_t *end)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    const Allocation *allocation = find(number(address), begin);
    if (allocation == nullptr || allocation->id != id)
        return false;
    *end = *begin + allocation->bytes;
    return true;
}

int copy_out(void *host, const void *from, int id, std::size_t bytes)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    if (fails())
        return 77;
    std::memcpy(host, contents_of(from, id, bytes, host), bytes);
    ++device().use.copies_out;
    device().use.bytes_out += bytes;
    return 0;
}

int copy_in(void *to, int id, const void *host, std::size_t bytes)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    if (fails())
        return 77;
    std::memcpy(contents_of(to, id, bytes, host), host, bytes);
    ++device().use.copies_in;
    device().use.bytes_in += bytes;
    return 0;
}

bool pin(void *host, std::size_t bytes)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    if (!device().pinned.emplace(number(host), bytes).second)
        die("host memory is pinned twice");
    ++device().use.pinned;
    return true;
}

void unpin(void *host)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    if (device().pinned.erase(number(host)) == 0)
        die("host memory is unpinned that was not pinned");
    --device().use.pinned;
}

} // namespace

Memory memory_named(const std::string &name)
{
    if (name == "host")
        return Memory::host;
    if (name == "device")
        return Memory::device;
    if (name == "mixed")
        return Memory::mixed;
    std::fprintf(stderr, "--buffers: host, device or mixed, not %s\n", name.c_str());
    std::exit(2);
}

void choose_memory(Memory memory)
{
    chosen = memory;
    if (memory != Memory::host)
        setenv("OMPI_MCA_coll_nbrhood_device", "test", 0); // the command line may name another
}

bool hidden_from_open_mpi()
{
    const char *device = std::getenv("OMPI_MCA_coll_nbrhood_device");
    return chosen != Memory::host && (device == nullptr || std::string(device) != "open_mpi");
}

bool is_on_device(int rank, int which)
{
    return chosen == Memory::device
           || (chosen == Memory::mixed && hash_of(0xde71ce, rank, which) % 2 == 0);
}

DeviceMemory::DeviceMemory(std::size_t bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (bytes / page + 1) * page;
    const int file = memfd_create("imitated device", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(mapped_)) != 0)
        die("no memory");
    void *view = mmap(nullptr, mapped_, PROT_NONE, MAP_SHARED, file, 0);
    void *contents = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (view == MAP_FAILED || contents == MAP_FAILED)
        die("no memory");
    view_ = static_cast<char *>(view);
    contents_ = static_cast<char *>(contents);
    bytes_ = bytes;
    allocate_again(true);
}

void DeviceMemory::allocate_again(bool on_device)
{
    if (view_ == nullptr)
        return;
    if (mprotect(view_, mapped_, on_device ? PROT_NONE : PROT_READ | PROT_WRITE) != 0)
        die("no protection");
    const std::lock_guard<std::mutex> lock(device().mutex);
    device().allocations.erase(number(view_));
    if (on_device) {
        device().allocations[number(view_)] = {bytes_, contents_, device().next_id};
        device().next_id = 1 - device().next_id;
    }
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
{
    *this = std::move(other);
}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept
{
    std::swap(view_, other.view_);
    std::swap(contents_, other.contents_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    return *this;
}

DeviceMemory::~DeviceMemory()
{
    if (view_ == nullptr)
        return;
    {
        const std::lock_guard<std::mutex> lock(device().mutex);
        device().allocations.erase(number(view_));
    }
    munmap(view_, mapped_);
    munmap(contents_, mapped_);
}

DeviceUse device_use()
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    return device().use;
}

void fail_copy(unsigned long n)
{
    const std::lock_guard<std::mutex> lock(device().mutex);
    device().until_failure = n;
}

} // namespace nbrhood_test

// The symbol that the component looks up in this program.
extern "C" const nbrhood_device_t nbrhood_test_device;
const nbrhood_device_t nbrhood_test_device = {"imitated",
                                              false,
                                              nbrhood_test::holds,
                                              nbrhood_test::find_allocation,
                                              nbrhood_test::copy_out,
                                              nbrhood_test::copy_in,
                                              nbrhood_test::pin,
                                              nbrhood_test::unpin};
