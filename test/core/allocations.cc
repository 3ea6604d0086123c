#include "allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local bool counting = false;
thread_local long counted = 0;
thread_local std::size_t greatest = 0;
} // namespace

void *operator new(std::size_t bytes, const std::nothrow_t & /*tag*/) noexcept
{
    if (counting) {
        ++counted;
        greatest = bytes > greatest ? bytes : greatest;
    }
    return std::malloc(bytes != 0 ? bytes : 1);
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
    std::free(memory);
}

void operator delete(void *memory, std::size_t /*bytes*/) noexcept
{
    std::free(memory);
}

namespace nbrhood::test {

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
    return result;
}

std::size_t Counting::largest()
{
    return greatest;
}

} // namespace nbrhood::test
