// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A directory for the files of one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace nbrhood::test {

// Makes the directory among the system's temporary files and removes it with its contents.
class ScratchDirectory {
public:
    ScratchDirectory()
        : name_((std::filesystem::temp_directory_path() / "nbrhood-test-XXXXXX").string())
    {
        if (mkdtemp(name_.data()) == nullptr) {
            throw std::runtime_error("cannot make a directory like " + name_);
        }
    }
    ScratchDirectory(const ScratchDirectory &) = delete;
    ScratchDirectory &operator=(const ScratchDirectory &) = delete;
    ~ScratchDirectory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(name_, ignored);
    }

    const std::string &name() const { return name_; }
    // The name of a file in the directory; the file need not exist.
    std::string file(const std::string &name) const { return name_ + "/" + name; }

private:
    std::string name_;
};

} // namespace nbrhood::test
