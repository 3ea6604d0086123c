// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The activities of a switch that run while the program goes on: a build, the decision of its
// trial, and questions about the size of blocks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "build/switch.h"
#include "build/component_build.h"

namespace nbrhood {

// Interface to the communicator, which also carries the messages of a build.
class BackgroundHost : public Post {
public:
    // As far as this rank knows without communication.
    virtual Locality locality(Rank peer) const = 0;
    // Facts of this rank at the beginning of a build, without those that the switch adds, and the
    // values of the parameters for this communicator. Throws std::bad_alloc.
    struct Facts {
        OwnFacts own;
        Settings settings;
    };
    virtual Facts facts() = 0;
    // The number of persistent requests of the communicator so far.
    virtual std::uint32_t inits() const = 0;

    // A build has ended. first: the first calls that its pattern serves, if it gains; the pattern
    // is then the next one of the switch. leads: this rank tells the user.
    virtual void built(Topology &&topology, const std::optional<CallCounts> &first, bool leads) = 0;
    virtual void decided(const TrialResult &result) = 0;
    virtual void changed() = 0; // blocks have another size; a build begins
};

// One rank's part, for one collective. It never waits, as class ComponentBuild.
class BackgroundBuild : public Background {
public:
    // Keeps references to all arguments.
    BackgroundBuild(const Neighbourhood &neighbourhood, Collective collective, BackgroundHost &host,
                    Switch &of);

    void build(const SentBlocks &sent, Earlier earlier, bool declared) override;
    void compare(const Measured &own) override;
    void ask(const SentBlocks &sent) override;

    // As ComponentBuild::arrived() and take_turn(). At the end of an activity they tell the switch
    // and the host.
    void arrived(Rank peer, Channel channel, std::vector<std::int32_t> words);
    bool wants_turn() const { return stage_ == Stage::builds && build_->wants_turn(); }
    void take_turn();

    // Whether this rank sends or expects messages.
    bool runs() const { return stage_ != Stage::rests; }

    // State of the last build, for its recording (record_patterns).
    const Neighbourhood &neighbourhood() const { return neighbourhood_; }
    Place place() const { return place_; }
    Rank ranks() const { return ranks_; }
    const Settings &settings() const { return settings_; }

private:
    enum class Stage { rests, builds, compares, asks };

    void look();
    void end_build();
    void end_comparison();

    const Neighbourhood &neighbourhood_;
    Collective collective_;
    BackgroundHost &host_;
    Switch &switch_;
    std::function<Locality(Rank)> locality_;
    std::function<CallCounts()> propose_;

    Stage stage_ = Stage::rests;
    // State of the last build.
    Place place_;
    Rank ranks_ = 0;
    Settings settings_;
    Earlier earlier_ = Earlier::none;
    std::unique_ptr<ComponentBuild> build_;
    Tree tree_;
    SentBlocks decided_;
    std::optional<Trial> trial_;
    std::optional<SizeWatch> watch_;
};

} // namespace nbrhood
