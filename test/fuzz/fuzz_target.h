// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Shared code of the fuzz targets: the input as text, and demands beyond "no crash".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// libFuzzer calls this function for each input; every target defines it. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace nbrhood_fuzz {

// Prints `what` and ends the program, unless `holds`; libFuzzer then keeps the input.
void demand(bool holds, const std::string &what);

// The input as the contents of a file or an argument.
inline std::string text_of(const std::uint8_t *data, std::size_t size)
{
    return {reinterpret_cast<const char *>(data), size};
}

// Demands that a message begins with `place`, such as "file:"; that a number behind it, the place
// in the text, lies between 1 and `most`; and that a reason follows.
void demand_place(const std::string &message, const std::string &place, std::size_t most);

// For demand_place: the number of lines of the text, at least one.
std::size_t lines_of(const std::string &text);

// Calls read() and returns whether it read the text, which messages call `file`; a Refusal must
// give the place and the reason.
template <typename Refusal, typename Read>
bool reads_file(const std::string &text, const std::string &file, Read read)
{
    try {
        read();
        return true;
    } catch (const Refusal &refusal) {
        demand_place(refusal.what(), file + ":", lines_of(text));
        return false;
    }
}

} // namespace nbrhood_fuzz
