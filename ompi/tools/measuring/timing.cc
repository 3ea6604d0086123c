// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace nbrhood_tools {

namespace {

constexpr int fewest_samples = 6; // with fewer samples an interval is meaningless

double time_sample(Repeatable &exchange, int calls, MPI_Comm comm)
{
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    for (int call = 0; call < calls; ++call)
        exchange.run();
    return (MPI_Wtime() - start) / calls;
}

/// Rounds of the algorithms' indices. A B, B A, A B, ...: drifts in time, and effects of the
/// previous run, then affect all algorithms equally. A B A B would bias the ratio by 5 to 10 %.
class RoundOrder {
public:
    RoundOrder(std::size_t algorithms, const TimingSettings &settings)
        : order_(algorithms), kind_(settings.order), random_(settings.seed)
    {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    const std::vector<std::size_t> &next()
    {
        if (kind_ == Order::palindrome)
            std::reverse(order_.begin(), order_.end());
        else
            std::shuffle(order_.begin(), order_.end(), random_);
        return order_;
    }

private:
    std::vector<std::size_t> order_;
    Order kind_;
    std::mt19937_64 random_; ///< the same seed on every rank: the order is collective
};

/// Rank 0's answer for all ranks, because decisions by their own clocks could differ.
int rank0_decides(int value, MPI_Comm comm)
{
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    return value;
}

void take_slowest_rank(std::vector<std::vector<double>> &seconds, MPI_Comm comm)
{
    for (std::vector<double> &samples : seconds)
        MPI_Allreduce(MPI_IN_PLACE, samples.data(), static_cast<int>(samples.size()), MPI_DOUBLE,
                      MPI_MAX, comm);
}

} // namespace

Timing time_exchanges(const std::vector<Repeatable *> &exchanges, const TimingSettings &settings,
                      MPI_Comm comm)
{
    RoundOrder order(exchanges.size(), settings);
    Timing timing;
    timing.seconds.resize(exchanges.size());
    const double begin = MPI_Wtime();

    // Two short rounds measure the time of a round, so that the number of calls can be reduced
    // before that of samples. Barriers are timed separately from calls, because they may take
    // longer.
    const auto time_round = [&](int calls) {
        const double round_begin = MPI_Wtime();
        for (std::size_t which : order.next())
            time_sample(*exchanges[which], calls, comm);
        return MPI_Wtime() - round_begin;
    };
    time_round(1);
    constexpr int few = 5;
    const double one_call = time_round(1);
    const double per_call = std::max((time_round(few) - one_call) / (few - 1), 1e-7);
    const double barriers = std::max(one_call - per_call, 0.0);
    const double affordable = std::floor(
        (settings.max_seconds / (settings.samples + settings.warmup) - barriers) / per_call);
    timing.calls =
        rank0_decides(static_cast<int>(std::clamp(affordable, 1.0, double(settings.calls))), comm);
    timing.cut_short = timing.calls < settings.calls;

    for (int round = 0; round < settings.warmup; ++round)
        for (std::size_t which : order.next())
            time_sample(*exchanges[which], timing.calls, comm);

    for (int round = 0; round < settings.samples; ++round) {
        const bool late = MPI_Wtime() - begin > settings.max_seconds && round >= fewest_samples;
        if (rank0_decides(late ? 1 : 0, comm) != 0) {
            timing.cut_short = true;
            break;
        }
        for (std::size_t which : order.next())
            timing.seconds[which].push_back(time_sample(*exchanges[which], timing.calls, comm));
    }
    take_slowest_rank(timing.seconds, comm);
    return timing;
}

std::vector<double> time_first_calls(Repeatable &exchange, const TimingSettings &settings,
                                     MPI_Comm comm)
{
    std::vector<std::vector<double>> seconds(1);
    double start = 0, before = 0;
    for (int call = 0; call < settings.first_calls; ++call) {
        if (call % settings.calls == 0) {
            before = call == 0 ? 0 : seconds.front().back();
            MPI_Barrier(comm);
            start = MPI_Wtime();
        }
        exchange.run();
        seconds.front().push_back(before + MPI_Wtime() - start);
    }
    take_slowest_rank(seconds, comm);
    return seconds.front();
}

std::vector<std::vector<double>> time_preparation(const std::vector<Repeatable *> &exchanges,
                                                  int times, MPI_Comm comm)
{
    std::vector<std::vector<double>> seconds(exchanges.size());
    for (int round = 0; round < times; ++round) {
        for (std::size_t turn = 0; turn < exchanges.size(); ++turn) {
            const std::size_t which = round % 2 == 0 ? turn : exchanges.size() - 1 - turn;
            exchanges[which]->release();
            MPI_Barrier(comm);
            const double start = MPI_Wtime();
            exchanges[which]->prepare();
            seconds[which].push_back(MPI_Wtime() - start);
        }
    }
    take_slowest_rank(seconds, comm);
    return seconds;
}

} // namespace nbrhood_tools
