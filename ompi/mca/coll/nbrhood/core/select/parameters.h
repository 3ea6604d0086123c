// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The component's own parameters, and those of the rows of the registry with them.
#pragma once

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
// component's own, as kOwnParameters has them, then those of the registry's rows, each once. The
// same on all ranks of one version.
std::vector<const Parameter *> parameters();

// A number for all values that must be equal on all ranks and are compared by value: all of these,
// or those that steer calls from the first one on.
enum class Compared : std::uint8_t { all, calls };
std::uint64_t hash_values(const ParameterValues &values, Compared compared);

// Which patterns are built, and how calls run.

inline constexpr Typed<std::size_t> kCombiningThreshold{
    {"combining_threshold",
     "T: blocks of more bytes than this go directly to their destination, smaller ones are "
     "combined into messages that relays forward. 0: from the costs of messages, for each "
     "communicator",
     ValueType::bytes,
     0,
     {0, 1 << 24},
     Equal::builds,
     Steers::patterns,
     5}};

inline constexpr Typed<std::size_t> kPackingThreshold{
    {"packing_threshold",
     "P: combined blocks of more bytes than this are not packed into the relayed message but "
     "follow it as messages of their own, which saves two copies and costs a message",
     ValueType::bytes,
     8192,
     {1, 1 << 24},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<std::size_t> kPrepostedSize{
    {"preposted_size",
     "E: payload bytes of a relayed message for which its receiver posts a buffer in advance; the "
     "excess follows in a second message",
     ValueType::bytes,
     65536,
     {64, 1 << 28},
     Equal::builds,
     Steers::other,
     6}};

inline constexpr Typed<bool> kRemoveDuplicates{
    {"remove_duplicates",
     "Whether bytes of the send buffer that go to several neighbours (blocks that overlap, "
     "datatypes that pick the same entries, equal indices of nbrhood_neighbor_alltoallv_init) "
     "travel only once in relayed messages",
     ValueType::flag,
     1,
     {0, 1},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::size_t> kBlockBytes{
    {"block_bytes",
     "Block size in bytes for which auto decides: the bytes that one edge carries in a call, or "
     "that one rank sends to all its neighbours in an allgather. 0: the mean size of the call "
     "that begins the build, or 8 bytes for patterns built in a creation",
     ValueType::bytes,
     0,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     4}};

inline constexpr Typed<std::string> kCostsFile{
    {"costs",
     "File with the costs of messages on this cluster, as nbrhood-calibrate writes it. auto and "
     "the combining threshold depend on these costs. Default: costs of a cluster with an "
     "InfiniBand-class network, or with TCP where Open MPI uses that",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     4}};

inline constexpr Typed<Level> kRegion{
    {"region",
     "Region, the group of ranks within which messages are cheap. socket, numa and l3 (the cores "
     "that share such a cache): by the binding of each rank; gpu and die: by "
     "coll_nbrhood_gpu_topology. A node on which the domain of some rank is not known stays one "
     "region",
     ValueType::name,
     0,
     {0, kLevels - 1},
     Equal::builds,
     Steers::patterns,
     5,
     level_name}};

inline constexpr Typed<std::string> kMachine{
    {"machine",
     "For tests: a synthetic machine such as \"node:4 socket:2 core:8\" (levels node, socket, "
     "numa, l3, gpu, die, core), which the ranks of the job fill by slot, instead of the real one",
     ValueType::text,
     0,
     {},
     Equal::builds,
     Steers::patterns,
     9}};

inline constexpr Typed<std::string> kGpuTopology{
    {"gpu_topology",
     "File with the links between the GPU dies of a node; optionally, after a comma, hwloc's XML "
     "file of the node. The ranks of a node are put on its dies in turn. Default: the dies that "
     "HIP and rocm_smi_lib report if the program uses HIP, else no dies",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     5}};

// Parameters of the process, for the glue.

inline constexpr Typed<int> kPriority{
    {"priority",
     "Priority of coll/nbrhood. The default is higher than that of basic and libnbc, so that an "
     "installed component is selected. Negative: never selected",
     ValueType::number,
     90,
     {INT_MIN, INT_MAX},
     Equal::otherwise,
     Steers::other,
     4}};

inline constexpr Typed<int> kNetworkTurns{
    {"network_turns",
     "While an operation waits for ranks of its own node, the network is polled only once in this "
     "many turns of the progress engine, in multiples of 8. 1: in every turn, as without this "
     "component",
     ValueType::number,
     16,
     {1, 1000},
     Equal::no,
     Steers::other,
     6}};

inline constexpr Typed<int> kBuildAfter{
    {"build_after",
     "0: auto builds patterns when a topology is created, which synchronises its ranks. Greater: "
     "auto builds after this many calls of a collective, or starts of one persistent request, on "
     "a communicator, or earlier if the program declares reuse: with the first call by the info "
     "key nbrhood_reuse, with the init by a persistent request. Until then calls send one message "
     "per edge, and creating a topology communicates nothing, unless a parameter names an "
     "algorithm that builds patterns",
     ValueType::number,
     100,
     {0, INT_MAX},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kTrialCalls{
    {"trial_calls",
     "Calls in a block of the trial of a pattern that auto has built while the program runs. The "
     "trial has four blocks: direct (the last calls before the build), pattern, direct, pattern. "
     "The way that is faster by more than 5 % in both halves, from the start of one call to the "
     "start of the next, serves all later calls; if neither is, further rounds follow, at most "
     "six in all. If calls are many, auto also tries patterns whose predicted gain is within the "
     "errors of the model. 0: no trials, the model decides",
     ValueType::number,
     6,
     {0, 10000},
     Equal::builds,
     Steers::other,
     4}};

inline constexpr Typed<int> kWatchCalls{
    {"watch_calls",
     "Calls after the trial of a pattern until the ranks check, in the background, whether blocks "
     "still have the size that was tried, to within a factor of four. They check again after "
     "twice as many calls, and so on, up to 16 times as many. If the size has changed, auto "
     "decides, builds and tries anew, and then checks half as often. 0: never",
     ValueType::number,
     64,
     {0, 1000000000},
     Equal::builds,
     Steers::other,
     5}};

inline constexpr Typed<int> kStallSeconds{
    {"stall_seconds",
     "Seconds after which a waiting blocking call reports which ranks it waits for, and a "
     "creation that builds reports that it waits. Each process reports either once. 0: never",
     ValueType::number,
     60,
     {0, 1000000},
     Equal::no,
     Steers::other,
     3}};

inline constexpr Typed<int> kVerbose{
    {"verbose",
     "Verbosity: 1 shows which algorithms were chosen for each communicator with a topology, and "
     "why; 10 also shows which communicators the component declines",
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
     "Whether rank 0 prints a summary at MPI_Finalize. true: totals, then for each communicator "
     "that was called the algorithms chosen and why, creation time, calls, messages and bytes; "
     "communicators with identical lines are listed together. totals: only the totals",
     ValueType::name,
     0,
     {0, 2},
     Equal::no,
     Steers::other,
     3,
     report_name}};

inline constexpr Typed<std::string> kDump{
    {"dump",
     "Directory in which the patterns that serve each communicator with a topology are recorded "
     "when they are built: DUMP/<build>/<algorithm>-<kind of blocks>/<rank>.txt. Missing "
     "directories are made. Default: nothing is recorded",
     ValueType::text,
     0,
     {},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::string> kInjectFailure{
    {"inject_failure",
     "For tests: RANK:STEP makes that rank of each communicator fail in that superstep of building "
     "a pattern",
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
     "Accelerator whose memory the buffers of calls may be in. Such calls work on a copy in host "
     "memory, unless coll_nbrhood_device_above lets them use device memory. auto: the accelerator "
     "that Open MPI was built with, else HIP; open_mpi, hip: only that one; none: no buffer is "
     "looked at; test: an accelerator that the program imitates",
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
     "unchanged. Other calls work on a copy in host memory. -1: all calls do",
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
     "suits the machine, larger ones by Open MPI's own; default: Open MPI's own for all; "
     "locality_bruck: each rank of a region exchanges with another region, then the ranks of a "
     "region exchange; hierarchical: one rank of each region gathers, exchanges and sends the "
     "result to its region; multilane: the i-th ranks of all regions exchange, then the ranks of "
     "each region; bruck, ring: in the order of ranks, wherever they run",
     ValueType::name,
     kAllgatherAuto,
     {0, 6},
     Equal::calls,
     Steers::other,
     4,
     allgather_choice_name}};

inline constexpr Typed<std::size_t> kAllgatherBytes{
    {"allgather_bytes",
     "Largest block, in bytes that one rank contributes, that auto serves in MPI_Allgather, if "
     "the result has at most 16 MiB",
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
     "levels: nodes, in them sockets, in these NUMA domains, as far as ranks are bound",
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
     "may save a step, or idles, as in the paper",
     ValueType::name,
     0,
     {0, 1},
     Equal::calls,
     Steers::other,
     8,
     first_rank_name}};

// In the order of their numbers in the C interface.
inline constexpr std::array<const Parameter *, 25> kOwnParameters{&kPriority,
                                                                  &kCombiningThreshold,
                                                                  &kPackingThreshold,
                                                                  &kPrepostedSize,
                                                                  &kRemoveDuplicates,
                                                                  &kBlockBytes,
                                                                  &kNetworkTurns,
                                                                  &kCostsFile,
                                                                  &kRegion,
                                                                  &kMachine,
                                                                  &kBuildAfter,
                                                                  &kTrialCalls,
                                                                  &kWatchCalls,
                                                                  &kStallSeconds,
                                                                  &kVerbose,
                                                                  &kReport,
                                                                  &kDump,
                                                                  &kInjectFailure,
                                                                  &kDevice,
                                                                  &kDeviceAbove,
                                                                  &kAllgatherAlgorithm,
                                                                  &kAllgatherBytes,
                                                                  &kAllgatherLevels,
                                                                  &kAllgatherFirstRank,
                                                                  &kGpuTopology};

} // namespace nbrhood
