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
     "T: blocks of more bytes than this go straight to their destination, smaller ones are "
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
     "Whether bytes of the send buffer that several neighbours get (blocks that overlap, datatypes "
     "that pick the same entries, equal indices of nbrhood_neighbor_alltoallv_init) travel once "
     "with relayed messages",
     ValueType::flag,
     1,
     {0, 1},
     Equal::no,
     Steers::other,
     5}};

inline constexpr Typed<std::size_t> kBlockBytes{
    {"block_bytes",
     "Expected size of a block in bytes, which auto assumes when it decides: what one edge carries "
     "in a call, or what one rank sends to all its neighbours in an allgather. 0: as in "
     "the call that begins a build, and small for what is built in a creation",
     ValueType::bytes,
     0,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     4}};

inline constexpr Typed<std::string> kCostsFile{
    {"costs",
     "File of the costs of messages on this cluster, as nbrhood-calibrate writes it, from which "
     "auto and the combining threshold are decided. Default: costs of a cluster with an "
     "InfiniBand-class network",
     ValueType::text,
     0,
     {},
     Equal::otherwise,
     Steers::patterns,
     4}};

inline constexpr Typed<Level> kRegion{
    {"region",
     "What a region is, within which messages are cheap. socket, numa and l3 (the cores that "
     "share such a cache): that of each rank's binding; gpu and die: as coll_nbrhood_gpu_topology "
     "has them; a node with a rank that is not "
     "known "
     "to be in one of them stays one region",
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
     "File of the links between the GPU dies of a node, and behind a comma, if wanted, hwloc's XML "
     "of the node. The ranks of a node are put on its dies in turn. Default: what HIP and "
     "rocm_smi_lib say where the program uses HIP, else no dies",
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
     "when that many calls of a collective, or starts of one persistent request, have been made on "
     "a communicator, or where the program declares reuse: by the info key nbrhood_reuse with the "
     "first call, by a persistent request with its init. Until then calls send one message per "
     "edge, and creating a topology communicates nothing, unless a parameter names an algorithm "
     "that builds patterns",
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
     "serves all later calls; as long as that is neither, there are further rounds, four at the "
     "most. Patterns of which the model of messages says that they may gain, within its errors, "
     "are tried, too, where calls are many. 0: no trials; the model has the last word",
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
     "tries anew, and begins to compare again, half as often. 0: never",
     ValueType::number,
     64,
     {0, 1000000000},
     Equal::builds,
     Steers::other,
     5}};

inline constexpr Typed<int> kStallSeconds{
    {"stall_seconds",
     "A blocking call that waits so many seconds says which ranks it waits for, and a creation "
     "that "
     "builds that it waits, each once in each process. 0: never",
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
     "Whether rank 0 prints a summary at MPI_Finalize. true: totals, then each communicator that "
     "was called: algorithms chosen and why, creation time, calls, messages and bytes; those of "
     "which it says the same are one. totals: these only",
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
     "when they are built: DUMP/<build>/<algorithm>-<kind of blocks>/<rank>.txt. It is made if it "
     "is not there. Default: nothing is recorded",
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
     "Which accelerator's memory buffers of calls may be in; such calls are made on host memory, "
     "with one copy before and one after, unless device_above lets them stay there. auto: that "
     "which Open MPI was built with or, where that "
     "is none, HIP; open_mpi, hip: that one; none: no buffer is looked at; test: one that the "
     "program imitates",
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
     "only passes blocks on as they are; others are made on host memory. -1: all are",
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
     "own for all; locality_bruck: each rank of a region exchanges with another region, then the "
     "region among its ranks; hierarchical: one rank of each region gathers, exchanges and tells "
     "its region; multilane: the i-th ranks of all regions exchange, then each region among its "
     "ranks; bruck, ring: in the order of ranks, wherever they run",
     ValueType::name,
     kAllgatherAuto,
     {0, 6},
     Equal::calls,
     Steers::other,
     4,
     allgather_choice_name}};

inline constexpr Typed<std::size_t> kAllgatherBytes{
    {"allgather_bytes",
     "Largest block, in bytes that one rank contributes, which auto serves in MPI_Allgather, as "
     "long as the result has no more than 16 MiB",
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
     "nodes, in them sockets, in these NUMA domains, as far as ranks are bound",
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
     "Whether in locality_bruck the first rank of each region exchanges with other regions, so "
     "that fewer steps may do, or idles, as in the paper",
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
