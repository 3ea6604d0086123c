// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The component's own parameters, and the list of all parameters. C sees only the macro at the end.
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
// component's own, in the order of NBRHOOD_OWN_PARAMETERS, then those of the registry's rows, each
// once. All ranks of one version have the same list.
std::vector<const Parameter *> parameters();

// A hash of the names of all rows of both registries and of all parameters, in their order. Two
// processes number them identically only if their hashes are equal.
std::uint32_t hash_names();

// The values that a comparison of ranks covers: all that must be equal on all ranks, or only those
// that affect calls from the first one on.
enum class Compared : std::uint8_t { all, calls };
std::uint64_t hash_values(const ParameterValues &values, Compared compared);

// Parameters of building patterns and of calls.

inline constexpr Typed<std::size_t> kCombiningThreshold{
    {"combining_threshold",
     "T, in bytes: a larger block goes directly to its destination, smaller ones are combined into "
     "messages that relays forward. 0: the model chooses T for each communicator and for each kind "
     "of blocks (allgather, allgatherv; the alltoalls), a power of two from 1024 to 1048576. "
     "Another value applies to all five collectives. When to change it: lower it if mid-sized "
     "blocks are faster on their own, or to bound the memory of relays; first make sure that "
     "coll_nbrhood_costs fits the cluster",
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
     "effect if P is T or more. When to change it: lower it if copies are expensive, raise it if "
     "messages are",
     ValueType::bytes,
     8192,
     {1, 1 << 24},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<std::size_t> kPrepostedSize{
    {"preposted_size",
     "E: payload bytes of a relayed message for which its receiver posts a buffer in advance; the "
     "excess follows in a second message. When to change it: lower it to save memory if ranks "
     "relay many messages; raise it if most relayed messages exceed it",
     ValueType::bytes,
     65536,
     {64, 1 << 28},
     Equal::builds,
     Steers::other,
     6}};

inline constexpr Typed<bool> kRemoveDuplicates{
    {"remove_duplicates",
     "Whether bytes of the send buffer that go to several neighbours travel only once in relayed "
     "messages: blocks that overlap, datatypes that pick the same entries, equal indices of "
     "nbrhood_neighbor_alltoallv_init. When to change it: false to compare, or if the search for "
     "such bytes costs more than it saves",
     ValueType::flag,
     1,
     {0, 1},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::size_t> kBlockBytes{
    {"block_bytes",
     "The size of a block, in bytes, for which auto decides: the bytes that one edge carries in a "
     "call, or that one rank sends to all its neighbours in an allgather. 0: the mean size of the "
     "call that begins a build, and 8 bytes for patterns built in a creation. If it is 0 and all "
     "ranks know the size of a call, auto also builds other algorithms that gain much at other "
     "sizes. The value also sets the weight of bytes against messages when relays are balanced. "
     "When to change it: if blocks have hundreds of bytes or more; for one communicator by the "
     "info key nbrhood_block_bytes",
     ValueType::bytes,
     0,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     4}};

inline constexpr Typed<std::string> kCostsFile{
    {"costs",
     "File with the costs of messages, bytes, copies and phases on this cluster, as "
     "nbrhood-calibrate writes it. auto decides from these costs, and T follows from them unless "
     "it is set. Default: built-in costs of a cluster with EDR InfiniBand or, if some rank reaches "
     "other nodes by TCP, of a cluster with TCP. If the file cannot be read, is not a regular "
     "file, has more than 1 MiB or has a mistake, the component prints a message with the line and "
     "uses the built-in costs. Ranks may name files differently, but the costs in them must be the "
     "same. When to change it: always, once",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     4}};

inline constexpr Typed<Level> kRegion{
    {"region",
     "Region, the group of ranks within which messages are cheap. With socket, numa or l3 (the "
     "cores that share an L3 cache) a rank belongs to the domain that holds all cores the rank was "
     "bound to when it initialised MPI. A node with a rank that is in no such domain or in several "
     "(mpirun --bind-to none) stays one region; coll_nbrhood_verbose 1 says so. gpu and die work "
     "if the dies are known (coll_nbrhood_gpu_topology), and on synthetic machines. When to change "
     "it: for jobs on one large node",
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
     "FILE or FILE,XML: the links between the GPU dies of a node. FILE has the number of links "
     "between each two dies; XML is hwloc's topology of the node, with the places of the dies. The "
     "ranks of a node, in the order of their numbers in the job, are put on its dies in turn. "
     "Default: the dies that HIP and rocm_smi_lib report if the program uses HIP, else no dies. A "
     "file with a mistake, or one that contradicts the other file or coll_nbrhood_machine, is "
     "ignored with a message that names the line. Ranks may name files differently, but the dies "
     "and links in them must be the same. When to change it: if the libraries do not report the "
     "dies, or to try another machine",
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
     "While an operation waits for ranks of its own node, the network is polled in one of this "
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
     "auto builds after this many calls of a collective, or starts of one persistent request, on a "
     "communicator, or earlier if the program declares reuse: with the first call if the info key "
     "nbrhood_reuse is set, or with the init of a persistent request. Until then calls go by "
     "direct, and creating a topology sends no message, unless a parameter names an algorithm that "
     "builds patterns. When to change it: 0 if there are few communicators and the first calls "
     "matter, or to record patterns",
     ValueType::number,
     100,
     {0, INT_MAX},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kTrialCalls{
    {"trial_calls",
     "Number of calls in each block of a trial, by which auto tests a pattern that it has built "
     "while the program runs. The trial has four blocks: direct (the last calls before the build), "
     "pattern, direct, pattern. Times are from the start of one call to the start of the next. If "
     "one of the two ways is faster by more than 5 % in both halves, and times are steady, it "
     "serves all later calls; otherwise further rounds follow, at most six in all. If calls are "
     "many, auto also tries patterns whose predicted gain is within the errors of the model. 0: no "
     "trials, the model decides. When to change it: more if times vary much from call to call; 0 "
     "if you trust the measured costs",
     ValueType::number,
     6,
     {0, 10000},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kWatchCalls{
    {"watch_calls",
     "Calls after the trial of a pattern until the ranks check, in the background, whether blocks "
     "still have the size that was tried, to within a factor of four. They check again after twice "
     "as many calls, and so on, up to 16 times as many. If the size has changed, auto decides, "
     "builds and tries anew, and then checks half as often. In MPI_Alltoallv and MPI_Alltoallw the "
     "ranks also check, after as many calls, which pairs exchange bytes now. 0: never. When "
     "to change it: fewer if sizes change often and each size stays for long; 0 if they never "
     "change",
     ValueType::number,
     64,
     {0, 1000000000},
     Equal::builds,
     Steers::other,
     5}};

inline constexpr Typed<int> kStallSeconds{
    {"stall_seconds",
     "Seconds after which a waiting blocking call reports the ranks whose blocks are missing, once "
     "in each process. A call that a pattern serves reports only that it waits, and so does a "
     "creation that builds. 0: never. When to change it: lower it to find an edge that one of its "
     "ranks forgot; raise it, or set 0, if ranks are expected to be late by minutes",
     ValueType::number,
     60,
     {0, 1000000},
     Equal::no,
     Steers::other,
     3}};

inline constexpr Typed<int> kVerbose{
    {"verbose",
     "1: prints, for each communicator with a topology, which algorithms were chosen and why; 10: "
     "also prints which communicators the component declines. When to change it: to see what "
     "happens",
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
     "Whether rank 0 of MPI_COMM_WORLD prints a summary at MPI_Finalize. true: totals, then for "
     "each communicator that was called the algorithms chosen and why, creation time, calls, "
     "messages and bytes; communicators with identical lines are listed together. totals: only the "
     "totals. When to change it: to see what happened",
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
     "DUMP/<build>/<algorithm>-<kind of blocks>/<rank>.txt. Missing directories are made. One line "
     "at MPI_Finalize says how often rank 0 recorded patterns. Ranks without this parameter are "
     "missing in the recording. Default: nothing is recorded. When to change it: to look at, prove "
     "or model the patterns of a real run, with nbrhood-explain",
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

// The library that tells whether a buffer is in device memory, and copies it.
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
     "Accelerator whose memory the buffers of calls may be in. Such calls work on a copy in host "
     "memory, unless coll_nbrhood_device_above lets them use device memory. auto: the accelerator "
     "that Open MPI was built with, else HIP; open_mpi, hip: only that one; none: all buffers are "
     "taken to be in host memory; test: an accelerator that the program imitates. When to change "
     "it: none on nodes with GPUs if all buffers are in host memory",
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
     "Mean block size in bytes above which calls on device memory pass the device's addresses to "
     "Open MPI's messaging layer, if the layer takes them and the algorithm passes blocks on "
     "unchanged (direct, leader_scatter with contiguous blocks). Other calls work on a copy in "
     "host memory. -1: all calls do. The default is an estimate, not measured: at this size the "
     "bytes of a copy take as long on a link of 25 GB/s as its fixed time, about 10 us, so for "
     "larger blocks a copy for each block takes at most twice as long as one copy for all. When to "
     "change it: lower if the network reads GPU memory by itself; -1 if that is slower, or to "
     "compare",
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
     "suits the machine, larger ones by Open MPI's own; default: Open MPI's own for all",
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
     "blocks, and results of more than 16 MiB (since Open MPI 5.0: 32 KiB), are left to Open MPI. "
     "When to change it: if measurements show another crossover",
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
     "Levels of the machine that locality_bruck uses. regions: those of coll_nbrhood_region; "
     "levels: nodes, in them sockets, in these NUMA domains, in these L3 caches, as far as ranks "
     "are bound. When to change it: if messages between sockets are expensive",
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

// MPI_Alltoallv and MPI_Alltoallw.

enum class PairChoice : std::uint8_t { automatic, displaced, direct };
// "auto", "default", "direct"; null past the last.
constexpr const char *pair_choice_name(int value)
{
    constexpr std::array<const char *, 3> names{"auto", "default", "direct"};
    return value >= 0 && static_cast<std::size_t>(value) < names.size()
               ? names[static_cast<std::size_t>(value)]
               : nullptr;
}
inline constexpr Typed<PairChoice> kAlltoallvAlgorithm{
    {"alltoallv_algorithm",
     "Algorithm of MPI_Alltoallv and MPI_Alltoallw, their nonblocking and their persistent "
     "variants, on communicators that span nodes. auto: if few pairs of ranks exchange bytes, "
     "or messages are small, direct at first and later perhaps a pattern, as for "
     "MPI_Neighbor_alltoallv; otherwise Open MPI's own; default: Open MPI's own; direct: one "
     "message for each pair that exchanges bytes in the call, none for the others, from the first "
     "call on",
     ValueType::name,
     0,
     {0, 2},
     Equal::calls,
     Steers::other,
     4,
     pair_choice_name}};

inline constexpr Typed<int> kAlltoallvSurvey{
    {"alltoallv_survey",
     "The call of MPI_Alltoallv, and likewise of MPI_Alltoallw, of a communicator with which the "
     "ranks begin to count, in the background, the pairs that have exchanged bytes so far; an init "
     "begins earlier. The calls before, and those until the ranks have agreed, are Open MPI's own. "
     "Later counts consider as many calls each. When to change it: more if a program takes turns "
     "with more sets of neighbours",
     ValueType::number,
     3,
     {1, 1000000},
     Equal::calls,
     Steers::other,
     5}};

inline constexpr Typed<int> kAlltoallvDensity{
    {"alltoallv_density",
     "The most pairs that auto calls few in MPI_Alltoallv and MPI_Alltoallw, in percent of all "
     "pairs of different ranks of the communicator. If there are more, auto serves only small "
     "messages: up to a sixteenth of coll_nbrhood_alltoallv_bytes in the mean, where no rank has "
     "more than 1024 others. When to change it: if measurements show another crossover",
     ValueType::number,
     50,
     {0, 100},
     Equal::calls,
     Steers::other,
     5}};

inline constexpr Typed<std::size_t> kAlltoallvBytes{
    {"alltoallv_bytes",
     "The most bytes that a pair exchanges in one call, in the mean of the pairs that have any, "
     "for auto to serve MPI_Alltoallv and MPI_Alltoallw, if few pairs exchange bytes. When to "
     "change it: if measurements show another crossover",
     ValueType::bytes,
     65536,
     {0, 1 << 30},
     Equal::calls,
     Steers::other,
     5}};

} // namespace nbrhood

#endif

/* All of the component's own parameters, in the order of their numbers, with their names in the
 * C interface. For C and C++. */
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
    OF(ALLTOALLV_ALGORITHM, kAlltoallvAlgorithm)                                                   \
    OF(ALLTOALLV_SURVEY, kAlltoallvSurvey)                                                         \
    OF(ALLTOALLV_DENSITY, kAlltoallvDensity)                                                       \
    OF(ALLTOALLV_BYTES, kAlltoallvBytes)                                                           \
    OF(GPU_TOPOLOGY, kGpuTopology)
