// What the fuzz targets share: the input as text, and what must hold beyond "no crash".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// libFuzzer calls it for each input; every target defines it. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace nbrhood_fuzz {

// Prints `what` and ends the program, unless `holds`; libFuzzer then keeps the input.
void demand(bool holds, const std::string &what);

// The input as the contents of a file or an argument.
inline std::string text_of(const std::uint8_t *data, std::size_t size)
{
    return {reinterpret_cast<const char *>(data), size};
}

// Calls read(). Where that throws a Refusal, demands that the message names `place` first ("FILE:"
// for files) and a reason after it. Returns whether it was read.
template <typename Refusal, typename Read>
bool accepted(const std::string &place, Read read)
{
    try {
        read();
        return true;
    } catch (const Refusal &refusal) {
        const std::string message = refusal.what();
        demand(message.size() > place.size() + 1 && message.compare(0, place.size(), place) == 0,
               "the refusal '" + message + "' must say '" + place + "' and a reason");
        return false;
    }
}

} // namespace nbrhood_fuzz
