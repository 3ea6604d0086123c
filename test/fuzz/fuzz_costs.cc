// Files of costs: read, written and read again.
#include "fuzz_target.h"

#include <sstream>
#include <stdexcept>

#include "select/costs.h"

namespace {

std::string written(const nbrhood::Costs &costs)
{
    std::ostringstream out;
    nbrhood::write_costs(out, costs);
    return out.str();
}

nbrhood::Costs read(const std::string &text)
{
    std::istringstream in(text);
    return nbrhood::read_costs(in, "file");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    nbrhood::Costs costs;
    const auto read_input = [&] { costs = read(nbrhood_fuzz::text_of(data, size)); };
    if (nbrhood_fuzz::accepted<std::invalid_argument>("file:", read_input)) {
        const std::string text = written(costs);
        nbrhood_fuzz::demand(written(read(text)) == text, "costs survive being written and read");
    }
    return 0;
}
