// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-large-counts: the entry points with large counts (MPI_Neighbor_alltoallv_c and so on),
// for an Open MPI that has them. Counts and displacements exceed 2^31, and so do the bytes that one
// rank relays in one operation. Four ranks on two nodes need some 14 GB.
#include "common_communicator.h"
#include "common_run.h"

#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

using namespace nbrhood_test;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// More than an int can count, and not a multiple of any block.
constexpr std::size_t large = (std::size_t{1} << 31) + 4097;

/// Address space whose pages are allocated when they are written.
class Mapping {
public:
    explicit Mapping(std::size_t bytes)
        : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        if (data_ == MAP_FAILED)
            throw std::runtime_error("no address space");
    }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;
    ~Mapping() { munmap(data_, bytes_); }
    char *data() const { return static_cast<char *>(data_); }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    void *data_;
};

/// The bytes that a rank sends: pseudo-random with a period, so that they need the memory of one
/// period only. The period is no power of two, so that the test notices offsets that are wrong by
/// 2^31 or 2^32.
class Pattern {
public:
    Pattern(int rank, std::size_t bytes) : mapping_((bytes / period + 1) * period)
    {
        const int file = memfd_create("nbrhood-large-counts", 0);
        if (file < 0 || ftruncate(file, period) != 0)
            throw std::runtime_error("no memory for what is sent");
        for (std::size_t at = 0; at < mapping_.bytes(); at += period) {
            if (mmap(mapping_.data() + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     file, 0)
                == MAP_FAILED)
                throw std::runtime_error("no mapping of what is sent");
        }
        close(file);
        std::uint64_t state = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(rank + 1);
        for (std::size_t at = 0; at < period; at += sizeof state) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            std::memcpy(mapping_.data() + at, &state, sizeof state);
        }
    }
    char *data() const { return mapping_.data(); }

private:
    static constexpr std::size_t period = 67 * mebibyte + 4096;
    Mapping mapping_;
};

/// The shared state of the cases.
struct Run {
    int rank = 0, size = 0;
    std::string algorithm;
    std::string failure; ///< the first of this rank

    void check(bool good, const std::string &what)
    {
        if (!good && failure.empty()) {
            failure = what;
            watchdog::noticed(what);
        }
    }
    void check(int code) { check(code == MPI_SUCCESS, "the call ends with " + error_text(code)); }
};

/// A graph with neighbours in any number.
Communicator graph(const Run &run, const std::vector<int> &sources,
                   const std::vector<int> &destinations)
{
    MPI_Info info = algorithm_info(run.algorithm);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                   destinations.data(), MPI_UNWEIGHTED, info, 0, &comm);
    MPI_Info_free(&info);
    return Communicator(comm);
}

/// One edge, from the first rank to the last, which is on another node.
Communicator one_edge(const Run &run)
{
    const std::vector<int> first{0}, last{run.size - 1}, none;
    return graph(run, run.rank == run.size - 1 ? first : none, run.rank == 0 ? last : none);
}

