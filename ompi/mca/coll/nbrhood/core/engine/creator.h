// One rank's part of a creation as a sequence of questions to the other ranks: who asks them, and
// how the answers come, is the caller's matter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/building.h"
#include "engine/engine.h"

namespace nbrhood {

// What every rank tells all others, in the one allgather of a creation.
struct Record {
    Place place;
    std::int32_t edges = 0;     // in and out, with self edges: zero means that it may skip calls
    std::int32_t out_edges = 0; // without self edges
    float ranks_per_core = 1;
    // Those that leave the node, and those that leave the domain on the level of the regions: which
    // of them are non-local is known when all places are.
    std::int32_t out_of_node = 0;
    std::int32_t out_of_domain = 0;
    std::uint32_t hazards = 0; // why Open MPI's own collectives cannot be trusted here
    std::uint32_t presence = 0;
    std::uint64_t balance = 0;
    std::int64_t timestamp = 0; // that of rank 0 names a recording of the patterns
    std::uint64_t settings = 0;
};
static_assert(sizeof(Record) == 64, "the same on all ranks, without gaps");

// What a topology takes over from the settings, and from the neighbourhood.
WireSettings wire_settings(const Settings &settings);
void set_slots(const Neighbourhood &neighbourhood, Topology &topology);

// Finds out how the collectives of a communicator, or of a connected part of it, are served. In
// this order: record() goes to all ranks, gathered() takes the records of all; step() until it
// returns nothing; where wants_sum(), the numbers of to_add() are added up over all ranks for
// added(); finish(). Nothing here waits or sends.
class Creator {
public:
    // locality: how near a rank is, as far as is known without asking it. numbers: the
    // communicator's numbers of the ranks that take part, where these are not all of them: then the
    // neighbourhood, and all that is told, is in the numbers that ranks have in this list, and only
    // what the topology keeps is in those of the communicator. Keeps references to all arguments.
    Creator(const Neighbourhood &neighbourhood, const Settings &settings,
            const std::function<Locality(Rank)> &locality, Topology &topology,
            const std::vector<Rank> *numbers = nullptr)
        : neighbourhood_(neighbourhood), settings_(settings), locality_(locality),
          topology_(topology), numbers_(numbers)
    {}

    Record record(Place own_place) const;
    // all: by rank.
    void gathered(const std::vector<Record> &all);
    // One superstep of building, with what the last one expected; nothing: there are no more.
    std::optional<Step> step(const std::vector<Message> &inbox)
    {
        return building_ ? building_->step(inbox) : std::nullopt;
    }
    bool wants_sum() const { return building_ && building_->ran(); }
    std::vector<std::uint64_t> to_add() const;
    void added(const std::vector<std::uint64_t> &sums);
    void finish();

private:
    void discover(const std::vector<Record> &all);
    bool present_identically(const std::vector<Record> &all);
    void serve_all(int choice, Reason reason);
    bool all_equal(std::uint64_t sum, std::uint64_t squares) const;
    std::uint64_t count_nonlocal() const;
    void serve_direct(int c, BuiltProgram (&direct)[kBlockKinds]);

    const Neighbourhood &neighbourhood_;
    const Settings &settings_;
    const std::function<Locality(Rank)> &locality_;
    Topology &topology_;
    const std::vector<Rank> *numbers_;
    Machine machine_;
    std::vector<char> has_edges_;
    std::uint32_t hazards_ = 0; // of all ranks
    std::optional<Building> building_;
};

} // namespace nbrhood
