// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/counted_protocol.h"

#include <set>

namespace nbrhood {
namespace {

// The first kind of its messages, beyond those of the algorithms.
constexpr int kTotals = 1000;

} // namespace

// The receivers of this rank's edges, unless one_size is known already.
std::vector<Rank> CountedProtocol::receivers() const
{
    std::set<Rank> receivers;
    for (const EdgeEnd &end : input().neighbourhood->out) {
        if (end.peer != kNoRank && !input().one_size) {
            receivers.insert(end.peer);
        }
    }
    return {receivers.begin(), receivers.end()};
}

TreeExchange::Terms CountedProtocol::terms()
{
    TreeExchange::Terms terms;
    terms.put_own = [this](WordWriter &words) {
        put_totals(words);
        words.put_all(receivers());
        for (Work &work : works()) {
            work.totals = {}; // the leader adds it
        }
    };
    terms.add_own = [this](Rank member, WordReader &words) {
        add_member_totals(words);
        while (words.left() != 0) {
            roles_.add_edge(member, words.take(0, input().ranks - 1));
        }
    };
    terms.put_up = [this](WordWriter &words) {
        put_totals(words);
        words.put_group(roles_.encode());
        roles_ = Roles(input().ranks); // as large as the graph
    };
    terms.add_up = [this](Rank, WordReader &words) {
        add_totals(words);
        const std::vector<std::int32_t> sets = words.take_group().copy();
        if (!roles_.is_encoded(sets)) {
            throw BadMessage("sets of roles that cannot be");
        }
        roles_.merge(sets);
    };
    terms.conclude = [this] {
        set_one_size(input().one_size ? *input().one_size : roles_.one_size());
        roles_ = Roles(input().ranks);
        decide();
        return true;
    };
    terms.put_down = [this](Rank, WordWriter &words) { put_decisions(words); };
    terms.take_down = [this](WordReader &words) { take_decisions(words); };
    return terms;
}

Step CountedProtocol::conclude(const std::vector<Message> &inbox)
{
    const bool begins = !sum_;
    if (begins) {
        sum_.emplace(input(), input().tree, kTotals, terms());
    }
    if (auto step = deliver(*sum_, begins ? std::vector<Message>{} : inbox)) {
        return *step;
    }
    return Step{{}, {}, true};
}

} // namespace nbrhood
