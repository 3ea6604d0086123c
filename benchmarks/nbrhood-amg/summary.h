// Sums over the levels, as the paper makes them.
#ifndef NBRHOOD_AMG_SUMMARY_H
#define NBRHOOD_AMG_SUMMARY_H

#include "measurement.h"

namespace nbrhood_amg {

/// One way on all levels. Times in seconds; NaN where a level's results were wrong.
struct Total {
    std::string name;
    double seconds = 0;      ///< of one exchange on each level
    double best_seconds = 0; ///< on each level the faster of this way and the first (figure 11)
    double creation = 0;     ///< of the communicators
    double first = 0;        ///< of init and first exchange
    /// Exchanges on each level until dearer inits, or inits and creations, are paid back, compared
    /// with the first way (figure 7); infinity: never.
    double crossover = 0;
    double crossover_with_creation = 0;
    /// The same with this way only on levels where its exchange is faster.
    double best_crossover = 0;
    double best_crossover_with_creation = 0;
};

/// One Total for each way, in their order.
std::vector<Total> sum_up(const std::vector<LevelResult> &levels);

/// Where one way sends fewer bytes between regions than another.
struct Saving {
    double fraction = 0; ///< of the largest rank's bytes
    int level = -1;      ///< -1: on no level
};

/// The level on which way `fewer` saves most against way `more` (figure 9).
Saving largest_saving(const std::vector<LevelResult> &levels, const std::string &more,
                      const std::string &fewer);

} // namespace nbrhood_amg

#endif
