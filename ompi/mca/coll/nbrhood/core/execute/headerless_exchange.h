// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages without headers: all sizes are known.
#pragma once

#include <vector>

#include "execute/combined_exchange.h"
#include "execute/headerless_layout.h"

namespace nbrhood {

// Messages of one of two kinds. Combined messages, of later starts of persistent requests, which
// learnt the sizes in the first start, or of collectives whose blocks all have one size that each
// rank knows: empty ones are not sent. Or direct messages in bytes, whose sizes both ends know from
// their own blocks: all of them are sent, even empty ones.
class HeaderlessExchange : public CombinedExchange {
public:
    HeaderlessExchange(Execution &execution, Carry carry)
        : CombinedExchange(execution), carry_(carry)
    {}

    // Lays the messages out for the blocks of the plan, at first and whenever the blocks have
    // changed. in_place: see HeaderlessLayout. Throws std::bad_alloc.
    void bind(const BlockLayout &blocks, bool in_place);
    // As Plan::move.
    void move(std::ptrdiff_t send, std::ptrdiff_t receive) { layout_.move(send, receive); }

    void begin() override;
    void post(std::uint32_t receive) override;
    void launch(std::uint32_t send) override;
    void deliver_late(std::uint32_t delivery, std::uint32_t receive) override;
    std::size_t memory() const override { return layout_.memory(); }

private:
    void take_first(const Event &event) override;
    void take_following(std::uint32_t receive, const Event &event) override;
    void deliver(std::uint32_t receive) override;
    void check(std::uint32_t receive, const Event &event, std::size_t bytes);
    void gather(const std::vector<HeaderlessLayout::Copy> &copies);
    void scatter(const std::vector<HeaderlessLayout::Copy> &copies);

    Carry carry_;
    HeaderlessLayout layout_;
    std::vector<std::size_t> sizes_; // by slice, bytes
};

} // namespace nbrhood
