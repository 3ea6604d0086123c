#include "algorithms/distance_halving.h"

#include <algorithm>
#include <array>
#include <set>

#include "algorithms/agent_selection.h"
#include "algorithms/counted_protocol.h"
#include "algorithms/delivery.h"
#include "algorithms/pattern_traffic.h"
#include "algorithms/roll_call.h"

namespace nbrhood {

const char *cut_name(int value)
{
    constexpr std::array<const char *, 2> kNames{"count", "border"};
    return value >= 0 && value < 2 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

const char *leaf_name(int value)
{
    constexpr std::array<const char *, 2> kNames{"socket", "node"};
    return value >= 0 && value < 2 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

const char *pass_on_name(int value)
{
    constexpr std::array<const char *, 3> kNames{"cheaper", "needed", "all"};
    return value >= 0 && value < 3 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

namespace {

// The letters, in the order of the protocol.
enum Kind : int {
    kRoll,
    kCalled,                                 // of the vote on the roll call
    kNeighbours = kCalled + TreeSum::kKinds, // of a member, to its leader
    kRows,                                   // of leaders, to coordinators
    kChoices,                                // of coordinators, to leaders
    kOwnChoices,                             // of a leader, to its members
    kReady,                                  // of the vote on the choices
    kNotices = kReady + TreeSum::kKinds,     // of the delivery
    kDuties                                  // of a rank, to its agent; + the step
};

// What a rank does in a step.
struct Choice {
    Rank agent = kNoRank;
    std::vector<Rank> origins;
};

// The search of one half's ranks for agents in the other half.
struct Search {
    const Halving *halving;
    int half; // that of those who search

    int other() const { return 1 - half; }
};

class DistanceHalvingBuilder : public CountedProtocol {
public:
    explicit DistanceHalvingBuilder(const BuildInput &from)
        : CountedProtocol(from),
          buffer_(*from.neighbourhood, from.ranks, from.tuning.values.get(kHalvingPassOn),
                  from.tuning.block_bytes)
    {}

private:
    using Letter = std::vector<std::int32_t>;
    // What a rank does in its next superstep.
    enum class Phase {
        call,
        called,
        lead,
        coordinate,
        tell,
        learn,
        vote,
        hand_over,
        notify,
        conclude
    };

    Step advance(const std::vector<Message> &inbox) override
    {
        switch (phase_) {
        case Phase::call:
            return call_roll(inbox);
        case Phase::called:
            return begin_if_called(inbox);
        case Phase::lead:
            return lead(inbox);
        case Phase::coordinate:
            return coordinate(inbox);
        case Phase::tell:
            return tell_members(inbox);
        case Phase::learn:
            return learn(inbox);
        case Phase::vote:
            return vote(inbox);
        case Phase::hand_over:
            return hand_over(inbox);
        case Phase::notify:
            return notify(inbox);
        case Phase::conclude:
            return conclude(inbox);
        }
        return Step{{}, {}, true};
    }

    template <typename Value>
    Value parameter(const Typed<Value> &which) const
    {
        return input().tuning.values.get(which);
    }

    bool leads() const { return leader() == self(); }
    Rank leader() const { return known_.surroundings->region_of(self()); }
    Rank leader_of(int position) const
    {
        return known_.surroundings->region_of(halves_->at(position));
    }

    // By leader of a region: the positions of its ranks in a part, ascending.
    std::map<Rank, std::vector<int>> regions_in(const Halving &halving) const
    {
        std::map<Rank, std::vector<int>> regions;
        for (int position = halving.first; position < halving.end; ++position) {
            regions[leader_of(position)].push_back(position);
        }
        return regions;
    }

    Samples samples_of(const Search &search) const
    {
        return {search.halving->begin_of(search.other()), search.halving->end_of(search.other()),
                parameter(kHalvingSamples)};
    }

    // All searches, in the order in which everybody lists them, for those that choose them.
    template <typename Visit>
    void for_each_search(const Visit &visit) const
    {
        for (const Halving &halving : halves_->halvings()) {
            for (const int half : {0, 1}) {
                visit(Search{&halving, half}, halves_->coordinator(halving, half));
            }
        }
    }

    // Those in which ranks of this leader's region take part.
    template <typename Visit>
    void for_each_own_search(const Visit &visit) const
    {
        const std::vector<int> &own = own_positions_;
        for_each_search([&](const Search &search, Rank coordinator) {
            const auto first = std::lower_bound(own.begin(), own.end(), search.halving->first);
            const auto end = std::lower_bound(first, own.end(), search.halving->end);
            if (first != end) {
                visit(search, coordinator, std::vector<int>(first, end));
            }
        });
    }

    // Sends letters of a kind, and expects some from others; what is for this rank itself is kept.
    Step exchange(int kind, std::map<Rank, WordWriter> &letters, const std::set<Rank> &sources,
                  Phase next)
    {
        Step step;
        kept_.clear();
        for (auto &[peer, words] : letters) {
            if (peer == self()) {
                kept_ = words.take();
            } else {
                step.outbox.push_back(letter(kind, peer, words.words()));
            }
        }
        sources_ = sources;
        std::copy_if(sources.begin(), sources.end(), std::back_inserter(step.expect),
                     [&](Rank source) { return source != self(); });
        phase_ = next;
        return step;
    }

    // Reads the letters that the last exchange expected.
    template <typename Read>
    void read(int kind, const std::vector<Message> &inbox, const Read &read_one)
    {
        auto next = inbox.begin();
        for (const Rank source : sources_) {
            WordReader words = source == self() ? WordReader(kept_) : open_letter(kind, *next);
            next += source == self() ? 0 : 1;
            read_one(source, words);
            words.expect_end();
        }
    }

    // Where not all places are known, all learn them; and nobody goes on where one did not.
    Step call_roll(const std::vector<Message> &inbox)
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        known_ = input();
        if (input().surroundings->complete()) {
            return begin();
        }
        if (!roll_) {
            roll_.emplace(input(), kRoll);
        }
        if (auto step = deliver(*roll_, inbox)) {
            return *step;
        }
        known_.surroundings = &roll_->all();
        vote_.emplace(input(), kCalled, TreeSum::nothing());
        phase_ = Phase::called;
        return begin_if_called({});
    }

    Step begin_if_called(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*vote_, inbox)) {
            return *step;
        }
        return vote_->stopped() ? Step{{}, {}, true} : begin();
    }

    // Tells the leader of the region who this rank's neighbours are.
    Step begin()
    {
        halves_.emplace(*known_.surroundings, parameter(kHalvingCut), parameter(kHalvingLeaf));
        position_ = halves_->position(self());
        std::map<Rank, WordWriter> letters;
        WordWriter &neighbours = letters[leader()];
        attempt([&] { put_neighbours(neighbours); });
        std::set<Rank> members;
        if (leads()) {
            for (const Rank member : known_.surroundings->members(leader())) {
                members.insert(member);
                own_positions_.push_back(halves_->position(member));
            }
            std::sort(own_positions_.begin(), own_positions_.end());
        }
        return exchange(kNeighbours, letters, members, Phase::lead);
    }

    // Whether blocks come to this rank, and the positions to which its block goes.
    void put_neighbours(WordWriter &words) const
    {
        const auto counts = [&](const EdgeEnd &end) {
            return end.peer != kNoRank && end.peer != self();
        };
        const Neighbourhood &own = *input().neighbourhood;
        words.put(std::any_of(own.in.begin(), own.in.end(), counts) ? 1 : 0);
        std::set<int> positions;
        for (const EdgeEnd &end : own.out) {
            if (counts(end)) {
                positions.insert(halves_->position(end.peer));
            }
        }
        words.put_all({positions.begin(), positions.end()});
    }

    // Leaders tell coordinators what their members have in the half that is searched.
    Step lead(const std::vector<Message> &inbox)
    {
        std::map<int, std::pair<bool, std::vector<int>>> neighbours; // by position of a member
        std::map<Rank, WordWriter> letters;
        attempt([&] {
            read(kNeighbours, inbox, [&](Rank member, WordReader &words) {
                auto &[receives, positions] = neighbours[halves_->position(member)];
                receives = words.take_flag();
                const auto most = static_cast<int>(halves_->order().size()) - 1;
                while (words.left() != 0) {
                    positions.push_back(words.take(0, most));
                }
            });
        });
        for_each_own_search(
            [&](const Search &search, Rank coordinator, const std::vector<int> &members) {
                const Samples samples = samples_of(search);
                WordWriter &words = letters[coordinator];
                for (const int member : members) {
                    const auto &[receives, positions] = neighbours[member];
                    if (search.halving->half_of(member) != search.half) {
                        words.put(receives ? 1 : 0);
                    }
                    words.put_all(samples.bits_of(positions));
                }
            });
        std::set<Rank> leaders;
        for_each_search([&](const Search &search, Rank coordinator) {
            if (coordinator == self()) {
                for (const auto &region : regions_in(*search.halving)) {
                    leaders.insert(region.first);
                }
            }
        });
        return exchange(kRows, letters, leaders, Phase::coordinate);
    }

    // What a coordinator is told of one search.
    void read_rows(const Search &search, const std::map<Rank, std::vector<int>> &regions,
                   std::map<Rank, WordReader> &told, AgentSearch &found) const
    {
        const Samples samples = samples_of(search);
        found.origins.resize(static_cast<std::size_t>(search.halving->size_of(search.half)));
        found.candidates.resize(static_cast<std::size_t>(search.halving->size_of(search.other())));
        for (const auto &[leader, members] : regions) {
            WordReader &words = told.at(leader);
            for (const int member : members) {
                const int half = search.halving->half_of(member);
                const auto place =
                    static_cast<std::size_t>(member - search.halving->begin_of(half));
                const bool may = half == search.half || words.take_flag();
                AgentSearch::Row row = samples.take_row(words);
                (half == search.half ? found.origins : found.candidates)[place] =
                    may ? std::move(row) : AgentSearch::Row();
            }
        }
    }

    // Coordinators select agents, and tell leaders those of their members.
    Step coordinate(const std::vector<Message> &inbox)
    {
        std::map<Rank, WordWriter> letters;
        std::map<Rank, WordReader> told;
        attempt([&] {
            auto next = inbox.begin();
            for (const Rank source : sources_) {
                told.emplace(source,
                             source == self() ? WordReader(kept_) : open_letter(kRows, *next));
                next += source == self() ? 0 : 1;
            }
        });
        for_each_search([&](const Search &search, Rank coordinator) {
            if (coordinator != self()) {
                return;
            }
            const auto regions = regions_in(*search.halving);
            for (const auto &region : regions) {
                letters[region.first]; // each is answered
            }
            attempt([&] {
                AgentSearch rows;
                read_rows(search, regions, told, rows);
                put_choices(search, select_agents(rows, parameter(kHalvingOrigins)), letters);
            });
        });
        std::set<Rank> coordinators;
        for_each_own_search([&](const Search &, Rank coordinator, const std::vector<int> &) {
            coordinators.insert(coordinator);
        });
        return exchange(kChoices, letters, coordinators, Phase::tell);
    }

    // To each leader the pairs of origin and agent of which it leads one or both.
    void put_choices(const Search &search, const std::vector<int> &agents,
                     std::map<Rank, WordWriter> &letters) const
    {
        std::map<Rank, Letter> pairs;
        for (const auto &region : regions_in(*search.halving)) {
            pairs[region.first];
        }
        for (std::size_t i = 0; i < agents.size(); ++i) {
            if (agents[i] < 0) {
                continue;
            }
            const int origin = search.halving->begin_of(search.half) + static_cast<int>(i);
            const int agent = search.halving->begin_of(search.other()) + agents[i];
            for (const Rank leader : std::set<Rank>{leader_of(origin), leader_of(agent)}) {
                pairs[leader].push_back(origin);
                pairs[leader].push_back(agent);
            }
        }
        for (const auto &[leader, words] : pairs) {
            letters[leader].put_group(words);
        }
    }

    // Leaders tell their members whom they serve and who serves them.
    Step tell_members(const std::vector<Message> &inbox)
    {
        std::map<int, std::vector<Choice>> choices; // by position, then step
        for (const int member : own_positions_) {
            choices[member].resize(halves_->of(member).size());
        }
        std::map<Rank, WordWriter> letters;
        attempt([&] {
            std::map<Rank, WordReader> told;
            auto next = inbox.begin();
            for (const Rank source : sources_) {
                told.emplace(source,
                             source == self() ? WordReader(kept_) : open_letter(kChoices, *next));
                next += source == self() ? 0 : 1;
            }
            for_each_own_search(
                [&](const Search &search, Rank coordinator, const std::vector<int> &) {
                    take_choices(search, told.at(coordinator).take_group(), choices);
                });
        });
        for (const int member : own_positions_) {
            WordWriter &words = letters[halves_->at(member)];
            for (const Choice &choice : choices[member]) {
                words.put(choice.agent);
                words.put_group(choice.origins);
            }
        }
        return exchange(kOwnChoices, letters, {leader()}, Phase::learn);
    }

    void take_choices(const Search &search, WordReader pairs,
                      std::map<int, std::vector<Choice>> &choices) const
    {
        const auto step = static_cast<std::size_t>(search.halving->depth);
        const auto take = [&](int half) {
            return pairs.take(search.halving->begin_of(half), search.halving->end_of(half) - 1);
        };
        while (pairs.left() != 0) {
            const int origin = take(search.half);
            const int agent = take(search.other());
            const auto served = choices.find(origin);
            if (served != choices.end()) {
                served->second.at(step).agent = halves_->at(agent);
            }
            const auto serving = choices.find(agent);
            if (serving != choices.end()) {
                serving->second.at(step).origins.push_back(halves_->at(origin));
            }
        }
    }

    Step learn(const std::vector<Message> &inbox)
    {
        own_halvings_ = halves_->of(position_);
        attempt([&] {
            read(kOwnChoices, inbox, [&](Rank, WordReader &words) {
                for (const Halving &halving : own_halvings_) {
                    const int other = 1 - halving.half_of(position_);
                    const auto check = [&](Rank rank) {
                        if (halving.half_of(halves_->position(rank)) != other
                            || !halving.contains(halves_->position(rank))) {
                            throw BadWords("an agent or origin that is not in the other half");
                        }
                        return rank;
                    };
                    Choice choice;
                    choice.agent = words.take(kNoRank, input().ranks - 1);
                    choice.agent = choice.agent == kNoRank ? kNoRank : check(choice.agent);
                    WordReader origins = words.take_group();
                    while (origins.left() != 0) {
                        choice.origins.push_back(check(origins.take(0, input().ranks - 1)));
                    }
                    choices_.push_back(std::move(choice));
                }
            });
        });
        vote_.emplace(input(), kReady, TreeSum::nothing());
        phase_ = Phase::vote;
        return vote({});
    }

    // Nobody waits for a rank that does not know its agents and origins.
    Step vote(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*vote_, inbox)) {
            return *step;
        }
        if (vote_->stopped()) {
            return Step{{}, {}, true};
        }
        phase_ = Phase::hand_over;
        return hand_over({});
    }

