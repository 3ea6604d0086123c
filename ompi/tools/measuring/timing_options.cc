// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "timing_options.h"

namespace nbrhood_tools {

void add_timing_options(CLI::App &app, TimingSettings &timing, bool &no_twin,
                        const std::string &limited)
{
    app.add_option("-s,--samples", timing.samples, "samples of each algorithm")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("-c,--calls", timing.calls, "calls in a sample")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--warmup", timing.warmup, "samples before the measured ones, not counted")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    app.add_option("--max-seconds", timing.max_seconds,
                   "for " + limited + ": beyond it fewer calls, then fewer samples")
        ->check(number_between(1e-3, 1e6))
        ->capture_default_str();
    app.add_flag("--no-aa", no_twin,
                 "omit stock#2, a second measurement of stock that shows the noise");
}

void add_creation_option(CLI::App &app, int &creations)
{
    app.add_option("--creations", creations, "communicators (and requests) made to time creation")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
}

} // namespace nbrhood_tools
