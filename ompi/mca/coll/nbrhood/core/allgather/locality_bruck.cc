// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/locality_bruck.h"

#include <algorithm>

namespace nbrhood {

namespace {

int steps_with(Rank radix, Rank regions)
{
    int steps = 0;
    for (std::int64_t reached = 1; reached < regions; reached *= radix) {
        ++steps;
    }
    return steps;
}

// The parts into which a level divides a group, as ranges of positions. After the last level the
// parts are single ranks.
std::vector<PositionRange> parts_of(const AllgatherShape &shape, PositionRange group,
                                    std::size_t level)
{
    std::vector<PositionRange> parts;
    if (level >= shape.levels.size()) {
        for (Rank position = group.first; position < group.end(); ++position) {
            parts.push_back(PositionRange{position, 1});
        }
        return parts;
    }
    const std::vector<Rank> &starts = shape.levels[level];
    auto next = std::upper_bound(starts.begin(), starts.end(), group.first);
    for (Rank first = group.first; first < group.end(); ++next) {
        parts.push_back(PositionRange{first, *next - first});
        first = *next;
    }
    return parts;
}

// One level of a group, whose parts exchange their data in a circle.
class Circle {
public:
    Circle(AllgatherOperations &operations, const AllgatherShape &shape, PositionRange group,
           std::size_t level)
        : operations_(operations), shape_(shape), level_(level),
          parts_(parts_of(shape, group, level)), group_(group)
    {
        while (parts_[static_cast<std::size_t>(own_)].end() <= operations.own()) {
            ++own_;
        }
    }

    void run(std::vector<Positions> &pieces)
    {
        within(pieces_of_own_part(pieces));
        for (const PositionRange &part : parts_) {
            Positions all;
            for (Rank position = part.first; position < part.end(); ++position) {
                all.add(pieces[static_cast<std::size_t>(position - group_.first)]);
            }
            of_part_.push_back(std::move(all));
        }
        const Rank parts = static_cast<Rank>(parts_.size());
        const Rank radix = step_radix(parts, group_.count / parts, shape_.first_rank);
        for (std::int64_t reached = 1; reached < parts; reached *= radix) {
            step(static_cast<Rank>(reached), radix);
        }
    }

private:
    std::vector<Positions> pieces_of_own_part(const std::vector<Positions> &pieces) const
    {
        const PositionRange part = parts_[static_cast<std::size_t>(own_)];
        const auto first = pieces.begin() + (part.first - group_.first);
        return std::vector<Positions>(first, first + part.count);
    }

    void within(std::vector<Positions> pieces)
    {
        if (pieces.size() > 1) {
            gather_pieces(operations_, shape_, parts_[static_cast<std::size_t>(own_)],
                          std::move(pieces), level_ + 1);
        }
    }

    Rank around(std::int64_t part) const
    {
        const auto parts = static_cast<std::int64_t>(parts_.size());
        return static_cast<Rank>((part % parts + parts) % parts);
    }

    // The rank of a part that handles a lane (0 .. lanes - 1) of an exchange (0 .. exchanges - 1)
    // of a step. They are spread evenly over the ranks. If a part has more ranks than lanes of all
    // exchanges, its first rank has none, as in the paper; the piece of this rank in the local
    // allgather is empty (the second of the three choices of section 3).
    Rank holder(Rank part, Rank exchange, Rank exchanges, Rank lane, Rank lanes) const
    {
        const PositionRange ranks = parts_[static_cast<std::size_t>(part)];
        const std::int64_t all = std::int64_t{exchanges} * lanes;
        const std::int64_t behind = all - 1 - (std::int64_t{exchange} * lanes + lane);
        return ranks.end() - 1 - static_cast<Rank>(behind * ranks.count / all);
    }

    // The number of ranks that share an exchange of a step, so that most ranks of a part take part.
    // The received data is then spread over the ranks of the local allgather, and none has to send
    // all of it. If ranks share cores, the additional messages cost more than that saves.
    Rank lanes_of(Rank exchanges) const
    {
        return shape_.first_rank == FirstRank::idles || shape_.shares_cores
                   ? 1
                   : std::max<Rank>(1, group_.count / static_cast<Rank>(parts_.size()) / exchanges);
    }

