// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The decisions of `auto`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "select/model.h"
#include "select/parameters.h"
#include "select/selection.h"
#include "select/size_choices.h"

namespace nbrhood {

// A row of the registry, and the traffic that its builder counted for one kind of blocks.
struct Counted {
    int choice = kDirectChoice;
    BlockKind kind = BlockKind::one_per_edge;
    Traffic traffic;
};

// The decisions of `auto` on one communicator, from facts that all its ranks know and from the
// counts of builders. The engine and the tools use this class, so they decide identically.
//
// It decides for one size of blocks, the expected size, or, if all ranks know the sizes of a call
// (Roles), for each of several sizes.
class Automatic {
public:
    // Keeps references to all arguments but the last. worth: see model.h; for other sizes than the
    // expected one it is kWorthIt.
    Automatic(const Facts &facts, const Costs &costs, const ParameterValues &values,
              double worth = kWorthIt);

    // The expected size of blocks, bytes.
    double expected_bytes() const { return static_cast<double>(expected_bytes_); }

    // The sizes for which `auto` decides if sizes are known, ascending: powers of two from 8 bytes
    // to kGreatestThreshold, and sizes from parameters and rows. A size between two of them is
    // served as the greater one.
    const std::vector<std::size_t> &sizes() const { return sizes_; }

    // Why a collective goes direct, if that is known before any builder counts; otherwise `none`.
    Reason refuse_early(Collective collective) const;

    // Whether `auto` may choose a row of the registry for a collective here, and the row's least
    // traffic would gain: with blocks of the expected size or, if the user named no size, of the
    // nearest size that the row serves.
    bool may_gain(const Algorithm &row, Collective collective) const;

    // Seconds of a call with the least traffic of a row.
    double least_seconds(const Algorithm &row) const;

    // The makers of builders in the order in which these run, if `auto` decides for these
    // collectives (bits): the one with the most promising row first.
    std::vector<Maker> order_makers(unsigned collectives) const;

    // The choice, of the counted ones, that serves a collective with blocks of the expected size:
    // the first of several that are equally fast, kDirectChoice if none pays.
    int fastest(Collective collective, const std::vector<Counted> &counted) const;

    // The same for all sizes. The fastest choice for the expected size also serves all blocks up to
    // its T, as it does if sizes are not known. Only rows for large blocks relay blocks above
    // kGreatestThreshold, or above a T that a parameter sets.
    SizeChoices fastest_by_size(Collective collective, const std::vector<Counted> &counted) const;

    // For each candidate, whether to build it in addition to `built`. That is so for candidates
    // marked in `wanted`, which a parameter names; for the fastest one with blocks of the expected
    // size, for the collectives that `auto` decides (bits); and, if sizes are known (one_size, see
    // Builder::one_size) and the user named none, for candidates that gain much at other sizes.
    std::vector<char> worth_building(unsigned collectives, std::vector<Counted> built,
                                     const std::vector<Counted> &candidates,
                                     std::vector<char> wanted, bool one_size) const;

    // The combining threshold T, in bytes, of a pattern with that traffic, whether `auto` or the
    // user chose the pattern.
    std::size_t combining_threshold(const Traffic &traffic) const;

    // The same for a pattern of a row. T of a row for large blocks is the size above which it
    // relays.
    std::size_t combining_threshold(const Algorithm &row, const Traffic &traffic) const;

    // Seconds of a call with blocks of the expected size.
    double direct_seconds(const Traffic &traffic) const;
    double relayed_seconds(const Traffic &traffic) const;

private:
    struct Candidate {
        int choice = kDirectChoice;
        double seconds = 0;
    };

    bool may_choose(const Algorithm &row) const
    {
        return row.shares_cores || facts_.ranks_per_core <= 1;
    }
    double packing_threshold() const { return static_cast<double>(packing_threshold_); }
    std::size_t most_combined() const
    {
        return combining_threshold_ != 0 ? combining_threshold_ : kGreatestThreshold;
    }
    double worth(std::size_t bytes) const { return bytes == expected_bytes_ ? worth_ : kWorthIt; }
    bool worth_adding(Collective collective, const std::vector<Counted> &built,
                      const Counted &more) const;
    SizeRange sizes_of(const Algorithm &row) const;
    std::size_t most_served(const Algorithm &row) const;
    std::size_t asked_size(const Algorithm &row) const;
    bool could_gain(const Algorithm &row) const;
    std::optional<double> predicted_time(const Counted &counted, std::size_t bytes) const;
    Candidate fastest(Collective collective, const std::vector<Counted> &counted,
                      std::size_t bytes) const;

    const Facts &facts_;
    const Costs &costs_;
    const ParameterValues &values_;
    double worth_;
    bool size_is_named_; // by the user
    std::size_t expected_bytes_;
    std::size_t combining_threshold_; // T from the user; 0: from the model
    std::size_t packing_threshold_;   // P
    std::vector<std::size_t> sizes_;
    std::vector<char> could_gain_; // by the number of the row
};

} // namespace nbrhood
