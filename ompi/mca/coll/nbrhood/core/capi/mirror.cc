// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Mirrors of device memory for the glue.
#include <new>

#include "capi/nbrhood_mirror.h"
#include "execute/mirror_layout.h"

using namespace nbrhood;

static_assert(sizeof(nbrhood_mirror_copy) == sizeof(MirrorCopy)
                  && offsetof(nbrhood_mirror_copy, offset) == offsetof(MirrorCopy, offset)
                  && offsetof(nbrhood_mirror_copy, bytes) == offsetof(MirrorCopy, bytes),
              "nbrhood_mirror_copy and MirrorCopy have one layout");
static_assert(NBRHOOD_MIRROR_ALIGNMENT == kMirrorAlignment, "the same value in C");

struct nbrhood_mirror_layout {
    MirrorLayout layout;
};

nbrhood_mirror_layout *nbrhood_mirror_layout_create(void)
{
    return new (std::nothrow) nbrhood_mirror_layout;
}

void nbrhood_mirror_layout_destroy(nbrhood_mirror_layout *layout)
{
    delete layout;
}

bool nbrhood_mirror_layout_add_span(nbrhood_mirror_layout *layout, uintptr_t begin, uintptr_t end)
{
    try {
        layout->layout.add_span({begin, end});
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

bool nbrhood_mirror_layout_add_segment(nbrhood_mirror_layout *layout, uintptr_t begin,
                                       uintptr_t end, uintptr_t allocation_end)
{
    try {
        layout->layout.add_segment({begin, end}, {begin, allocation_end});
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

bool nbrhood_mirror_layout_finish(nbrhood_mirror_layout *layout, size_t gap, bool as_one)
{
    try {
        layout->layout.finish(gap, as_one);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

size_t nbrhood_mirror_layout_bytes(const nbrhood_mirror_layout *layout)
{
    return layout->layout.bytes();
}

bool nbrhood_mirror_layout_keeps_distances(const nbrhood_mirror_layout *layout)
{
    return layout->layout.keeps_distances();
}

size_t nbrhood_mirror_layout_offset(const nbrhood_mirror_layout *layout, uintptr_t address)
{
    return layout->layout.offset_of(address);
}

size_t nbrhood_mirror_layout_copies(const nbrhood_mirror_layout *layout,
                                    const nbrhood_mirror_copy **copies)
{
    *copies = reinterpret_cast<const nbrhood_mirror_copy *>(layout->layout.copies().data());
    return layout->layout.copies().size();
}
