// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-peers: an exchange by Open MPI, by the component and by MPI Advance, in one run.
#include "common/ratio_text.h"
#include "measuring/agreement.h"
#include "measuring/communicators.h"
#include "measuring/program.h"
#include "measuring/results_json.h"
#include "measuring/timing_options.h"
#include "measuring/verification.h"

#include <locality_aware.h>
#include <nbrhood.h>

#include <deque>

using namespace nbrhood_tools;

namespace {

const char *const methods_text = R"(Methods
  stock                  Open MPI's own MPI_Neighbor_alltoallv_init, to which the ratios refer
  blocking, nonblocking  its MPI_Neighbor_alltoallv and MPI_Ineighbor_alltoallv
  auto                   the component's MPI_Neighbor_alltoallv_init, at its defaults
  advance                MPI Advance's MPIL_Neighbor_alltoallv_init, aggregating
  *_indices              for files: with indices of the values, so that equal ones travel once
Exit status: 0 good, 1 a method delivered wrong data, 2 bad options, 3 bad input.)";

/// The values that a rank sends, or receives.
struct Side {
    std::vector<int> counts, starts{0};
    std::vector<long> indices; ///< in a vector that is distributed over the ranks
    std::vector<double> values;

    void add(const std::vector<int> &entries, long first, int length)
    {
        for (int entry : entries)
            for (int i = 0; i < length; ++i)
                indices.push_back((first + entry) * length + i);
        counts.push_back(static_cast<int>(entries.size()) * length);
        starts.push_back(static_cast<int>(indices.size()));
        values.resize(indices.size() + 1);
    }
    double value(std::size_t i, std::uint64_t round) const { return indices[i] + round / 1024.; }
};

struct Blocks : Checkable {
    Side sent, received;

    /// `parts`: of all ranks; an entry has `length` values.
    Blocks(const std::vector<Neighbourhood> &parts, int rank, int length)
    {
        std::vector<long> first{0};
        for (const Neighbourhood &part : parts)
            first.push_back(first.back() + part.own_entries);
        for (const std::vector<int> &entries : parts[rank].destination_entries)
            sent.add(entries, first[rank], length);
        for (std::size_t i = 0; i < parts[rank].sources.size(); ++i)
            received.add(parts[rank].source_entries[i], first[parts[rank].sources[i]], length);
        for (Side *side : {&sent, &received})
            side->add({}, 0, 0); // no empty arrays: Open MPI refuses null pointers
    }
    void fill(std::uint64_t round) override
    {
        for (std::size_t i = 0; i < sent.indices.size(); ++i)
            sent.values[i] = sent.value(i, round);
        received.values.assign(received.values.size(), -1);
    }
    std::size_t check(std::uint64_t round, std::string &first) const override
    {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < received.indices.size(); ++i)
            wrong += received.values[i] == received.value(i, round) ? 0 : sizeof(double);
        first = "received values";
        return wrong;
    }
};

#define SENT s.values.data(), s.counts.data(), s.starts.data()
#define RECEIVED r.values.data(), r.counts.data(), r.starts.data()

/// A row of the table. Its label says how it works.
struct Method : Repeatable {
    MethodResult result;
    Side &s, &r;
    MPI_Comm comm = MPI_COMM_NULL;
    MPIL_Comm *advance = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
    MPIL_Request *advance_request = nullptr;

