// The engine's view of a communicator, over threads of one process.
#pragma once

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

// Creates the topology of every rank in a thread of its own; settings[r] belongs to rank r. A rank
// that waits for longer than half a minute gives up with an error.
Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings);
Created create_all(const Graph &graph, const Machine &machine, const Settings &settings);

} // namespace nbrhood::test
