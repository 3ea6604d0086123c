// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that get messages of plans and of builders that are not as they were written. For the core
// tests with random bytes, and for the fuzz targets with those of the fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nbrhood::test {

// What was done and what became of it, so that a test can tell that it tests something.
struct CorruptionResult {
    std::string fault; // empty: all that must hold does
    int changed = 0;   // messages of plans, or of builders
    int noticed = 0;   // ranks that ended an operation with an error, or failed to build
    int built = 0;     // 1: all ranks built
};

// Lets the ranks of a random graph perform operations, with relayed messages that the bytes say how
// to corrupt. Demands that no byte outside a block is written, no more memory is asked for than the
// receivers' own facts allow, and that each rank ends or waits for a message.
CorruptionResult corrupt_messages(const std::uint8_t *data, std::size_t size);

// Lets them build a pattern, and corrupts messages as the bytes say. If the corruption is
// accidental (checksums do not match), demands that no rank waits forever, and that the pattern of
// all ranks is proved. If it is malicious (sealed like true messages), demands that it does no harm
// to memory, neither when the pattern is built nor when it runs.
CorruptionResult corrupt_builders(const std::uint8_t *data, std::size_t size);

// Lets them deliver messages and answers to each other (algorithms/toolkit/delivery.h), and
// corrupts messages as the bytes say. No rank may wait forever. If the corruption is accidental, a
// rank that does not fail has all that was sent to it; if it is malicious, its messages came from
// ranks that take part.
CorruptionResult corrupt_delivery(const std::uint8_t *data, std::size_t size);

} // namespace nbrhood::test
