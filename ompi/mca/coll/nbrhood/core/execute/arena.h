// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Memory that is allocated piece by piece and freed all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace nbrhood {

// Pieces keep their addresses until clear(). Throws std::bad_alloc only.
class Arena {
public:
    // Returns memory aligned to 16 bytes.
    char *take(std::size_t bytes)
    {
        const std::size_t rounded = (bytes + 15) / 16 * 16;
        if (chunks_.empty() || chunks_.back().bytes - used_ < rounded) {
            add(std::max(rounded, std::min(total_, kMostAhead)));
        }
        char *const at = chunks_.back().memory.get() + used_;
        used_ += rounded;
        return at;
    }

    // Frees all pieces. Keeps one chunk as large as all of them for the next time.
    void clear()
    {
        if (chunks_.size() > 1) {
            const std::size_t all = total_;
            chunks_.clear();
            total_ = 0;
            add(all);
        }
        used_ = 0;
    }

    std::size_t bytes() const { return total_; }

private:
    static constexpr std::size_t kMostAhead = 65536;

    struct Chunk {
        std::unique_ptr<char[]> memory;
        std::size_t bytes = 0;
    };

    void add(std::size_t bytes)
    {
        chunks_.push_back(Chunk{std::make_unique<char[]>(bytes), bytes});
        total_ += bytes;
        used_ = 0;
    }

    std::vector<Chunk> chunks_;
    std::size_t used_ = 0; // of the last chunk
    std::size_t total_ = 0;
};

} // namespace nbrhood
