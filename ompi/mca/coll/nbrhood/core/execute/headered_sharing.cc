// Combined messages in which bytes that blocks share stand once (pool.h).
#include <algorithm>
#include <cstring>

#include "execute/headered_exchange.h"

namespace nbrhood {

// Whether blocks of a message may share bytes. `needed`: one of them came in several runs and is
// too large to be packed otherwise.
bool HeaderedExchange::worth_looking(const Program::Item &item, bool &needed) const
{
    bool worth = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        if (slice.space == Space::send) {
            worth = worth || values_.shared();
        } else if (staged_[slice.block].pooled && execution_.rides(staged_[slice.block].bytes)) {
            worth = true;
            needed = needed
                     || (execution_.loose(staged_[slice.block].bytes)
                         && staged_[slice.block].runs != nullptr);
        }
    }
    return worth;
}

void HeaderedExchange::add_to_pool(const Slice &slice, std::size_t bytes)
{
    const auto add = [&](const char *at, std::size_t count) {
        pool_.add(Piece{reinterpret_cast<std::uintptr_t>(at), at, count});
    };
    if (slice.space == Space::staging) {
        const Staged &staged = staged_[slice.block];
        if (staged.runs == nullptr) {
            add(staged.at, bytes);
        } else {
            for (const Run &run : *staged.runs) {
                add(staged.at + run.at, run.bytes);
            }
        }
    } else if (!values_.add_to(pool_, slice.block, execution_.send_blocks[slice.block])) {
        parted_.emplace_back(bytes);
        execution_.lose(
            execution_.transport().pack(execution_.send_blocks[slice.block], parted_.back().data()),
            program_.rank());
        add(parted_.back().data(), bytes);
    }
}

// Lays out a message to be sent in pool_, if that is worth it. Where blocks would else be messages
// of their own, without copies, much must be shared.
bool HeaderedExchange::fill_pool(std::uint32_t send)
{
    const Program::Item &item = program_.sends()[send];
    bool needed = false;
    layout_.pooled[send] = 0;
    if (!worth_looking(item, needed)) {
        return false;
    }
    pool_.clear();
    parted_.clear();
    bool some_loose = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const std::size_t bytes = slice_bytes(program_.slices()[i]);
        if (execution_.rides(bytes) && bytes != 0) {
            add_to_pool(program_.slices()[i], bytes);
            some_loose = some_loose || execution_.loose(bytes);
        }
        pool_.end_block();
    }
    pool_.lay_out();
    const std::size_t saved = pool_.block_bytes() - pool_.bytes();
    const std::size_t least = some_loose ? pool_.block_bytes() / 4 : 0;
    // A persistent request sends its tables once.
    if (!needed && saved <= std::max(least, learns_ ? 0 : pool_.table_bytes())) {
        return false;
    }
    layout_.pooled[send] = 1;
    for (std::uint32_t i = 0; learns_ && i < item.slice_count; ++i) {
        pool_.runs(i, layout_.runs[item.first_slice + i]);
    }
    return true;
}

// Reads where the blocks of a pooled message lie. Returns the bytes of its table.
std::size_t HeaderedExchange::read_table(std::uint32_t receive, const char *table)
{
    const Program::Item &item = program_.receives()[receive];
    Header header;
    std::memcpy(&header, receive_buffers_[receive].data(), sizeof header);
    std::size_t at = 0;
    bool fits = true;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const std::size_t bytes = execution_.rides(layout_.sizes[i]) ? layout_.sizes[i] : 0;
        fits = fits
               && read_runs(table, header.table, at, bytes, header.payload - header.table,
                            layout_.runs[i]);
    }
    if (!fits || at != header.table) {
        reject(receive, "its table does not describe its blocks", header, 0);
    }
    return header.table;
}

// Brings a block that came to its place.
void HeaderedExchange::copy_out(const Staged &from, const UserBlock &block)
{
    char *whole = block.data;
    if (from.runs != nullptr) {
        if (whole == nullptr) {
            scratch_.resize(from.bytes);
            whole = scratch_.data();
        }
        for (const Run &run : *from.runs) {
            std::memcpy(whole, from.at + run.at, run.bytes);
            whole += run.bytes;
        }
    } else if (whole != nullptr) {
        std::memcpy(whole, from.at, from.bytes);
    }
    if (block.data == nullptr) {
        const char *bytes = from.runs != nullptr ? scratch_.data() : from.at;
        execution_.record(execution_.transport().unpack(bytes, from.bytes, block));
    }
}

} // namespace nbrhood
