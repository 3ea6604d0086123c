// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans for the glue: the C function table behind the Transport interface.
#pragma once

#include <cstdio>
#include <memory>
#include <new>

#include "allgather/plan.h"
#include "capi/nbrhood_plan.h"
#include "execute/plan.h"
#include "execute/wire.h"

namespace nbrhood {

// The glue sees the core's blocks and tokens under their C names.
static_assert(sizeof(nbrhood_block) == sizeof(UserBlock)
                  && offsetof(nbrhood_block, data) == offsetof(UserBlock, data)
                  && offsetof(nbrhood_block, bytes) == offsetof(UserBlock, bytes),
              "nbrhood_block and UserBlock have one layout");
static_assert(sizeof(nbrhood_token) == sizeof(Token)
                  && offsetof(nbrhood_token, request) == offsetof(Token, request)
                  && offsetof(nbrhood_token, kind) == offsetof(Token, kind),
              "nbrhood_token and Token have one layout");

inline const nbrhood_block *as_c(const UserBlock &block)
{
    return reinterpret_cast<const nbrhood_block *>(&block);
}
inline nbrhood_token *as_c(Token &token)
{
    return reinterpret_cast<nbrhood_token *>(&token);
}

class GlueTransport : public Transport {
public:
    GlueTransport(const nbrhood_transport &table, void *context) : table_(table), context_(context)
    {}

    int send_bytes(const void *from, std::size_t bytes, Rank peer, int tag, Token &token) override
    {
        return table_.send_bytes(context_, from, bytes, peer, tag, as_c(token));
    }
    int receive_bytes(void *to, std::size_t capacity, Rank peer, int tag, Token &token) override
    {
        return table_.receive_bytes(context_, to, capacity, peer, tag, as_c(token));
    }
    int send_block(const UserBlock &block, Rank peer, int tag, Token &token) override
    {
        return table_.send_block(context_, as_c(block), peer, tag, as_c(token));
    }
    int receive_block(const UserBlock &block, Rank peer, int tag, Token &token) override
    {
        return table_.receive_block(context_, as_c(block), peer, tag, as_c(token));
    }
    int copy_block(const UserBlock &from, const UserBlock &to) override
    {
        return table_.copy_block(context_, as_c(from), as_c(to));
    }
    int pack(const UserBlock &from, void *to) override
    {
        return table_.pack(context_, as_c(from), to);
    }
    int unpack(const void *from, std::size_t bytes, const UserBlock &to) override
    {
        return table_.unpack(context_, from, bytes, as_c(to));
    }
    bool flatten(const UserBlock &block, std::size_t most,
                 std::vector<MemorySegment> &memory_segments) override
    {
        const auto take = [](void *sink, void *at, std::size_t bytes) noexcept {
            try {
                static_cast<std::vector<MemorySegment> *>(sink)->push_back(
                    MemorySegment{static_cast<char *>(at), bytes});
                return true;
            } catch (const std::bad_alloc &) {
                return false;
            }
        };
        return table_.flatten(context_, as_c(block), most, take, &memory_segments);
    }
    void cancel(Token &token) override { table_.cancel(context_, as_c(token)); }
    int mismatch(Rank peer, const char *fault, const Header &got, const Header &expected) override
    {
        char texts[2][160];
        const Header *headers[2] = {&got, &expected};
        for (int i = 0; i < 2; ++i) {
            const int length = std::snprintf(
                texts[i], sizeof texts[i], "pattern %016llx, operation %u, phase %u, %u blocks",
                static_cast<unsigned long long>(headers[i]->pattern), headers[i]->sequence,
                headers[i]->phase, headers[i]->blocks);
            if (headers[i]->payload != 0) {
                std::snprintf(texts[i] + length, sizeof texts[i] - static_cast<unsigned>(length),
                              ", %llu bytes", static_cast<unsigned long long>(headers[i]->payload));
            }
        }
        return table_.mismatch(context_, peer, fault, texts[0], texts[1]);
    }
    int truncated(Rank source, Rank peer, std::size_t sent, std::size_t expected) override
    {
        return table_.truncated(context_, source, peer, sent, expected);
    }
    int failed_before(Rank peer, const Failure &failure, bool only_relayed) override
    {
        return table_.failed_before(context_, peer, failure.error, failure.at, failure.with,
                                    only_relayed);
    }
    int out_of_memory() override { return table_.out_of_memory(context_); }
    void finished(AnyPlan & /*plan*/, int error) override { table_.finished(context_, error); }
    // Other ranks wait for messages that this rank cannot send, so the program is aborted.
    void abandon() { table_.abandon(context_); }

private:
    const nbrhood_transport &table_;
    void *context_;
};

} // namespace nbrhood

// A plan of the C interface.
struct nbrhood_plan {
    nbrhood_plan(const nbrhood_transport &table, void *context) : transport(table, context) {}
    nbrhood::GlueTransport transport;
    std::unique_ptr<nbrhood::AnyPlan> plan;
};