/// Starts a request twice: the second start goes without headers.
void start_twice(Run &run, MPI_Request *request)
{
    for (int start = 0; start < 2; ++start) {
        run.check(MPI_Start(request));
        run.check(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    MPI_Request_free(request);
}

// ---- Cases ----

using LargeCall = std::function<int(const char *from, MPI_Count sent, char *to, MPI_Count received,
                                    MPI_Comm comm, MPI_Request *request)>;

/// A block of more than 2^31 bytes on the one edge. In both calls each rank passes its one block or
/// none.
void large_count(Run &run, const LargeCall &call)
{
    Communicator comm = one_edge(run);
    const bool sends = run.rank == 0, receives = run.rank == run.size - 1;
    const Pattern pattern(0, sends || receives ? large : 1);
    const Mapping to(receives ? large : 1);
    MPI_Request request = MPI_REQUEST_NULL;
    run.check(call(pattern.data(), sends ? static_cast<MPI_Count>(large) : 0, to.data(),
                   receives ? static_cast<MPI_Count>(large) : 0, comm.get(), &request));
    run.check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    run.check(!receives || std::memcmp(to.data(), pattern.data(), large) == 0, "wrong bytes");
}

int alltoallv(const char *from, MPI_Count sent, char *to, MPI_Count received, MPI_Comm comm,
              MPI_Request * /*request*/)
{
    const MPI_Aint displacement = 0;
    return MPI_Neighbor_alltoallv_c(from, &sent, &displacement, MPI_BYTE, to, &received,
                                    &displacement, MPI_BYTE, comm);
}

int iallgather(const char *from, MPI_Count sent, char *to, MPI_Count received, MPI_Comm comm,
               MPI_Request *request)
{
    return MPI_Ineighbor_allgather_c(from, sent, MPI_BYTE, to, received, MPI_BYTE, comm, request);
}

/// Blocks of a few bytes, more than 2^31 elements behind the beginning of each rank's buffer.
void large_displacement(Run &run)
{
    const int peer = run.size - 1 - run.rank;
    // Eight times the same neighbour.
    const std::vector<int> neighbours(8, peer);
    Communicator comm = graph(run, neighbours, neighbours);
    const Pattern pattern(run.rank, large + mebibyte), expected(peer, large + mebibyte);
    const Mapping to(large + mebibyte);
    const std::vector<MPI_Count> counts(neighbours.size(), 100);
    std::vector<MPI_Aint> displacements;
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        displacements.push_back(static_cast<MPI_Aint>(large + 1000 * i));
    MPI_Request request = MPI_REQUEST_NULL;
    run.check(MPI_Neighbor_alltoallv_init_c(
        pattern.data(), counts.data(), displacements.data(), MPI_BYTE, to.data(), counts.data(),
        displacements.data(), MPI_BYTE, comm.get(), MPI_INFO_NULL, &request));
    start_twice(run, &request);
    for (MPI_Aint at : displacements)
        run.check(std::memcmp(to.data() + at, expected.data() + at, 100) == 0, "wrong bytes");
}

/// 140 blocks of 16 MiB from the first half of the ranks, one node, to the second half: 2.2 GiB for
/// the relays between the two nodes.
void large_relay(Run &run)
{
    constexpr std::size_t block = 16 * mebibyte;
    const int half = run.size / 2;
    const std::size_t copies = 140 / static_cast<std::size_t>(half * half);
    std::vector<int> others;
    for (std::size_t copy = 0; copy < copies; ++copy)
        for (int i = 0; i < half; ++i)
            others.push_back(run.rank < half ? half + i : i);
    const std::vector<int> none;
    const bool sends = run.rank < half;
    Communicator comm = graph(run, sends ? none : others, sends ? others : none);
    const std::size_t bytes = others.size() * block;
    const Mapping to(sends ? 1 : bytes);
    const Pattern from(run.rank, sends ? bytes : 1);
    const std::vector<MPI_Count> counts(others.size(), block);
    std::vector<MPI_Aint> displacements;
    for (std::size_t i = 0; i < others.size(); ++i)
        displacements.push_back(static_cast<MPI_Aint>(block * i));
    MPI_Request request = MPI_REQUEST_NULL;
    run.check(MPI_Neighbor_alltoallv_init_c(
        from.data(), counts.data(), displacements.data(), MPI_BYTE, to.data(), counts.data(),
        displacements.data(), MPI_BYTE, comm.get(), MPI_INFO_NULL, &request));
    start_twice(run, &request);
    for (int source = 0; !sends && source < half; ++source) {
        const Pattern pattern(source, bytes);
        for (std::size_t copy = 0; copy < copies; ++copy) {
            // The offsets of the blocks at the source and at this rank.
            const std::size_t there =
                copy * static_cast<std::size_t>(half) + static_cast<std::size_t>(run.rank - half);
            const std::size_t here =
                copy * static_cast<std::size_t>(half) + static_cast<std::size_t>(source);
            run.check(std::memcmp(to.data() + here * block, pattern.data() + there * block, block)
                          == 0,
                      "wrong bytes in block " + std::to_string(copy) + " of rank "
                          + std::to_string(source));
        }
    }
}

struct LargeCase {
    const char *name;
    std::function<void(Run &)> run;
};

const std::vector<LargeCase> cases = {
    {"displacement", large_displacement},
    {"count-alltoallv", [](Run &run) { large_count(run, alltoallv); }},
    {"count-iallgather", [](Run &run) { large_count(run, iallgather); }},
    {"relay", large_relay},
};

int run_all(const Options &options, Run &run)
{
    Results results(run.rank, options);
    for (const std::string &algorithm : options.list("--algorithms")) {
        for (const LargeCase &one : cases) {
            const std::string name = std::string(one.name) + "/" + algorithm;
            if (name.find(options.text("--filter")) == std::string::npos)
                continue;
            results.begin(name);
            run.algorithm = algorithm;
            run.failure.clear();
            one.run(run);
            results.end(agree_on_failure(run.failure));
        }
    }
    return results.finish();
}

} // namespace

int main(int argc, char **argv)
{
    const Options options(
        argc, argv, {{"--algorithms", "direct,aggregated"}, {"--filter", ""}, {"--timeout", "300"}},
        {});
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Run run;
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    watchdog::start(run.rank, static_cast<unsigned>(options.number("--timeout")));
    const int status = run_all(options, run);
    MPI_Finalize();
    watchdog::stop();
    return status;
}
