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

// The parts that a level makes of a group: ranges of positions. Single ranks behind the last level.
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

// One level of a group: what its parts have goes around among them.
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

    // The rank of a part that is in charge of exchange 1 .. radix - 1 of a step. Where a part has a
    // rank for each, its first one has none, as in the paper; its piece in what follows is empty
    // (the second of the three choices that section 3 names).
    Rank holder(Rank part, Rank exchange, Rank radix) const
    {
        const PositionRange ranks = parts_[static_cast<std::size_t>(part)];
        return ranks.first
               + (radix <= ranks.count ? exchange : (exchange - 1) * ranks.count / (radix - 1));
    }

    // What a part has when it has reached `count` parts, its own and those behind it.
    Positions of_parts(Rank first, Rank count) const
    {
        Positions all;
        for (Rank i = 0; i < count; ++i) {
            all.add(of_part_[static_cast<std::size_t>(around(std::int64_t{first} + i))]);
        }
        return all;
    }

    // Each part has what `reached` parts have; afterwards it has that of radix times as many.
    void step(Rank reached, Rank radix)
    {
        const PositionRange part = parts_[static_cast<std::size_t>(own_)];
        const Rank parts = static_cast<Rank>(parts_.size());
        std::vector<Positions> pieces(static_cast<std::size_t>(part.count));
        for (Rank exchange = 1; exchange < radix && std::int64_t{exchange} * reached < parts;
             ++exchange) {
            const Rank distance = exchange * reached;
            const Rank count = std::min(reached, parts - distance);
            const Rank from = around(std::int64_t{own_} + distance);
            const Rank to = around(std::int64_t{own_} - distance);
            const Rank own_holder = holder(own_, exchange, radix);
            Positions received = of_parts(from, count);
            if (own_holder == operations_.own()) {
                operations_.send(holder(to, exchange, radix), of_parts(own_, count));
                operations_.receive(holder(from, exchange, radix), received);
            }
            pieces[static_cast<std::size_t>(own_holder - part.first)].add(received);
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
