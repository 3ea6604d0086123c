// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "text_file.h"

#include "error.h"

#include "files/file_io.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nbrhood_tools {

namespace {

using nbrhood::Descriptor;

bool is_gzipped(const Descriptor &file)
{
    unsigned char start[2] = {0, 0};
    return pread(file.number(), start, sizeof start, 0) == 2 && start[0] == 0x1f
           && start[1] == 0x8b;
}

/// The gzip program at work: every system has it, and it saves a library that nothing else here
/// needs.
class Gzip {
public:
    Gzip(const Descriptor &file, const std::string &path)
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw InputError(path, 0, "cannot make a pipe: " + nbrhood::reason_text(errno));
        output_.emplace(ends[0]);
        const Descriptor input(ends[1]);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, file.number(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, input.number(), STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        char program[] = "gzip";
        char option[] = "-dc";
        char *arguments[] = {program, option, nullptr};
        const int spawned = posix_spawnp(&child_, program, &actions, nullptr, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        if (spawned != 0)
            throw InputError(path, 0, "cannot run gzip: " + nbrhood::reason_text(spawned));
    }
    Gzip(const Gzip &) = delete;
    Gzip &operator=(const Gzip &) = delete;
    ~Gzip() { finish(); }

    int output() const { return output_->number(); }

    /// Waits for its end, which is near where nobody reads on. Returns whether all was well.
    bool finish()
    {
        int status = 0;
        output_->close();
        while (child_ > 0 && waitpid(child_, &status, 0) < 0 && errno == EINTR) {}
        child_ = 0;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    std::optional<Descriptor> output_;
    pid_t child_ = 0;
};

} // namespace

std::string read_text_file(const std::string &path, std::int64_t most)
{
    try {
        const auto bytes = static_cast<std::uint64_t>(most);
        const Descriptor file = nbrhood::open_regular_file(path);
        if (!is_gzipped(file))
            return nbrhood::read_to_end(file.number(), path, bytes);
        Gzip gzip(file, path);
        std::string contents = nbrhood::read_to_end(gzip.output(), path, bytes);
        if (!gzip.finish())
            throw InputError(path, 0, "gzip could not decompress it");
        return contents;
    } catch (const std::invalid_argument &error) {
        throw InputError(error.what());
    }
}

} // namespace nbrhood_tools
