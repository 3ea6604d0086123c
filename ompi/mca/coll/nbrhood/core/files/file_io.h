// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Files that users name: reading within bounds, and complete writes. For the core and the tools.
#pragma once

#include <cstdint>
#include <string>

namespace nbrhood {

// An open file; its destructor closes it.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor &&other) noexcept : number_(other.number_) { other.number_ = -1; }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor &operator=(Descriptor &&) = delete;
    ~Descriptor() { close(); }

    // Negative if the file could not be opened.
    int number() const { return number_; }

    // 0 or an error number: some file systems report a full disk only here.
    int close();

private:
    int number_;
};

// The meaning of an errno in words; thread-safe.
std::string reason_text(int error);

// Opens a regular file for reading. Other files are refused, because a pipe may make the reader
// wait forever and a device may have no end. Throws std::invalid_argument "FILE: reason".
Descriptor open_regular_file(const std::string &path);

// Reads the rest of a file, at most `most` bytes; `name` stands for the file in messages. Throws
// std::invalid_argument "NAME: reason" if it cannot be read or there is more.
std::string read_to_end(int from, const std::string &name, std::uint64_t most);

// The contents of a regular file of at most `most` bytes. Throws as the two functions above.
std::string read_file(const std::string &path, std::uint64_t most);

// Writes the whole text. Returns 0 or an error number.
int write_all(int to, const std::string &text);

} // namespace nbrhood
