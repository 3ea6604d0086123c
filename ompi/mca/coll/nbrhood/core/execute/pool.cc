#include "execute/pool.h"

#include <algorithm>
#include <cstring>

namespace nbrhood {

void cover(std::vector<Piece> &pieces)
{
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece &a, const Piece &b) { return a.position < b.position; });
    std::size_t kept = 0;
    std::uint64_t covered_to = 0;
    for (Piece piece : pieces) {
        const std::uint64_t end = piece.position + piece.bytes;
        if (kept != 0 && end <= covered_to) {
            continue;
        }
        if (kept != 0 && piece.position < covered_to) {
            const std::uint64_t known = covered_to - piece.position;
            piece.position += known;
            piece.memory += known;
            piece.bytes -= known;
        }
        Piece *last = kept != 0 ? &pieces[kept - 1] : nullptr;
        if (last != nullptr && last->position + last->bytes == piece.position
            && last->memory + last->bytes == piece.memory) {
            last->bytes += piece.bytes;
        } else {
            pieces[kept++] = piece;
        }
        covered_to = end;
    }
    pieces.resize(kept);
}

void Pool::clear()
{
    pieces_.clear();
    ends_.clear();
    block_bytes_ = bytes_ = 0;
}

void Pool::add(const Piece &piece)
{
    if (piece.bytes != 0) {
        pieces_.push_back(piece);
        block_bytes_ += piece.bytes;
    }
}

void Pool::end_block()
{
    ends_.push_back(pieces_.size());
}

void Pool::lay_out()
{
    covered_ = pieces_;
    cover(covered_);
    starts_.clear();
    for (const Piece &piece : covered_) {
        starts_.push_back(bytes_);
        bytes_ += piece.bytes;
    }
    runs_.clear();
    run_ends_.clear();
    std::size_t next = 0;
    for (std::size_t end : ends_) {
        const std::size_t first = runs_.size();
        for (; next < end; ++next) {
            const Piece &piece = pieces_[next];
            const auto after = std::upper_bound(covered_.begin(), covered_.end(), piece.position,
                                                [](std::uint64_t position, const Piece &covered) {
                                                    return position < covered.position;
                                                });
            const auto holder = static_cast<std::size_t>(after - covered_.begin()) - 1;
            // A piece covers one range of positions, and so does the payload there.
            const Run run{starts_[holder] + piece.position - covered_[holder].position,
                          piece.bytes};
            if (runs_.size() > first && runs_.back().at + runs_.back().bytes == run.at) {
                runs_.back().bytes += run.bytes;
            } else {
                runs_.push_back(run);
            }
        }
        run_ends_.push_back(runs_.size());
    }
}

std::size_t Pool::table_bytes() const
{
    return ends_.size() * sizeof(std::uint64_t) + runs_.size() * sizeof(Run);
}

void Pool::write_table(char *to) const
{
    std::size_t next = 0;
    for (std::size_t end : run_ends_) {
        const std::uint64_t count = end - next;
        std::memcpy(to, &count, sizeof count);
        to += sizeof count;
        if (count != 0) {
            std::memcpy(to, &runs_[next], count * sizeof(Run));
        }
        to += count * sizeof(Run);
        next = end;
    }
}

void Pool::write(char *to) const
{
    for (const Piece &piece : covered_) {
        std::memcpy(to, piece.memory, piece.bytes);
        to += piece.bytes;
    }
}

void Pool::runs(std::size_t block, std::vector<Run> &to) const
{
    const std::size_t first = block == 0 ? 0 : run_ends_[block - 1];
    to.assign(runs_.begin() + static_cast<std::ptrdiff_t>(first),
              runs_.begin() + static_cast<std::ptrdiff_t>(run_ends_[block]));
}

bool read_runs(const char *table, std::size_t table_bytes, std::size_t &at, std::size_t bytes,
               std::size_t payload, std::vector<Run> &runs)
{
    std::uint64_t count = 0;
    runs.clear();
    if (table_bytes - at < sizeof count) {
        return false;
    }
    std::memcpy(&count, table + at, sizeof count);
    at += sizeof count;
    if ((table_bytes - at) / sizeof(Run) < count) {
        return false;
    }
    runs.resize(count);
    if (count != 0) {
        std::memcpy(runs.data(), table + at, count * sizeof(Run));
    }
    at += count * sizeof(Run);
    std::size_t sum = 0;
    for (const Run &run : runs) {
        if (run.bytes == 0 || run.bytes > payload || run.at > payload - run.bytes) {
            return false;
        }
        sum += run.bytes;
    }
    return sum == bytes;
}

} // namespace nbrhood
