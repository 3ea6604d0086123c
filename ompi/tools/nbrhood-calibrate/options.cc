// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/command_line.h"
#include "common/error.h"

namespace nbrhood_tools::calibrate {

namespace {

const char *const description =
    "Measures the costs of messages inside and between the nodes of a cluster, and writes the "
    "cost\nfile from which the algorithm 'auto' of coll/nbrhood decides. Run it under mpirun with "
    "the\nnodes, ranks on each node and options that programs will have.";

const char *const examples = R"(
Needs at least two nodes, and two ranks on one of them. While all ranks of all nodes exchange
messages with ranks of their socket (where ranks are bound to sockets, equally many to each of a
node's), with ranks of the other sockets of their node, and with ranks of other nodes, it varies the number and the
size of the messages; then one rank on each node does so alone. --seconds is kept to within a
few seconds, unless three measurements of everything take longer.
Example
  mpirun -n 128 nbrhood-calibrate -o costs.txt
Exit status: 0 good, 1 costs that fit the times too badly to be used (nothing is written), 2 bad
options, 3 nodes or files that cannot be used.)";

/// The file format cannot represent these characters.
void check_name(const std::string &name)
{
    if (name.find_first_of("#\n\r") != std::string::npos)
        throw OptionError("--name: '#' and line ends cannot be part of a name");
    if (!name.empty() && (name.front() == ' ' || name.back() == ' '))
        throw OptionError("--name: the name starts or ends with a blank");
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    CLI::App app(description, "nbrhood-calibrate");
    app.footer(examples);
    app.add_option("-o,--output", options.output, "write the costs to this file");
    app.add_option("-j,--json", options.json_file,
                   "write all results, with all samples, to this file");
    app.add_option("-n,--name", options.name,
                   "name of the machine (default: its host, ranks and nodes)");
    app.add_option("-s,--seconds", options.seconds, "duration of the measurement")
        ->check(number_between(0.1, 86400))
        ->capture_default_str();
    parse_command_line(app, argc, argv);
    check_name(options.name);
    options.command = command_text(argc, argv);
    return options;
}

} // namespace nbrhood_tools::calibrate
