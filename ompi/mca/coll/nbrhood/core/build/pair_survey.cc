// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/pair_survey.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "pattern/message_words.h"

namespace nbrhood {
namespace {

void unite(std::vector<Rank> &all, std::vector<Rank> &more)
{
    // A walk over the ranks begins behind the own one, so its list is two ascending parts. To sort
    // many pairs would take longer than to find them.
    const auto wrapped = std::is_sorted_until(more.begin(), more.end());
    if (std::is_sorted(wrapped, more.end())) {
        std::inplace_merge(more.begin(), wrapped, more.end());
    } else {
        std::sort(more.begin(), more.end());
    }
    if (all.empty()) {
        all = std::move(more);
    } else if (!std::includes(all.begin(), all.end(), more.begin(), more.end())) {
        std::vector<Rank> united;
        std::set_union(all.begin(), all.end(), more.begin(), more.end(),
                       std::back_inserter(united));
        all = std::move(united);
    }
}

std::vector<std::int32_t> words_of(const PairFacts &facts)
{
    WordWriter words;
    for (const std::uint64_t value :
         {facts.pairs, facts.largest, facts.messages, facts.outside, facts.bytes}) {
        words.put_long(static_cast<std::int64_t>(value));
    }
    words.put(static_cast<std::int32_t>(facts.parameters));
    words.put(facts.equal ? 1 : 0);
    return words.take();
}

PairFacts facts_of(const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    PairFacts facts;
    for (std::uint64_t *value :
         {&facts.pairs, &facts.largest, &facts.messages, &facts.outside, &facts.bytes}) {
        *value = static_cast<std::uint64_t>(reader.take_long(0));
    }
    facts.parameters = static_cast<std::uint32_t>(reader.take());
    facts.equal = reader.take_flag();
    reader.expect_end();
    return facts;
}

} // namespace

void SeenPairs::add(PairLists call, std::uint64_t bytes, const PairLists &graph)
{
    for (const Rank rank : call.to) {
        outside_ += std::binary_search(graph.to.begin(), graph.to.end(), rank) ? 0 : 1;
    }
    ++calls_;
    messages_ += call.to.size();
    bytes_ += bytes;
    unite(lists_.to, call.to);
    unite(lists_.from, call.from);
}

PairFacts::PairFacts(const SeenPairs &seen, std::uint32_t parameters_number)
    : pairs(seen.lists().to.size()),
      largest(std::max(seen.lists().to.size(), seen.lists().from.size())),
      messages(seen.messages()), outside(seen.outside()), bytes(seen.bytes()),
      parameters(parameters_number)
{}

void PairFacts::merge(const PairFacts &other)
{
    pairs += other.pairs;
    largest = std::max(largest, other.largest);
    messages += other.messages;
    outside += other.outside;
    bytes += other.bytes;
    equal = equal && other.equal && parameters == other.parameters;
}

bool pays(const PairFacts &all, Rank ranks, const PairLimits &limits)
{
    const auto others = static_cast<std::uint64_t>(ranks) - 1;
    const bool few = 100 * all.pairs <= limits.percent * others * (others + 1);
    const std::uint64_t most = few ? limits.bytes : limits.bytes / kPartIfMany;
    return all.equal && (few || all.largest <= kMostOfARank) && all.bytes <= most * all.messages;
}

PairSurvey::PairSurvey(Rank rank, Rank ranks, Post &post,
                       std::function<bool(const PairFacts &)> agrees,
                       std::function<std::uint32_t()> propose)
    : tree_(post), agrees_(std::move(agrees)), propose_(std::move(propose))
{
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    const TreePlace place(all, rank);
    tree_.place(place.parent, place.children);
}

void PairSurvey::begin(const PairFacts &own)
{
    facts_ = own;
    stage_ = Stage::facts;
    tree_.await(tree_.children());
    advance();
}

void PairSurvey::arrived(Rank peer, std::vector<std::int32_t> words)
{
    tree_.arrived(peer, std::move(words));
    advance();
}

void PairSurvey::advance()
{
    while (runs() && tree_.complete()) {
        switch (stage_) {
        case Stage::facts:
            pass_facts();
            break;
        case Stage::all:
            take_all();
            break;
        case Stage::counts:
            stage_ = Stage::first;
            tree_.send_up(tree_.greatest(proposed_));
            break;
        case Stage::first:
            take_first();
            break;
        case Stage::rests:
        case Stage::ended:
            return;
        }
    }
}

void PairSurvey::pass_facts()
{
    for (const Message &child : tree_.inbox()) {
        facts_.merge(facts_of(child.words));
    }
    stage_ = Stage::all;
    tree_.send_up(words_of(facts_));
}

void PairSurvey::take_all()
{
    tree_.send_down(tree_.message());
    facts_ = facts_of(tree_.message());
    agreed_ = agrees_(facts_);
    if (*agreed_) {
        proposed_.calls = propose_();
        stage_ = Stage::counts;
        tree_.await(tree_.children());
    } else {
        stage_ = Stage::ended;
    }
}

void PairSurvey::take_first()
{
    tree_.send_down(tree_.message());
    first_ = Tree::read_counts(tree_.message()).calls;
    stage_ = Stage::ended;
}

} // namespace nbrhood
