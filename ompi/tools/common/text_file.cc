// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "text_file.h"

#include "error.h"

#include "files/file_io.h"

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace nbrhood_tools {

namespace {

using nbrhood::Descriptor;

bool is_gzipped(const Descriptor &file)
{
    unsigned char start[2] = {0, 0};
    return pread(file.number(), start, sizeof start, 0) == 2 && start[0] == 0x1f
           && start[1] == 0x8b;
}

std::string decompress(const Descriptor &file, const std::string &path, std::size_t most)
{
    // zlib closes the descriptor that it is given.
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> packed(gzdopen(dup(file.number()), "rb"),
                                                            &gzclose);
    if (!packed)
        throw InputError(path, 0, "cannot be read: " + nbrhood::reason_text(errno));
    std::string text;
    std::vector<char> chunk(1 << 16);
    int got = 0;
    while ((got = gzread(packed.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(got));
        if (text.size() > most)
            throw InputError(path, 0,
                             "has more than " + std::to_string(most)
                                 + " bytes, the most that is read of such a file");
    }
    // Where the file ends too early, only gzerror() says so.
    int error = Z_OK;
    gzerror(packed.get(), &error);
    if (got < 0 || error != Z_OK)
        throw InputError(path, 0, "begins as a file of gzip, but cannot be decompressed");
    return text;
}

} // namespace

std::string read_text_file(const std::string &path, std::int64_t most)
{
    try {
        const Descriptor file = nbrhood::open_regular_file(path);
        const auto bytes = static_cast<std::uint64_t>(most);
        return is_gzipped(file) ? decompress(file, path, bytes)
                                : nbrhood::read_to_end(file.number(), path, bytes);
    } catch (const std::invalid_argument &error) {
        throw InputError(error.what());
    }
}

} // namespace nbrhood_tools
