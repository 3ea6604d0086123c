// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "timeline_picture.h"

#include "analysis.h"
#include "picture_text.h"

#include "common/number_text.h"
#include "common/plot_script.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace nbrhood_tools::explain {

using nbrhood::Activity;
using nbrhood::Interval;
using nbrhood::Rank;

namespace {

constexpr int activities = 4;
const char *const activity_names[activities] = {"send", "receive", "copy", "context switch"};
const char *const activity_colours[activities] = {"#0072b2", "#d55e00", "#009e73", "#aaaaaa"};

/// A row is drawn in this many steps of time, two for each pixel.
constexpr int steps = 2000;

/// A bar of one colour in the row of a rank.
struct Bar {
    int begin, end; ///< steps
};
using Bars = std::array<std::vector<Bar>, activities>;

/// Fills each step with the rank's main activity in it. The remaining time of other activities
/// counts in the next steps, so that thousands of short messages keep their share of the row.
class Row {
public:
    explicit Row(double seconds_of_step) : seconds_of_step_(seconds_of_step) {}

    void add(const Interval &interval)
    {
        const double begin = interval.begin / seconds_of_step_;
        const double end = interval.end / seconds_of_step_;
        for (int step = std::max(0, static_cast<int>(begin)); step < steps && step < end; ++step) {
            const double share = std::min(end, step + 1.0) - std::max(begin, double(step));
            shares_[static_cast<std::size_t>(step)][index(interval.activity)] += share;
        }
    }

    Bars bars() const
    {
        Bars bars;
        std::array<double, activities + 1> owed{}; // the last one: idle
        std::size_t before = activities;
        for (int step = 0; step < steps; ++step) {
            double idle = 1;
            for (std::size_t a = 0; a < activities; ++a) {
                const double share = shares_[static_cast<std::size_t>(step)][a];
                owed[a] += share;
                idle -= share;
            }
            owed[activities] += idle;
            const auto now =
                static_cast<std::size_t>(std::max_element(owed.begin(), owed.end()) - owed.begin());
            owed[now] -= 1;
            if (now < activities && now == before)
                bars[now].back().end = step + 1;
            else if (now < activities)
                bars[now].push_back({step, step + 1});
            before = now;
        }
        return bars;
    }

private:
    static std::size_t index(Activity activity) { return static_cast<std::size_t>(activity); }

    double seconds_of_step_;
    std::vector<std::array<double, activities>> shares_{steps};
};

/// The rows: the first ranks, with the ranks of a node together.
class Rows {
public:
    explicit Rows(const std::vector<std::int32_t> &node_of) : node_of_(node_of)
    {
        ranks_.resize(std::min<std::size_t>(node_of.size(), timeline_ranks));
        std::iota(ranks_.begin(), ranks_.end(), 0);
        std::stable_sort(ranks_.begin(), ranks_.end(),
                         [this](Rank a, Rank b) { return node(a) < node(b); });
    }

    const std::vector<Rank> &ranks() const { return ranks_; }

    /// Ranks on the left, nodes on the right, lines between nodes.
    std::string axes() const
    {
        std::string text, ranks, nodes;
        const std::size_t step =
            static_cast<std::size_t>(step_of_tics(static_cast<double>(ranks_.size()), 16));
        for (std::size_t row = 0; row < ranks_.size(); row += step)
            add_tic(ranks, std::to_string(ranks_[row]), static_cast<double>(row));
        double labelled = -1;
        for (std::size_t begin = 0; begin < ranks_.size();) {
            std::size_t end = begin + 1;
            while (end < ranks_.size() && node(ranks_[end]) == node(ranks_[begin]))
                ++end;
            // A name needs the room of two rows of the smallest height.
            const double middle = (static_cast<double>(begin + end) - 1) / 2;
            if (labelled < 0 || middle - labelled >= (ranks_.size() > 32 ? 2 : 1)) {
                add_tic(nodes, "node " + std::to_string(node(ranks_[begin])), middle);
                labelled = middle;
            }
            if (begin > 0) {
                const std::string y = number_text(static_cast<double>(begin) - 0.5, "%.1f");
                text += "set arrow from graph 0, first ";
                text += y;
                text += " to graph 1, first ";
                text += y;
                text += " nohead linecolor '#888888' linewidth 0.6\n";
            }
            begin = end;
        }
        const std::string end = number_text(static_cast<double>(ranks_.size()) - 0.5, "%.1f");
        return text + "set yrange [" + end + ":-0.5]\nset y2range [" + end
               + ":-0.5]\nset ytics out nomirror (" + ranks + ")\nset y2tics scale 0 (" + nodes
               + ")\nset ylabel 'rank'\n";
    }

private:
    std::int32_t node(Rank rank) const { return node_of_[static_cast<std::size_t>(rank)]; }

