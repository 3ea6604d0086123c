// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The vector of one level, and the buffers of its exchange.
#pragma once

#include "level.h"

#include "measuring/interfaces.h"

#include <vector>

namespace nbrhood_tools::amg {

/// All methods of exchanging a level's entries use the same buffers in turn, because cache and page
/// placement would otherwise differ between them. The `level` must outlive the object.
class Vectors : public Checkable {
public:
    explicit Vectors(const Level &level);

    const Level &level() const { return level_; }
    /// This rank's entries of the vector.
    double *own() { return own_.data(); }
    /// The send buffer, destination after destination; pack() fills it.
    double *outgoing() { return outgoing_.data(); }
    /// The receive buffer, source after source.
    double *incoming() { return incoming_.data() + 1; }

    /// Copies the entries to send from own() to outgoing(), as hypre does before each exchange.
    void pack()
    {
        for (std::size_t i = 0; i < level_.sent_rows.size(); ++i)
            outgoing_[i] = own_[static_cast<std::size_t>(level_.sent_rows[i])];
    }

    /// The value of an entry in a round depends on its global index only, so the expected data is
    /// known without communication. outgoing() is overwritten, too, so methods that need it must
    /// pack.
    void fill(std::uint64_t round) override;
    std::size_t check(std::uint64_t round, std::string &first) const override;

private:
    const Level &level_;
    std::vector<double> own_;
    std::vector<double> outgoing_;
    std::vector<double> incoming_; ///< with one entry before and one behind that must not change
};

} // namespace nbrhood_tools::amg
