// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "speed_up_picture.h"

#include "picture_text.h"

#include "common/number_text.h"
#include "common/plot_script.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nbrhood_tools::explain {

namespace {

constexpr std::size_t most_panels = 4;
constexpr int panel_width = 520, panel_height = 400, title_height = 66;

/// Points of an algorithm.
struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points; ///< x, speed-up
};

/// Curves by algorithm; the lower bound's is the last one.
class Curves {
public:
    /// Every place on the axis, also those where a curve has no point.
    explicit Curves(std::vector<double> places) : places_(std::move(places)) {}

    void add(const std::string &name, double x, double speed_up)
    {
        const auto found = std::find_if(curves_.begin(), curves_.end(),
                                        [&](const Curve &curve) { return curve.name == name; });
        Curve &curve = found != curves_.end() ? *found : curves_.emplace_back(Curve{name, {}});
        curve.points.emplace_back(x, speed_up);
    }

    /// The points of a report for one of its sizes. Direct itself is the line at 1.
    void add(const ScenarioReport &report, std::size_t size, double x)
    {
        const AlgorithmReport *direct = report.find(nbrhood::registry().front().name);
        for (const AlgorithmReport &algorithm : report.algorithms)
            if (&algorithm != direct && !algorithm.sizes.empty()
                && algorithm.sizes[size].speed_up > 0)
                add(algorithm.name, x, algorithm.sizes[size].speed_up);
        if (direct != nullptr && !direct->sizes.empty() && report.bounds[size].seconds > 0)
            bound_.points.emplace_back(x, direct->sizes[size].seconds.events
                                              / report.bounds[size].seconds);
    }

    bool empty() const { return bound_.points.empty() && curves_.empty(); }

    /// Axis and curves of a panel, whose names of data begin with `prefix`.
    std::string script(const std::string &prefix)
    {
        std::string text = axis();
        std::vector<std::string> parts{"1 with lines dashtype 3 linecolor 'black' notitle"};
        for (std::size_t c = 0; c < curves_.size(); ++c) {
            const std::string name = prefix + std::to_string(c);
            text += data(name, curves_[c]);
            parts.push_back("$" + name + " using 1:2 with linespoints linewidth 2 pointtype "
                            + std::to_string(5 + 2 * (c % 5)) + " pointsize 0.7 linecolor '"
                            + colour(c) + "' title " + gnuplot_string(curves_[c].name));
        }
        if (!bound_.points.empty()) {
            text += data(prefix + "bound", bound_);
            parts.push_back("$" + prefix
                            + "bound using 1:2 with linespoints dashtype 2 linewidth "
                              "1.5 pointtype 7 pointsize 0.3 linecolor '#777777' title "
                            + gnuplot_string(title_of_bound()));
        }
        return text + plot_command(parts);
    }

private:
    /// No line is drawn across a missing point, because gnuplot ends a line at NaN.
    std::string data(const std::string &name, Curve &curve) const
    {
        for (const double place : places_)
            if (std::none_of(curve.points.begin(), curve.points.end(),
                             [place](const auto &point) { return point.first == place; }))
                curve.points.emplace_back(place, std::nan(""));
        std::sort(curve.points.begin(), curve.points.end(),
                  [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<std::string> rows;
        for (const auto &[x, y] : curve.points)
            rows.push_back(row_text({x, y}));
        return data_block(name, rows);
    }

    /// The name includes the greatest value, which may lie above the axis.
    std::string title_of_bound() const
    {
        double most = 0;
        for (const auto &[x, y] : bound_.points)
            most = std::max(most, y);
        return bound_.name + ", up to " + number_text(most, "%.3g");
    }

    /// The axis is logarithmic if curves at the bottom would otherwise coincide, and leaves room
    /// for the legend above the curves. It does not depend on the bound, which may be many times
    /// the speed-up of any algorithm.
    std::string axis() const
    {
        double low = 1, high = 1;
        for (const Curve &curve : curves_)
            for (const auto &[x, y] : curve.points) {
                low = std::min(low, y);
                high = std::max(high, y);
            }
        const double lines = static_cast<double>(curves_.size() + 1);
        const double room = 1 + 0.13 * lines;
        const auto range = [](double from, double to) {
            return "set yrange [" + number_text(from, "%.4g") + ":" + number_text(to, "%.4g")
                   + "]\n";
        };
        if (high / low <= 8) {
            const double span = std::max(high - low, 0.1); // also where all are as fast as direct
            return "unset logscale y\nset ytics autofreq\n"
                   + range(std::max(0.0, low - 0.15 * span), low + span * room);
        }
        low /= 1.2;
        high *= std::pow(high / low, room - 1);
        const int first = static_cast<int>(std::ceil(std::log2(low)));
        const int last = static_cast<int>(std::floor(std::log2(high)));
        const int step = last - first > 8 ? 2 : 1;
        std::string tics;
        // 1 is always among them.
        for (int power = first - first % step; power <= last; power += step) {
            const std::string value = number_text(std::ldexp(1.0, power), "%.6g");
            tics += (tics.empty() ? "" : ", ") + gnuplot_string(value) + " " + value;
        }
        return "set logscale y 2\nset ytics (" + tics + ")\n" + range(low, high);
    }

    std::vector<double> places_;
    std::vector<Curve> curves_;
    Curve bound_{"possible by the lower bound", {}};
};

/// The common part of the panels of both pictures.
const char *const panel_style = "set key top left reverse Left samplen 3\n"
                                "set grid ytics linecolor '#dddddd'\n"
                                "set tics font ',10'\n"
                                "set ylabel 'speed-up over direct, modelled'\n";

/// An axis that is logarithmic if the values lie far apart.
std::string value_axis(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const double low = values.front(), high = values.back();
    if (low > 0 && high / low >= 30)
        return "set logscale x 10\nset xrange [" + number_text(low / 1.2, "%.4g") + ":"
               + number_text(high * 1.2, "%.4g") + "]\n";
    const double margin = 0.05 * (high - low);
    return "set xrange [" + number_text(low - margin, "%.4g") + ":"
           + number_text(high + margin, "%.4g") + "]\n";
}

/// Names of graphs as tics.
std::string name_axis(const std::vector<const ScenarioReport *> &reports)
{
    std::string tics;
    for (std::size_t r = 0; r < reports.size(); ++r)
        tics += (r == 0 ? "" : ", ") + gnuplot_string(reports[r]->graph) + " " + std::to_string(r);
    return "set xtics (" + tics + ") rotate by -20\nset xrange [-0.4:"
           + number_text(static_cast<double>(reports.size()) - 0.6, "%.1f") + "]\n";
}

/// Whether all graphs have blocks (or entries) of the same sizes.
bool same_sizes(const std::vector<const ScenarioReport *> &reports)
{
    return std::all_of(reports.begin(), reports.end(), [&](const ScenarioReport *report) {
        return report->has_counts == reports.front()->has_counts
               && report->bytes == reports.front()->bytes;
    });
}

} // namespace

std::string speed_up_script(const ScenarioReport &report, const std::string &machine)
{
    const std::vector<std::int64_t> &sizes = report.bytes;
    Curves curves(std::vector<double>(sizes.begin(), sizes.end()));
    std::string tics;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        const auto bytes = static_cast<double>(sizes[s]);
        curves.add(report, s, bytes);
        tics += (s == 0 ? "" : ", ") + gnuplot_string(bytes_text(bytes)) + " "
                + number_text(bytes, "%.0f");
    }
    if (sizes.size() < 2 || curves.empty())
        return "";
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    return begin_script(760, 520) + panel_style + "set title "
           + gnuplot_string(scenario_text(report) + "\n" + machine)
           + "\nset logscale x 2\nset xtics (" + tics + ")\nset xrange ["
           + number_text(static_cast<double>(*least) / 1.3, "%.6g") + ":"
           + number_text(static_cast<double>(*most) * 1.3, "%.10g") + "]\nset xlabel "
           + gnuplot_string(std::string("bytes of ") + (report.has_counts ? "an entry" : "a block"))
           + "\n" + curves.script("curve");
}

