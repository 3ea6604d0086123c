// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "common/error.h"
#include "common/gnuplot.h"
#include "common/json.h"
#include "common/number_text.h"
#include "common/output_file.h"
#include "common/plot_script.h"

#include <cstdio>
#include <regex>

namespace nbrhood_tools::scatter_model {

namespace {

/// "64 KiB".
std::string size_text(std::uint64_t bytes)
{
    const std::uint64_t kib = bytes >> 10, mib = bytes >> 20;
    return mib >= 1024 ? std::to_string(mib >> 10) + " GiB"
           : mib > 0   ? std::to_string(mib) + " MiB"
                       : std::to_string(kib) + " KiB";
}

void print_row(const std::vector<std::string> &cells)
{
    std::string line = "|";
    for (const std::string &cell : cells)
        line += " " + cell + " |";
    std::printf("%s\n", line.c_str());
}

void print_header(std::vector<std::string> first, const std::vector<std::uint64_t> &bytes,
                  const std::vector<std::string> &last)
{
    for (const std::uint64_t size : bytes)
        first.push_back(size_text(size));
    first.insert(first.end(), last.begin(), last.end());
    print_row(first);
    std::string line = "|";
    for (std::size_t i = 0; i < first.size(); ++i)
        line += "---|";
    std::printf("%s\n", line.c_str());
}

Json to_json(const Row &row)
{
    Json json{{"algorithm", row.name},
              {"blocks_into_node", row.blocks_into_node},
              {"blocks_over_links", row.blocks_over_links},
              {"sizes", Json::array()}};
    for (const nbrhood::DieEvaluation &times : row.times)
        json["sizes"].push_back({{"seconds", times.seconds},
                                 {"busiest_links", times.links},
                                 {"busiest_adapters", times.adapters},
                                 {"busiest_rank", times.ranks}});
    return json;
}

void replace(const std::string &file, const std::string &contents)
{
    const std::string failure = replace_file(file, contents);
    if (!failure.empty())
        throw InputError(failure);
}

/// A curve over block sizes.
std::string data_of(const Case &found, const std::string &name)
{
    std::vector<std::string> rows;
    for (std::size_t s = 0; s < found.bytes.size(); ++s)
        rows.push_back(row_text({static_cast<double>(found.bytes[s]), found.over_direct[s]}));
    return data_block(name, rows);
}

} // namespace

void print_tables(const std::vector<ClusterCase> &clusters,
                  const std::vector<FigureTwo> &figure_two, const std::vector<Case> &cases)
{
    for (const ClusterCase &cluster : clusters)
        std::printf("Cluster %s: %s\n", cluster.name.c_str(),
                    nbrhood::die_costs_text(cluster.costs).c_str());
    std::printf("\nFigure 2, modelled: halves over direct; the paper measured up to 1.75.\n\n");
    print_header({"dies"}, figure_two.front().bytes, {});
    for (const FigureTwo &found : figure_two) {
        std::vector<std::string> row{found.what};
        for (const double ratio : found.over_direct)
            row.push_back(number_text(ratio, "%.2f"));
        print_row(row);
    }
    std::printf(
        "\nSpeed-up of leader_scatter over direct / over the fastest of our others, modelled.\n\n");
    print_header({"cluster, GCDs", "graph", "fewer bytes into a node"}, cases.front().bytes,
                 {"most", "at work with 1 GiB", "the paper, measured"});
    for (const Case &found : cases) {
        std::vector<std::string> row{
            found.cluster + ", " + std::to_string(found.ranks), found.graph,
            found.into_node > 0 ? number_text(found.into_node, "%.2f") + " times" : "-"};
        for (std::size_t s = 0; s < found.bytes.size(); ++s)
            row.push_back(number_text(found.over_direct[s], "%.2f") + " / "
                          + number_text(found.over_best[s], "%.2f"));
        row.push_back(number_text(found.most, "%.2f"));
        row.push_back(limits_text(found.rows[1].times.back()));
        row.push_back(found.published);
        print_row(row);
    }
}

void write_json(const std::string &file, const std::vector<ClusterCase> &clusters,
                const std::vector<FigureTwo> &figure_two, const std::vector<Case> &cases)
{
    Json json{{"program", "nbrhood-scatter-model"},
              {"schema_version", schema_version},
              {"modelled", true}};
    for (const ClusterCase &cluster : clusters)
        json["costs"][cluster.name] = nbrhood::die_costs_text(cluster.costs);
    for (const FigureTwo &found : figure_two)
        json["figure_2"].push_back(
            {{"dies", found.what}, {"bytes", found.bytes}, {"over_direct", found.over_direct}});
    for (const Case &found : cases) {
        json["cases"].push_back({{"cluster", found.cluster},
                                 {"ranks", found.ranks},
                                 {"graph", found.graph},
                                 {"bytes", found.bytes},
                                 {"over_direct", found.over_direct},
                                 {"over_best_other", found.over_best},
                                 {"best_other", found.best},
                                 {"most_over_direct", found.most},
                                 {"fewer_bytes_into_node", found.into_node},
                                 {"published", found.published},
                                 {"rows", Json::array()}});
        for (const Row &row : found.rows)
            json["cases"].back()["rows"].push_back(to_json(row));
    }
    replace(file, file_text(json));
}

void draw(const std::string &file, const std::vector<Case> &cases)
{
    std::string panels;
    int count = 0;
    for (std::size_t first = 0; first < cases.size();) {
        std::vector<std::string> curves{"1 with lines dashtype 2 linecolor 'black' notitle"};
        std::size_t last = first;
        for (; last < cases.size() && cases[last].cluster == cases[first].cluster
               && cases[last].ranks == cases[first].ranks;
             ++last) {
            const std::string name = "case_" + std::to_string(last);
            panels += data_of(cases[last], name);
            const bool random = cases[last].graph.rfind("rsg", 0) == 0;
            curves.push_back("$" + name + " using 1:2 with lines linecolor rgb '"
                             + colour(random ? last - first : last - first - 4)
                             + "' linewidth 2 dashtype " + (random ? "1" : "4") + " title "
                             + gnuplot_string(cases[last].graph));
        }
        panels += "set title "
                  + gnuplot_string("cluster " + cases[first].cluster + ", "
                                   + std::to_string(cases[first].ranks) + " GCDs")
                  + "\n" + plot_command(curves);
        first = last;
        ++count;
    }
    std::string tics;
    for (const std::uint64_t bytes : cases.front().bytes)
        tics += (tics.empty() ? "" : ", ") + gnuplot_string(size_text(bytes)) + " "
                + std::to_string(bytes);
    const int columns = 3, rows = (count + columns - 1) / columns;
    const std::string picture = run_gnuplot(
        begin_script(columns * 400, rows * 330 + 40)
        + "set key top left reverse Left samplen 2 font ',9'\n"
          "set grid ytics linecolor '#dddddd'\nset tics font ',9'\n"
          "set ylabel 'speed-up over direct, modelled'\nset logscale x 2\nset xtics ("
        + tics + ") rotate by -40\nset xrange [5e4:1.4e9]\nset yrange [0:8]\nset multiplot layout "
        + std::to_string(rows) + "," + std::to_string(columns) + "\n" + panels
        + "unset multiplot\n");
    // Removes half of gnuplot's output: groups without content, default values.
    const std::regex idle(
        "<g [^>]*>\\s*</g>\\s*| stroke-(width=\"1.00\"|linecap=\"butt\"|linejoin=\"miter\")");
    replace(file, std::regex_replace(picture, idle, ""));
}

} // namespace nbrhood_tools::scatter_model
