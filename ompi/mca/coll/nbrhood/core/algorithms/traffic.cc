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
static_assert(Traffic::kWords == 2 * (kFields.size() * kLoads.size() + kGreatest.size()),
              "every number takes two words");

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

void Traffic::encode(std::vector<std::int32_t> &words) const
{
    const auto put = [&](std::int64_t value) {
        words.push_back(static_cast<std::int32_t>(value & 0xffffffff));
        words.push_back(static_cast<std::int32_t>(value >> 32));
    };
    for (const auto load : kLoads) {
        for (const auto field : kFields) {
            put(this->*load.*field);
        }
    }
    for (const auto greatest : kGreatest) {
        put(this->*greatest);
    }
}

Traffic Traffic::decode(const std::int32_t *words)
{
    const auto take = [&] {
        const std::int64_t value =
            static_cast<std::int64_t>(words[1]) << 32 | static_cast<std::uint32_t>(words[0]);
        words += 2;
        return value;
    };
    Traffic traffic;
    for (const auto load : kLoads) {
        for (const auto field : kFields) {
            traffic.*load.*field = take();
        }
    }
    for (const auto greatest : kGreatest) {
        traffic.*greatest = take();
    }
    return traffic;
}

} // namespace nbrhood
