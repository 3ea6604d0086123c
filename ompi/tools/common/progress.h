// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Progress reports for waiting users.
#pragma once

#include <cstddef>
#include <string>

namespace nbrhood_tools {

/// Reports the progress of the run on stderr: every step if `every_step` or stderr is a terminal,
/// else every 15 seconds. If the number of steps is known, it adds an estimate of the time left,
/// from the mean time of the steps so far. In MPI programs called on rank 0.
class Progress {
public:
    /// `program` stands before each line; there will be `steps` steps (0: not known).
    Progress(const char *program, bool every_step, std::size_t steps);
    void next(const std::string &what);

private:
    /// ", about 40 s left", or nothing if the time left is unknown.
    std::string time_left(double now) const;

    const char *program_;
    bool every_step_;
    std::size_t steps_;
    std::size_t done_ = 0;
    double begin_;
    double last_;
};

} // namespace nbrhood_tools
