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
        const Reason refused =
            refuse_early(topology_.facts, settings_.costs, settings_.values.get(kBlockBytes),
                         settings_.values.get(kRideThreshold), pack_limit());
        automatic_[static_cast<std::size_t>(c)] = refused == Reason::none;
        serve(c, kDefault, refused == Reason::none ? Reason::no_gain : refused);
    }
}

// The rows of one maker that some collective wants, or that `auto` may choose.
Building::Contenders Building::list_contenders(Maker maker) const
{
    Contenders contenders;
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
                    wanted = wanted || certain
                             || (automatic_[i] && may_choose(row_of(choice), topology_.facts));
                }
            }
            if (wanted) {
                contenders.push_back(
                    Contender{Task{kind, row_of(choice).variant}, choice, certain});
            }
        }
    }
    return contenders;
}

// Puts the contender in the place of the nominees that it beats.
void Building::challenge(const Contender &contender, const Traffic &traffic,
                         Nominees &nominees) const
{
    const std::optional<double> seconds =
        bid(row_of(contender.choice), traffic, topology_.facts, settings_.costs, block_bytes(),
            static_cast<double>(pack_limit()));
    if (!seconds) {
        return;
    }
    for (int c = 0; c < kCollectives; ++c) {
        Nominee &nominee = nominees[static_cast<std::size_t>(c)];
        if (automatic_[static_cast<std::size_t>(c)] && serves(contender.choice, c)
            && kind_of(static_cast<Collective>(c)) == contender.task.kind
            && (nominee.choice == kDefault || *seconds < nominee.seconds)) {
            nominee = Nominee{contender.choice, *seconds};
        }
    }
}

// What is built: what a parameter names, and what wins for `auto`.
std::vector<char> Building::decide(const Contenders &contenders,
                                   const std::vector<Traffic> &totals) const
{
    Nominees nominees = nominees_;
    for (std::size_t task = 0; task < contenders.size(); ++task) {
        challenge(contenders[task], totals.at(task), nominees);
    }
    std::vector<char> verdicts;
    for (const Contender &contender : contenders) {
        bool wins = contender.certain;
        for (int c = 0; c < kCollectives; ++c) {
            wins = wins
                   || (kind_of(static_cast<Collective>(c)) == contender.task.kind
                       && nominees[static_cast<std::size_t>(c)].choice == contender.choice);
        }
        verdicts.push_back(wins ? 1 : 0);
    }
    return verdicts;
}

int Building::run()
{
    std::vector<Maker> makers;
    for (const Algorithm &row : registry()) {
        if (row.make_builder != nullptr
            && std::find(makers.begin(), makers.end(), row.make_builder) == makers.end()) {
            makers.push_back(row.make_builder);
        }
    }
    for (const auto maker : makers) {
        const int error = run(maker);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

int Building::run(Maker maker)
{
    const Contenders contenders = list_contenders(maker);
    if (contenders.empty()) {
        return 0;
    }
    BuildInput input;
    input.neighbourhood = &neighbourhood_;
    input.machine = &machine_;
    input.has_edges = &has_edges_;
    input.tuning = Tuning{settings_.values, topology_.facts.ranks_per_core, block_bytes()};
    for (const Contender &contender : contenders) {
        input.tasks.push_back(contender.task);
    }
    input.decide = [&](const std::vector<Traffic> &totals) { return decide(contenders, totals); };
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
    for (std::size_t task = 0; task < contenders.size(); ++task) {
        take(contenders[task], task, *builder);
    }
    return 0;
}

// Keeps what came of a task. Ranks without edges took no part, so they know no totals.
void Building::take(const Contender &contender, std::size_t task, Builder &builder)
{
    const Outcome outcome = builder.outcome(task);
    if (outcome == Outcome::failed) {
        failed_ = true;
        return;
    }
    if (has_edges_[static_cast<std::size_t>(neighbourhood_.rank)] != 0) {
        const Traffic traffic = builder.traffic(task);
        topology_.expected.push_back(expect(contender, traffic));
        if (outcome == Outcome::built) {
            challenge(contender, traffic, nominees_);
        }
        add_heard(contender, outcome, builder.one_size());
    }
    if (outcome == Outcome::built) {
        try {
            const Pattern pattern = builder.take_pattern(task);
            pattern_hash_ += hash_pattern(pattern);
            built_[{contender.choice, contender.task.kind}] =
                BuiltProgram(pattern, builder.one_size(), settings_.keep_patterns);
        } catch (const std::exception &) {
            failed_ = true;
        }
    }
}

void Building::add_heard(const Contender &contender, Outcome outcome, bool one_size)
{
    const Expectation &expected = topology_.expected.back();
    WordWriter words;
    words.put(static_cast<std::int32_t>(contender.task.kind));
    words.put(contender.choice);
    words.put(static_cast<std::int32_t>(outcome));
    words.put(one_size ? 1 : 0);
    words.put_long(static_cast<std::int64_t>(expected.ride_threshold));
    expected.traffic.encode(words);
    for (const Nominee &nominee : nominees_) {
        words.put(nominee.choice);
    }
    for (const std::int32_t word : words.words()) {
        heard_ = mix(heard_ ^ static_cast<std::uint32_t>(word));
    }
}

Expectation Building::expect(const Contender &contender, const Traffic &traffic) const
{
    const Facts &facts = topology_.facts;
    const Costs &costs = settings_.costs;
    const std::size_t limit = pack_limit();
    const std::size_t wanted = settings_.values.get(kRideThreshold);
    const double bytes = block_bytes();
    return Expectation{contender.choice,
                       contender.task.kind,
                       traffic,
                       bytes,
                       direct_seconds(traffic, facts, costs, bytes),
                       relayed_seconds(traffic, facts, costs, bytes, static_cast<double>(limit)),
                       wanted != 0 ? wanted : ride_threshold(traffic, facts, costs, bytes, limit)};
}

std::array<std::uint64_t, kCollectives> Building::choices_to_tell() const
{
    std::array<std::uint64_t, kCollectives> told{};
    const auto first = std::find(has_edges_.begin(), has_edges_.end(), 1) - has_edges_.begin();
    if (neighbourhood_.rank == static_cast<Rank>(first)) {
        std::transform(
            nominees_.begin(), nominees_.end(), told.begin(),
            [](const Nominee &nominee) { return static_cast<std::uint64_t>(nominee.choice); });
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
                served.ride_threshold = expected.ride_threshold;
            }
        }
    }
}

} // namespace nbrhood
