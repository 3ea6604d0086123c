// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Patterns that are built while the program runs, for the glue.
#include <algorithm>
#include <memory>
#include <optional>

#include "build/background_build.h"
#include "build/switch.h"
#include "capi/nbrhood_switch.h"
#include "capi/settings.h"
#include "capi/topology.h"

using namespace nbrhood;

static_assert(NBRHOOD_CHANNEL_WAVE == static_cast<int>(Channel::wave)
                  && NBRHOOD_CHANNEL_STEP == static_cast<int>(Channel::step),
              "the C interface has the same channels");
static_assert(NBRHOOD_DIRECT_MESSAGES == kDirectMessages && NBRHOOD_PATTERNS == kPatterns,
              "the C interface numbers patterns identically");
static_assert(NBRHOOD_INHERITANCE_NOT_KNOWN == static_cast<int>(Inheritance::not_known)
                  && NBRHOOD_INHERITANCE_NONE == static_cast<int>(Inheritance::none)
                  && NBRHOOD_INHERITANCE_DECISION == static_cast<int>(Inheritance::decision),
              "the C interface says the same of duplicates");

namespace {

nbrhood_call_counts told(const CallCounts &counts)
{
    return {counts.calls, counts.requests, counts.starts};
}

} // namespace

namespace nbrhood {

class GlueHost final : public BackgroundHost {
public:
    explicit GlueHost(const nbrhood_switch_host &callbacks) : callbacks_(callbacks) {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        callbacks_.send(callbacks_.context, peer, static_cast<int>(channel), words.data(),
                        words.size());
    }
    void expect(Rank peer, Channel channel) override
    {
        callbacks_.expect(callbacks_.context, peer, static_cast<int>(channel));
    }
    Locality locality(Rank peer) const override
    {
        return static_cast<Locality>(callbacks_.locality(callbacks_.context, peer));
    }
    Facts facts() override
    {
        nbrhood_own_facts own{};
        nbrhood_settings settings{};
        if (!callbacks_.facts(callbacks_.context, &own, &settings)) {
            throw std::bad_alloc();
        }
        Facts result;
        result.own.place = place_of(own.place);
        result.own.ranks = own.ranks;
        result.own.local.assign(own.local, own.local + own.local_count);
        result.settings = settings_of(settings);
        result.settings.keep_patterns = own.keeps_patterns;
        return result;
    }
    std::uint32_t inits() const override { return callbacks_.inits(callbacks_.context); }

    void built(Topology &&topology, const std::optional<CallCounts> &first, bool leads) override
    {
        auto result = std::make_unique<nbrhood_topology>();
        result->data = std::move(topology);
        const nbrhood_call_counts counts = told(first.value_or(CallCounts{}));
        callbacks_.built(callbacks_.context, result.release(), first ? &counts : nullptr, leads);
    }
    void decided(const TrialResult &result) override
    {
        const nbrhood_trial_result shown{result.measured, result.decided, result.keep,
                                         result.direct_seconds, result.pattern_seconds};
        callbacks_.decided(callbacks_.context, &shown);
    }
    void changed() override { callbacks_.changed(callbacks_.context); }

private:
    nbrhood_switch_host callbacks_;
};

} // namespace nbrhood

struct nbrhood_switch {
    nbrhood_switch(const Neighbourhood &neighbourhood, Collective collective,
                   const SwitchTerms &terms, const nbrhood_switch_host &callbacks,
                   nbrhood_switch_view &shown)
        : host(callbacks), change(terms, background),
          background(neighbourhood, collective, host, change), view(&shown)
    {
        show_limit();
    }

    void show_limit() const { view->limit = change.limit().calls; }

    GlueHost host;
    Switch change;
    BackgroundBuild background;
    nbrhood_switch_view *view;
};

namespace {

// Runs a part of the switch or of its background; false if it cannot go on.
template <typename Part>
bool attempt(const nbrhood_switch *sw, const Part &part)
{
    try {
        part();
        sw->show_limit();
        return true;
    } catch (...) {
        return false;
    }
}

CallFacts facts_of(const nbrhood_call_facts &facts)
{
    return {{facts.blocks, static_cast<std::uint64_t>(facts.bytes)},
            facts.calls,
            facts.alone,
            facts.may_build,
            facts.now};
}

} // namespace

