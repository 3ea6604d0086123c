// What the send blocks of a rank have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execute/pool.h"
#include "execute/transport.h"

namespace nbrhood {

// The bytes of a rank's send blocks as pieces whose positions say which of them are the same: by
// address, or, where the application gave its values indices, by these.
class Values {
public:
    // Looks at the blocks of one call. indices: one number for each element of the blocks, those of
    // the first block first, equal where the elements' contents are; null: by address. least_run:
    // blocks whose bytes lie in shorter stretches on average are not looked into. Blocks as in the
    // last call, when nothing was shared, are not looked at again. Throws std::bad_alloc.
    void find(const std::vector<UserBlock> &blocks, Transport &transport,
              const std::int64_t *indices, std::size_t least_run);

    // Whether blocks share bytes.
    bool shared() const { return shared_; }
    // Adds the pieces of a block to what a pool lays out, in the order of the block's bytes. False
    // for a block that was not looked into.
    bool add_to(Pool &pool, std::size_t number, const UserBlock &block) const;

private:
    bool same_as_last(const std::vector<UserBlock> &blocks) const;
    bool find_pieces(const UserBlock &block, Transport &transport, std::size_t least_run,
                     std::vector<Piece> &pieces);

    std::vector<std::vector<Piece>> pieces_; // by block
    std::vector<Piece> all_;
    std::vector<Extent> extents_;
    std::vector<UserBlock> last_; // where nothing was shared
    bool looked_ = false;         // pieces_ are those of this call
    bool shared_ = false;
};

} // namespace nbrhood
