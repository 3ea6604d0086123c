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
// blanks, and comments from '#' to the end of a line. Lines that are only comments may have two
// kinds of entries:
//
//     # packages: 0-1 2-3 4+6 5+7
//     # GCD: 0 1 2 3 4 5 6 7 ; PCI bus c1 c6 c9 ce d1 d6 d9 de ; NUMA 3 3 1 1 0 0 2 2
//
// the dies of each package (GPU) as ranges joined by '+', anywhere in a line, up to the first word
// that does not begin with a digit; and the place of each die: a bus or a whole address
// (0000:c1:00.0), and the nearest NUMA node; either may be missing. Without packages these follow
// from the links (packages_by_links). Throws std::invalid_argument "FILE:LINE: reason" for a line
// that is not understood or contradicts an earlier line: rows of different lengths, more rows than
// dies, links that differ in the two directions or join a die to itself, packages that lack a die
// or have one twice, two dies in one place. Throws "FILE: reason" for a table that ends too early.
DieTable read_die_table(std::istream &in, const std::string &file);

// Opens and reads such a file, a regular file of at most kMostDieTableBytes. Throws as
// read_die_table(), and std::invalid_argument "FILE: reason" if the file cannot be opened or read.
constexpr std::uint64_t kMostDieTableBytes = 1 << 20;
DieTable read_die_table_file(const std::string &file);

// Writes the file format, so that read_die_table() gives an equal table. Called by nbrhood-explain
// for the node on which it runs, and by the tests.
std::string write_die_table(const DieTable &table);

} // namespace nbrhood
