// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The switch of alltoallvs for the glue.
#include "capi/nbrhood_pairs.h"

#include "build/pair_switch.h"
#include "build/switch.h"

using namespace nbrhood;

namespace nbrhood {

class PairsPost final : public Post {
public:
    explicit PairsPost(const nbrhood_pairs_host &host) : host_(host) {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        host_.send(host_.context, peer, static_cast<int>(channel), words.data(), words.size());
    }
    void expect(Rank peer, Channel channel) override
    {
        host_.expect(host_.context, peer, static_cast<int>(channel));
    }
    std::uint32_t calls() const { return host_.calls(host_.context); }

private:
    nbrhood_pairs_host host_;
};

} // namespace nbrhood

struct nbrhood_pair_switch {
    nbrhood_pair_switch(Rank rank, Rank ranks, const PairTerms &terms,
                        const nbrhood_pairs_host &host, nbrhood_pairs_view &shown)
        : post(host), core(rank, ranks, terms, post, [this] { return propose(); }), view(&shown)
    {
        *view = {};
        view->limit = kNoNumber;
    }

    std::uint32_t propose()
    {
        view->limit = calls_ahead(post.calls(), began);
        return view->limit;
    }
    void show() const
    {
        const PairFacts &all = core.all();
        view->decided = core.decided();
        view->changed = core.changed();
        view->first = core.first();
        view->serves = static_cast<int>(core.serving(view->first));
        view->quiet_until = core.quiet_until();
        view->pairs = all.pairs;
        view->largest = all.largest;
        view->messages = all.messages;
        view->bytes = all.bytes;
        if (!core.runs()) {
            view->limit = kNoNumber;
        }
    }

    PairsPost post;
    PairSwitch core;
    std::uint32_t began = 0; // calls when the last survey began
    nbrhood_pairs_view *view;
};

namespace {

static_assert(static_cast<int>(PairServing::displaced) == NBRHOOD_SERVED_DISPLACED
                  && static_cast<int>(PairServing::pairs) == NBRHOOD_SERVED_BY_PAIRS
                  && static_cast<int>(PairServing::graph) == NBRHOOD_SERVED_BY_GRAPH,
              "the C interface has the same values");

// Runs a part of the work; false where it cannot go on.
template <typename Part>
bool attempt(const nbrhood_pair_switch *sw, const Part &part)
{
    try {
        part();
        sw->show();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

nbrhood_pair_switch *nbrhood_pair_switch_create(int rank, int ranks,
                                                const nbrhood_pairs_terms *terms,
                                                const nbrhood_pairs_host *host,
                                                nbrhood_pairs_view *view)
{
    const PairTerms core_terms{{terms->percent, terms->bytes}, terms->window, terms->watch};
    try {
        return new nbrhood_pair_switch(rank, ranks, core_terms, *host, *view);
    } catch (...) {
        return nullptr;
    }
}

void nbrhood_pair_switch_destroy(nbrhood_pair_switch *sw)
{
    delete sw;
}

bool nbrhood_pair_switch_notes(const nbrhood_pair_switch *sw, uint32_t number)
{
    return sw->core.notes(number);
}

bool nbrhood_pair_switch_begins(const nbrhood_pair_switch *sw, uint32_t number)
{
    return sw->core.begins(number);
}

bool nbrhood_pair_switch_note(nbrhood_pair_switch *sw, const int *to, size_t to_count,
                              const int *from, size_t from_count, uint64_t bytes)
{
    return attempt(sw, [&] {
        sw->core.note({{to, to + to_count}, {from, from + from_count}}, bytes);
    });
}

bool nbrhood_pair_switch_begin(nbrhood_pair_switch *sw, uint32_t parameters)
{
    return attempt(sw, [&] {
        sw->began = sw->post.calls();
        sw->core.begin(parameters);
    });
}

bool nbrhood_pair_switch_arrived(nbrhood_pair_switch *sw, int rank, const int32_t *words,
                                 size_t count)
{
    return attempt(sw, [&] { sw->core.arrived(rank, {words, words + count}); });
}

bool nbrhood_pair_switch_runs(const nbrhood_pair_switch *sw)
{
    return sw->core.runs();
}

int nbrhood_pair_switch_serving(const nbrhood_pair_switch *sw, uint32_t number)
{
    return static_cast<int>(sw->core.serving(number));
}

int nbrhood_pair_switch_serving_init(const nbrhood_pair_switch *sw, uint32_t calls)
{
    return static_cast<int>(sw->core.serving_init(calls));
}

uint32_t nbrhood_pair_switch_graph_number(const nbrhood_pair_switch *sw)
{
    return sw->core.graph_number();
}

void nbrhood_pair_switch_graph(const nbrhood_pair_switch *sw, const int **to, size_t *to_count,
                               const int **from, size_t *from_count)
{
    const PairLists &graph = sw->core.graph();
    *to = graph.to.data();
    *to_count = graph.to.size();
    *from = graph.from.data();
    *from_count = graph.from.size();
}
