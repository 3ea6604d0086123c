// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Writes the patterns that serve a communicator to files (MCA parameter coll_nbrhood_dump).
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace nbrhood {

// Where the user wants recordings, and how this one is named: rank Topology::named_by of the
// communicator by its job and its number there, which all its ranks know.
struct RecordingPlace {
    std::string directory;
    std::uint32_t job = 0;
    std::uint32_t number = 0;
};

// Result of a recording.
struct Recording {
    std::string directory; // of this creation or build
    int files = 0;         // that this rank wrote
    std::string failure;   // "FILE: reason", or empty
};

// The name of the recording of a creation, or of a build while the program runs: the same on all
// ranks that take part, different from any other. A process is in its job under one number, and
// never gives the same timestamp (Settings::timestamp, in microseconds since 1970, UTC) twice; so
// what the same process names differs, as do recordings of two jobs, even where job numbers or
// communicator ids come again.
std::string recording_name(std::int64_t timestamp, std::uint32_t job, std::uint32_t number);

// Writes the patterns of one rank, each (algorithm, kind of blocks) once, as
// DIRECTORY/<name>/<algorithm>-<kind>/<rank>.txt in the format of pattern/dump.h, and lets go of
// them. Makes directories that are missing, overwrites no file, stops at the first failure. To be
// called at the end of a CreationBuild or ComponentBuild, with Settings::keep_patterns and
// the same arguments; by each rank on its own, nothing is communicated. What `default` serves has
// no pattern. Throws std::bad_alloc.
Recording record_patterns(Topology &topology, const Neighbourhood &neighbourhood, Place place,
                          Rank ranks, const Settings &settings, const RecordingPlace &where);

} // namespace nbrhood
