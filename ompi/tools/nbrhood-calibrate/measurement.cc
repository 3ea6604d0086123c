// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "common/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace nbrhood_tools::calibrate {

namespace {

constexpr int kRangingPasses = 3; // passes that measure the length of exchanges, and do not count
constexpr int kPassesWanted = 15; // enough passes that a few bad ones hardly move the median
constexpr int kFewestPasses = 3;
constexpr int kMostPasses = 51;
constexpr int kMostCalls = 10000;
constexpr std::size_t kMostBytes = std::size_t{1} << 20; // bytes that a rank sends in one exchange
constexpr std::size_t kCopyPiece = 4096;                 // about the size of a block that is packed
constexpr double kReportEvery = 3;                       // seconds
constexpr int kTag = 1;

/// Waits until the others reach the barrier, without using their processor time: Open MPI polls,
/// and if ranks outnumber cores, polling slows down the ranks that measure.
void sleep_until_all_arrive(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    const std::timespec nap{0, 20'000'000};
    for (int arrived = 0; arrived == 0;) {
        MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
        if (arrived == 0)
            nanosleep(&nap, nullptr);
    }
}

/// The buffers of this rank, and the ways to time a shape with them.
class Bench {
public:
    Bench(const Layout &layout, MPI_Comm comm)
        : layout_(layout), comm_(comm), send_(kMostBytes, 1), receive_(kMostBytes, 0)
    {
        MPI_Comm_split(comm, layout.takes_part(Kind::alone) ? 0 : MPI_UNDEFINED, layout.rank,
                       &leaders_);
    }
    ~Bench()
    {
        if (leaders_ != MPI_COMM_NULL)
            MPI_Comm_free(&leaders_);
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    /// Adds one sample to each series. The series of kind `alone` come last, together, so that the
    /// other ranks sleep only once.
    void pass(std::vector<Series> &all)
    {
        for (Series &series : all)
            if (series.shape.kind != Kind::alone)
                series.samples.push_back(time_sample(series, comm_));
        for (Series &series : all)
            if (series.shape.kind == Kind::alone)
                series.samples.push_back(leaders_ == MPI_COMM_NULL ? 0
                                                                   : time_sample(series, leaders_));
        sleep_until_all_arrive(comm_);
    }

private:
    double time_sample(const Series &series, MPI_Comm comm)
    {
        MPI_Barrier(comm);
        if (!layout_.takes_part(series.shape.kind))
            return 0;
        // Ranks leave the barrier at different times. The first exchange, which is not timed,
        // brings them as close together as in a loop.
        exchange(series.shape);
        const double start = MPI_Wtime();
        for (int call = 0; call < series.calls; ++call)
            exchange(series.shape);
        return (MPI_Wtime() - start) / series.calls;
    }

    void exchange(const Shape &shape)
    {
        if (shape.kind == Kind::copy) {
            for (int piece = 0; piece < shape.messages; ++piece)
                std::memcpy(&receive_[offset(shape, piece)], &send_[offset(shape, piece)],
                            shape.bytes);
            return;
        }
        const int bytes = static_cast<int>(shape.bytes);
        requests_.resize(2 * static_cast<std::size_t>(shape.messages));
        for (int round = 0; round < shape.rounds; ++round) {
            const int first = round * shape.messages;
            MPI_Request *request = requests_.data();
            for (int i = 0; i < shape.messages; ++i)
                MPI_Irecv(&receive_[offset(shape, i)], bytes, MPI_BYTE,
                          partners_of(layout_, shape.kind, first + i).from, kTag, comm_, request++);
            for (int i = 0; i < shape.messages; ++i)
                MPI_Isend(&send_[offset(shape, i)], bytes, MPI_BYTE,
                          partners_of(layout_, shape.kind, first + i).to, kTag, comm_, request++);
            MPI_Waitall(2 * shape.messages, requests_.data(), MPI_STATUSES_IGNORE);
        }
    }

    static std::size_t offset(const Shape &shape, int message)
    {
        return static_cast<std::size_t>(message) * shape.bytes;
    }

    const Layout &layout_;
    MPI_Comm comm_;
    MPI_Comm leaders_ = MPI_COMM_NULL; ///< one rank of each node; null on the others
    std::vector<char> send_;
    std::vector<char> receive_;
    std::vector<MPI_Request> requests_;
};

/// Rank 0's seconds since `begin`, for all ranks, because decisions by their own clocks could
/// differ.
double seconds_since(double begin, MPI_Comm comm)
{
    double passed = MPI_Wtime() - begin;
    MPI_Bcast(&passed, 1, MPI_DOUBLE, 0, comm);
    return passed;
}

/// Replaces the last sample of each series by that of the slowest rank.
void take_slowest_rank(std::vector<Series> &all, MPI_Comm comm)
{
    std::vector<double> last;
    for (const Series &series : all)
        last.push_back(series.samples.back());
    MPI_Allreduce(MPI_IN_PLACE, last.data(), static_cast<int>(last.size()), MPI_DOUBLE, MPI_MAX,
                  comm);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].samples.back() = last[i];
}

/// Gives each series as many calls as make a pass last about `pass_seconds`, from its samples so
/// far. These are the same on every rank.
void choose_calls(std::vector<Series> &all, double pass_seconds)
{
    const double share = pass_seconds / static_cast<double>(all.size());
    for (Series &series : all) {
        const double call = median(series.samples);
        series.calls = static_cast<int>(
            std::clamp(std::floor(share / std::max(call, 1e-9)), 1.0, double(kMostCalls)));
    }
}

} // namespace

