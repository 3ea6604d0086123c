// Whole text files, compressed or not.
#ifndef NBRHOOD_BENCH_TEXT_FILE_H
#define NBRHOOD_BENCH_TEXT_FILE_H

#include <string>

namespace nbrhood_bench {

/// Returns the contents of `path`, decompressed with gzip when the file starts with gzip's
/// signature. Called by the readers. Throws InputError when it cannot be read.
std::string read_text_file(const std::string &path);

} // namespace nbrhood_bench

#endif
