// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The set of requests of neighbourhood collectives.
#pragma once

#include "measuring/mpi_headers.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace neighbour_times {

enum class Kind { kNonblocking, kPersistent };

/// Threads may use it at the same time. A nonblocking request is taken out before MPI can complete
/// it, because after completion another thread's new request may have the same handle; a request
/// that is not complete is put back.
class Requests {
public:
    struct Taken {
        bool any = false; // whether one of the requests is of a neighbourhood collective
        std::vector<int> nonblocking;
    };

    /// False, without a lock, if the set is empty.
    bool any() const { return size_.load(std::memory_order_relaxed) != 0; }

    /// most_starts: the counter for the starts of a persistent request, or nullptr.
    void add(MPI_Request request, Kind kind, std::atomic<std::int64_t> *most_starts = nullptr)
    {
        if (request == MPI_REQUEST_NULL)
            return;
        const std::lock_guard<std::mutex> lock(mutex_);
        known_[request] = {kind, most_starts};
        size_.store(known_.size(), std::memory_order_relaxed);
    }

    void remove(MPI_Request request)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        known_.erase(request);
        size_.store(known_.size(), std::memory_order_relaxed);
    }

    /// The number of known requests among those that are started; takes none out.
    int started(int count, const MPI_Request *requests)
    {
        int started = 0;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (int i = 0; i < count; ++i) {
            const auto found = known_.find(requests[i]);
            if (found == known_.end())
                continue;
            ++started;
            count_start(found->second);
        }
        return started;
    }

    Taken take(int count, const MPI_Request *requests)
    {
        Taken taken;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (int i = 0; i < count; ++i) {
            const auto found = known_.find(requests[i]);
            if (found == known_.end())
                continue;
            taken.any = true;
            if (found->second.kind == Kind::kNonblocking) {
                taken.nonblocking.push_back(i);
                known_.erase(found);
            }
        }
        size_.store(known_.size(), std::memory_order_relaxed);
        return taken;
    }

    void put_back(const Taken &taken, const MPI_Request *requests)
    {
        for (const int i : taken.nonblocking)
            add(requests[i], Kind::kNonblocking);
    }

private:
    struct Known {
        Kind kind = Kind::kNonblocking;
        std::atomic<std::int64_t> *most_starts = nullptr;
        std::int64_t starts = 0;
    };

    // The lock is held.
    static void count_start(Known &request)
    {
        ++request.starts;
        if (request.most_starts != nullptr && request.starts > *request.most_starts)
            *request.most_starts = request.starts;
    }

    std::mutex mutex_;
    std::atomic<std::size_t> size_{0};
    std::unordered_map<MPI_Request, Known> known_;
};

/// Never destroyed, like the totals.
inline Requests &requests()
{
    static auto *const all = new Requests;
    return *all;
}

} // namespace neighbour_times
