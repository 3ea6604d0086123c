// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Writes the patterns that serve a communicator to files (MCA parameter coll_nbrhood_dump).
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace nbrhood {

// The directory for recordings, and the process that names this one: rank Topology::named_by, by
// its job and its number in the job, which all ranks of the communicator know.
struct RecordingPlace {
    std::string directory;
    std::uint32_t job = 0;
    std::uint32_t number = 0;
};

// Result of a recording.
struct Recording {
    std::string directory; // of the recording
    int files = 0;         // files that this rank wrote
    std::string failure;   // "FILE: reason", or empty
};

// The name of the recording of a creation, or of a build while the program runs: the same on all
// ranks that take part, and unique. The process that names it has one number in its job and never
// uses a timestamp (Settings::timestamp, in microseconds since 1970, UTC) twice, so its recordings
// have different names. Recordings of two jobs have different names, too, even if job numbers or
// communicator ids are reused.
std::string recording_name(std::int64_t timestamp, std::uint32_t job, std::uint32_t number);

// Writes the patterns of one rank, each (algorithm, kind of blocks) once, as
// DIRECTORY/<name>/<algorithm>-<kind>/<rank>.txt in the format of pattern/dump.h, and releases
// them. Creates missing directories, overwrites no file, stops at the first failure. To be called
// at the end of a CreationBuild or ComponentBuild that ran with Settings::keep_patterns, and with
// its arguments; by each rank on its own, without communication. Collectives that `default` serves
// have no pattern. Throws std::bad_alloc.
Recording record_patterns(Topology &topology, const Neighbourhood &neighbourhood, Place place,
                          Rank ranks, const Settings &settings, const RecordingPlace &where);

} // namespace nbrhood
