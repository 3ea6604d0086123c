// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Recordings of a pattern, the files of its ranks one after the other. A recording that was read is
// equal after writing and reading again. A complete recording can be proved, and evaluated if it
// can run.
#include "fuzz_target.h"

#include <sstream>
#include <stdexcept>

#include "analysis/evaluation.h"
#include "analysis/flow.h"
#include "analysis/prove.h"
#include "analysis/recorded_run.h"

using nbrhood_fuzz::demand;

namespace {

using Files = std::vector<std::string>;
using Ranks = std::vector<nbrhood::RecordedRank>;

// A file ends with its line "end".
Files split(const std::string &text)
{
    Files files(1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        files.back() += line + "\n";
        if (line == "end") {
            files.emplace_back();
        }
    }
    if (files.size() > 1 && files.back().empty()) {
        files.pop_back();
    }
    return files;
}

nbrhood::RecordedRank read(const std::string &text)
{
    std::istringstream in(text);
    return nbrhood::read_recorded(in, "file");
}

std::string written(const nbrhood::RecordedRank &rank)
{
    std::ostringstream out;
    nbrhood::write_recorded(out, rank);
    return out.str();
}

void check_rank(const nbrhood::RecordedRank &rank)
{
    const std::string text = written(rank);
    const nbrhood::RecordedRank again = read(text);
    demand(again.pattern == rank.pattern && written(again) == text,
           "a recording that is written is read again");
}

// The steps of nbrhood-explain for a recording.
void check_pattern(const Ranks &ranks)
{
    std::vector<nbrhood::Pattern> patterns;
    std::vector<nbrhood::Neighbourhood> neighbourhoods;
    nbrhood::Cluster cluster;
    for (const nbrhood::RecordedRank &rank : ranks) {
        patterns.push_back(rank.pattern);
        neighbourhoods.push_back(rank.neighbourhood);
        cluster.node_of.push_back(rank.pattern.rank % 2);
    }
    cluster.cores.assign(2, 1);
    bool proved = true;
    for (const bool large : {false, true}) {
        proved =
            nbrhood::prove(patterns, neighbourhoods, [=](const nbrhood::Edge &) { return large; })
                .empty()
            && proved;
    }
    for (const std::uint64_t bytes : {8U, 100000U}) {
        try {
            const nbrhood::Flow flow(patterns, [=](nbrhood::Rank, std::uint32_t) { return bytes; },
                                     {8192, 4096});
            demand(flow.ranks() == static_cast<nbrhood::Rank>(ranks.size()),
                   "a flow has the ranks of its patterns");
            const double seconds =
                nbrhood::evaluate(flow, cluster, nbrhood::default_costs()).seconds;
            demand(seconds >= 0 && seconds < 1e9, "a call takes a time");
        } catch (const std::invalid_argument &reason) {
            demand(!proved, std::string("a pattern that is proved runs: ") + reason.what());
        }
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    Ranks ranks;
    std::vector<nbrhood::RecordedFile> files;
    for (const std::string &text : split(nbrhood_fuzz::text_of(data, size))) {
        const auto read_next = [&] { files.push_back({"file", read(text)}); };
        if (!nbrhood_fuzz::reads_file<std::invalid_argument>(text, "file", read_next)) {
            return 0;
        }
        check_rank(files.back().rank);
    }
    try {
        ranks = nbrhood::join_recording("directory", std::move(files));
    } catch (const std::invalid_argument &refusal) {
        const std::string message = refusal.what();
        const std::string place = message.compare(0, 4, "file") == 0 ? "file:" : "directory:";
        nbrhood_fuzz::demand_place(message, place, 1);
        return 0;
    }
    check_pattern(ranks);
    return 0;
}
