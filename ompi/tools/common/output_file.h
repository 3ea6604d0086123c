// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Files for results.
#pragma once

#include <string>

namespace nbrhood_tools {

/// Writes `contents` to `path`: first to a new file beside it, which then replaces it in one step,
/// so that a reader never sees half a file and no other file is touched. If `path` is a link, its
/// target is replaced and the link stays; a device or pipe is written to directly. In MPI programs
/// called on rank 0. Returns an empty string, or the reason for a failure.
std::string replace_file(const std::string &path, const std::string &contents);

/// Returns an empty string if replace_file() can write to the directory of `path` now, or the
/// reason why it cannot. Leaves the file unchanged. In MPI programs called on rank 0, before the
/// work that produces the contents.
std::string check_writable(const std::string &path);

} // namespace nbrhood_tools
