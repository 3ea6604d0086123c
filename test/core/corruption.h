// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that receive corrupted messages of plans and of builders. The core tests use random bytes,
// the fuzz targets those of the fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nbrhood::test {

// The corruptions and their results, so that a test can check that it tests something.
struct CorruptionResult {
    std::string fault; // the violated demand; empty if there is none
    int changed = 0;   // messages of plans, or of builders
    int noticed = 0;   // ranks that ended an operation with an error, or failed to build
    int built = 0;     // 1: all ranks built
};

// Lets the ranks of a random graph perform operations, and corrupts relayed messages by the bytes.
// Demands that no byte outside a block is written, that no more memory is allocated than the
// receivers' own facts allow, and that each rank ends or waits for a message.
CorruptionResult corrupt_messages(const std::uint8_t *data, std::size_t size);

// Lets the ranks build a pattern, and corrupts messages by the bytes. If the corruption is
// accidental (checksums do not match), demands that no rank waits forever, and that the pattern of
// all ranks is proved. If it is malicious (sealed like true messages), demands that it does not
// harm memory, neither during the build nor when the pattern runs.
CorruptionResult corrupt_builders(const std::uint8_t *data, std::size_t size);

// Lets the ranks deliver messages and answers to each other (algorithms/toolkit/delivery.h), and
// corrupts messages by the bytes. No rank may wait forever. If the corruption is accidental, a rank
// that does not fail has all messages that were sent to it. If it is malicious, the messages of a
// rank came from ranks that take part.
CorruptionResult corrupt_delivery(const std::uint8_t *data, std::size_t size);

} // namespace nbrhood::test