std::vector<Shape> planned_shapes(const Layout &layout)
{
    std::vector<Shape> shapes;
    const auto add = [&shapes](Kind kind, int rounds, int messages, std::size_t bytes) {
        if (static_cast<std::size_t>(messages) * bytes <= kMostBytes)
            shapes.push_back({kind, rounds, messages, bytes});
    };
    for (Kind kind : {Kind::socket, Kind::node, Kind::network, Kind::alone}) {
        if (kind == Kind::socket && layout.sockets.empty())
            continue;
        for (std::size_t bytes : {8, 512, 4096, 16384, 65536, 262144})
            for (int messages : {1, 4, 16})
                add(kind, 1, messages, bytes);
        for (int messages : {2, 8})
            for (std::size_t bytes : {8, 4096})
                add(kind, 1, messages, bytes);
        for (int rounds : {2, 4})
            for (int messages : {1, 4})
                add(kind, rounds, messages, 8);
    }
    add(Kind::copy, 1, 16, kCopyPiece);
    return shapes;
}

std::vector<Series> measure(const Layout &layout, const std::vector<Shape> &shapes, double seconds,
                            MPI_Comm comm)
{
    std::vector<Series> all;
    for (const Shape &shape : shapes)
        all.push_back({shape, 1, {}});
    const double begin = MPI_Wtime();
    double last_report = 0;
    Bench bench(layout, comm);
    for (int pass = 0; pass < kRangingPasses; ++pass) {
        bench.pass(all);
        take_slowest_rank(all, comm);
        if (pass == 0) // the first sample includes opening connections
            continue;
        const double left = std::max(0.0, seconds - seconds_since(begin, comm));
        choose_calls(all, left / kPassesWanted);
    }
    for (Series &series : all)
        series.samples.clear();

    for (int pass = 0; pass < kMostPasses; ++pass) {
        const double passed = seconds_since(begin, comm);
        if (passed > seconds && pass >= kFewestPasses)
            break;
        if (layout.rank == 0 && passed - last_report > kReportEvery) {
            std::fprintf(stderr, "nbrhood-calibrate: pass %d, %.0f of about %.0f s\n", pass + 1,
                         passed, seconds);
            last_report = passed;
        }
        bench.pass(all);
        take_slowest_rank(all, comm);
    }
    return all;
}

} // namespace nbrhood_tools::calibrate
