// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "traffic_picture.h"

#include "picture_text.h"

#include "common/number_text.h"
#include "common/plot_script.h"

#include <algorithm>
#include <cmath>

namespace nbrhood_tools::explain {

namespace {

/// Up to this many used cells are drawn one by one, which keeps them sharp at every scale. More
/// cells would make files of many megabytes, so they become one embedded image.
constexpr std::size_t most_drawn_cells = 16384;

/// In matrices with more rows the cells have no room for numbers.
constexpr std::size_t most_rows_with_numbers = 8;

/// The palette of viridis, dark for large values.
const char *const palette = "set palette defined (0 '#fde725', 0.25 '#5ec962', 0.5 '#21918c', "
                            "0.75 '#3b528b', 1 '#440154')\n";

std::string number(double value)
{
    return number_text(value, "%.10g");
}

/// One of the matrices of an algorithm.
using MatrixOf = TrafficMatrix AlgorithmReport::*;

/// The range of colours, powers of two. All algorithms of a graph have the same range, so that a
/// colour has the same meaning in their pictures.
class Scale {
public:
    Scale(const ScenarioReport &report, MatrixOf matrix_of)
    {
        double least = 0, most = 0;
        for (const AlgorithmReport &algorithm : report.algorithms) {
            const TrafficMatrix &matrix = algorithm.*matrix_of;
            for (std::size_t row = 0; row < matrix.rows(); ++row)
                for (std::size_t column = 0; column < matrix.rows(); ++column)
                    if (const double amount = matrix.at(row, column); amount > 0) {
                        least = most == 0 ? amount : std::min(least, amount);
                        most = std::max(most, amount);
                    }
        }
        if (most == 0)
            return;
        low_ = static_cast<int>(std::floor(std::log2(least)));
        high_ = std::max(low_ + 1, static_cast<int>(std::ceil(std::log2(most))));
    }

    /// Whether black text would be unreadable on this colour.
    bool is_dark(double amount) const { return std::log2(amount) - low_ > 0.5 * (high_ - low_); }

    std::string script(const std::string &label) const
    {
        const int step = (high_ - low_ + 5) / 6;
        std::string tics;
        for (int exponent = low_; exponent <= high_; exponent += step)
            tics += (tics.empty() ? "" : ", ")
                    + gnuplot_string(bytes_text(std::ldexp(1.0, exponent))) + " "
                    + number(std::ldexp(1.0, exponent));
        return "set logscale cb 2\nset cbrange [" + number(std::ldexp(1.0, low_)) + ":"
               + number(std::ldexp(1.0, high_)) + "]\nset cbtics (" + tics + ")\nset cblabel "
               + gnuplot_string(label) + "\n";
    }

private:
    int low_ = 0, high_ = 1; ///< exponents
};

/// One matrix with its axes and colours.
class Panel {
public:
    /// what: "messages" or "bytes"; items: "rank" or "node".
    Panel(const ScenarioReport &report, const AlgorithmReport &algorithm, MatrixOf matrix_of,
          std::string what, std::string items)
        : matrix_(algorithm.*matrix_of), scale_(report, matrix_of), what_(std::move(what)),
          items_(std::move(items)), name_(what_ + "_" + items_),
          span_(static_cast<double>(matrix_.items_of_row()))
    {
        for (std::size_t row = 0; row < matrix_.rows(); ++row)
            for (std::size_t column = 0; column < matrix_.rows(); ++column)
                used_ += matrix_.at(row, column) > 0 ? 1 : 0;
    }

    /// outlines: gnuplot commands for lines drawn on top.
    std::string script(const std::string &outlines) const
    {
        std::string text = axes() + outlines;
        std::vector<std::string> parts;
        if (used_ > most_drawn_cells) {
            text += image_data();
            parts.push_back("$" + name_ + " matrix using (" + centre("$1") + "):(" + centre("$2")
                            + "):($3 > 0 ? $3 : NaN) with image notitle");
        } else if (used_ > 0) {
            text += cell_data();
            parts.push_back("$" + name_
                            + " using 1:2:3:4:5:6:7 with boxxyerror fillcolor palette "
                              "fillstyle solid noborder notitle");
            if (matrix_.rows() <= most_rows_with_numbers)
                parts.push_back("$" + name_
                                + " using 1:2:8:9 with labels textcolor rgb variable "
                                  "font ',11' notitle");
        }
        return text + plot_command(parts);
    }

private:
    std::string axes() const
    {
        const double end = static_cast<double>(matrix_.rows()) * span_ - 0.5;
        const std::string tics = number(step_of_tics(end, 8));
        std::string title = what_ + " by " + items_;
        if (span_ > 1)
            title += " (a cell: " + number(span_) + " x " + number(span_) + " " + items_ + "s)";
        return "set title " + gnuplot_string(title) + "\nset xrange [-0.5:" + number(end)
               + "]\nset yrange [" + number(end) + ":-0.5]\nset xtics " + tics
               + " out nomirror\nset ytics " + tics + " out nomirror\nset xlabel "
               + gnuplot_string("to " + items_) + "\nset ylabel " + gnuplot_string("from " + items_)
               + "\n" + colours();
    }

