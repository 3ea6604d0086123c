// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Whole text files, compressed or not.
#pragma once

#include <cstdint>
#include <string>

namespace nbrhood_tools {

/// Returns the contents of the regular file `path`, decompressed with gzip when it starts with
/// gzip's signature. Called by the readers. Throws InputError when it cannot be read, is no regular
/// file, or has more than `most` bytes, decompressed.
std::string read_text_file(const std::string &path, std::int64_t most);

} // namespace nbrhood_tools