    // Positions that a part has after reaching `count` parts, itself and those after it.
    Positions of_parts(Rank first, Rank count) const
    {
        Positions all;
        for (Rank i = 0; i < count; ++i) {
            all.add(of_part_[static_cast<std::size_t>(around(std::int64_t{first} + i))]);
        }
        return all;
    }

    // Multiplies the number of parts whose data each part has, `reached`, by radix.
    void step(Rank reached, Rank radix)
    {
        const PositionRange part = parts_[static_cast<std::size_t>(own_)];
        const Rank parts = static_cast<Rank>(parts_.size());
        std::vector<Positions> pieces(static_cast<std::size_t>(part.count));
        const Rank exchanges = std::min(radix, (parts + reached - 1) / reached) - 1;
        const Rank lanes = lanes_of(exchanges);
        for (Rank exchange = 0; exchange < exchanges; ++exchange) {
            const Rank distance = (exchange + 1) * reached;
            const Rank count = std::min(reached, parts - distance);
            const Rank from = around(std::int64_t{own_} + distance);
            const Rank to = around(std::int64_t{own_} - distance);
            const Positions sent = of_parts(own_, count), received = of_parts(from, count);
            for (Rank lane = 0; lane < lanes; ++lane) {
                const auto share = [&](const Positions &all) {
                    return all.share(static_cast<std::size_t>(lane),
                                     static_cast<std::size_t>(lanes));
                };
                const Rank own_holder = holder(own_, exchange, exchanges, lane, lanes);
                if (own_holder == operations_.own()) {
                    operations_.send(holder(to, exchange, exchanges, lane, lanes), share(sent));
                    operations_.receive(holder(from, exchange, exchanges, lane, lanes),
                                        share(received));
                }
                pieces[static_cast<std::size_t>(own_holder - part.first)].add(share(received));
            }
        }
        within(std::move(pieces));
    }

    AllgatherOperations &operations_;
    const AllgatherShape &shape_;
    std::size_t level_;
    std::vector<PositionRange> parts_;
    PositionRange group_;
    Rank own_ = 0; // the part of this rank
    std::vector<Positions> of_part_;
};

} // namespace

Rank step_radix(Rank regions, Rank ranks, FirstRank first_rank)
{
    const Rank most = first_rank == FirstRank::exchanges ? ranks + 1 : ranks;
    const int steps = steps_with(std::max(2, most), regions);
    Rank radix = 2;
    while (steps_with(radix, regions) > steps) {
        ++radix;
    }
    return radix;
}

void gather_pieces(AllgatherOperations &operations, const AllgatherShape &shape,
                   PositionRange group, std::vector<Positions> pieces, std::size_t level)
{
    Circle(operations, shape, group, level).run(pieces);
}

AllgatherPattern bruck(const AllgatherShape &shape, Rank rank)
{
    AllgatherOperations operations(shape, rank, true);
    const Rank ranks = shape.ranks();
    for (std::int64_t distance = 1; distance < ranks; distance *= 2) {
        const Rank step = static_cast<Rank>(distance);
        const Rank count = std::min(step, ranks - step);
        const Rank from = static_cast<Rank>((std::int64_t{rank} + step) % ranks);
        operations.send(rank < step ? rank - step + ranks : rank - step,
                        on_circle(rank, count, ranks));
        operations.receive(from, on_circle(from, count, ranks));
    }
    return operations.take();
}

AllgatherPattern locality_bruck(const AllgatherShape &shape, Rank rank)
{
    AllgatherOperations operations(shape, shape.position_of[static_cast<std::size_t>(rank)], false);
    std::vector<Positions> pieces;
    pieces.reserve(static_cast<std::size_t>(shape.ranks()));
    for (Rank position = 0; position < shape.ranks(); ++position) {
        pieces.emplace_back(PositionRange{position, 1});
    }
    gather_pieces(operations, shape, PositionRange{0, shape.ranks()}, std::move(pieces), 0);
    return operations.take();
}

} // namespace nbrhood
