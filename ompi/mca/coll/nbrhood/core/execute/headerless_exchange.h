// Combined messages without headers: all sizes are known.
#pragma once

#include <vector>

#include "execute/combined_exchange.h"
#include "execute/headerless_layout.h"

namespace nbrhood {

// Of later starts of persistent requests, which learnt the sizes in the first one, and of
// collectives whose blocks all have one size that each rank knows. Messages hold payload only, and
// empty ones are not sent.
class HeaderlessExchange : public CombinedExchange {
public:
    explicit HeaderlessExchange(Execution &execution) : CombinedExchange(execution) {}

    // Lays the messages out for the blocks of the plan; again where these have changed. in_place:
    // see HeaderlessLayout. Throws std::bad_alloc.
    void bind(const BlockLayout &blocks, bool in_place);
    // As Plan::move.
    void move(std::ptrdiff_t send, std::ptrdiff_t receive) { layout_.move(send, receive); }

    void post(std::uint32_t receive) override;
    void launch(std::uint32_t send) override;
    std::size_t memory() const override { return layout_.memory(); }

private:
    void take_first(const Event &event) override;
    void take_following(std::uint32_t receive, const Event &event) override;
    void deliver(std::uint32_t receive) override;
    void check(std::uint32_t receive, const Event &event, std::size_t bytes);

    HeaderlessLayout layout_;
    std::vector<std::size_t> sizes_; // by slice, bytes
};

} // namespace nbrhood
