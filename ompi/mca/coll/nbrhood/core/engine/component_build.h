// Builds a pattern for one collective while the program runs, among the ranks of one weakly
// connected component of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/creator.h"

namespace nbrhood {

// A build has two channels: one on which the ranks find each other, and one for all that follows.
// Messages of a channel keep their order between two ranks.
enum class Channel : std::uint8_t { wave, step };

// What a build needs of the communicator; implemented by the glue over Open MPI and by tests in
// memory. Neither function calls the build.
class Post {
public:
    virtual ~Post() = default;
    virtual void send(Rank peer, Channel channel, std::vector<std::int32_t> words) = 0;
    // Asks for the next message of a rank, which comes with ComponentBuild::arrived().
    virtual void expect(Rank peer, Channel channel) = 0;
};

// Numbers of what one rank does with a collective on its communicator, from 0 on: blocking and
// nonblocking calls together, persistent requests, and starts of each request. Equal numbers mean
// the same call on all ranks of a component.
struct CallCounts {
    std::uint32_t calls = 0;
    std::uint32_t requests = 0;
    std::uint32_t starts = 0;
};

// One rank's part of a build. No part of it waits: the rank goes on with its program, and
// arrived() does what a message makes possible. All ranks of the component must begin at some
// time, in whatever order; as each edge of the graph joins two ranks that make the same calls, a
// build that begins with a given call is begun by all of them, and ranks of other components, or
// without edges, are not needed.
//
// 1. Finding each other. Each rank begins a wave over the edges. A rank that has seen waves of
//    several ranks follows that of the one that comes first in an order that all know, and answers
//    when all its neighbours have: echo with extinction (Tel, "Introduction to Distributed
//    Algorithms", 2000, section 7.3). In that order ranks are shuffled, so that a rank follows
//    about ln(n) waves. The wave that comes back whole has made a tree of all ranks, and proves
//    that all have begun. Its root tells all to go on, or that nothing can be gained.
// 2. Records, as at a creation (Creator), go up the tree and those of all come down. Builders'
//    supersteps follow, then the sum, up and down.
// 3. The switch. Who learns that there is a pattern says how many calls it has begun, and as many
//    more as it may begin while the numbers go up and down (`freeze`); beyond that it begins none
//    until the answer is here. The greatest numbers of all ranks come down: from these calls on the
//    pattern serves, and all ranks know so before they get there.
class ComponentBuild {
public:
    // collective: what is built for; settings: its choice is that of the collective. freeze: asked
    // once, see above. Keeps references to the arguments but for the place.
    ComponentBuild(const Neighbourhood &neighbourhood, Place own_place, Collective collective,
                   const Settings &settings, const std::function<Locality(Rank)> &locality,
                   Post &post, std::function<CallCounts()> freeze);

    // Both throw std::bad_alloc, and BadWords for a message that no rank can have sent. After
    // that the build cannot go on, here or elsewhere.
    void begin();
    void arrived(Rank peer, Channel channel, std::vector<std::int32_t> words);

    // Whether this rank neither sends nor expects anything more.
    bool ended() const { return stage_ == Stage::ended && open_ == 0; }

    // Whether this rank is the lowest of its component; known where the ranks' records are.
    bool leads() const { return !numbers_.empty() && numbers_.front() == neighbourhood_.rank; }

    // The first calls that the pattern serves; nothing as long as that is not known, or where
    // none gains.
    const std::optional<CallCounts> &first_served() const { return first_; }

    // What serves the collective from there on, and what was found out; once that is known.
    Topology &topology() { return topology_; }

private:
    // What the messages that are expected are; of all stages but the first on Channel::step.
    enum class Stage { wave, records, table, superstep, sums, total, counts, first, ended };

    bool is_before(Rank a, Rank b) const;
    void send_wave(Rank peer, bool answer);
    void hear_wave(Rank peer, const std::vector<std::int32_t> &words);
    void hear_verdict(bool go_on);
    void await(Stage stage, const std::vector<Rank> &peers);
    void advance();
    void pass_records();
    void pass_table(const std::vector<std::int32_t> &words);
    void do_superstep();
    void pass_sums();
    void pass_total(const std::vector<std::int32_t> &words);
    void pass_counts();
    void pass_first(const std::vector<std::int32_t> &words);
    void send_up(Stage answer, std::vector<std::int32_t> words);
    void send_down(const std::vector<std::int32_t> &words);
    Rank number(Rank member) const { return numbers_.at(static_cast<std::size_t>(member)); }
    Rank member(Rank number) const;

    const Neighbourhood &neighbourhood_;
    Place own_place_;
    Collective collective_;
    const Settings &settings_;
    const std::function<Locality(Rank)> &locality_;
    Post &post_;
    std::function<CallCounts()> freeze_;

    std::vector<Rank> neighbours_; // each once, without this rank
    Stage stage_ = Stage::wave;
    // The wave that this rank follows: its root, from whom it came, who answered it, whether this
    // rank or one of those has an edge that leaves its region, and how many neighbours have sent
    // it.
    Rank root_ = kNoRank;
    Rank parent_ = kNoRank;
    std::vector<Rank> children_;
    bool found_leaving_ = false;
    std::size_t heard_ = 0;
    bool leaves_region_ = false; // an edge of this rank does
    std::size_t open_ = 0;       // neighbours that may still send on Channel::wave
    bool verdict_ = false;       // of the root, is known
    std::size_t missing_ = 0;    // messages on Channel::step
    std::vector<Message> inbox_;

    // From the table on; in it ranks have their numbers among the members of the component.
    std::vector<Rank> numbers_; // of the members in the communicator, ascending
    Neighbourhood members_neighbourhood_;
    std::function<Locality(Rank)> members_locality_;
    Topology topology_;
    std::optional<Creator> creator_;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

} // namespace nbrhood
