// The engine's view of a communicator, over threads of one process.
#pragma once

#include <functional>
#include <vector>

#include "engine/engine.h"
#include "support.h"

namespace nbrhood::test {

// What all ranks of one creation ended with.
struct Created {
    std::vector<Topology> topologies;
    std::vector<int> errors;
    std::vector<int> synchronisations; // as the communicator counts them
    bool mail_left = false;
};

// What serves blocks of that size.
const Served &served_at(const ServedSizes &sizes, std::size_t bytes);

// Takes over what builders are steered by.
void set_tuning(Settings &settings, const Tuning &tuning);

// Gives a parameter another value than it has, within its range.
void change_value(ParameterValues &values, const Parameter &parameter);

// Creates the topology of every rank in a thread of its own; settings[r] belongs to rank r. A rank
// that waits for longer than half a minute gives up with an error. places[r] is what rank r says of
// itself; with told = false no rank knows the domains of others before all say theirs. change: may
// change what a rank writes to another (called by several threads, one at a time).
using ChangeLetter = std::function<void(Rank from, Message &letter)>;
Created create_all(const Graph &graph, const std::vector<Place> &places,
                   const std::vector<Settings> &settings, bool told = true,
                   const ChangeLetter &change = {});
// On a machine whose regions are nodes.
Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings, const ChangeLetter &change = {});
Created create_all(const Graph &graph, const Machine &machine, const Settings &settings);

} // namespace nbrhood::test
