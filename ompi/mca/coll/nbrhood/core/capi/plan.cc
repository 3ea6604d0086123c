// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of neighbourhood collectives for the glue, and the functions of all plans.
#include <algorithm>
#include <memory>
#include <new>

#include "capi/glue_transport.h"
#include "capi/topology.h"

using namespace nbrhood;

namespace {

// The plan of a neighbourhood collective; the glue calls these functions for no others.
Plan &neighbours(nbrhood_plan *plan)
{
    return static_cast<Plan &>(*plan->plan);
}

} // namespace

bool nbrhood_is_direct(const nbrhood_topology *topology, int collective, int interval)
{
    return served_by(topology->data, collective, interval).program->one_message_per_edge();
}

int nbrhood_handling(const nbrhood_topology *topology, int collective, int interval)
{
    const Program &program = *served_by(topology->data, collective, interval).program;
    return (program.passes_blocks_on() ? 0 : NBRHOOD_TOUCHES)
           + (program.has_bytes() ? NBRHOOD_CUTS : 0)
           + (program.copies().empty() ? 0 : NBRHOOD_COPIES);
}

nbrhood_direct *nbrhood_direct_create(const nbrhood_topology *topology, int collective,
                                      int interval)
{
    const Program &program = *served_by(topology->data, collective, interval).program;
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
                                                            : Sizes::told;
        auto made = std::make_unique<nbrhood_plan>(*transport, context);
        auto plan = std::make_unique<Plan>(served.program, wire, made->transport, sizes);
        plan->send_blocks().resize(nbrhood_send_blocks(topology, collective));
        plan->receive_blocks().resize(topology->data.receive_slots);
        made->plan = std::move(plan);
        return made.release();
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
    return reinterpret_cast<nbrhood_block *>(neighbours(plan).send_blocks().data());
}

nbrhood_block *nbrhood_plan_receive_blocks(nbrhood_plan *plan)
{
    return reinterpret_cast<nbrhood_block *>(neighbours(plan).receive_blocks().data());
}

void nbrhood_plan_rebind(nbrhood_plan *plan)
{
    neighbours(plan).rebind();
}

void nbrhood_plan_keep_layout(nbrhood_plan *plan)
{
    neighbours(plan).keep_layout();
}

void nbrhood_plan_copy_blocks(nbrhood_plan *plan, const nbrhood_plan *from)
{
    const Plan &source = static_cast<const Plan &>(*from->plan);
    std::copy(source.send_blocks().begin(), source.send_blocks().end(),
              neighbours(plan).send_blocks().begin());
    std::copy(source.receive_blocks().begin(), source.receive_blocks().end(),
              neighbours(plan).receive_blocks().begin());
    neighbours(plan).rebind();
}

void nbrhood_plan_move(nbrhood_plan *plan, ptrdiff_t send, ptrdiff_t receive)
{
    neighbours(plan).move(send, receive);
}

bool nbrhood_plan_find_shared(nbrhood_plan *plan, const int64_t *indices)
{
    try {
        neighbours(plan).find_shared(indices);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void nbrhood_plan_start(nbrhood_plan *plan, int tag_base, uint32_t sequence)
{
    try {
        plan->plan->start(tag_base, sequence);
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
    return plan->plan->memory();
}
