// JSON files of results.
#ifndef NBRHOOD_BENCH_JSON_H
#define NBRHOOD_BENCH_JSON_H

#include <nlohmann/json.hpp>

#include <string>

namespace nbrhood_bench {

/// Fields stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// JSON has neither infinity nor NaN: null stands for both.
Json finite_or_null(double value);

/// The text of a file. Names of files and hosts need not be UTF-8: what is not is replaced.
std::string file_text(const Json &json);

} // namespace nbrhood_bench

#endif
