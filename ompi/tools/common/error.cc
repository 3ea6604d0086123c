// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "error.h"

#include <cstdio>

namespace nbrhood_tools {

ExitStatus run_reporting_errors(const char *program, bool print,
                                const std::function<ExitStatus()> &body)
{
    const auto report = [&](const std::exception &error) {
        if (print)
            std::fprintf(stderr, "%s: %s\n", program, error.what());
    };
    try {
        return body();
    } catch (const OptionError &error) {
        report(error);
        return exit_bad_options;
    } catch (const InputError &error) {
        report(error);
        return exit_bad_input;
    }
}

} // namespace nbrhood_tools
