// The choices that a user has for each collective.
#pragma once

#include <optional>
#include <string_view>

#include "algorithms/registry.h"
#include "select/model.h"

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

// Whether `auto` may choose a row of the registry on a communicator with these facts.
bool may_choose(const Algorithm &row, const Facts &facts);

// The seconds with which an algorithm competes for `auto`, for blocks of that size; nothing where
// `auto` may not choose it or it does not pay. The least wins. Used by the engine and, with the
// same verdict, by tools.
std::optional<double> bid(const Algorithm &row, const Traffic &traffic, const Facts &facts,
                          const Costs &costs, double block_bytes, double pack_limit);

} // namespace nbrhood
