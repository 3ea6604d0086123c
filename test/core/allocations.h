// Counts what is allocated while plans are at work.
#pragma once

#include <cstddef>

namespace nbrhood::test {

// Switches the counting of allocations on or off until the end of a scope. Plans run with it on,
// the transports of the tests, which allocate as they like, with it off.
class Counting {
public:
    explicit Counting(bool on);
    ~Counting();
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;

    // Allocations counted since the last call.
    static long take();
    // The bytes of the largest of them since the last take().
    static std::size_t largest();

private:
    bool before_;
};

} // namespace nbrhood::test
