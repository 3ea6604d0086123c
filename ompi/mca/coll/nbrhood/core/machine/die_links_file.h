// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The file that tells which links join the GPU dies of a node.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "machine/die_table.h"

namespace nbrhood {

// Reads the file format: a row for each die with its number of links to each die, separated by
// blanks, and comments from '#' to the end of a line. In lines that are comments only, two things
// are looked for:
//
//     # packages: 0-1 2-3 4+6 5+7
//     # GCD: 0 1 2 3 4 5 6 7 ; PCI bus c1 c6 c9 ce d1 d6 d9 de ; NUMA 3 3 1 1 0 0 2 2
//
// the dies of each package (GPU), ranges joined by '+', anywhere in a line, up to what does not
// begin with a digit; and where each die is: a bus or a whole address (0000:c1:00.0), and the next
// NUMA node; either may be missing. Without packages these follow from the links
// (packages_by_links). Throws std::invalid_argument "FILE:LINE: reason" for a line that is not
// understood or contradicts one before it: rows that are not of one length, more rows than dies,
// links that differ in the two directions or join a die to itself, packages that leave a die out or
// have one twice, dies in one place; and "FILE: reason" for a table that ends too early.
DieTable read_die_table(std::istream &in, const std::string &file);

// The same for a file that is to be opened: a regular one of at most kMostDieTableBytes. Throws as
// read_die_table(), and std::invalid_argument "FILE: reason" where it cannot be opened or read.
constexpr std::uint64_t kMostDieTableBytes = 1 << 20;
DieTable read_die_table_file(const std::string &file);

// Writes the file format, so that read_die_table() gives an equal table. Called by nbrhood-explain
// for the node on which it runs, and by the tests.
std::string write_die_table(const DieTable &table);

} // namespace nbrhood
