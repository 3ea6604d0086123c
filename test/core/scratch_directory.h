// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A directory for the files of one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace nbrhood::test {

// Is made in the system's directory for temporary files and goes away with all that is in it.
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
    // The name of a file in it, which need not be there.
    std::string file(const std::string &name) const { return name_ + "/" + name; }

private:
    std::string name_;
};

} // namespace nbrhood::test
