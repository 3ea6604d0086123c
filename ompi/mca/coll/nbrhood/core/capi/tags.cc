// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Tags for the glue.
#include "capi/nbrhood_tags.h"

#include "build/pair_switch.h"
#include "capi/nbrhood_names.h"
#include "capi/nbrhood_switch.h"
#include "execute/wire.h"

using namespace nbrhood;

int nbrhood_tag_allgather(void)
{
    return kTagAllgather;
}

int nbrhood_tag_iallgather(uint32_t number)
{
    return kTagIallgather + static_cast<int>(number % kIallgatherTags);
}

int nbrhood_tag_allgather_init(uint32_t number)
{
    return number < kAllgatherInitTags ? kTagAllgatherInit + static_cast<int>(number) : 0;
}

int nbrhood_tag_alltoallv(void)
{
    return kTagAlltoallv;
}

int nbrhood_tag_alltoallv_init(uint32_t number)
{
    return number < kAlltoallvInitTags ? kTagAlltoallvInit + static_cast<int>(number) : 0;
}

int nbrhood_tag_blocking(int collective)
{
    return kTagBlocking + collective * kTagsPerOperation;
}

int nbrhood_tag_nonblocking(int called, uint32_t number)
{
    const std::uint32_t part =
        called == 0 ? 0 : 1 + static_cast<std::uint32_t>(called - NBRHOOD_ALL_ALLTOALLV);
    return kTagNonblocking
           + static_cast<int>(part * kNonblockingSets + number % kNonblockingSets)
                 * kTagsPerOperation;
}

int nbrhood_tag_persistent(uint32_t number)
{
    return number < kPersistentSets ? kTagPersistent + static_cast<int>(number) * kTagsPerOperation
                                    : 0;
}

int nbrhood_tag_creation(void)
{
    return kTagCreation;
}

int nbrhood_tag_build(int tags, int channel)
{
    return kTagBuild + 2 * (tags * NBRHOOD_CHANNELS + channel);
}

int nbrhood_build_tags(int called, uint32_t number)
{
    return NBRHOOD_ALL_END + (called - NBRHOOD_ALL_ALLTOALLV) * static_cast<int>(kPairGraphs)
           + static_cast<int>(number);
}

static_assert(NBRHOOD_ALL_END + 2 * static_cast<int>(kPairGraphs) <= kBuildTagSets
                  && 2 * NBRHOOD_CHANNELS == kTagsPerBuild,
              "each activity has its tags");