    explicit Method(Blocks &blocks) : s(blocks.sent), r(blocks.received) {}
    bool is(const char *part) const { return result.label.find(part) != std::string::npos; }
    void prepare() override
    {
        const MPI_Datatype t = MPI_DOUBLE;
        const long *in = is("indices") ? s.indices.data() : nullptr, *out = r.indices.data();
        MPIL_Request **made = &advance_request;
        if (is("advance_indices"))
            MPIL_Neighbor_alltoallv_init_ext(SENT, in, t, RECEIVED, out, t, advance, nullptr, made);
        else if (is("advance"))
            MPIL_Neighbor_alltoallv_init(SENT, t, RECEIVED, t, advance, nullptr, made);
        else if (!is("blocking"))
            nbrhood_neighbor_alltoallv_init(SENT, t, in, RECEIVED, t, out, comm, MPI_INFO_NULL,
                                            &request);
    }
    void run() override
    {
        if (is("advance")) {
            MPIL_Start(advance_request);
            MPIL_Wait(advance_request, MPI_STATUS_IGNORE);
        } else if (is("nonblocking"))
            MPI_Ineighbor_alltoallv(SENT, MPI_DOUBLE, RECEIVED, MPI_DOUBLE, comm, &request);
        else if (is("blocking"))
            MPI_Neighbor_alltoallv(SENT, MPI_DOUBLE, RECEIVED, MPI_DOUBLE, comm);
        else
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    void release() override
    {
        if (advance_request != nullptr)
            MPIL_Request_free(&advance_request), advance_request = nullptr;
        if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
    }
};

/// Verifies and times all methods on a graph.
Json compare(const GraphSpec &graph, int length, int rank, int ranks, const TimingSettings &timing)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const auto parts = make_all_neighbourhoods(graph, ranks);
    const std::vector<int> &from = parts[rank].sources, &to = parts[rank].destinations;
    Blocks blocks(parts, rank, length);
    std::vector<Candidate> mpi = create_candidates(parts[rank], {"stock", "auto"}, 1, comm);
    MPIL_Comm *advance = nullptr;
    MPIL_Dist_graph_create_adjacent(comm, static_cast<int>(from.size()), from.data(), nullptr,
                                    static_cast<int>(to.size()), to.data(), nullptr, nullptr, 0,
                                    &advance);
    std::vector<const char *> labels{"stock", "blocking", "nonblocking", "advance", "auto"};
    if (graph.has_counts())
        labels.insert(labels.end(), {"advance_indices", "auto_indices"});
    std::deque<Method> methods;
    std::vector<TimedMethod> timed;
    for (const char *label : labels) {
        Method &method = methods.emplace_back(blocks);
        method.result.label = label;
        method.advance = advance;
        method.comm = mpi[method.is("auto") ? 1 : 0].comm;
        method.prepare();
        method.result.verified = verify(method, blocks, methods.size(), label, comm);
        if (method.is("auto")) // builds and tries a pattern
            time_first_calls(method, timing, comm);
        timed.push_back({&method, &blocks, &method.result});
    }
    time_methods(timed, timing, 3, 100, graph.text, comm);
    Json json{{"graph_name", graph.short_name()}, {"entry_bytes", 8 * length}};
    for (Method &method : methods) {
        MethodResult &result = method.result;
        result.rate(methods.front().result, timing.seed);
        json["algorithms"].push_back(method_json(result));
        if (rank == 0)
            std::printf("%-16s %6d %-16s %8.2f %10.1f %8s %s%s\n", graph.short_name().c_str(),
                        8 * length, result.label.c_str(), result.init_median() * 1e3,
                        result.call_median() * 1e6, ratio_text(result.speed_up).c_str(),
                        interval_text(result.speed_up).c_str(),
                        result.verified ? "" : " WRONG RESULT");
        method.release();
    }
    MPIL_Comm_free(&advance);
    free_candidates(mpi);
    return json;
}

ExitStatus body(int argc, char **argv, int rank)
{
    TimingSettings timing;
    std::vector<std::string> texts;
    std::vector<int> lengths{1, 64, 512};
    std::string json_file;
    bool ignored = false;
    CLI::App app("An exchange by Open MPI, the component and MPI Advance.", "nbrhood-peers");
    app.footer("\n" + graph_help() + methods_text);
    app.add_option("-g,--graph", texts, "repeat for several")->required()->allow_extra_args(false);
    add_list(app, "-b,--block-values", lengths, "values of 8 bytes on edges of computed graphs");
    add_timing_options(app, timing, ignored, "each graph and size");
    add_result_options(app, json_file, ignored);
    parse_command_line(app, argc, argv);
    check_sizes("--block-values", lengths, 1 << 20);
    std::vector<GraphSpec> graphs;
    for (const std::string &text : texts)
        graphs.push_back(parse_graph_spec(text));

    const Environment environment = describe_environment(MPI_COMM_WORLD);
    MPIL_Set_alltoallv_neighbor_init_alogorithm(NEIGHBOR_ALLTOALLV_INIT_LOCALITY);
    if (rank == 0)
        std::puts(
            "graph             bytes method            init ms    us/call speed-up 95% interval");
    Json json{{"program", "nbrhood-peers"},
              {"schema_version", schema_version},
              {"environment", environment_json(environment)}};
    for (const GraphSpec &graph : graphs)
        for (int length : graph.has_counts() ? std::vector<int>{1} : lengths)
            json["comparisons"].push_back(compare(graph, length, rank, environment.ranks, timing));
    save_results(
        json_file, [&] { return file_text(json); }, MPI_COMM_WORLD);
    const bool wrong = json.dump().find("\"verified\":false") != std::string::npos;
    return wrong ? exit_wrong_results : exit_good;
}

} // namespace

int main(int argc, char **argv)
{
    return run_program("nbrhood-peers", argc, argv, body);
}
