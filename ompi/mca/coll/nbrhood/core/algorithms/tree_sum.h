// Sums up what all ranks have to say, and tells all what follows.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/builder.h"
#include "algorithms/letters.h"

namespace nbrhood {

// One sum: ranks tell the leader of their region, sums go up the tree (BuildInput::tree) to its
// root, and the result comes down it, and from leaders to members. If a rank failed before, all
// have failed afterwards. A builder embeds it, see Protocol::deliver.
class TreeSum {
public:
    // What is said and what becomes of it; words that are put are taken by the function behind.
    // Those that take throw BadWords for what cannot be. All may do nothing.
    struct Terms {
        std::function<void(WordWriter &)> put_own; // of a rank other than a leader, to its leader
        std::function<void(Rank, WordReader &)> add_own;
        std::function<void(WordWriter &)> put_sum; // up the tree
        std::function<void(WordReader &)> add_sum;
        std::function<void()> conclude;               // at the root
        std::function<void(WordWriter &)> put_result; // down the tree
        std::function<void(WordReader &)> take_result;
    };

    // kind: of the letters, and those behind it as far as kKinds.
    TreeSum(const BuildInput &input, int kind, Terms terms);
    static constexpr int kKinds = 3;

    // A sum of nothing: all learn whether any of them failed.
    static Terms nothing();

    // The parts of a superstep, for Protocol::deliver; see Delivery. look() comes first, also on
    // ranks that failed: what became of all they must know, and pass on. receive() throws as
    // Letters::open and the terms do.
    void look(const std::vector<Message> &inbox);
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end, the same on all ranks: whether one failed before it had said what it had to.
    // One that failed since then keeps its appointments.
    bool stopped() const { return stopped_; }

private:
    enum class Stage { begin, collect, spread, wait, end };

    Step begin(bool failed);
    Step spread();
    Message write(int kind, Rank peer, bool failed,
                  const std::function<void(WordWriter &)> &put) const;
    bool is_root() const { return input_->tree && input_->tree->parent == kNoRank; }
    bool leads() const { return leader_ == self_; }

    const BuildInput *input_;
    int kind_;
    Terms terms_;
    Rank self_;
    Rank leader_;
    Letters letters_;
    std::vector<Rank> members_;  // of a leader: the others of its region
    Stage stage_ = Stage::begin; // what the last step expects
    bool stopped_ = false;
    bool unreadable_ = false;
    std::vector<std::int32_t> result_;
};

} // namespace nbrhood
