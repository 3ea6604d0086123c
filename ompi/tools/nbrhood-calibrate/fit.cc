// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "fit.h"

#include "least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>

namespace nbrhood_tools::calibrate {

using nbrhood::Costs;
using nbrhood::Link;
using nbrhood::LinkCosts;

namespace {

/// A postal model of one kind of exchange: phases, messages and bytes of two protocols.
struct LinkFit {
    double phase = 0;
    LinkCosts costs;
    double squares = 0;
};

std::vector<Observation> of_kind(const std::vector<Observation> &all, Kind kind)
{
    std::vector<Observation> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [kind](const Observation &o) { return o.shape.kind == kind; });
    return some;
}

bool is_long(const Shape &shape, double protocol_switch)
{
    return static_cast<double>(shape.bytes) > protocol_switch;
}

/// The times are divided by `sharing`, the number of ranks per core.
LinkFit fit_link(const std::vector<Observation> &observations, double sharing,
                 double protocol_switch)
{
    std::vector<Row> rows;
    std::vector<double> values;
    for (const Observation &o : observations) {
        Row row{static_cast<double>(o.shape.rounds), 0, 0, 0, 0};
        const std::size_t first = is_long(o.shape, protocol_switch) ? 3 : 1;
        row[first] = o.shape.all_messages();
        row[first + 1] = o.shape.all_bytes();
        rows.push_back(row);
        values.push_back(o.seconds / sharing);
    }
    const Solution solution = solve(rows, values);
    const Row &x = solution.coefficients;
    return {x[0], {x[1], x[2], x[3], x[4]}, solution.squares};
}

/// Sizes after which the protocol may change: enough sizes on both sides to fit two lines.
std::vector<double> possible_switches(const std::vector<Observation> &observations)
{
    std::set<double> sizes;
    for (const Observation &o : observations)
        if (o.shape.kind != Kind::copy)
            sizes.insert(static_cast<double>(o.shape.bytes));
    std::vector<double> all(sizes.begin(), sizes.end());
    if (all.size() < 4)
        return {all.empty() ? 0 : all.back()};
    return {all.begin() + 1, all.end() - 2};
}

/// The cost of a byte for the rank that sends and receives it, from its costs while all ranks send
/// and while one rank sends. The shared injection explains the difference between the two; the
/// remainder is the rank's.
double byte_of_rank(double together, double alone, double injection_of_rank)
{
    constexpr double kNoise = 1.1;
    return together > kNoise * injection_of_rank ? together : std::min(together, alone);
}

/// No message takes less than this many seconds, and no byte less than a thousandth of it: smaller
/// results of the solver count as zero.
constexpr double kLeast = 1e-11;

/// Four digits, more than the noise of any measurement justifies.
double rounded(double value, double least)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value < least ? 0 : value);
    return std::strtod(text, nullptr);
}

void round_all(Costs &costs)
{
    for (LinkCosts &link : costs.links) {
        for (double *value : {&link.message, &link.long_message})
            *value = rounded(*value, kLeast);
        for (double *value : {&link.byte, &link.long_byte})
            *value = rounded(*value, kLeast / 1000);
    }
    costs.injection_byte = rounded(costs.injection_byte, kLeast / 1000);
    costs.copy_byte = rounded(costs.copy_byte, kLeast / 1000);
    costs.phase_latency = rounded(costs.phase_latency, kLeast);
}

FitError error_of(const Fit &fit, const Sharing &sharing, const std::vector<Observation> &some)
{
    std::vector<double> errors;
    for (const Observation &o : some)
        errors.push_back(std::abs(predict(fit, sharing, o.shape) / o.seconds - 1));
    std::sort(errors.begin(), errors.end());
    return errors.empty() ? FitError{} : FitError{errors[errors.size() / 2], errors.back()};
}

/// With a larger error, other causes than messages and bytes dominated the times.
constexpr double kBadFit = 0.4;

/// With larger errors the costs are useless: half of the exchanges take less than half of the
/// predicted time, or one takes less than a tenth, which is more than the differences between
/// algorithms. Good fits have medians of up to 20 % and largest errors of up to 60 %. With ten busy
/// programs for each core beside the emulated cluster they were up to 58 % and 470 %.
constexpr double kUselessMedian = 1;
constexpr double kUselessLargest = 9;

void add_notes(Fit &fit)
{
    if (std::max(fit.node_error.median, fit.network_error.median) > kBadFit)
        fit.notes.emplace_back(
            "the costs fit the times poorly; measure longer, or on a quiet machine");
    const auto note = [&fit](double value, const char *what) {
        if (value == 0)
            fit.notes.push_back(std::string("the cost of ") + what
                                + " could not be told from zero; measure longer, or on a quiet "
                                  "machine");
    };
    note(fit.costs[Link::node].message, "a message inside a node");
    note(fit.costs[Link::network].message, "a message between nodes");
    note(fit.costs.injection_byte, "an injected byte");
    note(fit.costs.phase_latency, "phase_latency");
}

} // namespace

