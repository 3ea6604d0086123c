// What `auto` decides.
#pragma once

#include <cstddef>
#include <optional>

#include "select/model.h"
#include "select/parameters.h"
#include "select/selection.h"

namespace nbrhood {

// The decisions of `auto` on one communicator, from what all its ranks know and from what builders
// count. Used by the engine and by tools, which so decide the same.
class Automatic {
public:
    // Keeps references to the facts and the costs.
    Automatic(const Facts &facts, const Costs &costs, const ParameterValues &values);

    // The size of blocks that is decided for, bytes.
    double expected_bytes() const { return expected_bytes_; }

    // As far as no builder must count: why a collective is left to Open MPI, or `none` where
    // builders must.
    Reason refuse_early(Collective collective) const;

    // Whether `auto` may choose a row of the registry here, and could gain from it by the least
    // that it relays.
    bool may_gain(const Algorithm &row) const;

    // Seconds that a call takes at the least where it is served by a row, by the least that it
    // relays.
    double least_seconds(const Algorithm &row) const;

    // The seconds with which an algorithm competes; nothing where `auto` may not choose it or it
    // does not pay. The least wins.
    std::optional<double> predicted_time(const Algorithm &row, const Traffic &traffic) const;

    // The combining threshold T of a pattern with that traffic, bytes, whether `auto` chose it or
    // the user.
    std::size_t combining_threshold(const Traffic &traffic) const;

    // Seconds of a call with blocks of the expected size.
    double direct_seconds(const Traffic &traffic) const;
    double relayed_seconds(const Traffic &traffic) const;

private:
    bool may_choose(const Algorithm &row) const
    {
        return row.shares_cores || facts_.ranks_per_core <= 1;
    }

    const Facts &facts_;
    const Costs &costs_;
    double expected_bytes_;
    std::size_t combining_threshold_; // T that the user wants, 0: what the model finds
    std::size_t packing_threshold_;   // P
};

} // namespace nbrhood