std::string density_script(const std::vector<const ScenarioReport *> &reports,
                           const std::string &machine)
{
    if (reports.size() < 2)
        return "";
    std::vector<double> densities(reports.size());
    std::transform(reports.begin(), reports.end(), densities.begin(),
                   [](const ScenarioReport *report) { return report->density; });
    const auto [least, most] = std::minmax_element(densities.begin(), densities.end());
    const bool by_name = *most - *least <= 1e-3 * *most;
    const bool every_size = same_sizes(reports);
    const std::size_t panels =
        every_size ? std::min(most_panels, reports.front()->bounds.size()) : 1;

    std::vector<double> places = densities;
    if (by_name)
        std::iota(places.begin(), places.end(), 0.0);

    std::string text;
    for (std::size_t size = 0; size < panels; ++size) {
        Curves curves(places);
        for (std::size_t r = 0; r < reports.size(); ++r)
            curves.add(*reports[r], size, places[r]);
        if (curves.empty())
            return "";
        const std::string title = every_size
                                      ? size_text(*reports.front(), reports.front()->bytes[size])
                                      : "the first size of each graph";
        text += "set title " + gnuplot_string(title) + "\n"
                + curves.script("curve_" + std::to_string(size) + "_");
    }
    const int columns = panels > 1 ? 2 : 1;
    const int rows = (static_cast<int>(panels) + 1) / 2;
    const char *const kind = reports.front()->kind == nbrhood::BlockKind::one_per_rank
                                 ? "blocks one per rank"
                                 : "blocks one per edge";
    return begin_script(std::max(760, columns * panel_width), rows * panel_height + title_height)
           + panel_style + (by_name ? name_axis(reports) : value_axis(densities)) + "set xlabel "
           + gnuplot_string(by_name ? "graph (all of the same density)" : "density of the graph")
           + "\nset multiplot layout " + std::to_string(rows) + "," + std::to_string(columns)
           + " title " + gnuplot_string(kind + std::string("\n") + machine) + "\n" + text
           + "unset multiplot\n";
}

} // namespace nbrhood_tools::explain
