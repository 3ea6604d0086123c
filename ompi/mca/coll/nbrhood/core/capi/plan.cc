// Plans for the glue: the C function table behind the Transport interface.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>

#include "capi/nbrhood_core.h"
#include "capi/topology.h"
#include "execute/plan.h"

using namespace nbrhood;

// The glue sees the core's blocks and tokens under their C names.
static_assert(sizeof(nbrhood_block) == sizeof(UserBlock)
                  && offsetof(nbrhood_block, data) == offsetof(UserBlock, data)
                  && offsetof(nbrhood_block, bytes) == offsetof(UserBlock, bytes),
              "nbrhood_block and UserBlock have one layout");
static_assert(sizeof(nbrhood_token) == sizeof(Token)
                  && offsetof(nbrhood_token, request) == offsetof(Token, request)
                  && offsetof(nbrhood_token, kind) == offsetof(Token, kind),
              "nbrhood_token and Token have one layout");

namespace {

const nbrhood_block *as_c(const UserBlock &block)
{
    return reinterpret_cast<const nbrhood_block *>(&block);
}
nbrhood_token *as_c(Token &token)
{
    return reinterpret_cast<nbrhood_token *>(&token);
}

class GlueTransport : public Transport {
public:
    GlueTransport(const nbrhood_transport &table, void *context) : table_(table), context_(context)
    {}

    int send_bytes(const void *from, std::size_t bytes, Rank peer, int tag, bool synchronous,
                   Token &token) override
    {
        return table_.send_bytes(context_, from, bytes, peer, tag, synchronous, as_c(token));
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
    void finished(Plan & /*plan*/, int error) override { table_.finished(context_, error); }
    // Others wait for what this rank cannot send, so only aborting the program helps.
    void abandon() { table_.abandon(context_); }

private:
    const nbrhood_transport &table_;
    void *context_;
};

} // namespace

struct nbrhood_plan {
    nbrhood_plan(std::shared_ptr<const Program> program, const WireSettings &wire, Sizes sizes,
                 const nbrhood_transport &table, void *context)
        : transport(table, context), plan(std::move(program), wire, transport, sizes)
    {}
    GlueTransport transport;
    Plan plan;
};

bool nbrhood_is_direct(const nbrhood_topology *topology, int collective, int interval, int variant)
{
    const auto &program = program_of(topology->data, collective, interval, variant);
    return program != nullptr && program->one_message_per_edge();
}

nbrhood_direct *nbrhood_direct_create(const nbrhood_topology *topology, int collective,
                                      int interval)
{
    const Program &program = *program_of(topology->data, collective, interval, NBRHOOD_BLOCKING);
    try {
        auto direct = std::make_unique<nbrhood_direct>();
        const std::size_t count =
            program.receives().size() + program.sends().size() + program.copies().size();
        auto messages = std::make_unique<nbrhood_direct_message[]>(count);
        nbrhood_direct_message *next = messages.get();
        for (const auto *items : {&program.receives(), &program.sends()}) {
            for (const Program::Item &item : *items) {
                *next++ = {item.peer, program.slices()[item.first_slice].block, 0};
            }
        }
        for (const auto &[from, to] : program.copies()) {
            *next++ = {program.rank(), from.block, to.block};
        }
        direct->receives = program.receives().size();
        direct->sends = program.sends().size();
        direct->copies = program.copies().size();
        direct->messages = messages.release();
        return direct.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void nbrhood_direct_destroy(nbrhood_direct *direct)
{
    if (direct != nullptr) {
        delete[] direct->messages;
        delete direct;
    }
}

nbrhood_plan *nbrhood_plan_create(const nbrhood_topology *topology, int collective, int interval,
                                  int variant, const nbrhood_transport *transport, void *context)
{
    try {
        const Served &served = served_by(topology->data, collective, interval);
        WireSettings wire = topology->data.wire;
        wire.combining_threshold = served.combining_threshold;
        const Sizes sizes = served.known_sizes              ? Sizes::known
                            : variant == NBRHOOD_PERSISTENT ? Sizes::learnt
                            : variant == NBRHOOD_BLOCKING   ? Sizes::remembered
                                                            : Sizes::told;
        auto plan = std::make_unique<nbrhood_plan>(
            program_of(topology->data, collective, interval, variant), wire, sizes, *transport,
            context);
        plan->plan.send_blocks().resize(nbrhood_send_blocks(topology, collective));
        plan->plan.receive_blocks().resize(topology->data.receive_slots);
        return plan.release();
    } catch (...) {
        return nullptr;
    }
}

void nbrhood_plan_destroy(nbrhood_plan *plan)
{
    delete plan;
}

nbrhood_block *nbrhood_plan_send_blocks(nbrhood_plan *plan)
{
    return reinterpret_cast<nbrhood_block *>(plan->plan.send_blocks().data());
}

nbrhood_block *nbrhood_plan_receive_blocks(nbrhood_plan *plan)
{
    return reinterpret_cast<nbrhood_block *>(plan->plan.receive_blocks().data());
}

void nbrhood_plan_rebind(nbrhood_plan *plan)
{
    plan->plan.rebind();
}

void nbrhood_plan_copy_blocks(nbrhood_plan *plan, const nbrhood_plan *from)
{
    std::copy(from->plan.send_blocks().begin(), from->plan.send_blocks().end(),
              plan->plan.send_blocks().begin());
    std::copy(from->plan.receive_blocks().begin(), from->plan.receive_blocks().end(),
              plan->plan.receive_blocks().begin());
    plan->plan.rebind();
}

void nbrhood_plan_move(nbrhood_plan *plan, ptrdiff_t send, ptrdiff_t receive)
{
    plan->plan.move(send, receive);
}

bool nbrhood_plan_find_shared(nbrhood_plan *plan, const int64_t *indices)
{
    try {
        plan->plan.find_shared(indices);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void nbrhood_plan_start(nbrhood_plan *plan, int tag_base, uint32_t sequence)
{
    try {
        plan->plan.start(tag_base, sequence);
    } catch (...) {
        plan->transport.abandon();
    }
}

void nbrhood_completed(nbrhood_token *token, int error, size_t bytes)
{
    Token *own = reinterpret_cast<Token *>(token);
    try {
        own->plan->completed(*own, error, bytes);
    } catch (...) {
        static_cast<GlueTransport &>(own->plan->transport()).abandon();
    }
}

size_t nbrhood_plan_memory(const nbrhood_plan *plan)
{
    return plan->plan.memory();
}
