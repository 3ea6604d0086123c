#include "progress.h"

#include "mpi_headers.h"

#include <cstdio>
#include <unistd.h>

namespace nbrhood_bench {

Progress::Progress(const char *program, bool every_step, std::size_t steps)
    : program_(program), every_step_(every_step || isatty(STDERR_FILENO) != 0), steps_(steps),
      begin_(MPI_Wtime()), last_(begin_)
{}

void Progress::next(const std::string &what)
{
    const double now = MPI_Wtime();
    if (every_step_ || now - last_ > 15) {
        std::fprintf(stderr, "%s: %zu of %zu, %.0f s: %s\n", program_, done_ + 1, steps_,
                     now - begin_, what.c_str());
        last_ = now;
    }
    ++done_;
}

} // namespace nbrhood_bench
