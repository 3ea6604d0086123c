// Builds a pattern for one collective while the program runs, among the ranks of one weakly
// connected component of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/creator.h"
#include "engine/echo.h"
#include "engine/tree.h"

namespace nbrhood {

// One rank's part of a build. No part of it waits: the rank goes on with its program, and
// arrived() does what a message makes possible. All ranks of the component must begin at some
// time, in whatever order; as each edge of the graph joins two ranks that make the same calls, a
// build that begins with a given call is begun by all of them, and ranks of other components, or
// without edges, are not needed.
//
// 1. The ranks find each other, and make a tree (class Echo).
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
    bool ended() const { return stage_ == Stage::ended && echo_.ended(); }

    // Whether this rank is the lowest of its component; known where the ranks' records are.
    bool leads() const { return !numbers_.empty() && numbers_.front() == neighbourhood_.rank; }

    // The first calls that the pattern serves; nothing as long as that is not known, or where
    // none gains.
    const std::optional<CallCounts> &first_served() const { return first_; }

    // What serves the collective from there on, and what was found out; once that is known.
    Topology &topology() { return topology_; }

    // The tree, for what the ranks have to agree on later. Once the build has ended.
    const Tree &tree() const { return tree_; }

private:
    // What the messages that are expected are; of all stages but the first on Channel::step.
    enum class Stage { wave, records, table, superstep, sums, total, counts, first, ended };

    void await(Stage stage, const std::vector<Rank> &peers)
    {
        stage_ = stage;
        tree_.await(peers);
    }
    void send_up(Stage answer, std::vector<std::int32_t> words)
    {
        stage_ = answer;
        tree_.send_up(std::move(words));
    }
    void take_verdict();
    void advance();
    void pass_records();
    void pass_table(const std::vector<std::int32_t> &words);
    void do_superstep();
    void pass_total(const std::vector<std::int32_t> &words);
    void pass_first(const std::vector<std::int32_t> &words);
    Rank number(Rank member) const { return numbers_.at(static_cast<std::size_t>(member)); }
    Rank member(Rank number) const;

    const Neighbourhood &neighbourhood_;
    Place own_place_;
    Collective collective_;
    const Settings &settings_;
    const std::function<Locality(Rank)> &locality_;
    std::function<CallCounts()> freeze_;

    bool has_neighbours_;
    Echo echo_;
    Tree tree_;
    Stage stage_ = Stage::wave;

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
