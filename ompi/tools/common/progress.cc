// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "progress.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace nbrhood_tools {

namespace {

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

Progress::Progress(const char *program, bool every_step, std::size_t steps)
    : program_(program), every_step_(every_step || isatty(STDERR_FILENO) != 0), steps_(steps),
      begin_(seconds_now()), last_(begin_)
{}

void Progress::next(const std::string &what)
{
    const double now = seconds_now();
    if (every_step_ || now - last_ > 15) {
        const std::string steps = steps_ > 0 ? " of " + std::to_string(steps_) : "";
        std::fprintf(stderr, "%s: %zu%s, %.0f s%s: %s\n", program_, done_ + 1, steps.c_str(),
                     now - begin_, time_left(now).c_str(), what.c_str());
        last_ = now;
    }
    ++done_;
}

std::string Progress::time_left(double now) const
{
    if (done_ == 0 || done_ >= steps_)
        return "";
    const double of_a_step = (now - begin_) / static_cast<double>(done_);
    return ", about " + std::to_string(std::lround(of_a_step * static_cast<double>(steps_ - done_)))
           + " s left";
}

} // namespace nbrhood_tools
