// Runs the builders of all ranks in one process, for tests and tools.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/builder.h"

namespace nbrhood {

// Steps every builder until all are done: builders[r] belongs to rank r. Messages between an
// ordered pair of ranks keep their order; the result does not depend on the order of the steps.
// Throws std::runtime_error when a builder waits for ever, leaves a message unread, or writes to no
// rank. Returns the number of messages exchanged.
std::size_t run_lockstep(const std::vector<std::unique_ptr<Builder>> &builders);

} // namespace nbrhood
