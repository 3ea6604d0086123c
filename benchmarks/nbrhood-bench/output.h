// Results for people and for programs, and news for those who wait. All of it is called on rank 0
// only.
#ifndef NBRHOOD_BENCH_OUTPUT_H
#define NBRHOOD_BENCH_OUTPUT_H

#include "comparison.h"
#include "environment.h"

#include <string>
#include <vector>

namespace nbrhood_bench {

/// The table, line by line, as results come in.
class Table {
public:
    Table(const Environment &environment, const std::vector<std::string> &graph_names,
          const std::vector<std::string> &labels);
    /// What was measured where, and what a call includes.
    void print_title(const CallSettings &calls) const;
    /// One line about a graph, before the header.
    void print_graph(const Configuration &configuration) const;
    void print_header() const;
    void print(const Comparison &comparison) const;
    /// Geometric means where several graphs were measured alike, and how to read the figures.
    void print_footer(const std::vector<Comparison> &comparisons) const;

private:
    void print_overlap(const Comparison &comparison) const;

    const Environment &environment_;
    int graph_width_ = 5;
    int label_width_ = 9;
};

/// Tells on stderr how far the run is: every step if `every_step` or stderr is a terminal, else
/// every 15 seconds.
class Progress {
public:
    Progress(bool every_step, std::size_t steps);
    void next(const std::string &what);

private:
    bool every_step_;
    std::size_t steps_;
    std::size_t done_ = 0;
    double begin_;
    double last_;
};

} // namespace nbrhood_bench

#endif
