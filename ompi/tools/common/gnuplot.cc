// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gnuplot.h"

#include "error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern char **environ;

namespace nbrhood_tools {

namespace {

/// A file without a name, which disappears when it is closed. With pipes instead, program and
/// gnuplot could wait for each other.
class NamelessFile {
public:
    NamelessFile() : file_(std::tmpfile(), &std::fclose)
    {
        if (!file_)
            throw InputError(std::string("cannot make a temporary file for gnuplot: ")
                             + std::strerror(errno));
    }

    int descriptor() const { return fileno(file_.get()); }

    /// Leaves the position at the beginning, from which gnuplot reads.
    void write(const std::string &text)
    {
        const std::size_t written = std::fwrite(text.data(), 1, text.size(), file_.get());
        if (written != text.size() || std::fflush(file_.get()) != 0
            || std::fseek(file_.get(), 0, SEEK_SET) != 0)
            throw InputError(std::string("cannot write a temporary file for gnuplot: ")
                             + std::strerror(errno));
    }

    std::string read()
    {
        std::string text;
        std::vector<char> chunk(1 << 16);
        std::rewind(file_.get());
        while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file_.get()))
            text.append(chunk.data(), got);
        return text;
    }

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
};

struct Finished {
    bool good = false;
    std::string output, errors;
};

/// --default-settings: the user's own settings do not reach the pictures.
Finished run(const std::string &script, const char *last_argument)
{
    NamelessFile input, output, errors;
    input.write(script);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
    std::string words[] = {"gnuplot", "--default-settings", last_argument};
    char *arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0)
        throw InputError(std::string("pictures need gnuplot (Debian: gnuplot-nox), which cannot be "
                                     "run: ")
                         + std::strerror(spawned));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return {WIFEXITED(status) && WEXITSTATUS(status) == 0, output.read(), errors.read()};
}

/// The last line of gnuplot's message is the reason; the lines before it show the place.
std::string reason(const std::string &errors)
{
    const std::size_t end = errors.find_last_not_of(" \n");
    if (end == std::string::npos)
        return "it does not say why";
    const std::size_t before = errors.rfind('\n', end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return errors.substr(begin, end + 1 - begin);
}

} // namespace

void check_gnuplot()
{
    const Finished finished = run("", "--version");
    if (!finished.good)
        throw InputError("pictures need gnuplot, which fails: " + reason(finished.errors));
}

std::string run_gnuplot(const std::string &script)
{
    Finished finished = run(script, "-");
    // Warnings are not failures, but an incomplete picture is.
    if (!finished.good || finished.output.find("</svg>") == std::string::npos)
        throw InputError("gnuplot could not draw a picture: " + reason(finished.errors));
    return std::move(finished.output);
}

} // namespace nbrhood_tools