bool nbrhood_may_build(const nbrhood_topology *topology, int collective)
{
    if (topology->later == nullptr
        || topology->data.served[static_cast<std::size_t>(collective)].front().reason
               != Reason::few_calls) {
        return false;
    }
    const Neighbourhood &neighbourhood = *topology->later;
    const auto is_other = [&](const EdgeEnd &end) {
        return end.peer != kNoRank && end.peer != neighbourhood.rank;
    };
    return std::any_of(neighbourhood.in.begin(), neighbourhood.in.end(), is_other)
           || std::any_of(neighbourhood.out.begin(), neighbourhood.out.end(), is_other);
}

nbrhood_switch *nbrhood_switch_create(const nbrhood_topology *topology, int collective,
                                      nbrhood_switch_terms terms, const nbrhood_switch_host *host,
                                      nbrhood_switch_view *view)
{
    try {
        *view = {0, kNoNumber, kDirectMessages};
        return new nbrhood_switch(
            *topology->later, static_cast<Collective>(collective),
            {terms.build_after, terms.trial_calls, terms.watch_calls, terms.reuse}, *host, *view);
    } catch (...) {
        return nullptr;
    }
}

void nbrhood_switch_destroy(nbrhood_switch *sw)
{
    delete sw;
}

void nbrhood_switch_inherit(nbrhood_switch *sw, bool pattern)
{
    sw->change.inherit(pattern);
}

bool nbrhood_switch_call_wants_build(const nbrhood_switch *sw, uint32_t call)
{
    return sw->change.call_wants_build(call);
}

bool nbrhood_switch_start_wants_build(const nbrhood_switch *sw, uint32_t start)
{
    return sw->change.start_wants_build(start);
}

bool nbrhood_switch_init_wants_build(const nbrhood_switch *sw, uint32_t calls)
{
    return sw->change.init_wants_build(calls);
}

bool nbrhood_switch_begin_init(nbrhood_switch *sw, const nbrhood_call_facts *facts)
{
    return attempt(sw, [&] {
        sw->change.begin_init(facts_of(*facts));
        sw->view->quiet_until = std::min(sw->view->quiet_until, sw->change.quiet_until());
    });
}

bool nbrhood_switch_begin_call(nbrhood_switch *sw, const nbrhood_call_facts *facts)
{
    return attempt(sw, [&] {
        sw->change.begin_call(facts_of(*facts));
        sw->view->quiet_until = sw->change.quiet_until();
        sw->view->serves = sw->change.serving_call(facts->calls + 1);
    });
}

bool nbrhood_switch_begin_start(nbrhood_switch *sw, uint32_t request, uint32_t start,
                                const nbrhood_call_facts *facts)
{
    return attempt(sw, [&] {
        sw->change.begin_start(request, start, facts_of(*facts));
        sw->view->quiet_until = std::min(sw->view->quiet_until, sw->change.quiet_until());
    });
}

int nbrhood_switch_serving_call(const nbrhood_switch *sw, uint32_t call)
{
    return sw->change.serving_call(call);
}

int nbrhood_switch_serving_start(const nbrhood_switch *sw, uint32_t request, uint32_t start)
{
    return sw->change.serving_start(request, start);
}

bool nbrhood_switch_holds_start(const nbrhood_switch *sw, uint32_t request, uint32_t start)
{
    return sw->change.holds_start(request, start);
}

bool nbrhood_switch_is_final(const nbrhood_switch *sw, uint32_t start)
{
    return sw->change.is_final(start);
}

bool nbrhood_switch_arrived(nbrhood_switch *sw, int rank, int channel, const int32_t *words,
                            size_t count)
{
    return attempt(sw, [&] {
        sw->background.arrived(rank, static_cast<Channel>(channel), {words, words + count});
    });
}

bool nbrhood_switch_wants_turn(const nbrhood_switch *sw)
{
    return sw->background.wants_turn();
}

bool nbrhood_switch_take_turn(nbrhood_switch *sw)
{
    return attempt(sw, [&] { sw->background.take_turn(); });
}

bool nbrhood_switch_runs(const nbrhood_switch *sw)
{
    return sw->background.runs();
}

void nbrhood_switch_record(const nbrhood_switch *sw, nbrhood_topology *topology,
                           nbrhood_recording *recording)
{
    const BackgroundBuild &build = sw->background;
    record(topology->data, build.neighbourhood(), build.place(), build.ranks(), build.settings(),
           *recording);
}

int nbrhood_switch_inheritance(const nbrhood_switch *sw, uint32_t calls)
{
    return static_cast<int>(sw->change.inheritance(calls));
}

int nbrhood_switch_inherited_pattern(const nbrhood_switch *sw)
{
    return sw->change.inherited_pattern();
}
