// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "engine/building.h"

#include <algorithm>

namespace nbrhood {
namespace {

bool serves(int choice, int collective)
{
    return serves(choice, static_cast<Collective>(collective));
}

} // namespace

void Building::serve(int collective, int choice, Reason reason)
{
    Served served;
    served.choice = choice;
    served.reason = reason;
    topology_.served[static_cast<std::size_t>(collective)] = {served};
}

void Building::select(int c)
{
    const int wanted =
        choice_for(settings_.choice[static_cast<std::size_t>(c)], static_cast<Collective>(c));
    if (wanted != kAuto) {
        serve(c, wanted, Reason::parameter);
    } else {
        const Reason refused = auto_.refuse_early(static_cast<Collective>(c));
        automatic_[static_cast<std::size_t>(c)] = refused == Reason::none;
        serve(c, kDirectChoice, refused == Reason::none ? Reason::no_gain : refused);
    }
}

// The rows of one maker that a parameter names for some collective, or that `auto` may choose.
Building::Candidates Building::list_candidates(Maker maker) const
{
    Candidates candidates;
    for (BlockKind kind : {BlockKind::one_per_rank, BlockKind::one_per_edge}) {
        for (int choice = kFirstRow; choice < choices(); ++choice) {
            if (row_of(choice).make_builder != maker) {
                continue;
            }
            bool wanted = false;
            bool certain = false;
            for (int c = 0; c < kCollectives; ++c) {
                if (kind_of(static_cast<Collective>(c)) == kind && serves(choice, c)) {
                    const auto i = static_cast<std::size_t>(c);
                    certain = certain || topology_.served[i].front().choice == choice;
                    wanted = wanted || certain
                             || (automatic_[i]
                                 && auto_.may_gain(row_of(choice), static_cast<Collective>(c)));
                }
            }
            if (wanted) {
                candidates.push_back(
                    Candidate{Task{kind, row_of(choice).variant}, choice, certain});
            }
        }
    }
    return candidates;
}

unsigned Building::collectives_of_auto() const
{
    unsigned collectives = 0;
    for (int c = 0; c < kCollectives; ++c) {
        collectives |=
            automatic_[static_cast<std::size_t>(c)] ? bit(static_cast<Collective>(c)) : 0;
    }
    return collectives;
}

std::vector<char> Building::decide(const Candidates &candidates, const std::vector<Traffic> &totals,
                                   bool one_size) const
{
    std::vector<Counted> counted;
    std::vector<char> certain;
    for (std::size_t task = 0; task < candidates.size(); ++task) {
        const Candidate &candidate = candidates[task];
        counted.push_back({candidate.choice, candidate.task.kind, totals.at(task)});
        certain.push_back(candidate.certain ? 1 : 0);
    }
    return auto_.worth_building(collectives_of_auto(), counted_, counted, certain, one_size);
}

std::optional<Step> Building::step(const std::vector<Message> &inbox)
{
    if (builder_ != nullptr && !last_step_) {
        Step step = builder_->step(inbox);
        last_step_ = step.done;
        return step;
    }
    if (builder_ != nullptr) {
        end_builder();
    }
    if (!begin_next_builder()) {
        conclude();
        return std::nullopt;
    }
    Step step = builder_->step({});
    last_step_ = step.done;
    return step;
}

// Returns whether there is a next builder. All ranks have the same list of builders.
bool Building::begin_next_builder()
{
    if (!makers_) {
        makers_ = auto_.order_makers(collectives_of_auto());
        std::reverse(makers_->begin(), makers_->end());
    }
    for (; !makers_->empty(); makers_->pop_back()) {
        candidates_ = list_candidates(makers_->back());
        if (!candidates_.empty()) {
            break;
        }
    }
    if (makers_->empty()) {
        return false;
    }
    const Maker maker = makers_->back();
    makers_->pop_back();
    BuildInput input;
    input.neighbourhood = &neighbourhood_;
    input.known_ranks = &participants_.known_ranks;
    input.ranks = participants_.ranks;
    input.die_links = participants_.die_links;
    input.tree = participants_.tree;
    input.one_size = participants_.one_size;
    input.tuning = Tuning{settings_.values, topology_.facts.ranks_per_core, auto_.expected_bytes()};
    for (const Candidate &candidate : candidates_) {
        input.tasks.push_back(candidate.task);
    }
    input.decide = [this](const std::vector<Traffic> &totals, bool one_size) {
        return decide(candidates_, totals, one_size);
    };
    if (settings_.fail_rank == neighbourhood_.rank) {
        input.fail_in_step = settings_.fail_step;
    }
    ran_ = true;
    builder_ = maker(input);
    return true;
}

void Building::end_builder()
{
    for (std::size_t task = 0; task < candidates_.size(); ++task) {
        take(candidates_[task], task, *builder_);
    }
    builder_.reset();
}

// Computes agreement_hash(), after all builders have run.
void Building::conclude()
{
    if (!ran_ || !takes_part()) {
        return;
    }
    WordWriter words;
    words.put(one_size_ ? 1 : 0);
    for (int c = 0; c < kCollectives; ++c) {
        const auto i = static_cast<std::size_t>(c);
        choices_[i] = is_built(c) ? encode(choices_of(c), auto_.sizes()) : 0;
        words.put_long(static_cast<std::int64_t>(choices_[i]));
    }
    add_to_agreement_hash(words);
}

// Keeps the result of a task. Ranks without edges took no part, so they know no totals.
void Building::take(const Candidate &candidate, std::size_t task, Builder &builder)
{
    const Outcome outcome = builder.outcome(task);
    if (outcome == Outcome::failed) {
        failed_ = true;
        return;
    }
    if (takes_part()) {
        const Traffic traffic = builder.traffic(task);
        topology_.expected.push_back(expect(candidate, traffic));
        one_size_ = one_size_ || builder.one_size();
        WordWriter words;
        words.put(static_cast<std::int32_t>(candidate.task.kind));
        words.put(candidate.choice);
        words.put(static_cast<std::int32_t>(outcome));
        words.put_long(static_cast<std::int64_t>(topology_.expected.back().combining_threshold));
        traffic.encode_direct(words);
        traffic.encode_relayed(words);
        add_to_agreement_hash(words);
        if (outcome == Outcome::built) {
            counted_.push_back({candidate.choice, candidate.task.kind, traffic});
        }
    }
    if (outcome == Outcome::built) {
        try {
            Pattern pattern = builder.take_pattern(task);
            pattern_hash_ += hash_pattern(pattern);
            built_[{candidate.choice, candidate.task.kind}] =
                BuiltProgram(std::move(pattern), settings_.keep_patterns);
        } catch (const std::exception &) {
            failed_ = true;
        }
    }
}

void Building::add_to_agreement_hash(const WordWriter &words)
{
    for (const std::int32_t word : words.words()) {
        agreement_hash_ = mix(agreement_hash_ ^ static_cast<std::uint32_t>(word));
    }
}

Expectation Building::expect(const Candidate &candidate, const Traffic &traffic) const
{
    return Expectation{candidate.choice,
                       candidate.task.kind,
                       traffic,
                       auto_.expected_bytes(),
                       auto_.direct_seconds(traffic),
                       auto_.relayed_seconds(traffic),
                       auto_.combining_threshold(row_of(candidate.choice), traffic)};
}

bool Building::is_built(int c) const
{
    const auto i = static_cast<std::size_t>(c);
    return automatic_[i] || topology_.served[i].front().choice > kDirectChoice;
}

// The choices for each size that follow from the patterns built. Only for ranks with edges.
SizeChoices Building::choices_of(int c) const
{
    const auto i = static_cast<std::size_t>(c);
    const auto collective = static_cast<Collective>(c);
    const int named = topology_.served[i].front().choice;
    if (knows_sizes(c)) {
        return automatic_[i] ? auto_.fastest_by_size(collective, counted_) : named_by_size(named);
    }
    return {{kAnySize, automatic_[i] ? auto_.fastest(collective, counted_) : named}};
}

std::array<std::uint64_t, kCollectives> Building::local_choices() const
{
    return participants_.tells ? choices_ : std::array<std::uint64_t, kCollectives>{};
}

void Building::finish(const std::uint64_t *told, bool any_failed)
{
    for (int c = 0; c < kCollectives; ++c) {
        if (!is_built(c)) {
            continue;
        }
        if (any_failed) {
            serve(c, kDirectChoice, Reason::cannot_build);
            continue;
        }
        const std::optional<SizeChoices> choices = decode(told[c], auto_.sizes());
        if (choices) {
            serve_by_size(c, *choices);
        } else { // no rank has edges
            serve_by_size(
                c, {{kAnySize, topology_.served[static_cast<std::size_t>(c)].front().choice}});
        }
    }
}

void Building::serve_by_size(int c, const SizeChoices &choices)
{
    const auto i = static_cast<std::size_t>(c);
    const Reason named = topology_.served[i].front().reason;
    const BlockKind kind = kind_of(static_cast<Collective>(c));
    topology_.served[i].clear();
    for (const SizeChoice &interval : choices) {
        Served served;
        served.most = interval.most;
        served.choice = interval.choice;
        served.reason = !automatic_[i]                     ? named
                        : interval.choice == kDirectChoice ? Reason::no_gain
                                                           : Reason::gain;
        const auto built = built_.find({served.choice, kind});
        if (built != built_.end()) {
            built->second.serve(served);
            served.known_sizes = knows_sizes(c);
        } else { // direct, or a row that this rank has not built, whatever the sum says
            served.choice = kDirectChoice;
        }
        for (const Expectation &expected : topology_.expected) {
            if (expected.choice == served.choice && expected.kind == kind) {
                // If `auto` chose by size, all these blocks gain.
                const bool combined = row_of(served.choice).above == nullptr;
                served.combining_threshold = automatic_[i] && combined && served.most != kAnySize
                                                 ? served.most
                                                 : expected.combining_threshold;
            }
        }
        topology_.served[i].push_back(served);
    }
}

} // namespace nbrhood
