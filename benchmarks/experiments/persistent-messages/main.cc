// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Tests whether MPI's persistent point-to-point messages are faster than MPI_Isend and MPI_Irecv:
// pairs of ranks exchange messages both ways, in turns. docs/results.md has the conclusions for the
// component.
#include "common/version.h"
#include "measuring/mpi_headers.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kMessages = 8; // each way
constexpr int kExchanges = 20000;
constexpr int kTurns = 6;

/// The messages of one rank with its partner.
class Pair {
public:
    Pair(int partner, int bytes)
        : partner_(partner), bytes_(bytes), sent_(static_cast<std::size_t>(kMessages * bytes)),
          received_(sent_.size()), started_(2 * kMessages), kept_(2 * kMessages)
    {
        for (int i = 0; i < kMessages; ++i) {
            MPI_Recv_init(&received_[at(i)], bytes_, MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                          &kept_[static_cast<std::size_t>(i)]);
            MPI_Send_init(&sent_[at(i)], bytes_, MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                          &kept_[static_cast<std::size_t>(kMessages + i)]);
        }
    }
    Pair(const Pair &) = delete;
    Pair &operator=(const Pair &) = delete;
    ~Pair()
    {
        for (MPI_Request &request : kept_)
            MPI_Request_free(&request);
    }

    void exchange_new()
    {
        for (int i = 0; i < kMessages; ++i)
            MPI_Irecv(&received_[at(i)], bytes_, MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                      &started_[static_cast<std::size_t>(i)]);
        for (int i = 0; i < kMessages; ++i)
            MPI_Isend(&sent_[at(i)], bytes_, MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                      &started_[static_cast<std::size_t>(kMessages + i)]);
        MPI_Waitall(2 * kMessages, started_.data(), MPI_STATUSES_IGNORE);
    }

    void exchange_kept()
    {
        MPI_Startall(2 * kMessages, kept_.data());
        MPI_Waitall(2 * kMessages, kept_.data(), MPI_STATUSES_IGNORE);
    }

private:
    std::size_t at(int message) const { return static_cast<std::size_t>(message * bytes_); }
    int partner_;
    int bytes_;
    std::vector<char> sent_, received_;
    std::vector<MPI_Request> started_, kept_;
};

/// Microseconds of one exchange.
template <typename Exchange>
double time_of(const Exchange &exchange)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < kExchanges; ++i)
        exchange();
    return (MPI_Wtime() - start) / kExchanges * 1e6;
}

/// A number from 1 to 16 MiB (the size of several buffers), or 0 if the text is not such a number.
int number_of(const char *text)
{
    int number = 0;
    const char *const end = text + std::strlen(text);
    const auto result = std::from_chars(text, end, number);
    return result.ec == std::errc() && result.ptr == end && number <= 1 << 24 ? number : 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
        std::fputs(nbrhood_tools::version_line("persistent-messages").c_str(), stdout);
        return 0;
    }
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int bytes = argc > 1 ? number_of(argv[1]) : 64;
    const bool usable = ranks % 2 == 0 && bytes > 0;
    if (usable) {
        Pair pair(rank ^ 1, bytes);
        for (int turn = 0; turn < kTurns; ++turn) {
            const double fresh = time_of([&] { pair.exchange_new(); });
            const double kept = time_of([&] { pair.exchange_kept(); });
            if (rank == 0)
                std::printf("%d x %d bytes each way: MPI_Isend and MPI_Irecv %.2f us, MPI_Startall "
                            "%.2f us: %.2f times as fast\n",
                            kMessages, bytes, fresh, kept, fresh / kept);
        }
    } else if (rank == 0) {
        std::fprintf(stderr, "usage: mpirun -n EVEN_NUMBER persistent-messages [BYTES]\n");
    }
    MPI_Finalize();
    return usable ? 0 : 1;
}
