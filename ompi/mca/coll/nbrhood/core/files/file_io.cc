// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "files/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace nbrhood {
namespace {

constexpr std::uint64_t kLeastChunk = 1 << 16;

[[noreturn]] void refuse(const std::string &name, const std::string &reason)
{
    throw std::invalid_argument(name + ": " + reason);
}

[[noreturn]] void refuse_size(const std::string &name, std::uint64_t most)
{
    refuse(name, "has more than " + std::to_string(most)
                     + " bytes, the most that is read of such a file");
}

struct stat status_of(int file, const std::string &name)
{
    struct stat status {};
    if (::fstat(file, &status) != 0) {
        refuse(name, reason_text(errno));
    }
    return status;
}

} // namespace

int Descriptor::close()
{
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0 ? 0 : errno;
}

std::string reason_text(int error)
{
    return std::generic_category().message(error);
}

Descriptor open_regular_file(const std::string &path)
{
    // O_NONBLOCK: a pipe without a writer would not even open. It has no effect on regular files.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number() < 0) {
        refuse(path, reason_text(errno));
    }
    const mode_t mode = status_of(file.number(), path).st_mode;
    if (!S_ISREG(mode)) {
        refuse(path, S_ISDIR(mode) ? reason_text(EISDIR) : "is not a regular file");
    }
    return file;
}

std::string read_to_end(int from, const std::string &name, std::uint64_t most)
{
    // The size of a regular file is known in advance, that of a pipe or of a file in /proc is not.
    const struct stat status = status_of(from, name);
    const auto expected = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
    if (S_ISREG(status.st_mode) && expected > most) {
        refuse_size(name, most);
    }
    std::string text;
    std::uint64_t done = 0;
    for (;;) {
        if (done == text.size()) {
            // One byte more than allowed shows that the file is too long.
            text.resize(std::min(most + 1, std::max({2 * done, expected + 1, kLeastChunk})));
        }
        const ssize_t got = ::read(from, text.data() + done, text.size() - done);
        if (got < 0 && errno != EINTR) {
            refuse(name, reason_text(errno));
        }
        if (got == 0) {
            break;
        }
        done += got > 0 ? static_cast<std::uint64_t>(got) : 0;
        if (done > most) {
            refuse_size(name, most);
        }
    }
    text.resize(done);
    return text;
}

std::string read_file(const std::string &path, std::uint64_t most)
{
    const Descriptor file = open_regular_file(path);
    return read_to_end(file.number(), path, most);
}

int write_all(int to, const std::string &text)
{
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(to, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    return 0;
}

} // namespace nbrhood
