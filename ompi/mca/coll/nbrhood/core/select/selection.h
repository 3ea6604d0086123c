// Which algorithm serves a collective of a communicator: decided once, from facts all ranks agree
// on.
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/registry.h"

namespace nbrhood {

// The values of the MCA parameters coll_nbrhood_<collective>_algorithm: the two below, then the
// rows of the registry.
constexpr int kAuto = 0;
constexpr int kDefault = 1; // what Open MPI does without the component
constexpr int kFirstRow = 2;

// The number of values, and the name of a value ("auto", "default", "direct", ...). Null when there
// is no such value.
int choices();
const char *choice_name(int choice);

// The value of that name, or -1.
int find_choice(std::string_view name);

// Facts of a communicator that all ranks know after one allgather.
struct Facts {
    std::int64_t ranks_with_edges = 0;
    std::int64_t edges = 0;          // self edges left out
    std::int64_t edges_nonlocal = 0; // between regions
    int regions = 1;
};

// What a message costs, in units of a message within a region (postal model: a term a message; the
// sizes are left to the ride threshold, which keeps relayed blocks small).
struct CostModel {
    double nonlocal = 4.0; // a message between regions
    double phase = 2.5;    // waiting for the phases of a relayed exchange, for each rank
};

// The verdict of `auto` before a pattern is built: whether building could pay at all, however few
// messages the pattern needed.
bool may_pay(const Facts &facts, const CostModel &model);

// The verdict of `auto` on a pattern, from the totals of all ranks. Used on one rank, which tells
// the others.
bool pays(const Traffic &traffic, std::int64_t ranks_with_edges, const CostModel &model);

} // namespace nbrhood
