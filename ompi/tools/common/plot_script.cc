// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "plot_script.h"

#include "number_text.h"

#include <algorithm>
#include <cmath>

namespace nbrhood_tools {

std::string gnuplot_string(const std::string &text)
{
    // Between "" gnuplot would run text in backquotes, and between '' it has no line breaks.
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? "''" : c == '\n' ? "'.\"\\n\".'" : std::string(1, c);
    return result + "'";
}

std::string begin_script(int width, int height)
{
    // Names of graphs and files have underscores that are no subscripts.
    return "set encoding utf8\nset terminal svg noenhanced dynamic font 'sans,12' background "
           "'#ffffff' size "
           + std::to_string(width) + "," + std::to_string(height) + "\n";
}

std::string colour(std::size_t number)
{
    const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                   "#cc79a7", "#e69f00", "#56b4e9"};
    return colours[number % (sizeof colours / sizeof *colours)];
}

double step_of_tics(double length, int most)
{
    const double least = std::max(1.0, length / most);
    double step = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {2.0, 2.5, 2.0}) {
        if (step >= least)
            break;
        step *= factor;
    }
    return std::ceil(step);
}

std::string row_text(std::initializer_list<double> numbers)
{
    std::string text;
    for (const double number : numbers) {
        text += number_text(number, "%.10g");
        text += ' ';
    }
    return text;
}

std::string data_block(const std::string &name, const std::vector<std::string> &rows)
{
    std::string text = "$" + name + " << EOD\n";
    for (const std::string &row : rows)
        text += row + "\n";
    return text + "EOD\n";
}

std::string plot_command(const std::vector<std::string> &parts)
{
    if (parts.empty())
        return "plot NaN notitle\n";
    std::string text = "plot ";
    for (std::size_t p = 0; p < parts.size(); ++p)
        text += (p == 0 ? "" : ", ") + parts[p];
    return text + "\n";
}

} // namespace nbrhood_tools
