// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// From times to costs. No MPI here.
#pragma once

#include "observation.h"

#include "select/costs.h"

#include <string>
#include <vector>

namespace nbrhood_tools::calibrate {

/// How far predictions are from observations, as fractions of what was observed.
struct FitError {
    double median = 0;
    double largest = 0;
};

/// Costs, and what else explains the observations from which they come.
struct Fit {
    nbrhood::Costs costs;     ///< without a name
    double network_phase = 0; ///< what a phase between nodes costs; no part of the costs, because
                              ///< relayed and direct exchanges have one of these each
    double alone_phase_latency = 0; ///< the same, with one rank on each node,
    nbrhood::LinkCosts alone;       ///< and the costs of that rank, which it shares with nobody
    FitError socket_error;          ///< where there are sockets
    FitError node_error;
    FitError network_error;
    FitError alone_error;
    std::vector<std::string> notes; ///< what is wrong with the fit, for the user
};

/// Fits costs to observations of all kinds by least squares, see solve(). The protocol switch
/// is the observed size with which the worse explained of the times inside and between nodes are
/// explained best. Where there are no observations inside sockets, these cost what the node does,
/// and so does the link between dies, which is never measured. The cost of a byte on the network
/// for its rank is that of a rank alone on its node; what the ranks of a node pay more when all
/// send is injection.
Fit fit(const std::vector<Observation> &observations, const Sharing &sharing);

/// Why `auto` must not decide by these costs, for the user: the link, its error and the limit that
/// this is above; nothing where it may.
std::string why_useless(const Fit &fit);

/// The time that the fit predicts for an exchange, in seconds.
double predict(const Fit &fit, const Sharing &sharing, const Shape &shape);

} // namespace nbrhood_tools::calibrate
