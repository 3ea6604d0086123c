#include "algorithms/traffic.h"

#include <algorithm>
#include <array>

namespace nbrhood {
namespace {

constexpr std::array<std::int64_t Load::*, 4> kFields{
    &Load::messages_local, &Load::messages_nonlocal, &Load::blocks_local, &Load::blocks_nonlocal};
constexpr std::array<Load Traffic::*, 4> kLoads{
    &Traffic::direct, &Traffic::relayed, &Traffic::busiest_direct, &Traffic::busiest_relayed};
constexpr std::array<std::int64_t Traffic::*, 3> kGreatest{
    &Traffic::phases, &Traffic::leaving_direct, &Traffic::leaving_relayed};
// Far more than there can be, and so little that sums of some are numbers, too.
constexpr std::int64_t kMost = std::int64_t{1} << 48;

} // namespace

void Traffic::merge(const Traffic &other)
{
    for (const auto field : kFields) {
        direct.*field += other.direct.*field;
        relayed.*field += other.relayed.*field;
        busiest_direct.*field = std::max(busiest_direct.*field, other.busiest_direct.*field);
        busiest_relayed.*field = std::max(busiest_relayed.*field, other.busiest_relayed.*field);
    }
    for (const auto greatest : kGreatest) {
        this->*greatest = std::max(this->*greatest, other.*greatest);
    }
}

void Traffic::encode(WordWriter &words) const
{
    for (const auto load : kLoads) {
        for (const auto field : kFields) {
            words.put_long(this->*load.*field);
        }
    }
    for (const auto greatest : kGreatest) {
        words.put_long(this->*greatest);
    }
}

Traffic Traffic::decode(WordReader &words)
{
    Traffic traffic;
    for (const auto load : kLoads) {
        for (const auto field : kFields) {
            traffic.*load.*field = words.take_long(0, kMost);
        }
    }
    for (const auto greatest : kGreatest) {
        traffic.*greatest = words.take_long(0, kMost);
    }
    return traffic;
}

} // namespace nbrhood
