// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The part of a creation that chooses among algorithms and builds patterns with the other ranks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "select/automatic.h"

namespace nbrhood {

// A program, and its pattern if patterns are kept.
struct BuiltProgram {
    BuiltProgram() = default;
    // Throws the exceptions of Program.
    BuiltProgram(Pattern from, bool keep)
    {
        program = std::make_shared<const Program>(from);
        pattern = keep ? std::make_shared<const Pattern>(std::move(from)) : nullptr;
    }
    void serve(Served &served) const
    {
        served.program = program;
        served.pattern = pattern;
    }
    std::shared_ptr<const Program> program;
    std::shared_ptr<const Pattern> pattern;
};

// The result of earlier builds for the collective, the same on all ranks that take part: there were
// none; no gain; or a decision about the algorithm that serves calls.
enum class Earlier { none, no_gain, decided };

// The ranks that build together, seen from one of them. BuildInput explains all fields but the
// known ranks.
struct Participants {
    KnownRanks known_ranks;
    Rank ranks = 0;
    std::shared_ptr<const DieLinks> die_links;
    TreePlace tree;
    std::optional<bool> one_size;
    // Whether this is the one rank that tells the ranks without edges the choices.
    bool tells = false;
    std::uint32_t calls = 0; // calls that the pattern is expected to serve, see worth_in()
};

// Chooses and builds the algorithms that serve the collectives of a communicator, on one rank. Used
// by the engine once all ranks know the same facts.
//
// Algorithms whose rows share a builder are counted, compared and built in one run of its protocol.
// Those of different builders are compared with the best so far: for `auto` a later one is built
// only if it beats the best so far. No run synchronises the communicator.
//
// All ranks must run the same builders in the same order, because each step of a protocol waits for
// other ranks. So the order depends only on the facts of all ranks: by the least traffic of an
// algorithm (Algorithm::least), the most promising builder runs first, and none runs that cannot
// beat one message per edge. The counts of earlier builders could rule out more builders, but not
// all ranks know them: ranks without edges, and ranks that failed or could not read a message,
// learn them only from the sum that ends the creation.
class Building {
public:
    Building(const Neighbourhood &neighbourhood, const Participants &participants,
             const Settings &settings, Topology &topology)
        : neighbourhood_(neighbourhood), participants_(participants), settings_(settings),
          topology_(topology),
          auto_(topology.facts, topology.costs, settings.values,
                worth_in(participants.calls) * (topology.facts.ends ? kEstimateErrors : 1))
    {}

    // Serves a collective as a parameter says, or leaves it to step() if `auto` must count first.
    void select(int collective);

    // Whether `auto` found in select() that no algorithm can gain.
    bool refuses(Collective collective) const
    {
        const auto c = static_cast<std::size_t>(collective);
        const Served &served = topology_.served[c].front();
        return !automatic_[c] && served.choice == kDirectChoice
               && served.reason != Reason::parameter;
    }

    // One superstep of the protocols, with the messages that the last one expected; nothing when
    // all have ended.
    std::optional<Step> step(const std::vector<Message> &inbox);

    // Whether protocols ran (the same on all ranks), and whether this rank failed in one.
    bool ran() const { return ran_; }
    bool failed() const { return failed_; }
    std::uint64_t pattern_hash() const { return pattern_hash_; }

    // A hash of the results that must be equal on all ranks with edges: the patterns built, the
    // traffic, whether sizes are known, the choices for each size, T. 0 on ranks without edges.
    std::uint64_t agreement_hash() const { return agreement_hash_; }

    // The choices for each collective for which builders ran, as numbers for the sum over all
    // ranks: one rank contributes them, the others add zero.
    std::array<std::uint64_t, kCollectives> local_choices() const;

    // Serves the collectives by the choices in the sum of local_choices(). If a rank failed, the
    // collectives whose patterns were to be built go direct.
    void finish(const std::uint64_t *choices, bool any_failed);

private:
    // A task of a protocol, and its choice.
    struct Candidate {
        Task task;
        int choice = kDirectChoice;
        bool certain = false; // a parameter names it
    };
    using Candidates = std::vector<Candidate>;

    void serve(int collective, int choice, Reason reason);
    bool takes_part() const { return neighbourhood_.has_edges(); }
    // Whether all ranks of a component know the size of blocks in a collective.
    bool knows_sizes(int collective) const
    {
        return one_size_ && has_one_count(static_cast<Collective>(collective));
    }
    // Whether the algorithm of a collective depends on builders.
    bool is_built(int collective) const;
    unsigned collectives_of_auto() const; // bits
    Candidates list_candidates(Maker maker) const;
    std::vector<char> decide(const Candidates &candidates, const std::vector<Traffic> &totals,
                             bool one_size) const;
    bool begin_next_builder();
    void end_builder();
    void conclude();
    void take(const Candidate &candidate, std::size_t task, Builder &builder);
    Expectation expect(const Candidate &candidate, const Traffic &traffic) const;
    void add_to_agreement_hash(const WordWriter &words);
    SizeChoices choices_of(int collective) const;
    void serve_by_size(int collective, const SizeChoices &choices);

    const Neighbourhood &neighbourhood_;
    const Participants &participants_;
    const Settings &settings_;
    Topology &topology_;
    const Automatic auto_;
    std::array<bool, kCollectives> automatic_{};        // to be decided from the counts of builders
    std::vector<Counted> counted_;                      // of the patterns built
    bool one_size_ = false;                             // found by some builder
    std::array<std::uint64_t, kCollectives> choices_{}; // encoded, after builders ran
    std::map<std::pair<int, BlockKind>, BuiltProgram> built_; // by choice
    std::uint64_t pattern_hash_ = 0;
    std::uint64_t agreement_hash_ = 0;
    bool ran_ = false;
    bool failed_ = false;
    // The running protocol: its builder, its candidates, whether the messages of its last superstep
    // are out.
    std::optional<std::vector<Maker>> makers_; // makers of the next builders, in reverse order
    Candidates candidates_;
    std::unique_ptr<Builder> builder_;
    bool last_step_ = false;
};

} // namespace nbrhood
