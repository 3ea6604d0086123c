// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allocations.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <utility>

namespace {
thread_local bool counting = false;
thread_local long counted = 0;
thread_local std::size_t greatest = 0;
thread_local long held = 0; // bytes allocated and not freed
thread_local long peak = 0;

void count_held(void *memory, long sign)
{
    if (counting) {
        held += sign * static_cast<long>(malloc_usable_size(memory));
        peak = std::max(peak, held);
    }
}
} // namespace

void *operator new(std::size_t bytes, const std::nothrow_t & /*tag*/) noexcept
{
    if (counting) {
        ++counted;
        greatest = std::max(greatest, bytes);
    }
    void *const memory = std::malloc(bytes != 0 ? bytes : 1);
    count_held(memory, 1);
    return memory;
}

void *operator new(std::size_t bytes)
{
    void *const memory = operator new(bytes, std::nothrow);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void operator delete(void *memory) noexcept
{
    count_held(memory, -1);
    std::free(memory);
}

void operator delete(void *memory, std::size_t /*bytes*/) noexcept
{
    count_held(memory, -1);
    std::free(memory);
}

namespace nbrhood {

Counting::Counting(bool on) : before_(counting)
{
    counting = on;
}

Counting::~Counting()
{
    counting = before_;
}

long Counting::take()
{
    const long result = counted;
    counted = 0;
    greatest = 0;
    held = 0;
    peak = 0;
    return result;
}

std::size_t Counting::largest()
{
    return greatest;
}

Counting::Held Counting::exchange(const Held &other)
{
    return {std::exchange(held, other.now), std::exchange(peak, other.most)};
}

void Counting::hold(long bytes)
{
    held += bytes;
    peak = std::max(peak, held);
}

long Counting::most_held()
{
    return peak;
}

} // namespace nbrhood
