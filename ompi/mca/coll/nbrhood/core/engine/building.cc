#include "engine/building.h"

#include <algorithm>
#include <limits>

namespace nbrhood {
namespace {

bool serves(int choice, int collective)
{
    return serves(choice, static_cast<Collective>(collective));
}

} // namespace

void Building::serve(int collective, int choice, Reason reason)
{
    Served &served = topology_.served[static_cast<std::size_t>(collective)];
    served.choice = choice;
    served.reason = reason;
}

void Building::select(int c, Reason hazard)
{
    const int wanted =
        choice_for(settings_.choice[static_cast<std::size_t>(c)], static_cast<Collective>(c));
    if (wanted != kAuto) {
        serve(c, wanted, Reason::parameter);
    } else if (hazard != Reason::none) {
        serve(c, kFirstRow + kDirect, hazard);
    } else {
        const Reason refused = auto_.refuse_early(static_cast<Collective>(c));
        automatic_[static_cast<std::size_t>(c)] = refused == Reason::none;
        serve(c, kDefault, refused == Reason::none ? Reason::no_gain : refused);
    }
}

// The rows of one maker that some collective wants, or that `auto` may choose.
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
                    certain = certain || topology_.served[i].choice == choice;
                    wanted = wanted || certain || (automatic_[i] && auto_.may_gain(row_of(choice)));
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

// Puts the candidate in the place of the best choices that it beats.
void Building::consider(const Candidate &candidate, const Traffic &traffic,
                        BestChoices &best_choices) const
{
    const std::optional<double> seconds = auto_.predicted_time(row_of(candidate.choice), traffic);
    if (!seconds) {
        return;
    }
    for (int c = 0; c < kCollectives; ++c) {
        BestChoice &best = best_choices[static_cast<std::size_t>(c)];
        if (automatic_[static_cast<std::size_t>(c)] && serves(candidate.choice, c)
            && kind_of(static_cast<Collective>(c)) == candidate.task.kind
            && (best.choice == kDefault || *seconds < best.seconds)) {
            best = BestChoice{candidate.choice, *seconds};
        }
    }
}

// What is built: what a parameter names, and what wins for `auto`.
std::vector<char> Building::decide(const Candidates &candidates,
                                   const std::vector<Traffic> &totals) const
{
    BestChoices best_choices = best_choices_;
    for (std::size_t task = 0; task < candidates.size(); ++task) {
        consider(candidates[task], totals.at(task), best_choices);
    }
    std::vector<char> decisions;
    for (const Candidate &candidate : candidates) {
        bool wins = candidate.certain;
        for (int c = 0; c < kCollectives; ++c) {
            wins = wins
                   || (kind_of(static_cast<Collective>(c)) == candidate.task.kind
                       && best_choices[static_cast<std::size_t>(c)].choice == candidate.choice);
        }
        decisions.push_back(wins ? 1 : 0);
    }
    return decisions;
}

// The most promising builder first, by its best row.
std::vector<Maker> Building::order_makers() const
{
    std::vector<std::pair<double, Maker>> found;
    for (const Algorithm &row : registry()) {
        if (row.make_builder == nullptr) {
            continue;
        }
        const double least = auto_.may_gain(row) ? auto_.least_seconds(row)
                                                 : std::numeric_limits<double>::infinity();
        const auto same = std::find_if(found.begin(), found.end(), [&](const auto &entry) {
            return entry.second == row.make_builder;
        });
        if (same == found.end()) {
            found.emplace_back(least, row.make_builder);
        } else {
            same->first = std::min(same->first, least);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Maker> makers;
    for (const auto &entry : found) {
        makers.push_back(entry.second);
    }
    return makers;
}

int Building::run()
{
    for (const Maker maker : order_makers()) {
        const int error = run(maker);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

int Building::run(Maker maker)
{
    const Candidates candidates = list_candidates(maker);
    if (candidates.empty()) {
        return 0;
    }
    BuildInput input;
    input.neighbourhood = &neighbourhood_;
    input.machine = &machine_;
    input.has_edges = &has_edges_;
    input.tuning = Tuning{settings_.values, topology_.facts.ranks_per_core, auto_.expected_bytes()};
    for (const Candidate &candidate : candidates) {
        input.tasks.push_back(candidate.task);
    }
    input.decide = [&](const std::vector<Traffic> &totals) { return decide(candidates, totals); };
    if (settings_.fail_rank == neighbourhood_.rank) {
        input.fail_in_step = settings_.fail_step;
    }
    ran_ = true;
    const auto builder = maker(input);
    std::vector<Message> inbox;
    for (Step step = builder->step(inbox);; step = builder->step(inbox)) {
        inbox.clear();
        const int error = creation_.exchange(step.outbox, step.expect, inbox);
        if (error != 0) {
            return error;
        }
        if (step.done) {
            break;
        }
    }
    for (std::size_t task = 0; task < candidates.size(); ++task) {
        take(candidates[task], task, *builder);
    }
    return 0;
}

// Keeps the result of a task. Ranks without edges took no part, so they know no totals.
void Building::take(const Candidate &candidate, std::size_t task, Builder &builder)
{
    const Outcome outcome = builder.outcome(task);
    if (outcome == Outcome::failed) {
        failed_ = true;
        return;
    }
    if (has_edges_[static_cast<std::size_t>(neighbourhood_.rank)] != 0) {
        const Traffic traffic = builder.traffic(task);
        topology_.expected.push_back(expect(candidate, traffic));
        if (outcome == Outcome::built) {
            consider(candidate, traffic, best_choices_);
        }
        add_to_agreement_hash(candidate, outcome, builder.one_size());
    }
    if (outcome == Outcome::built) {
        try {
            const Pattern pattern = builder.take_pattern(task);
            pattern_hash_ += hash_pattern(pattern);
            built_[{candidate.choice, candidate.task.kind}] =
                BuiltProgram(pattern, builder.one_size(), settings_.keep_patterns);
        } catch (const std::exception &) {
            failed_ = true;
        }
    }
}

void Building::add_to_agreement_hash(const Candidate &candidate, Outcome outcome, bool one_size)
{
    const Expectation &expected = topology_.expected.back();
    WordWriter words;
    words.put(static_cast<std::int32_t>(candidate.task.kind));
    words.put(candidate.choice);
    words.put(static_cast<std::int32_t>(outcome));
    words.put(one_size ? 1 : 0);
    words.put_long(static_cast<std::int64_t>(expected.combining_threshold));
    expected.traffic.encode_direct(words);
    expected.traffic.encode_relayed(words);
    for (const BestChoice &best : best_choices_) {
        words.put(best.choice);
    }
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
                       auto_.combining_threshold(traffic)};
}

std::array<std::uint64_t, kCollectives> Building::local_choices() const
{
    std::array<std::uint64_t, kCollectives> told{};
    const auto first = std::find(has_edges_.begin(), has_edges_.end(), 1) - has_edges_.begin();
    if (neighbourhood_.rank == static_cast<Rank>(first)) {
        std::transform(
            best_choices_.begin(), best_choices_.end(), told.begin(),
            [](const BestChoice &best) { return static_cast<std::uint64_t>(best.choice); });
    }
    return told;
}

void Building::finish(const std::uint64_t *choices, bool any_failed)
{
    for (int c = 0; c < kCollectives; ++c) {
        const auto i = static_cast<std::size_t>(c);
        Served &served = topology_.served[i];
        if (any_failed && (automatic_[i] || served.choice > kFirstRow + kDirect)) {
            serve(c, kFirstRow + kDirect, Reason::cannot_build);
        } else if (automatic_[i] && choices[c] != kDefault) {
            serve(c, static_cast<int>(choices[c]), Reason::gain);
        }
        const BlockKind kind = kind_of(static_cast<Collective>(c));
        const auto built = built_.find({served.choice, kind});
        if (built != built_.end()) {
            built->second.serve(static_cast<Collective>(c), served);
        } else if (served.choice != kDefault) { // one that was not built, whatever the sum says
            served.choice = kFirstRow + kDirect;
        }
        for (const Expectation &expected : topology_.expected) {
            if (expected.choice == served.choice && expected.kind == kind) {
                served.combining_threshold = expected.combining_threshold;
            }
        }
    }
}

} // namespace nbrhood
