// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The set of requests of neighbourhood collectives.
#pragma once

#include "measuring/mpi_headers.h"

#include <atomic>
#include <cstddef>
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

    void add(MPI_Request request, Kind kind)
    {
        if (request == MPI_REQUEST_NULL)
            return;
        const std::lock_guard<std::mutex> lock(mutex_);
        known_[request] = kind;
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
        for (int i = 0; i < count; ++i)
            started += static_cast<int>(known_.count(requests[i]));
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
            if (found->second == Kind::kNonblocking) {
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
    std::mutex mutex_;
    std::atomic<std::size_t> size_{0};
    std::unordered_map<MPI_Request, Kind> known_;
};

/// Never destroyed, like the totals.
inline Requests &requests()
{
    static auto *const all = new Requests;
    return *all;
}

} // namespace neighbour_times
