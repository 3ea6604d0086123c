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

// A row of the registry, and what its builder counted for one kind of blocks.
struct Counted {
    int choice = kDirectChoice;
    BlockKind kind = BlockKind::one_per_edge;
    Traffic traffic;
};

// The decisions of `auto` on one communicator, from what all its ranks know and from what builders
// count. Used by the engine and by tools, which so decide the same.
//
// It decides for blocks of one size, the expected one; where all ranks know the sizes of a call
// (Roles), for each of a number of sizes.
class Automatic {
public:
    // Keeps references to all of them but the last. worth: see model.h; for blocks of other sizes
    // than the expected one it is kWorthIt.
    Automatic(const Facts &facts, const Costs &costs, const ParameterValues &values,
              double worth = kWorthIt);

    // The size of blocks that is decided for, bytes.
    double expected_bytes() const { return static_cast<double>(expected_bytes_); }

    // The sizes for which it is decided where they are known, ascending: powers of two from 8 bytes
    // to kGreatestThreshold, and what parameters and rows name. A size between two of them is
    // served as the greater one.
    const std::vector<std::size_t> &sizes() const { return sizes_; }

    // As far as no builder must count: why a collective goes direct, or `none` where builders must.
    Reason refuse_early(Collective collective) const;

    // Whether `auto` may choose a row of the registry for a collective here, and could gain from it
    // by the least that it relays: with blocks of the expected size, or, where the user named none,
    // of the size nearest to that which the row serves.
    bool may_gain(const Algorithm &row, Collective collective) const;

    // Seconds that a call takes at the least where it is served by a row, by the least that it
    // relays.
    double least_seconds(const Algorithm &row) const;

    // The makers of builders in the order in which these run, where `auto` decides for some
    // collectives (bits): the most promising first, by its best row.
    std::vector<Maker> order_makers(unsigned collectives) const;

    // The choice that serves a collective with blocks of the expected size, of those that were
    // counted; the first of several that are equally fast, kDirectChoice where none pays.
    int fastest(Collective collective, const std::vector<Counted> &counted) const;

    // The same for all sizes. What is fastest with the expected size also serves all that its T
    // lets through, as it does where sizes are not known. Nothing above kGreatestThreshold is
    // relayed, nor above the T that a parameter sets, but by rows for large blocks.
    SizeChoices fastest_by_size(Collective collective, const std::vector<Counted> &counted) const;

    // For each candidate, whether it is to be built beside `built`: those marked in `wanted`, which
    // a parameter names; for the collectives that `auto` decides (bits) the fastest with blocks of
    // the expected size; and, where one_size says that sizes are known (Builder::one_size) and the
    // user named none, what gains much with others.
    std::vector<char> worth_building(unsigned collectives, std::vector<Counted> built,
                                     const std::vector<Counted> &candidates,
                                     std::vector<char> wanted, bool one_size) const;

    // The combining threshold T of a pattern with that traffic, bytes, whether `auto` chose it or
    // the user.
    std::size_t combining_threshold(const Traffic &traffic) const;

    // The same of a pattern of a row: for large blocks it is what they are larger than.
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
    std::size_t combining_threshold_; // T that the user wants, 0: what the model finds
    std::size_t packing_threshold_;   // P
    std::vector<std::size_t> sizes_;
    std::vector<char> could_gain_; // by the number of the row
};

} // namespace nbrhood
