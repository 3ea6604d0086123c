// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// News for those who wait.
#pragma once

#include <cstddef>
#include <string>

namespace nbrhood_tools {

/// Tells on stderr how far the run is: every step if `every_step` or stderr is a terminal, else
/// every 15 seconds; and, where the number of steps is known, how long it will take from there if
/// the others take as long as those before. In MPI programs called on rank 0.
class Progress {
public:
    /// `program` stands before each line; there will be `steps` steps (0: not known).
    Progress(const char *program, bool every_step, std::size_t steps);
    void next(const std::string &what);

private:
    /// ", about 40 s left", or nothing where nothing is known.
    std::string time_left(double now) const;

    const char *program_;
    bool every_step_;
    std::size_t steps_;
    std::size_t done_ = 0;
    double begin_;
    double last_;
};

} // namespace nbrhood_tools
