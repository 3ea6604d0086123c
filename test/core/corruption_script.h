// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Decisions from bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood::test {

// Reads decisions from the bytes of a fuzzer, or from random ones. After the last byte each is 0.
class Script {
public:
    Script(const std::uint8_t *data, std::size_t size) : next_(data), end_(data + size) {}

    bool ended() const { return next_ == end_; }
    std::uint64_t bits(int bytes)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes && !ended(); ++i) {
            value = value << 8 | *next_++;
        }
        return value;
    }
    // Less than `end`, at least 0.
    std::size_t below(std::size_t end)
    {
        return end < 2 ? 0 : static_cast<std::size_t>(bits(end <= 256 ? 1 : 4)) % end;
    }
    // A number that may confuse readers: near the present one, near a power of two, or random.
    std::uint64_t wild(std::uint64_t near)
    {
        switch (below(4)) {
        case 0:
            return near + below(5) - 2;
        case 1:
            return (std::uint64_t{1} << below(64)) + below(3) - 1;
        case 2:
            return bits(1);
        default:
            return bits(8);
        }
    }

private:
    const std::uint8_t *next_;
    const std::uint8_t *end_;
};

} // namespace nbrhood::test
