// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "memory_world.h"

#include <algorithm>
#include <cstring>

#include "common/allocations.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kGuard = 16;
constexpr char kGuardByte = 0x5a;

char pattern_byte(std::uint64_t seed, std::size_t i)
{
    return static_cast<char>(mix(seed + i / 8) >> (i % 8 * 8));
}

// Calls use(address) for the first bytes of a block, in order, up to a number of bytes.
template <typename Use>
void for_bytes(const UserBlock &block, std::size_t bytes, const Use &use)
{
    if (block.type != nullptr) {
        for (const MemorySegment &memory_segment :
             *static_cast<const std::vector<MemorySegment> *>(block.type)) {
            for (std::size_t i = 0; i < memory_segment.bytes && bytes > 0; ++i, --bytes) {
                use(memory_segment.at + i);
            }
        }
        return;
    }
    for (std::size_t i = 0; i < bytes; ++i) {
        use(static_cast<char *>(block.address) + (block.data != nullptr ? i : 2 * i));
    }
}

std::vector<char> packed(const UserBlock &block)
{
    std::vector<char> bytes;
    for_bytes(block, block.bytes, [&](const char *at) { bytes.push_back(*at); });
    return bytes;
}

void unpacked(const char *from, std::size_t bytes, const UserBlock &block)
{
    for_bytes(block, bytes, [&](char *at) { *at = *from++; });
}

} // namespace

Memory::Memory(std::size_t bytes, bool strided)
    : bytes_(bytes), strided_(strided),
      storage_(2 * kGuard + (strided ? 2 * bytes : bytes), kGuardByte)
{}

std::size_t Memory::at(std::size_t i) const
{
    return kGuard + (strided_ ? 2 * i : i);
}

UserBlock Memory::block()
{
    char *first = storage_.data() + kGuard;
    return UserBlock{first, bytes_, nullptr, bytes_, strided_ ? nullptr : first};
}

void Memory::fill(std::uint64_t seed)
{
    for (std::size_t i = 0; i < bytes_; ++i) {
        storage_[at(i)] = pattern_byte(seed, i);
    }
}

bool Memory::holds(std::uint64_t seed, std::size_t bytes) const
{
    for (std::size_t i = 0; i < bytes; ++i) {
        if (storage_[at(i)] != pattern_byte(seed, i)) {
            return false;
        }
    }
    return true;
}

bool Memory::guards_intact() const
{
    std::vector<char> rest = storage_;
    for (std::size_t i = 0; i < bytes_; ++i) {
        rest[at(i)] = kGuardByte;
    }
    return std::all_of(rest.begin(), rest.end(), [](char c) { return c == kGuardByte; });
}

class World::RankTransport : public Transport {
public:
    RankTransport(World &world, Rank self) : world_(world), self_(self) {}

    int send_bytes(const void *from, std::size_t bytes, Rank peer, int tag, Token &token) override
    {
        const Counting quiet(false);
        const auto *first = static_cast<const char *>(from);
        ++world_.bytes_messages_;
        world_.largest_ = std::max(world_.largest_, bytes);
        world_.report_sent(self_, peer, bytes);
        return world_.send(
            self_, peer, tag, [=] { return std::vector<char>(first, first + bytes); }, token);
    }

    int receive_bytes(void *to, std::size_t capacity, Rank peer, int tag, Token &token) override
    {
        const Counting quiet(false);
        return world_.receive(self_, peer, tag,
                              Posted{&token, capacity, [=](const char *from, std::size_t bytes) {
                                         if (bytes != 0) {
                                             std::memcpy(to, from, bytes);
                                         }
                                     }});
    }

    int send_block(const UserBlock &block, Rank peer, int tag, Token &token) override
    {
        const Counting quiet(false);
        world_.report_sent(self_, peer, block.bytes);
        return world_.send(
            self_, peer, tag, [block] { return packed(block); }, token);
    }

    int receive_block(const UserBlock &block, Rank peer, int tag, Token &token) override
    {
        const Counting quiet(false);
        return world_.receive(
            self_, peer, tag,
            Posted{&token, block.bytes,
                   [block](const char *from, std::size_t bytes) { unpacked(from, bytes, block); }});
    }

    int copy_block(const UserBlock &from, const UserBlock &to) override
    {
        const Counting quiet(false);
        unpacked(packed(from).data(), std::min(from.bytes, to.bytes), to);
        return from.bytes > to.bytes ? kTruncated : 0;
    }

    int pack(const UserBlock &from, void *to) override
    {
        const Counting quiet(false);
        std::memcpy(to, packed(from).data(), from.bytes);
        return 0;
    }

    int unpack(const void *from, std::size_t bytes, const UserBlock &to) override
    {
        const Counting quiet(false);
        unpacked(static_cast<const char *>(from), bytes, to);
        return 0;
    }

    bool flatten(const UserBlock &block, std::size_t most,
                 std::vector<MemorySegment> &memory_segments) override
    {
        const Counting quiet(false);
        if (block.type != nullptr) {
            memory_segments = *static_cast<const std::vector<MemorySegment> *>(block.type);
        } else {
            for (std::size_t i = 0; i < block.bytes && i <= most; ++i) {
                memory_segments.push_back(
                    MemorySegment{static_cast<char *>(block.address) + 2 * i, 1});
            }
        }
        return memory_segments.size() <= most;
    }

