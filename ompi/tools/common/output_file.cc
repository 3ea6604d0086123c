// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output_file.h"

#include "files/file_io.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nbrhood_tools {

namespace {

using nbrhood::Descriptor;

std::string why(const std::string &path, int error)
{
    return path + ": " + nbrhood::reason_text(error);
}

/// The final place of a file: `path`, or the target of links at `path`, which need not exist.
/// Returns an empty string with errno set if the user may not write there.
std::string resolved(std::string path)
{
    // Asks the kernel, which also refuses links that are not trusted.
    const Descriptor present(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (present.number() < 0 && errno != ENOENT)
        return "";
    for (int links = 0; links < 40; ++links) { // the number of links that the kernel follows
        char target[PATH_MAX];
        const ssize_t length = readlink(path.c_str(), target, sizeof target);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT ? path : ""; // no link, or no file yet
        const std::string next(target, static_cast<std::size_t>(length));
        const std::size_t slash = path.rfind('/');
        path = next.front() == '/' || slash == std::string::npos ? next
                                                                 : path.substr(0, slash + 1) + next;
    }
    errno = ELOOP;
    return "";
}

/// A new file beside `path` with a unique name, which is stored in `name`.
Descriptor make_beside(const std::string &path, std::string &name)
{
    for (unsigned number = 0;; ++number) {
        name = path + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(number);
        // The user's mask removes permissions, as for every new file; O_EXCL follows no link.
        Descriptor file(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file.number() >= 0 || errno != EEXIST || number == 1000)
            return file;
    }
}

/// Whether `path` can be written to but not replaced: a device, a pipe.
bool is_special(const std::string &path)
{
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// O_NONBLOCK: a pipe without a reader is refused; without the flag open() would wait.
Descriptor open_special(const std::string &path)
{
    Descriptor file(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number() >= 0)
        fcntl(file.number(), F_SETFL, O_WRONLY);
    return file;
}

int write_and_close(Descriptor &file, const std::string &contents)
{
    const int unwritten = nbrhood::write_all(file.number(), contents);
    const int unclosed = file.close();
    return unwritten != 0 ? unwritten : unclosed;
}

/// The target itself is not a link.
int replace(const std::string &target, const std::string &contents)
{
    std::string name;
    Descriptor file = make_beside(target, name);
    if (file.number() < 0)
        return errno;
    int error = write_and_close(file, contents);
    if (error == 0 && rename(name.c_str(), target.c_str()) != 0)
        error = errno;
    if (error != 0)
        unlink(name.c_str());
    return error;
}

} // namespace

std::string replace_file(const std::string &path, const std::string &contents)
{
    if (is_special(path)) {
        Descriptor file = open_special(path);
        const int error = file.number() < 0 ? errno : write_and_close(file, contents);
        return error == 0 ? "" : why(path, error);
    }
    const std::string target = resolved(path);
    const int error = target.empty() ? errno : replace(target, contents);
    return error == 0 ? "" : why(path, error);
}

std::string check_writable(const std::string &path)
{
    if (is_special(path))
        return access(path.c_str(), W_OK) == 0 ? "" : why(path, errno);
    const std::string target = resolved(path);
    if (target.empty())
        return why(path, errno);
    std::string name;
    const Descriptor file = make_beside(target, name);
    if (file.number() < 0 || unlink(name.c_str()) != 0)
        return why(path, errno);
    return "";
}

} // namespace nbrhood_tools
