#include "text_file.h"

#include "error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nbrhood_bench {

namespace {

/// Reads to the end of `descriptor` and closes it. Returns 0 or the errno of the failure.
int read_all(int descriptor, std::string &into)
{
    char chunk[1 << 16];
    int failure = 0;
    for (;;) {
        const ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got > 0) {
            into.append(chunk, static_cast<std::size_t>(got));
        } else if (got == 0) {
            break;
        } else if (errno != EINTR) {
            failure = errno;
            break;
        }
    }
    close(descriptor);
    return failure;
}

/// Lets the gzip program do it: every system has it, and it saves a library that nothing else here
/// needs.
std::string decompress(const std::string &path)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw InputError(path, 0, std::string("cannot make a pipe: ") + std::strerror(errno));

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    char program[] = "gzip";
    char option[] = "-dc";
    char *arguments[] = {program, option, nullptr};
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (spawned != 0) {
        close(ends[0]);
        throw InputError(path, 0, std::string("cannot run gzip: ") + std::strerror(spawned));
    }

    std::string contents;
    const int failure = read_all(ends[0], contents);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (failure != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw InputError(path, 0, "gzip could not decompress it");
    return contents;
}

} // namespace

std::string read_text_file(const std::string &path)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw InputError(path, 0, std::strerror(errno));
    std::string contents;
    if (const int failure = read_all(descriptor, contents))
        throw InputError(path, 0, std::strerror(failure));
    const bool gzipped = contents.size() > 2 && contents[0] == '\x1f' && contents[1] == '\x8b';
    return gzipped ? decompress(path) : contents;
}

} // namespace nbrhood_bench
