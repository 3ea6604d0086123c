// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The places of blocks of device memory in their mirror, and the copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "execute/mirror_layout.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr std::uintptr_t kBase = 0x7f0000001000;

struct Copied {
    MirrorLayout layout;
    void block(std::uintptr_t begin, std::size_t bytes, std::uintptr_t allocation_end)
    {
        layout.add_span({begin, begin + bytes});
        layout.add_segment({begin, begin + bytes}, {begin, allocation_end});
    }
};

TEST(MirrorLayout, BlocksThatFollowOneAnotherAreOneCopy)
{
    Copied side;
    for (int i : {2, 0, 1}) {
        side.block(kBase + 100U * static_cast<unsigned>(i), 100, kBase + 1000);
    }
    side.layout.finish(0, false);
    ASSERT_EQ(side.layout.copies().size(), 1U);
    EXPECT_EQ(side.layout.copies()[0].at, kBase);
    EXPECT_EQ(side.layout.copies()[0].bytes, 300U);
    EXPECT_TRUE(side.layout.keeps_distances());
}

TEST(MirrorLayout, OnlyCopiesThatMayTakeGapsAlong)
{
    for (const std::size_t gap : {0U, 49U, 50U}) {
        Copied side;
        side.block(kBase, 100, kBase + 1000);
        side.block(kBase + 150, 100, kBase + 1000);
        side.layout.finish(gap, false);
        EXPECT_EQ(side.layout.copies().size(), gap < 50 ? 2U : 1U) << gap;
        EXPECT_EQ(side.layout.copies()[0].bytes, gap < 50 ? 100U : 250U) << gap;
    }
}

TEST(MirrorLayout, CopiesEndWithTheAllocation)
{
    Copied side;
    side.block(kBase, 100, kBase + 100);
    side.block(kBase + 100, 100, kBase + 200);
    side.layout.finish(1000, false);
    EXPECT_EQ(side.layout.copies().size(), 2U);
}

TEST(MirrorLayout, FarBlocksComeCloser)
{
    Copied side;
    const std::uintptr_t far = kBase + (std::uintptr_t{1} << 34) + 5;
    side.block(kBase + 3, 1000, far + 1000);
    side.block(far, 1000, far + 1000);
    side.layout.finish(0, false);
    EXPECT_FALSE(side.layout.keeps_distances());
    EXPECT_LT(side.layout.bytes(), 2U * (1000 + kMirrorAlignment));
    EXPECT_EQ(side.layout.offset_of(kBase + 3) % kMirrorAlignment, (kBase + 3) % kMirrorAlignment);
    EXPECT_EQ(side.layout.offset_of(far + 999) % kMirrorAlignment, (far + 999) % kMirrorAlignment);
}

TEST(MirrorLayout, AsOneNothingComesCloser)
{
    Copied side;
    side.block(kBase, 8, kBase + 8);
    side.block(kBase + (1U << 24), 8, kBase + (1U << 24) + 8);
    side.layout.finish(0, true);
    EXPECT_TRUE(side.layout.keeps_distances());
    EXPECT_GE(side.layout.bytes(), 1U << 24);
}

TEST(MirrorLayout, NothingIsNoCopy)
{
    MirrorLayout layout;
    layout.finish(0, false);
    EXPECT_EQ(layout.bytes(), 0U);
    EXPECT_TRUE(layout.copies().empty());
}

// Any blocks, overlapping or not: each byte of a segment has one place in the mirror, and is copied
// to it and back. A copy without gaps contains no other byte, and neither copies nor places
// overlap.
TEST(MirrorLayout, EachByteIsCopiedOnceToItsPlace)
{
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        const std::uintptr_t room = chance(random, 0.5) ? 400 : 1U << 22;
        const std::size_t gap = chance(random, 0.5) ? 0 : 16;
        std::vector<AddressRange> segments;
        MirrorLayout layout;
        for (int blocks = draw(random, 1, 12); blocks > 0; --blocks) {
            const std::uintptr_t begin =
                kBase + mix(seed * 64 + static_cast<unsigned>(blocks)) % room;
            std::uintptr_t at = begin;
            for (int parts = draw(random, 1, 3); parts > 0; --parts) {
                const auto bytes = static_cast<std::size_t>(draw(random, 1, 40));
                segments.push_back({at, at + bytes});
                at += bytes + static_cast<std::size_t>(draw(random, 0, 20));
            }
            layout.add_span({begin, segments.back().end});
        }
        for (const AddressRange &segment : segments) {
            layout.add_segment(segment, {kBase, kBase + 2 * room + 1000});
        }
        layout.finish(gap, chance(random, 0.2));
        std::vector<std::uintptr_t> device_of(layout.bytes(), 0);
        for (const MirrorCopy &copy : layout.copies()) {
            ASSERT_LE(copy.offset + copy.bytes, layout.bytes()) << seed;
            for (std::size_t i = 0; i < copy.bytes; ++i) {
                ASSERT_EQ(device_of[copy.offset + i], 0U) << seed;
                device_of[copy.offset + i] = copy.at + i;
                const bool wanted =
                    gap != 0
                    || std::any_of(segments.begin(), segments.end(), [&](const AddressRange &one) {
                           return one.begin <= copy.at + i && copy.at + i < one.end;
                       });
                ASSERT_TRUE(wanted) << seed;
            }
        }
        for (const AddressRange &segment : segments) {
            for (std::uintptr_t at = segment.begin; at < segment.end; ++at) {
                ASSERT_EQ(device_of[layout.offset_of(at)], at) << seed;
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
