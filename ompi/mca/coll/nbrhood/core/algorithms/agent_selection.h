// Which rank of the opposite half becomes the agent of which: a matching by shared neighbours.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood {

// One half's ranks and those of the other half as candidates, by what they share: one bit for each
// destination in the candidates' half, set where a rank has it as out-neighbour.
struct AgentSearch {
    using Row = std::vector<std::uint64_t>;
    std::vector<Row> origins;    // that look for an agent
    std::vector<Row> candidates; // no row (empty): cannot be an agent
};

// Selects an agent for each origin, or none (-1): the greedy matching by the number of shared
// destinations, the most first, ties by the lower origin and then the lower candidate. With
// most_origins 1 that is what the negotiation of Sharifian, Sojoodi, Afsahi (2024), algorithms 2
// and 3, comes to: there, too, a pair is matched when each is the best that is left to the other.
// With more, origins that got none share the agents: all get a second origin before any gets a
// third. Only ranks that share a destination are matched.
//
// Each origin keeps its best few candidates, and looks for more when these are taken; so the memory
// grows with the number of ranks, while the result is that of complete lists.
std::vector<int> select_agents(const AgentSearch &search, int most_origins);

} // namespace nbrhood
