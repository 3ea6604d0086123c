// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// From times to costs. No MPI here.
#pragma once

#include "observation.h"

#include "select/costs.h"

#include <string>
#include <vector>

namespace nbrhood_tools::calibrate {

/// The errors of predictions, as fractions of the observations.
struct FitError {
    double median = 0;
    double largest = 0;
};

/// Costs, and further values that explain the observations.
struct Fit {
    nbrhood::Costs costs;     ///< without a name
    double network_phase = 0; ///< the cost of a phase between nodes; not part of the costs, because
                              ///< relayed and direct exchanges have one such phase each
    double alone_phase_latency = 0; ///< the same with one rank on each node,
    nbrhood::LinkCosts
        alone;             ///< and the costs of that rank, which shares the network with no other
    FitError socket_error; ///< only if sockets are known
    FitError node_error;
    FitError network_error;
    FitError alone_error;
    std::vector<std::string> notes; ///< problems of the fit, for the user
};

/// Fits costs to observations of all kinds by least squares, see solve(). The protocol switch is
/// chosen among the observed sizes: the one with the smallest error for the worse of two groups of
/// times, those inside and those between nodes. Without observations inside sockets, messages
/// inside sockets have the costs of the node, and so does the link between dies, which is never
/// measured. The cost of a byte on the network for its rank is that of a rank alone on its node;
/// the additional cost when all ranks of a node send is injection.
Fit fit(const std::vector<Observation> &observations, const Sharing &sharing);

/// The reason why `auto` must not decide by these costs, for the user: the link, its error and the
/// limit that the error exceeds; nothing if the costs are usable.
std::string why_useless(const Fit &fit);

/// The time that the fit predicts for an exchange, in seconds.
double predict(const Fit &fit, const Sharing &sharing, const Shape &shape);

} // namespace nbrhood_tools::calibrate