    // One step of halving: what the last one's origins handed over is here.
    Step hand_over(const std::vector<Message> &inbox)
    {
        for (const Message &from : inbox) {
            attempt([&] {
                buffer_.take_over(from.peer,
                                  open_letter(kDuties + static_cast<int>(step_) - 1, from));
            });
        }
        if (step_ == choices_.size()) {
            return settle();
        }
        const Choice &choice = choices_[step_];
        const Halving &halving = own_halvings_[step_];
        Step step;
        if (choice.agent != kNoRank) {
            Letter words;
            attempt([&] {
                const int half = halving.half_of(position_);
                words = buffer_.hand_over(choice.agent, [&](Rank rank) {
                    const int position = halves_->position(rank);
                    return halving.contains(position) && halving.half_of(position) != half;
                });
            });
            step.outbox.push_back(letter(kDuties + static_cast<int>(step_), choice.agent, words));
        }
        step.expect = choice.origins;
        ++step_;
        return step;
    }

    Step settle()
    {
        notices_.emplace(known_, halves_->order(), kNotices);
        attempt([&] {
            for (auto &[rank, words] : buffer_.settle()) {
                notices_->send(rank, words);
            }
        });
        phase_ = Phase::notify;
        return notify({});
    }

    Step notify(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*notices_, inbox)) {
            return *step;
        }
        attempt([&] {
            for (const Delivered &notice : notices_->take()) {
                buffer_.note(notice.source, WordReader(notice.words));
            }
            Work &work = works().front();
            buffer_.write(work.pattern);
            const auto steps = static_cast<std::int64_t>(choices_.size());
            work.totals =
                traffic_of(work.pattern, *input().neighbourhood, *known_.surroundings, steps + 1);
        });
        phase_ = Phase::conclude;
        return conclude({});
    }

    Phase phase_ = Phase::call;
    std::optional<RollCall> roll_;
    BuildInput known_; // with the places of all
    std::optional<Halves> halves_;
    int position_ = 0;
    std::vector<int> own_positions_;    // of a leader: its region's
    std::set<Rank> sources_;            // of the last exchange
    Letter kept_;                       // in it, of this rank for itself
    std::vector<Halving> own_halvings_; // by step
    std::vector<Choice> choices_;
    std::optional<TreeSum> vote_;
    std::size_t step_ = 0;
    MainBuffer buffer_;
    std::optional<Delivery> notices_;
};

} // namespace

std::optional<Traffic> least_by_halving(const Facts &facts)
{
    if (facts.regions < 2 || facts.edges_nonlocal == 0) {
        return std::nullopt;
    }
    Traffic traffic;
    traffic.phases = 2;
    traffic.relayed.add(facts.edges_nonlocal > facts.edges_network ? Link::node : Link::network,
                        false, 1, 1);
    traffic.busiest_relayed = traffic.relayed;
    return traffic;
}

std::unique_ptr<Builder> make_distance_halving_builder(const BuildInput &input)
{
    return std::make_unique<DistanceHalvingBuilder>(input);
}

} // namespace nbrhood
