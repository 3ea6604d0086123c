// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The component's own parameters, and those of the rows of the registry with them. C sees the list
// at the end only.
#pragma once

#ifdef __cplusplus

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/toolkit/parameter.h"
#include "allgather/choice.h"
#include "machine/machine.h"

namespace nbrhood {

// All parameters but those that name the algorithm of a collective (select/selection.h): the
// component's own, as NBRHOOD_OWN_PARAMETERS has them, then those of the registry's rows, each
// once. The same on all ranks of one version.
std::vector<const Parameter *> parameters();

// A number for the names of all rows of both registries and of all parameters, in their order:
// processes number them alike only where it is equal.
std::uint32_t hash_names();

// A number for all values that must be equal on all ranks and are compared by value: all of these,
// or those that steer calls from the first one on.
enum class Compared : std::uint8_t { all, calls };
std::uint64_t hash_values(const ParameterValues &values, Compared compared);

// Which patterns are built, and how calls run.

inline constexpr Typed<std::size_t> kCombiningThreshold{
    {"combining_threshold",
     "T, in bytes: a larger block goes straight to its destination, smaller ones are combined into "
     "messages that relays forward. 0: from the model, for each communicator and for each kind of "
     "blocks (allgather, allgatherv; the alltoalls), a power of two from 1024 to 1048576. Another "
     "value is for all five collectives. When to change it: lower it where mid-sized blocks are "
     "faster on their own, or to bound the memory of relays; first see that coll_nbrhood_costs "
     "fits the cluster",
     ValueType::bytes,
     0,
     {0, 1 << 24},
     Equal::builds,
     Steers::patterns,
     5}};

inline constexpr Typed<std::size_t> kPackingThreshold{
    {"packing_threshold",
     "P, in bytes: a larger combined block is not packed into the relayed message but follows it "
     "as a message of its own at each step, which saves two copies and costs a message. Without "
     "effect where P is T or more. When to change it: lower it where copies are expensive, raise "
     "it where messages are",
     ValueType::bytes,
     8192,
     {1, 1 << 24},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<std::size_t> kPrepostedSize{
    {"preposted_size",
     "E: payload bytes of a relayed message for which its receiver posts a buffer in advance; the "
     "excess follows in a second message. When to change it: lower it to save memory where ranks "
     "relay many messages; raise it where most relayed messages exceed it",
     ValueType::bytes,
     65536,
     {64, 1 << 28},
     Equal::builds,
     Steers::other,
     6}};

inline constexpr Typed<bool> kRemoveDuplicates{
    {"remove_duplicates",
     "Whether bytes of the send buffer that several neighbours get travel once with relayed "
     "messages: blocks that overlap, datatypes that pick the same entries, equal indices of "
     "nbrhood_neighbor_alltoallv_init. When to change it: false to compare, or where looking for "
     "them costs more than it saves",
     ValueType::flag,
     1,
     {0, 1},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::size_t> kBlockBytes{
    {"block_bytes",
     "The size of a block, in bytes, for which auto decides: what one edge carries in a call, or "
     "in an allgather one rank sends to all. 0: the mean of the call that begins a build; small "
     "blocks, 8 bytes, for what is built in a creation. Where all ranks know the size of a call "
     "auto also builds other algorithms for other sizes that gain much. It also says what bytes "
     "weigh against messages when relays are balanced. When to change it: where blocks have "
     "hundreds of bytes or more; for one communicator by the info key nbrhood_block_bytes",
     ValueType::bytes,
     0,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     4}};

inline constexpr Typed<std::string> kCostsFile{
    {"costs",
     "File of the costs of messages, bytes, copies and phases on this cluster, as "
     "nbrhood-calibrate writes it, from which auto and, unless it is set, T are decided. Default: "
     "built-in costs of a cluster with EDR InfiniBand, or, where some rank reaches other nodes by "
     "TCP, of one with that. A file that cannot be read, is not a regular file, has more than 1 "
     "MiB or has a mistake gives a message with its line, and the built-in costs are used. Ranks "
     "may name files differently, but the costs must be the same. When to change it: always, once",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     4}};

inline constexpr Typed<Level> kRegion{
    {"region",
     "What a region is, within which messages are cheap. socket, numa, l3 (the cores that share an "
     "L3 cache): the one that holds all cores a rank was bound to when it initialised MPI; a node "
     "with a rank that is bound to none or to several (mpirun --bind-to none) stays one region, "
     "and coll_nbrhood_verbose 1 says so. gpu, die: where these are known "
     "(coll_nbrhood_gpu_topology), and on synthetic machines. When to change it: for jobs on one "
     "large node",
     ValueType::name,
     0,
     {0, kLevels - 1},
     Equal::builds,
     Steers::patterns,
     5,
     level_name}};

inline constexpr Typed<std::string> kMachine{
    {"machine",
     "A synthetic machine such as \"node:4 socket:2 core:8\" (levels node, socket, numa, l3, gpu, "
     "die, core), which the ranks of the job fill by slot, instead of the real one. When to change "
     "it: in tests",
     ValueType::text,
     0,
     {},
     Equal::builds,
     Steers::patterns,
     9}};

inline constexpr Typed<std::string> kGpuTopology{
    {"gpu_topology",
     "File of the links between the GPU dies of a node, and behind a comma, if wanted, hwloc's XML "
     "of the node, which says where they are. The ranks of a node, in the order of their numbers "
     "in the job, are put on its dies in turn. Default: what HIP and rocm_smi_lib say where the "
     "program uses HIP, else no dies. A file with a mistake, or one that contradicts the other or "
     "coll_nbrhood_machine, gives a message with its line, and counts as none. Ranks may name "
     "files differently, but the dies and links must be the same. When to change it: where the "
     "libraries cannot tell, or to try another machine",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     5}};

// Parameters of the process, for the glue.

inline constexpr Typed<int> kPriority{
    {"priority",
     "Priority of coll/nbrhood among the coll components. The default is higher than that of basic "
     "and libnbc, so that an installed component is selected. Negative: never selected. When to "
     "change it: -1 to switch the component off",
     ValueType::number,
     90,
     {INT_MIN, INT_MAX},
     Equal::otherwise,
     Steers::other,
     4}};

inline constexpr Typed<int> kNetworkTurns{
    {"network_turns",
     "While an operation waits for ranks of its own node, the network is polled in one in this "
     "many turns of Open MPI's progress engine, in multiples of 8. 1: in every turn, as without "
     "this component. When to change it: 1 if the program exchanges other, urgent messages between "
     "nodes while neighbourhood operations are in flight",
     ValueType::number,
     16,
     {1, 1000},
     Equal::no,
     Steers::other,
     6}};

inline constexpr Typed<int> kBuildAfter{
    {"build_after",
     "0: auto builds patterns when a topology is created, which synchronises its ranks. Greater: "
     "when that many calls of a collective, or starts of one persistent request, have been made on "
     "a communicator, or where the program declares reuse: by the info key nbrhood_reuse with the "
     "first call, by a persistent request with its init. Until then calls go by direct, and "
     "creating a topology sends no message, unless a parameter names an algorithm that builds "
     "patterns. When to change it: 0 where communicators are few and the first calls count, or to "
     "record patterns",
     ValueType::number,
     100,
     {0, INT_MAX},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kTrialCalls{
    {"trial_calls",
     "Where auto has built a pattern while the program runs, it is tried in four blocks of this "
     "many calls: direct (the last ones before the build), pattern, direct, pattern. What was "
     "faster both times, by more than 5 % from the start of one call to the start of the next, "
     "serves all later calls; as long as that is neither, there are further rounds, six at the "
     "most. Patterns that may gain within the errors of the model are tried, too, where calls are "
     "many. 0: no trials, the model has the last word. When to change it: more where times vary "
     "much from call to call; 0 where you trust the measured costs",
     ValueType::number,
     6,
     {0, 10000},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kWatchCalls{
    {"watch_calls",
     "So many calls after the trial of a pattern ranks compare in the background whether blocks "
     "still have the size that was tried, to within a factor of four; then after twice as many "
     "more, and so on, up to 16 times as many. Where the size is another, auto decides, builds and "
     "tries anew, and begins to compare again, half as often. 0: never. When to change it: fewer "
     "where sizes change often, each for long; 0 where they never do",
     ValueType::number,
     64,
     {0, 1000000000},
     Equal::builds,
     Steers::other,
     5}};

inline constexpr Typed<int> kStallSeconds{
    {"stall_seconds",
     "A blocking call that waits so many seconds says of which ranks blocks are missing, once in "
     "each process; of a call that a pattern serves only that it waits. Likewise a creation that "
     "builds, for which all ranks are needed. 0: never. When to change it: lower it to find an "
     "edge that one of its ranks forgot; raise it, or 0, where ranks are expected to be late by "
     "minutes",
     ValueType::number,
     60,
     {0, 1000000},
     Equal::no,
     Steers::other,
     3}};

inline constexpr Typed<int> kVerbose{
    {"verbose",
     "1: for each topology communicator which algorithms were chosen and why; 10: also which "
     "communicators the component declines. When to change it: to see what happens",
     ValueType::number,
     0,
     {INT_MIN, INT_MAX},
     Equal::no,
     Steers::other,
     3}};

enum class Report : std::uint8_t { none, communicators, totals };
// "false", "true", "totals"; null past the last.
constexpr const char *report_name(int value)
{
    constexpr std::array<const char *, 3> names{"false", "true", "totals"};
    return value >= 0 && static_cast<std::size_t>(value) < names.size()
               ? names[static_cast<std::size_t>(value)]
               : nullptr;
}
inline constexpr Typed<Report> kReport{
    {"report",
     "Whether rank 0 of MPI_COMM_WORLD prints a summary at MPI_Finalize. true: totals, then each "
     "communicator that was called: algorithms chosen and why, creation time, calls, messages and "
     "bytes; those of which it says the same are one. totals: these only. When to change it: to "
     "see what happened",
     ValueType::name,
     0,
     {0, 2},
     Equal::no,
     Steers::other,
     3,
     report_name}};

inline constexpr Typed<std::string> kDump{
    {"dump",
     "Directory in which the patterns that serve each communicator are recorded when they are "
     "built, while the program runs or when its topology is created: "
     "DUMP/<build>/<algorithm>-<kind of blocks>/<rank>.txt. It is made if it is not there. One "
     "line at MPI_Finalize says how often rank 0 did. Ranks without it are missing in the "
     "recording. Default: nothing is recorded. When to change it: to look at, prove or model the "
     "patterns of a real run, with nbrhood-explain",
     ValueType::text,
     0,
     {},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::string> kInjectFailure{
    {"inject_failure",
     "RANK:STEP makes that rank of each communicator fail in that superstep of building a pattern. "
     "When to change it: in tests of the component only",
     ValueType::text,
     0,
     {},
     Equal::no,
     Steers::other,
     9}};

// The library that tells which buffers are in the memory of a device, and copies them.
enum class Device { automatic, none, open_mpi, hip, test };
constexpr const char *device_name(int value)
{
    constexpr std::array<const char *, 5> names{"auto", "none", "open_mpi", "hip", "test"};
    return value >= 0 && static_cast<std::size_t>(value) < names.size()
               ? names[static_cast<std::size_t>(value)]
               : nullptr;
}
inline constexpr Typed<Device> kDevice{
    {"device",
     "The accelerator whose memory buffers of calls may be in; such calls are made on host memory, "
     "with one copy before and one after, unless coll_nbrhood_device_above lets them stay there. "
     "auto: that which Open MPI was built with or, where that is none, HIP; open_mpi, hip: that "
     "one; none: no buffer is looked at; test: one that the program imitates. When to change it: "
     "none on nodes with GPUs where all buffers are in host memory",
     ValueType::name,
     0,
     {0, 4},
     Equal::no,
     Steers::other,
     6,
     device_name}};

// A copy from or to a device takes about 10 us whatever its size; in that time a link of 25 GB/s
// carries 256 KiB. Host memory needs one copy for all blocks, the PML one or more for each.
inline constexpr Typed<int> kDeviceAbove{
    {"device_above",
     "Calls on a device's memory whose blocks have more than this many bytes in the mean hand the "
     "device's addresses to Open MPI's messaging layer, where this takes them and the algorithm "
     "only passes blocks on as they are (direct, leader_scatter with contiguous blocks); others "
     "are made on host memory. -1: all are. The default is an estimate, not measured: there the "
     "fixed time of a copy, about 10 us, is that of its bytes on a link of 25 GB/s, and a copy for "
     "each block takes at most twice as long as one for all. When to change it: lower where the "
     "network reads GPU memory by itself; -1 where it is slower, or to compare",
     ValueType::number,
     262144,
     {-1, INT_MAX},
     Equal::no,
     Steers::other,
     6}};

// MPI_Allgather.

inline constexpr Typed<int> kAllgatherAlgorithm{
    {"allgather_algorithm",
     "Algorithm of MPI_Allgather, its nonblocking and its persistent variant, on communicators "
     "that span regions. auto: blocks of up to coll_nbrhood_allgather_bytes by the algorithm that "
     "suits the machine, larger ones as Open MPI does without this component; default: Open MPI's "
     "own for all",
     ValueType::name,
     kAllgatherAuto,
     {0, INT_MAX},
     Equal::calls,
     Steers::other,
     4,
     allgather_choice_name,
     allgather_choice_summary}};

inline constexpr Typed<std::size_t> kAllgatherBytes{
    {"allgather_bytes",
     "Largest block, in bytes that one rank contributes, that auto serves in MPI_Allgather. Larger "
     "blocks, and results of more than 16 MiB (since Open MPI 5.0: 32 KiB), are Open MPI's. When "
     "to change it: where a measurement says so",
     ValueType::bytes,
     65536,
     {0, 1 << 30},
     Equal::calls,
     Steers::other,
     4}};

// "regions", "levels"; null past the last.
constexpr const char *nesting_name(int value)
{
    constexpr std::array<const char *, 2> names{"regions", "levels"};
    return value >= 0 && static_cast<std::size_t>(value) < names.size()
               ? names[static_cast<std::size_t>(value)]
               : nullptr;
}
inline constexpr Typed<Nesting> kAllgatherLevels{
    {"allgather_levels",
     "How far locality_bruck follows the machine. regions: those of coll_nbrhood_region; levels: "
     "nodes, in them sockets, in these NUMA domains, in these L3 caches, as far as ranks are "
     "bound. When to change it: where messages between sockets are dear",
     ValueType::name,
     0,
     {0, 1},
     Equal::calls,
     Steers::other,
     6,
     nesting_name}};

// "exchanges", "idles"; null past the last.
constexpr const char *first_rank_name(int value)
{
    constexpr std::array<const char *, 2> names{"exchanges", "idles"};
    return value >= 0 && static_cast<std::size_t>(value) < names.size()
               ? names[static_cast<std::size_t>(value)]
               : nullptr;
}
inline constexpr Typed<FirstRank> kAllgatherFirstRank{
    {"allgather_first_rank",
     "Whether in locality_bruck the first rank of each region exchanges with other regions, which "
     "may save a step, or idles, as in the paper. When to change it: to reproduce the paper",
     ValueType::name,
     0,
     {0, 1},
     Equal::calls,
     Steers::other,
     8,
     first_rank_name}};

} // namespace nbrhood

#endif

/* All of them, in the order of their numbers, with their names in the C interface: for C, too. */
#define NBRHOOD_OWN_PARAMETERS(OF)                                                                 \
    OF(PRIORITY, kPriority)                                                                        \
    OF(COMBINING_THRESHOLD, kCombiningThreshold)                                                   \
    OF(PACKING_THRESHOLD, kPackingThreshold)                                                       \
    OF(PREPOSTED_SIZE, kPrepostedSize)                                                             \
    OF(REMOVE_DUPLICATES, kRemoveDuplicates)                                                       \
    OF(BLOCK_BYTES, kBlockBytes)                                                                   \
    OF(NETWORK_TURNS, kNetworkTurns)                                                               \
    OF(COSTS, kCostsFile)                                                                          \
    OF(REGION, kRegion)                                                                            \
    OF(MACHINE, kMachine)                                                                          \
    OF(BUILD_AFTER, kBuildAfter)                                                                   \
    OF(TRIAL_CALLS, kTrialCalls)                                                                   \
    OF(WATCH_CALLS, kWatchCalls)                                                                   \
    OF(STALL_SECONDS, kStallSeconds)                                                               \
    OF(VERBOSE, kVerbose)                                                                          \
    OF(REPORT, kReport)                                                                            \
    OF(DUMP, kDump)                                                                                \
    OF(INJECT_FAILURE, kInjectFailure)                                                             \
    OF(DEVICE, kDevice)                                                                            \
    OF(DEVICE_ABOVE, kDeviceAbove)                                                                 \
    OF(ALLGATHER_ALGORITHM, kAllgatherAlgorithm)                                                   \
    OF(ALLGATHER_BYTES, kAllgatherBytes)                                                           \
    OF(ALLGATHER_LEVELS, kAllgatherLevels)                                                         \
    OF(ALLGATHER_FIRST_RANK, kAllgatherFirstRank)                                                  \
    OF(GPU_TOPOLOGY, kGpuTopology)
