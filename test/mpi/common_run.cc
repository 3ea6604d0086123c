// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_run.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <unistd.h>

namespace nbrhood_test {

Options::Options(int argc, char **argv, const std::map<std::string, std::string> &defaults,
                 const std::vector<std::string> &flags)
    : values_(defaults)
{
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--version") {
            std::printf("%s (coll/nbrhood) %s\n", basename(argv[0]), NBRHOOD_VERSION);
            std::exit(0);
        }
        if (std::find(flags.begin(), flags.end(), name) != flags.end()) {
            values_[name] = "1";
        } else if (defaults.count(name) != 0 && i + 1 < argc) {
            values_[name] = argv[++i];
        } else {
            std::fprintf(stderr, "unknown or incomplete option %s; options:", name.c_str());
            for (const auto &option : defaults)
                std::fprintf(stderr, " %s VALUE", option.first.c_str());
            for (const auto &flag : flags)
                std::fprintf(stderr, " %s", flag.c_str());
            std::fprintf(stderr, "\n");
            std::exit(2);
        }
    }
}

std::vector<std::string> Options::list(const std::string &name) const
{
    std::vector<std::string> items;
    std::istringstream stream(text(name));
    for (std::string item; std::getline(stream, item, ',');) {
        if (!item.empty())
            items.push_back(item);
    }
    return items;
}

namespace watchdog {

namespace {

// Fixed buffers, because a signal handler reads them.
constexpr std::size_t text_size = 512;
int this_rank = 0;
unsigned limit = 0;
char doing_text[text_size];
char detail_text[text_size];
char noticed_text[text_size];
char last_line_text[text_size];

// Threads of a rank may report at once; the last one counts.
void copy(char *to, const std::string &from)
{
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const std::size_t length = std::min(from.size(), text_size - 1);
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

void say(int file, const char *prefix, const char *first, const char *second = "",
         const char *third = "")
{
    char line[4 * text_size];
    const int length =
        std::snprintf(line, sizeof line, "%s%s %s %s\n", prefix, first, second, third);
    const ssize_t written = write(file, line, static_cast<std::size_t>(std::max(0, length)));
    static_cast<void>(written);
}

// Every rank prints its own state; the pause lets the other ranks print theirs before the launcher
// kills them.
void on_alarm(int)
{
    char prefix[64];
    std::snprintf(prefix, sizeof prefix, "TIMEOUT rank %d: ", this_rank);
    say(STDERR_FILENO, prefix, doing_text, detail_text, noticed_text);
    sleep(3);
    if (this_rank == 0) {
        say(STDOUT_FILENO, "", last_line_text);
        sleep(1);
    } else {
        sleep(3);
    }
    _exit(99);
}

} // namespace

void start(int rank, unsigned seconds)
{
    this_rank = rank;
    limit = seconds;
    std::signal(SIGALRM, on_alarm);
    alarm(limit);
}

void state(const std::string &doing)
{
    copy(doing_text, doing);
    detail_text[0] = '\0';
    noticed_text[0] = '\0';
    alarm(limit);
}

void detail(const std::string &doing)
{
    copy(detail_text, doing);
}

void noticed(const std::string &failure)
{
    copy(noticed_text, failure);
}

void last_line(const std::string &line)
{
    copy(last_line_text, line);
}

void stop()
{
    alarm(0);
}

} // namespace watchdog

std::string agree_on_failure(const std::string &mine)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // first: the smallest failing rank; second: how many fail
    int first = mine.empty() ? size : rank, failing = mine.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &failing, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (failing == 0)
        return {};
    char reason[1024];
    std::snprintf(reason, sizeof reason, "%s", mine.c_str());
    MPI_Bcast(reason, sizeof reason, MPI_CHAR, first, MPI_COMM_WORLD);
    return std::string(reason) + " (rank " + std::to_string(first) + "; " + std::to_string(failing)
           + " of " + std::to_string(size) + " ranks)";
}

std::string Results::sums(int failed) const
{
    return std::to_string(passed_) + " passed, " + std::to_string(failed) + " failed";
}

void Results::begin(const std::string &name)
{
    name_ = name;
    watchdog::last_line("FAIL " + name + ": no end after " + timeout_ + " s\n" + sums(failed_ + 1));
    watchdog::state(name);
}

void Results::end(const std::string &failure)
{
    ++(failure.empty() ? passed_ : failed_);
    if (rank_ != 0)
        return;
    std::printf("%s %s%s%s\n", failure.empty() ? "PASS" : "FAIL", name_.c_str(),
                failure.empty() ? "" : ": ", failure.c_str());
    std::fflush(stdout);
}

int Results::finish()
{
    if (rank_ == 0) {
        std::printf("%s\n", sums(failed_).c_str());
        std::fflush(stdout);
    }
    begin("MPI_Finalize");
    return failed_ == 0 ? 0 : 1;
}

std::string error_text(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    return std::string(text, static_cast<std::size_t>(length));
}

std::string failed_call(const char *call, int code)
{
    return code == MPI_SUCCESS ? std::string()
                               : std::string(call) + " returned " + error_text(code);
}

void random_delay(Random &random)
{
    if (random.chance(0.5))
        return;
    if (random.chance(0.5)) {
        usleep(static_cast<useconds_t>(random.below(2000)));
        return;
    }
    volatile int spin = random.below(200000);
    while (spin > 0)
        spin = spin - 1;
}

} // namespace nbrhood_test
