// Results for people, on standard output. Called on rank 0.
#ifndef NBRHOOD_AMG_TABLES_H
#define NBRHOOD_AMG_TABLES_H

#include "run.h"

namespace nbrhood_amg {

/// Prints all tables: the levels' times, set-up costs and messages, the sums, and the paper's
/// figures.
void print_tables(const Run &run);

} // namespace nbrhood_amg

#endif
