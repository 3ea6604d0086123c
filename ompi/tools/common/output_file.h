// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Files for results.
#pragma once

#include <string>

namespace nbrhood_tools {

/// Writes `contents` to `path`: first to a new file beside it, then in one step in its place, so
/// that a reader never sees half a file and no other file is touched. Where `path` is a link, the
/// file that it leads to is replaced and the link stays; a device or pipe is written to. In MPI
/// programs called on rank 0. Returns an empty string, or why it failed.
std::string replace_file(const std::string &path, const std::string &contents);

/// Returns an empty string if replace_file() can write to the directory of `path` now, or why it
/// cannot. Leaves the file as it is. In MPI programs called on rank 0, before the work whose result
/// goes there.
std::string check_writable(const std::string &path);

} // namespace nbrhood_tools