    std::string colours() const
    {
        if (used_ == 0)
            return "unset colorbox\nset label 99 'no messages' at graph 0.5, graph 0.5 center\n";
        return "set colorbox\nunset label 99\n" + scale_.script(what_ + " in a call");
    }

    /// The middle of a row or column of that index.
    std::string centre(const std::string &index) const
    {
        return index + "*" + number(span_) + "+" + number((span_ - 1) / 2);
    }

    std::string image_data() const
    {
        std::vector<std::string> rows(matrix_.rows());
        for (std::size_t row = 0; row < matrix_.rows(); ++row)
            for (std::size_t column = 0; column < matrix_.rows(); ++column)
                rows[row] += number(matrix_.at(row, column)) + " ";
        return data_block(name_, rows);
    }

    /// x y x-low x-high y-low y-high amount text colour-of-text
    std::string cell_data() const
    {
        std::vector<std::string> rows;
        for (std::size_t row = 0; row < matrix_.rows(); ++row)
            for (std::size_t column = 0; column < matrix_.rows(); ++column)
                if (matrix_.at(row, column) > 0)
                    rows.push_back(cell(row, column));
        return data_block(name_, rows);
    }

    std::string cell(std::size_t row, std::size_t column) const
    {
        const double amount = matrix_.at(row, column);
        const double left = static_cast<double>(column) * span_ - 0.5;
        const double top = static_cast<double>(row) * span_ - 0.5;
        std::string text = row_text(
            {left + span_ / 2, top + span_ / 2, left, left + span_, top, top + span_, amount});
        if (matrix_.rows() <= most_rows_with_numbers) {
            text += bytes_text(amount);
            text += scale_.is_dark(amount) ? " 16777215" : " 0";
        }
        return text;
    }

    const TrafficMatrix &matrix_;
    Scale scale_;
    std::string what_, items_, name_;
    double span_; ///< items of a row
    std::size_t used_ = 0;
};

/// A frame around the traffic among the ranks from `begin` to before `end`.
std::string frame(int object, std::size_t begin, std::size_t end)
{
    const std::string low = number(static_cast<double>(begin) - 0.5);
    const std::string high = number(static_cast<double>(end) - 0.5);
    return "set object " + std::to_string(object) + " rectangle from " + low + "," + low + " to "
           + high + "," + high + " front fillstyle empty border linecolor 'black' linewidth 0.7\n";
}

/// Frames around the traffic inside nodes, if neighbouring ranks are on the same node.
std::string node_frames(const Layout &layout)
{
    const std::vector<std::int32_t> &node_of = layout.cluster.node_of;
    std::string text;
    int objects = 0;
    for (std::size_t begin = 0; begin < node_of.size();) {
        std::size_t end = begin + 1;
        while (end < node_of.size() && node_of[end] == node_of[begin])
            ++end;
        // Smaller frames would be invisible in a picture of 400 pixels.
        if (end - begin > 1 && (end - begin) * 100 > node_of.size()) {
            text += frame(++objects, begin, end);
        }
        begin = end;
    }
    return text;
}

} // namespace

std::string traffic_script(const ScenarioReport &report, const AlgorithmReport &algorithm,
                           const Layout &layout, const std::string &machine)
{
    const std::string title = scenario_text(report) + ", " + algorithm.name + ": "
                              + size_text(report, algorithm.sizes.front().bytes) + "\n" + machine;
    const auto panel = [&](MatrixOf matrix_of, const char *what, const char *items) {
        const std::string frames =
            std::string(items) == "rank" ? node_frames(layout) : "unset object\n";
        return Panel(report, algorithm, matrix_of, what, items).script(frames);
    };
    return begin_script(1060, 960) + palette + "set tics font ',10'\nset size ratio 1\n"
           + "set multiplot layout 2,2 title " + gnuplot_string(title) + "\n"
           + panel(&AlgorithmReport::messages_by_rank, "messages", "rank")
           + panel(&AlgorithmReport::messages_by_node, "messages", "node")
           + panel(&AlgorithmReport::bytes_by_rank, "bytes", "rank")
           + panel(&AlgorithmReport::bytes_by_node, "bytes", "node") + "unset multiplot\n";
}

} // namespace nbrhood_tools::explain
