// What all ranks tell each other where a topology is built when it is created.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/building.h"
#include "engine/survey.h"

namespace nbrhood {

// What every rank tells all others, in the one allgather of a creation.
struct Record {
    // A Place, which would have a gap at its end.
    std::int32_t node = 0;
    std::array<std::int16_t, kLevels - 1> domains{};
    std::uint8_t over_tcp = 0;  // 1: Settings::over_tcp
    std::uint8_t edges = 0;     // 1: it has some, in or out, self edges too; else it may skip calls
    std::uint32_t dies = 0;     // see hash_of_dies
    std::int32_t out_edges = 0; // without self edges
    float ranks_per_core = 1;
    // Those that leave the node, and those that leave the domain on the level of the regions: which
    // of them are non-local is known when all places are.
    std::int32_t out_of_node = 0;
    std::int32_t out_of_domain = 0;
    std::uint32_t presence = 0;
    std::uint64_t balance = 0;
    std::int64_t timestamp = 0; // that of rank 0 names a recording of the patterns
    std::uint64_t settings = 0;

    Place place() const { return Place{node, domains}; }
};
static_assert(sizeof(Record) == 64, "the same on all ranks, without gaps");

// locality: how near a rank is, as far as is known without asking it.
Record record_of(const Neighbourhood &neighbourhood, const Settings &settings,
                 const std::function<Locality(Rank)> &locality, Place own_place);

// What follows from the records of all ranks, which are in rank order; the topology takes over what
// it keeps of them, and what is wrong. False where nothing else in a record has a meaning, as the
// component is not the same on all ranks.
bool discover(const std::vector<Record> &all, const Neighbourhood &neighbourhood,
              const Settings &settings, Topology &topology, Survey &survey,
              Participants &participants);

} // namespace nbrhood
