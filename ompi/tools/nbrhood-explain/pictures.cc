// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "pictures.h"

#include "speed_up_picture.h"
#include "timeline_picture.h"
#include "traffic_picture.h"

#include "common/error.h"
#include "common/gnuplot.h"
#include "common/output_file.h"

#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

namespace nbrhood_tools::explain {

namespace {

std::string safe(const std::string &name)
{
    std::string result = name;
    for (char &c : result)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.')
            c = '-';
    return result;
}

/// The directory, and the pictures drawn into it.
class Album {
public:
    explicit Album(std::string directory) : directory_(std::move(directory)) {}

    /// An empty script means that there is nothing to draw.
    void add(const std::string &name, const std::string &script)
    {
        if (script.empty())
            return;
        // Graph files in two directories may have the same name.
        std::string unused = safe(name);
        for (int n = 2; !names_.insert(unused).second; ++n)
            unused = safe(name) + "-" + std::to_string(n);
        const std::string file = (std::filesystem::path(directory_) / (unused + ".svg")).string();
        const std::string failure = replace_file(file, run_gnuplot(script));
        if (!failure.empty())
            throw InputError(failure);
        files_.push_back(file);
    }

    std::vector<std::string> files() const { return files_; }

private:
    std::string directory_;
    std::set<std::string> names_;
    std::vector<std::string> files_;
};

} // namespace

void check_pictures(const std::string &directory)
{
    check_gnuplot();
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
        throw InputError(directory + ": " + error.message());
    const std::string failure =
        check_writable((std::filesystem::path(directory) / "picture.svg").string());
    if (!failure.empty())
        throw InputError(failure);
}

std::vector<std::string> draw_pictures(const std::string &directory, const Layout &layout,
                                       const std::string &costs,
                                       const std::vector<ScenarioReport> &reports)
{
    Album album(directory);
    const std::string machine = layout.description + "\ncosts: " + costs;
    for (const ScenarioReport &report : reports) {
        const std::string scenario = report.graph + "-" + nbrhood::name_of(report.kind);
        for (const AlgorithmReport &algorithm : report.algorithms) {
            if (algorithm.sizes.empty())
                continue;
            album.add("traffic-" + scenario + "-" + algorithm.name,
                      traffic_script(report, algorithm, layout, machine));
            album.add("timeline-" + scenario + "-" + algorithm.name,
                      timeline_script(report, algorithm, layout, machine));
        }
        album.add("speed-up-" + scenario, speed_up_script(report, machine));
    }
    for (const nbrhood::BlockKind kind :
         {nbrhood::BlockKind::one_per_edge, nbrhood::BlockKind::one_per_rank}) {
        std::vector<const ScenarioReport *> same_kind;
        for (const ScenarioReport &report : reports)
            if (report.kind == kind)
                same_kind.push_back(&report);
        album.add(std::string("speed-up-density-") + nbrhood::name_of(kind),
                  density_script(same_kind, machine));
    }
    return album.files();
}

} // namespace nbrhood_tools::explain