    static void add_tic(std::string &tics, const std::string &name, double row)
    {
        tics += (tics.empty() ? "" : ", ") + gnuplot_string(name) + " " + number_text(row, "%.1f");
    }

    const std::vector<std::int32_t> &node_of_;
    std::vector<Rank> ranks_; ///< by row
};

/// Data of each activity: begin (microseconds), row, length.
std::array<std::vector<std::string>, activities> bar_data(const AlgorithmReport &algorithm,
                                                          const Rows &rows, double seconds)
{
    std::vector<Row> filled(rows.ranks().size(), Row(seconds / steps));
    for (const Interval &interval : algorithm.timeline)
        filled[static_cast<std::size_t>(interval.rank)].add(interval);
    std::array<std::vector<std::string>, activities> data;
    const double microseconds = seconds / steps * 1e6;
    for (std::size_t row = 0; row < rows.ranks().size(); ++row) {
        const Bars bars = filled[static_cast<std::size_t>(rows.ranks()[row])].bars();
        for (std::size_t a = 0; a < activities; ++a)
            for (const Bar &bar : bars[a])
                data[a].push_back(row_text({bar.begin * microseconds, static_cast<double>(row),
                                            (bar.end - bar.begin) * microseconds}));
    }
    return data;
}

std::string name_of_data(std::size_t activity)
{
    return "activity_" + std::to_string(activity);
}

std::string line_colour(std::size_t activity)
{
    return std::string(" linecolor '") + activity_colours[activity] + "'";
}

/// Bars that leave a fifth of the row free.
std::string bars_plot(std::size_t activity, int pixels_of_row)
{
    return "$" + name_of_data(activity) + " using 1:2:3:(0) with vectors nohead linewidth "
           + number_text(0.8 * pixels_of_row, "%.1f") + line_colour(activity) + " notitle";
}

std::string legend_entry(std::size_t activity)
{
    return "keyentry with lines linewidth 8" + line_colour(activity) + " title "
           + gnuplot_string(activity_names[activity]);
}

/// Height of the band above the rows that shows when a phase begins and ends.
constexpr int band_pixels = 16;

std::string phase_name(std::uint8_t phase)
{
    switch (phase) {
    case nbrhood::kLocal:
        return "direct";
    case nbrhood::kGather:
        return "gather";
    case nbrhood::kInter:
        return "between regions";
    case nbrhood::kRedistribute:
        return "redistribute";
    case nbrhood::kLarge:
        return "large blocks";
    default:
        return "phase " + std::to_string(phase);
    }
}

/// A line with a name for each phase, above the rows. at_screen: the height of this many pixels
/// from the top; above: the height at which the rows begin.
std::string phase_bands(const AlgorithmReport &algorithm,
                        const std::function<std::string(int)> &at_screen, int above)
{
    std::string text;
    int band = 0;
    for (const PhaseSpan &span : algorithm.phases) {
        const std::string y = at_screen(above - band_pixels * band - band_pixels / 2);
        const std::string begin = number_text(span.begin * 1e6, "%.6g");
        text += "set arrow from first " + begin + ", " + y + " to first "
                + number_text(span.end * 1e6, "%.6g") + ", " + y
                + " heads size screen 0.003,90 linecolor 'black' linewidth 1\nset label "
                + gnuplot_string(phase_name(span.phase)) + " at first " + begin + ", " + y
                + " offset character 0.5,0 left font ',10' textcolor 'black' boxed front\n";
        ++band;
    }
    return text.empty() ? text : "set style textbox opaque noborder margins 0.5,0\n" + text;
}

/// Marks the end of the call, if another algorithm takes longer.
std::string end_line(const AlgorithmReport &algorithm, double seconds)
{
    const double end = algorithm.sizes.front().seconds.events;
    if (end >= seconds)
        return "";
    const std::string x = number_text(end * 1e6, "%.6g");
    return "set arrow from first " + x + ", graph 0 to first " + x
           + ", graph 1 nohead dashtype 2 linecolor 'black' linewidth 1\nset label "
           + gnuplot_string("done: " + time_text(end)) + " at first " + x
           + ", graph 0.5 offset character 0.5,0 left font ',10' boxed front\n";
}

} // namespace

