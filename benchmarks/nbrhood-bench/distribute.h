// Graphs from files: rank 0 reads and cuts them, the others receive their part.
#ifndef NBRHOOD_BENCH_DISTRIBUTE_H
#define NBRHOOD_BENCH_DISTRIBUTE_H

#include "graph.h"

namespace nbrhood_bench {

/// Reads spec.file on rank 0 and returns each rank's part. Collective over `comm`.
/// Throws InputError on every rank alike when rank 0 fails.
Neighbourhood read_and_distribute(const GraphSpec &spec, MPI_Comm comm);

} // namespace nbrhood_bench

#endif
