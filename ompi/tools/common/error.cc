// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "error.h"

#include <cstdio>
#include <new>

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
    } catch (const HelpRequest &help) {
        if (print)
            std::fputs(help.what(), stdout);
        return exit_good;
    } catch (const OptionError &error) {
        report(error);
        return exit_bad_options;
    } catch (const InputError &error) {
        report(error);
        return exit_bad_input;
    }
}

int run_tool(const char *program, const std::function<ExitStatus()> &body)
{
    try {
        return run_reporting_errors(program, true, body);
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr, "%s: there is not enough memory\n", program);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
    }
    return exit_bad_input;
}

} // namespace nbrhood_tools
