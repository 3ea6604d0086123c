#include "algorithms/traffic.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace nbrhood {
namespace {

constexpr std::array<Load Traffic::*, 4> kLoads{
    &Traffic::direct, &Traffic::relayed, &Traffic::busiest_direct, &Traffic::busiest_relayed};
constexpr std::array<std::int64_t Traffic::*, 3> kGreatest{
    &Traffic::phases, &Traffic::leaving_direct, &Traffic::leaving_relayed};
// Far more than there can be, and so little that sums of some are numbers, too.
constexpr std::int64_t kMost = std::int64_t{1} << 48;

// Calls change(number, number of the other) for all numbers of a load.
template <typename Mine, typename Other, typename Change>
void for_each_number(Mine &mine, Other &other, const Change &change)
{
    for (std::size_t link = 0; link < kLinks; ++link) {
        change(mine.messages[link], other.messages[link]);
        change(mine.blocks[link], other.blocks[link]);
    }
    change(mine.nonlocal, other.nonlocal);
}

} // namespace

void Load::add(Link link, bool local, std::int64_t more_messages, std::int64_t more_blocks)
{
    messages[static_cast<std::size_t>(link)] += more_messages;
    blocks[static_cast<std::size_t>(link)] += more_blocks;
    nonlocal += local ? 0 : more_messages;
}

void Load::add(const Load &other)
{
    for_each_number(*this, other, [](std::int64_t &mine, std::int64_t more) { mine += more; });
}

void Load::keep_greatest(const Load &other)
{
    for_each_number(*this, other,
                    [](std::int64_t &mine, std::int64_t more) { mine = std::max(mine, more); });
}

std::int64_t Load::local() const
{
    return std::accumulate(messages.begin(), messages.end(), std::int64_t{0}) - nonlocal;
}

void Traffic::merge(const Traffic &other)
{
    direct.add(other.direct);
    relayed.add(other.relayed);
    busiest_direct.keep_greatest(other.busiest_direct);
    busiest_relayed.keep_greatest(other.busiest_relayed);
    for (const auto greatest : kGreatest) {
        this->*greatest = std::max(this->*greatest, other.*greatest);
    }
}

void Traffic::encode(WordWriter &words) const
{
    for (const auto load : kLoads) {
        for_each_number(this->*load, this->*load,
                        [&](std::int64_t number, std::int64_t) { words.put_long(number); });
    }
    for (const auto greatest : kGreatest) {
        words.put_long(this->*greatest);
    }
}

Traffic Traffic::decode(WordReader &words)
{
    Traffic traffic;
    for (const auto load : kLoads) {
        for_each_number(traffic.*load, traffic.*load, [&](std::int64_t &number, std::int64_t) {
            number = words.take_long(0, kMost);
        });
    }
    for (const auto greatest : kGreatest) {
        traffic.*greatest = words.take_long(0, kMost);
    }
    return traffic;
}

} // namespace nbrhood
