// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-walk: the cost of noting an MPI_Alltoallv for a survey. See --help.
#include "walk.h"

#include "common/bounds.h"
#include "common/command_line.h"
#include "common/json.h"
#include "common/number_text.h"
#include "common/output_file.h"
#include "common/text_table.h"
#include "select/costs.h"

#include <algorithm>

namespace nbrhood_tools::walk {

const char *const description =
    "Times how long a rank takes to look at the counts of an MPI_Alltoallv that it notes for a "
    "survey\n(coll_nbrhood_alltoallv_survey), in one process, without MPI. The time is the least "
    "of all samples.";
const char *const footer = R"(
Columns
  share   of a call in which each rank sends a message to each other, at the time for a message of the
          built-in costs of EDR InfiniBand (modelled)
Exit status: 0 good, 2 bad options, 3 no memory, or a file that cannot be written.)";

ExitStatus run(int argc, char **argv)
{
    std::vector<int> ranks{64, 1024, 16384, 100000};
    int few = 16, samples = 200;
    std::string json_file;
    CLI::App app(description, "nbrhood-walk");
    app.footer(footer);
    add_list(app, "-n,--ranks", ranks, "numbers of ranks")
        ->check(CLI::Range(std::int64_t{2}, most_ranks));
    app.add_option("--pairs", few, "ranks with which a rank exchanges bytes; also measured: all")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    app.add_option("--samples", samples, "samples of each time")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("-j,--json", json_file, "also write the results to this file");
    parse_command_line(app, argc, argv);

    const double message = nbrhood::default_costs()[nbrhood::Link::network].message;
    TextTable table({"ranks", "pairs of a rank", "time", "share"}, 0);
    Json json{{"program", "nbrhood-walk"},           {"schema_version", schema_version},
              {"command", command_text(argc, argv)}, {"samples", samples},
              {"message_seconds", message},          {"rows", Json::array()}};
    for (const int count : ranks)
        for (const int pairs : {std::min(few, count - 1), count - 1}) {
            const double seconds = nbrhood_walk_seconds(count, pairs, samples);
            if (seconds < 0)
                throw InputError(std::to_string(count) + " ranks, " + std::to_string(pairs)
                                 + " pairs of a rank: no memory, or other pairs were found");
            const double share = seconds / ((count - 1) * message);
            table.add({std::to_string(count), std::to_string(pairs), time_text(seconds),
                       number_text(100 * share, "%.2f %%")});
            json["rows"].push_back(
                {{"ranks", count}, {"pairs", pairs}, {"seconds", seconds}, {"share", share}});
        }
    table.print();
    if (const std::string failure =
            json_file.empty() ? "" : replace_file(json_file, file_text(json));
        !failure.empty())
        throw InputError(failure);
    return exit_good;
}

} // namespace nbrhood_tools::walk

int main(int argc, char **argv)
{
    return nbrhood_tools::run_tool("nbrhood-walk",
                                   [&] { return nbrhood_tools::walk::run(argc, argv); });
}
