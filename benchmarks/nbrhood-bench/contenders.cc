// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "contenders.h"

#include "measuring/component_info.h"

#include <algorithm>

namespace nbrhood_tools::bench {

namespace {

const char *const algorithm_key = "nbrhood_alltoallv_algorithm";

template <typename List, typename Value>
bool has(const List &list, const Value &value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Those labels whose algorithms serve MPI_Alltoallv; all if the component does not say which do.
std::vector<std::string> serving(const std::vector<std::string> &labels)
{
    const std::vector<std::string> listed = listed_algorithms("alltoallv");
    std::vector<std::string> found;
    for (const std::string &label : labels)
        if (is_stock(label) || listed.empty() || has(listed, label))
            found.push_back(label);
    return found;
}

} // namespace

bool Contender::learns(Operation operation) const
{
    if (way == Way::linear || is_stock(label))
        return false;
    return label == "auto" || label == "neighbor/auto"
           || (names_all_ranks(operation) && way == Way::call);
}

MPI_Comm create_communicator(Operation operation, const Neighbourhood &part,
                             const std::string &label, MPI_Comm comm)
{
    return names_all_ranks(operation) ? create_duplicate(algorithm_key, label, comm)
                                      : create_topology(part, label, comm);
}

Contenders::Contenders(const Neighbourhood &part, const std::vector<Operation> &operations,
                       const std::vector<std::string> &labels, const std::vector<Way> &ways,
                       bool staged, int creations, MPI_Comm comm)
    : ways_(ways), staged_(staged)
{
    const auto whole = static_cast<std::size_t>(
        std::count_if(operations.begin(), operations.end(), names_all_ranks));
    if (whole < operations.size() || (whole > 0 && has(ways, Way::neighbour)))
        topologies_ = create_candidates(part, labels, creations, comm);
    if (whole > 0)
        duplicates_ = create_candidates(
            [&](const std::string &label) { return create_duplicate(algorithm_key, label, comm); },
            serving(labels), creations, comm);
}

Contenders::~Contenders()
{
    free_candidates(topologies_);
    free_candidates(duplicates_);
}

std::vector<Contender> Contenders::of(Operation operation) const
{
    std::vector<Contender> contenders;
    if (!names_all_ranks(operation)) {
        for (const Candidate &candidate : topologies_) {
            const bool open_mpis = is_stock(candidate.label) || candidate.label == "default";
            contenders.push_back({candidate, staged_ && open_mpis ? Way::staged : Way::call});
        }
        return contenders;
    }
    for (const Candidate &candidate : duplicates_)
        contenders.push_back({candidate, Way::call});
    if (has(ways_, Way::linear)) {
        contenders.push_back({duplicates_.front(), Way::linear});
        contenders.back().label = "linear";
    }
    if (has(ways_, Way::neighbour)) {
        for (const Candidate &candidate : topologies_) {
            if (candidate.label == "stock#2")
                continue;
            contenders.push_back({candidate, Way::neighbour});
            contenders.back().label = "neighbor/" + candidate.label;
        }
    }
    return contenders;
}

} // namespace nbrhood_tools::bench