std::string timeline_script(const ScenarioReport &report, const AlgorithmReport &algorithm,
                            const Layout &layout, const std::string &machine)
{
    const Rows rows(layout.cluster.node_of);
    const auto count = static_cast<int>(rows.ranks().size());
    // All algorithms of a graph have the same axis, so equal lengths mean equal times.
    double seconds = 0;
    std::size_t bands = 0;
    for (const AlgorithmReport &other : report.algorithms) {
        seconds = std::max(seconds, other.sizes.front().seconds.events);
        bands = std::max(bands, other.phases.size());
    }
    const int pitch = std::clamp(560 / count, 9, 24); // pixels of a row
    const int above = 104 + static_cast<int>(bands) * band_pixels, below = 68;
    const int height = above + count * pitch + below;
    std::string title = scenario_text(report) + ", " + algorithm.name + ": "
                        + size_text(report, algorithm.sizes.front().bytes);
    if (static_cast<std::size_t>(count) < layout.cluster.node_of.size())
        title += ", the first " + std::to_string(count) + " ranks";
    // Heights count from the bottom, as parts of the whole.
    const auto at_screen = [height](int pixels_from_top) {
        return "screen " + number_text(1 - static_cast<double>(pixels_from_top) / height, "%.5f");
    };
    std::string text =
        begin_script(1100, height) + "set label " + gnuplot_string(title + "\n" + machine)
        + " at screen 0.495," + at_screen(20)
        + " center\nset key horizontal maxrows 1 samplen 2 width 2 center center at screen 0.495,"
        + at_screen(88) + "\nset tmargin at " + at_screen(above) + "\nset bmargin at "
        + at_screen(above + count * pitch)
        + "\nset lmargin at screen 0.06\nset rmargin at screen 0.93\n"
          "set tics font ',10'\nset xtics out nomirror\n"
          "set xlabel 'microseconds since the start of the call, modelled'\n"
        + rows.axes();
    std::vector<std::string> parts;
    if (seconds > 0) {
        text += "set xrange [0:" + number_text(seconds * 1e6, "%.6g") + "]\n"
                + phase_bands(algorithm, at_screen, above) + end_line(algorithm, seconds);
        const auto data = bar_data(algorithm, rows, seconds);
        for (std::size_t a = 0; a < activities; ++a) {
            if (data[a].empty())
                continue;
            text += data_block(name_of_data(a), data[a]);
            parts.push_back(bars_plot(a, pitch));
            parts.push_back(legend_entry(a));
        }
    } else {
        text += "set xrange [0:1]\nset label 'no messages' at graph 0.5, graph 0.5 center\n";
    }
    return text + plot_command(parts);
}

} // namespace nbrhood_tools::explain