Fit fit(const std::vector<Observation> &observations, const Sharing &sharing)
{
    const std::vector<Observation> socket = of_kind(observations, Kind::socket);
    const std::vector<Observation> node = of_kind(observations, Kind::node);
    const std::vector<Observation> network = of_kind(observations, Kind::network);
    const std::vector<Observation> alone = of_kind(observations, Kind::alone);

    Fit fit;
    LinkFit inside;
    LinkFit between;
    LinkFit single;
    double least = std::numeric_limits<double>::infinity();
    for (double protocol_switch : possible_switches(observations)) {
        const LinkFit a = fit_link(node, sharing.local, protocol_switch);
        const LinkFit b = fit_link(network, sharing.nonlocal, protocol_switch);
        const LinkFit c = fit_link(alone, 1, protocol_switch);
        // Shared memory and the network change protocols at different sizes. The single switch must
        // serve both: it is chosen for the one that it describes worse.
        const double worse = std::max(a.squares / static_cast<double>(node.size()),
                                      b.squares / static_cast<double>(network.size()));
        if (worse < least) {
            least = worse;
            fit.costs.protocol_switch = protocol_switch;
            inside = a;
            between = b;
            single = c;
        }
    }

    Costs &costs = fit.costs;
    costs[Link::node] = inside.costs;
    costs.phase_latency = inside.phase;
    costs[Link::network] = between.costs;
    costs.injection_byte = between.costs.long_byte * sharing.nonlocal / sharing.crossing;
    const double injection_of_rank = between.costs.long_byte;
    costs[Link::network].byte =
        byte_of_rank(between.costs.byte, single.costs.byte, injection_of_rank);
    costs[Link::network].long_byte =
        byte_of_rank(between.costs.long_byte, single.costs.long_byte, injection_of_rank);
    fit.network_phase = between.phase;
    fit.alone_phase_latency = single.phase;
    fit.alone = single.costs;
    for (const Observation &o : of_kind(observations, Kind::copy))
        costs.copy_byte = o.seconds / sharing.copy / o.shape.all_bytes();
    costs[Link::socket] = socket.empty()
                              ? costs[Link::node]
                              : fit_link(socket, sharing.local, costs.protocol_switch).costs;
    costs[Link::die_pair] = costs[Link::socket];
    round_all(costs);

    fit.socket_error = error_of(fit, sharing, socket);
    fit.node_error = error_of(fit, sharing, node);
    fit.network_error = error_of(fit, sharing, network);
    fit.alone_error = error_of(fit, sharing, alone);
    add_notes(fit);
    return fit;
}

std::string why_useless(const Fit &fit)
{
    const struct {
        const char *name;
        const FitError &error;
    } links[] = {{"inside sockets", fit.socket_error},
                 {"inside nodes", fit.node_error},
                 {"between nodes", fit.network_error},
                 {"between nodes (one rank on each)", fit.alone_error}};
    const auto text = [](const char *name, const char *which, double error, double limit) {
        char line[160];
        std::snprintf(line, sizeof line, "%s the %s error of the fit is %.0f %%, the limit %.0f %%",
                      name, which, error * 100, limit * 100);
        return std::string(line);
    };
    for (const auto &[name, error] : links) {
        // Written as a negation, so that an error that is not a number also counts as too large.
        if (!(error.median <= kUselessMedian))
            return text(name, "median", error.median, kUselessMedian);
        if (!(error.largest <= kUselessLargest))
            return text(name, "largest", error.largest, kUselessLargest);
    }
    return "";
}

double predict(const Fit &fit, const Sharing &sharing, const Shape &shape)
{
    const Costs &costs = fit.costs;
    const bool is_second = is_long(shape, costs.protocol_switch);
    const auto message = [is_second](const LinkCosts &c) {
        return is_second ? c.long_message : c.message;
    };
    const auto byte = [is_second](const LinkCosts &c) { return is_second ? c.long_byte : c.byte; };
    switch (shape.kind) {
    case Kind::socket:
    case Kind::node: {
        const LinkCosts &link = costs[shape.kind == Kind::socket ? Link::socket : Link::node];
        return sharing.local
               * (shape.rounds * costs.phase_latency + shape.all_messages() * message(link)
                  + shape.all_bytes() * byte(link));
    }
    case Kind::network:
        return sharing.nonlocal
                   * (shape.rounds * fit.network_phase
                      + shape.all_messages() * message(costs[Link::network]))
               + shape.all_bytes()
                     * std::max(sharing.nonlocal * byte(costs[Link::network]),
                                sharing.crossing * costs.injection_byte);
    case Kind::alone:
        return shape.rounds * fit.alone_phase_latency + shape.all_messages() * message(fit.alone)
               + shape.all_bytes() * byte(fit.alone);
    case Kind::copy:
        break;
    }
    return sharing.copy * shape.all_bytes() * costs.copy_byte;
}

} // namespace nbrhood_tools::calibrate
