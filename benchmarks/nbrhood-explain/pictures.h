// Pictures of patterns and times, drawn by gnuplot.
#ifndef NBRHOOD_EXPLAIN_PICTURES_H
#define NBRHOOD_EXPLAIN_PICTURES_H

#include "report.h"

#include <string>
#include <vector>

namespace nbrhood_explain {

/// Draws into `folder` (made if missing) with gnuplot and returns the names of the files written:
///   traffic-GRAPH-KIND-ALGORITHM.svg   who sends how much to whom, by rank and by node
///   timeline-GRAPH-KIND-ALGORITHM.svg  what the first ranks do when
///   speed-up-GRAPH-KIND.svg            over the sizes, where there are several
///   speed-up-density-KIND.svg          over the densities, where there are several graphs
/// Of each graph's first size, where a picture shows one. `title` names machine and costs. Throws
/// InputError when a file cannot be written, or gnuplot is missing or fails.
std::vector<std::string> draw_pictures(const std::string &folder, const std::string &title,
                                       const std::vector<SubjectReport> &reports);

} // namespace nbrhood_explain

#endif