    void cancel(Token &token) override
    {
        const Counting quiet(false);
        world_.cancel(self_, token);
    }
    int mismatch(Rank peer, const char *fault, const Header &, const Header &) override
    {
        const Counting quiet(false);
        return world_.report({self_, peer, kNoRank, fault, kNoRank}, kMismatch);
    }
    int truncated(Rank source, Rank peer, std::size_t, std::size_t) override
    {
        const Counting quiet(false);
        return world_.report({self_, peer, source, "sizes differ", kNoRank}, kTruncated);
    }
    int failed_before(Rank peer, const Failure &failure, bool only_relayed) override
    {
        const Counting quiet(false);
        return world_.report({self_, peer, failure.with,
                              only_relayed ? "failed before, only relayed" : "failed before",
                              failure.at},
                             failure.error != 0 ? failure.error : kFailedBefore);
    }
    int out_of_memory() override { return 73; }
    void finished(AnyPlan &plan, int error) override
    {
        const Counting quiet(false);
        world_.finished_(self_, plan, error);
    }

private:
    World &world_;
    Rank self_;
};

World::World(int ranks, std::uint64_t seed, WorldOptions options)
    : random_(seed), options_(options), calls_(static_cast<std::size_t>(ranks), 0)
{
    for (Rank rank = 0; rank < ranks; ++rank) {
        transports_.push_back(std::make_unique<RankTransport>(*this, rank));
    }
}

World::~World() = default;

Transport &World::transport(Rank rank)
{
    return *transports_[static_cast<std::size_t>(rank)];
}

bool World::fails(Rank self)
{
    return calls_[static_cast<std::size_t>(self)]++ == options_.fail_call
           && self == options_.fail_rank;
}

int World::send(Rank self, Rank peer, int tag, std::function<std::vector<char>()> read,
                Token &token)
{
    if (fails(self)) {
        return kInjected;
    }
    const Key key{self, peer, tag};
    Channel &channel = channels_[key];
    ++unmatched_;
    const bool eager = chance(random_, options_.eager);
    if (eager) {
        channel.sent.push_back(Sent{read(), nullptr, nullptr});
    } else {
        channel.sent.push_back(Sent{{}, std::move(read), &token});
    }
    if (channel.sent.size() <= channel.posted.size()) {
        ready_.push_back(key);
    }
    if (eager) {
        complete({&token, 0, 0}, true);
    }
    return 0;
}

int World::receive(Rank self, Rank peer, int tag, Posted posted)
{
    if (fails(self)) {
        return kInjected;
    }
    const Key key{peer, self, tag};
    Channel &channel = channels_[key];
    ++unmatched_;
    channel.posted.push_back(std::move(posted));
    if (channel.posted.size() <= channel.sent.size()) {
        ready_.push_back(key);
        if (chance(random_, options_.at_once)) {
            std::swap(ready_.back(), ready_[random_() % ready_.size()]);
            match_one();
        }
    }
    return 0;
}

void World::cancel(Rank self, Token &token)
{
    for (auto &[key, channel] : channels_) {
        auto &posted = channel.posted;
        const auto found = std::find_if(posted.begin(), posted.end(),
                                        [&](const Posted &one) { return one.token == &token; });
        if (std::get<1>(key) == self && found != posted.end()) {
            posted.erase(found);
            --unmatched_;
            complete({&token, 0, 0}, true);
            return;
        }
    }
    ++misuses_;
}

void World::complete(const Completion &completion, bool may_be_now)
{
    if (may_be_now && chance(random_, options_.at_once)) {
        const Counting at_work(true);
        completion.token->plan->completed(*completion.token, completion.error, completion.bytes);
    } else {
        completions_.push_back(completion);
    }
}

// Matches the first message and receive of the last ready channel.
bool World::match_one()
{
    const Key key = ready_.back();
    ready_.pop_back();
    Channel &channel = channels_[key];
    if (channel.sent.empty() || channel.posted.empty()) {
        return false; // a receive was cancelled
    }
    const Sent sent = std::move(channel.sent.front());
    const Posted posted = std::move(channel.posted.front());
    channel.sent.pop_front();
    channel.posted.pop_front();
    unmatched_ -= 2;
    std::vector<char> bytes = sent.read ? sent.read() : sent.bytes;
    if (matched_) {
        matched_(std::get<2>(key), bytes);
    }
    const std::size_t fitting = std::min(bytes.size(), posted.capacity);
    posted.write(bytes.data(), fitting);
    const int error = bytes.size() > posted.capacity ? kTruncated : 0;
    if (sent.token != nullptr) {
        completions_.push_back({sent.token, 0, 0});
    }
    complete({posted.token, error, fitting}, true);
    return true;
}

bool World::waits(Rank rank) const
{
    return std::any_of(channels_.begin(), channels_.end(), [&](const auto &entry) {
        const auto &[source, destination, tag] = entry.first;
        const Channel &channel = entry.second;
        return (destination == rank && !channel.posted.empty())
               || (source == rank
                   && std::any_of(channel.sent.begin(), channel.sent.end(),
                                  [](const Sent &sent) { return sent.token != nullptr; }));
    });
}

bool World::advance()
{
    if (!completions_.empty() && (ready_.empty() || chance(random_, 0.5))) {
        std::swap(completions_.back(), completions_[random_() % completions_.size()]);
        const Completion now = completions_.back();
        completions_.pop_back();
        const Counting at_work(true);
        now.token->plan->completed(*now.token, now.error, now.bytes);
        return true;
    }
    while (!ready_.empty()) {
        std::swap(ready_.back(), ready_[random_() % ready_.size()]);
        if (match_one()) {
            return true;
        }
    }
    return !completions_.empty() && advance();
}

} // namespace nbrhood::test
