// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The text format in which a rank of a real run records its pattern (MCA parameter
// coll_nbrhood_dump; one file per rank), and its reader.
//
//   nbrhood_recording 3
//   communicator 20261121T170312.481516-job4a2f0001-rank0
//   ranks 16
//   algorithm aggregated
//   host node1
//   node 4
//   domains 1 2 4 none 0
//   region node
//   ranks_per_core 2
//   combining_threshold 8192
//   packing_threshold 8192
//   members 12
//   in peer 7 key 0
//   out peer none key 0 weight 3
//   pattern rank 4 one_per_edge staging 2
//   send combined 1 peer 7 key 0 : s0 s3 t1
//   end
//
// The lines above the edges come in any order, the edges in the order of their slots. The pattern
// follows in its text format. The last line tells a whole file from a truncated one. The line
// `members` is there only if some ranks of the communicator did not take part.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "graph/neighbourhood.h"
#include "pattern/pattern.h"

namespace nbrhood {

// Facts of one rank about a pattern that serves its communicator. The rank's own number is
// pattern.rank.
struct RecordedRank {
    std::string communicator; // recording_name: shared by the ranks of a pattern only
    Rank ranks = 0;           // of the communicator
    Rank members = 0;         // the ranks that made the pattern; each has a file
    std::string algorithm;    // a name of the registry
    std::string host;         // the name of the rank's node
    // The node and, from the socket inwards, the domains of the other levels: see struct Place in
    // machine/machine.h.
    std::int32_t node = 0;
    std::array<std::int16_t, 5> domains{};
    std::string region = "node"; // the level whose domains are the regions
    double ranks_per_core = 1;
    // T and P, bytes. 0: not applicable (direct), or not known (T, on ranks without edges).
    std::uint32_t combining_threshold = 0;
    std::uint32_t packing_threshold = 0;
    Neighbourhood neighbourhood;
    Pattern pattern;
};

// Writes one rank's file. Throws std::invalid_argument and writes nothing if the reader would
// refuse the file (for example because a name is empty or has blanks).
void write_recorded(std::ostream &out, const RecordedRank &rank);

// Reads one rank's file; `file` names it in messages. Throws std::invalid_argument "FILE:LINE:
// reason". All numbers of the result are in range: ranks are in the communicator, blocks in the
// rank's slots and staging, phases exist, no key is negative. Each operation has the number of
// slices that its kind needs. Whether the pattern is correct is up to prove().
RecordedRank read_recorded(std::istream &in, const std::string &file);

} // namespace nbrhood
