// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Patterns of topologies, recorded in files and read back.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "analysis/recorded_run.h"
#include "component_builds.h"
#include "engine/recording.h"
#include "scratch_directory.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

namespace fs = std::filesystem;

// 2026-11-21, 17:03:12 and 481516 microseconds
constexpr std::int64_t kTimestamp = 1795280592481516;
const char *const kName = "20261121T170312.481516-job4a2f0001-rank3";
constexpr auto kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);
constexpr auto kAllgatherv = static_cast<std::size_t>(Collective::neighbor_allgatherv);

// All ranks' topologies with their patterns, ready to be recorded.
struct Job {
    Graph graph;
    Machine machine;
    std::vector<Settings> settings; // by rank
    Created created;

    Job(Graph of, Machine on, const Settings &all)
        : graph(std::move(of)), machine(std::move(on)), settings(graph.size(), all)
    {
        for (std::size_t r = 0; r < settings.size(); ++r) {
            settings[r].keep_patterns = true;
            settings[r].timestamp = kTimestamp + static_cast<std::int64_t>(r);
        }
        create();
    }

    void create() { created = create_all(graph, machine, settings); }

    Recording record(std::size_t r, const std::string &directory)
    {
        return record_patterns(created.topologies[r], graph[r], machine.place(static_cast<Rank>(r)),
                               static_cast<Rank>(graph.size()), settings[r],
                               RecordingPlace{directory, 0x4a2f0001, 3});
    }

    void record_all(const std::string &directory)
    {
        for (std::size_t r = 0; r < graph.size(); ++r) {
            const Recording result = record(r, directory);
            ASSERT_EQ(result.failure, "");
        }
    }
};

Settings all_choices(int choice)
{
    Settings settings;
    settings.choice.fill(choice);
    return settings;
}

// The names of the entries of a directory.
std::set<std::string> names_in(const std::string &directory)
{
    std::set<std::string> names;
    for (const auto &entry : fs::directory_iterator(directory)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

// Reads the recording of a pattern and proves it, whatever blocks are large.
std::vector<RecordedRank> read_and_prove(const std::string &directory)
{
    std::vector<RecordedRank> ranks = read_recording(directory);
    std::vector<Pattern> patterns;
    Graph graph;
    for (const RecordedRank &rank : ranks) {
        patterns.push_back(rank.pattern);
        graph.push_back(rank.neighbourhood);
    }
    const IsLarge larges[] = {[](const Edge &) { return false; }, [](const Edge &) { return true; },
                              [](const Edge &edge) { return hash_of(edge) % 2 == 0; }};
    for (const IsLarge &is_large : larges) {
        const std::vector<std::string> faults = prove(patterns, graph, is_large);
        EXPECT_TRUE(faults.empty()) << directory << ":\n" << joined(faults);
    }
    return ranks;
}

TEST(Recording, NamesSayWhenAndWho)
{
    EXPECT_EQ(recording_name(kTimestamp, 0x4a2f0001, 3), kName);
    EXPECT_EQ(recording_name(0, 7, 12345), "19700101T000000.000000-job00000007-rank12345");
    const std::set<std::string> names{
        recording_name(kTimestamp, 1, 2), recording_name(kTimestamp + 1, 1, 2),
        recording_name(kTimestamp, 2, 2), recording_name(kTimestamp, 1, 3)};
    EXPECT_EQ(names.size(), 4U);
}

TEST(Recording, EveryRowOfTheRegistryIsReadBackAndProved)
{
    for (int seed = 0; seed < scaled(12); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 24);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        for (std::size_t row = 0; row < registry().size(); ++row) {
            SCOPED_TRACE(registry()[row].name);
            Settings settings = all_choices(kFirstRow + static_cast<int>(row));
            set_tuning(settings, random_tuning(random));
            Job job(graph, machine, settings);
            const std::vector<Topology> topologies = job.created.topologies;
            const ScratchDirectory scratch;
            job.record_all(scratch.name());
            for (BlockKind kind : kinds_of(registry()[row])) {
                const std::size_t c = kind == BlockKind::one_per_edge ? kAlltoallv : kAllgatherv;
                const Served &served = topologies[0].served[c].front();
                const std::string algorithm = choice_name(served.choice);
                const auto read = read_and_prove(
                    scratch.file(std::string(kName) + "/" + algorithm + "-" + name_of(kind)));
                ASSERT_EQ(read.size(), graph.size());
                for (std::size_t r = 0; r < read.size(); ++r) {
                    EXPECT_EQ(read[r].pattern, *topologies[r].served[c].front().pattern);
                    EXPECT_EQ(read[r].algorithm, algorithm);
                    EXPECT_EQ(read[r].combining_threshold,
                              topologies[r].served[c].front().combining_threshold);
                    EXPECT_EQ(read[r].node, machine.place(static_cast<Rank>(r)).node);
                    EXPECT_EQ(read[r].domains, machine.place(static_cast<Rank>(r)).domains);
                    EXPECT_EQ(read[r].region, "node");
                    EXPECT_EQ(edge_balance(read[r].neighbourhood), edge_balance(graph[r]));
                    for (std::size_t i = 0; i < graph[r].out.size(); ++i) {
                        EXPECT_EQ(read[r].neighbourhood.out[i].weight, graph[r].out[i].weight);
                    }
                }
            }
        }
    }
}

TEST(Recording, HasEachPatternOnce)
{
    Random random(1);
    const ScratchDirectory scratch;
    Settings settings = all_choices(find_choice("aggregated"));
    settings.choice[static_cast<std::size_t>(Collective::neighbor_alltoall)] = kDirectChoice;
    settings.choice[static_cast<std::size_t>(Collective::neighbor_allgather)] = kDefault;
    Job job(match(dense_lists(random, 12, 0.5)), make_machine({6, 6}), settings);
    const Recording result = job.record(2, scratch.name());
    EXPECT_EQ(result.files, 3);
    EXPECT_EQ(result.directory, scratch.file(kName));
    EXPECT_EQ(names_in(result.directory),
              (std::set<std::string>{"aggregated-one_per_rank", "aggregated-one_per_edge",
                                     "direct-one_per_edge"}));
    EXPECT_EQ(names_in(result.directory + "/direct-one_per_edge"), std::set<std::string>{"02.txt"});
    for (const ServedSizes &served : job.created.topologies[2].served) {
        EXPECT_EQ(served.front().pattern, nullptr) << "memory is given back";
    }
}

TEST(Recording, DefaultHasNothingToRecord)
{
    Random random(2);
    const ScratchDirectory scratch;
    Job job(match(dense_lists(random, 4, 0.5)), make_machine({4}), all_choices(kDefault));
    const Recording result = job.record(0, scratch.file("x"));
    EXPECT_EQ(result.files, 0);
    EXPECT_EQ(result.failure, "");
    EXPECT_FALSE(fs::exists(scratch.file("x")));
}

// Only ranks that record keep patterns, and recording does not change decisions.
TEST(Recording, SomeRanksMayRecordAlone)
{
    Random random(3);
    const ScratchDirectory scratch;
    Job job(match(dense_lists(random, 8, 0.6)), make_machine({4, 4}),
            all_choices(find_choice("two_step")));
    for (std::size_t r = 0; r < 8; r += 2) {
        job.settings[r].keep_patterns = false;
    }
    job.create();
    for (std::size_t r = 0; r < 8; ++r) {
        const Topology &topology = job.created.topologies[r];
        EXPECT_EQ(topology.diagnostic, Diagnostic::none);
        EXPECT_EQ(topology.timestamp, kTimestamp);
        EXPECT_EQ(topology.served[kAlltoallv].front().choice, find_choice("two_step"));
        EXPECT_EQ(topology.served[kAlltoallv].front().pattern != nullptr, r % 2 == 1);
    }
    job.record_all(scratch.name());
    const std::string directory = scratch.file(std::string(kName) + "/two_step-one_per_edge");
    EXPECT_EQ(names_in(directory), (std::set<std::string>{"1.txt", "3.txt", "5.txt", "7.txt"}));
    EXPECT_THROW(read_recording(directory), std::invalid_argument);
}

// A pattern that is built while the program runs has a name from the root of its component, which
// all ranks of that component use, and no others.
TEST(Recording, BuildsAreNamedByTheRootOfTheirTree)
{
    Random random(8);
    int recorded = 0;
    for (int round = 0; round < scaled(40); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 24);
        std::vector<Settings> settings(static_cast<std::size_t>(ranks),
                                       settings_of(find_choice("aggregated")));
        for (std::size_t r = 0; r < settings.size(); ++r) {
            settings[r].timestamp = kTimestamp + static_cast<std::int64_t>(r);
        }
        Builds builds(random_graph(random, ranks), random_machine(random, ranks), settings, random);
        builds.run(random);
        const ScratchDirectory scratch;
        std::map<std::string, int> files;
        for (const auto &rank : builds.ranks) {
            if (!rank->build.first_served()) {
                continue;
            }
            const auto r = static_cast<std::size_t>(rank->rank);
            Topology &topology = rank->build.topology();
            EXPECT_EQ(topology.timestamp, kTimestamp + topology.named_by);
            EXPECT_EQ(rank->build.leads(), rank->rank == topology.named_by);
            const Recording result = record_patterns(
                topology, builds.graph_[r], builds.machine_.place(rank->rank), ranks, settings[r],
                RecordingPlace{scratch.name(), 1, static_cast<std::uint32_t>(topology.named_by)});
            EXPECT_EQ(result.failure, "");
            files[result.directory] += result.files;
        }
        for (const auto &[directory, number] : files) {
            const std::string pattern = directory + "/aggregated-one_per_edge";
            EXPECT_EQ(names_in(pattern).size(), static_cast<std::size_t>(number));
            EXPECT_EQ(read_and_prove(pattern).front().members, number);
            ++recorded;
        }
    }
    EXPECT_GT(recorded, 0);
}

TEST(Recording, OverwritesNothing)
{
    Random random(4);
    const ScratchDirectory scratch;
    Job job(match(dense_lists(random, 2, 1)), make_machine({2}), all_choices(kDirectChoice));
    const std::string directory = scratch.file(std::string(kName) + "/direct-one_per_edge");
    fs::create_directories(directory);
    std::ofstream(directory + "/0.txt") << "mine";
    job.created.topologies[0].served[kAllgatherv].front().pattern = nullptr;
    job.created.topologies[0].served[0].front().pattern = nullptr;
    const Recording result = job.record(0, scratch.name());
    EXPECT_EQ(result.failure, directory + "/0.txt: File exists");
    EXPECT_EQ(result.files, 0);
    std::string word;
    std::ifstream(directory + "/0.txt") >> word;
    EXPECT_EQ(word, "mine");
}

TEST(Recording, SaysWhyADirectoryCannotBeMade)
{
    Random random(5);
    const ScratchDirectory scratch;
    std::ofstream(scratch.file("file")) << "no directory";
    Job job(match(dense_lists(random, 2, 1)), make_machine({2}), all_choices(kDirectChoice));
    const Recording result = job.record(1, scratch.file("file"));
    EXPECT_EQ(result.files, 0);
    EXPECT_EQ(result.failure,
              scratch.file("file/") + kName + "/direct-one_per_rank: Not a directory");
}

// A file that cannot be written completely is removed.
TEST(Recording, LeavesNoHalfFiles)
{
    Random random(6);
    const ScratchDirectory scratch;
    Job job(match(dense_lists(random, 30, 1)), make_machine({30}), all_choices(kDirectChoice));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 300;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Recording result = job.record(7, scratch.name());
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(result.failure, scratch.file(kName) + "/direct-one_per_rank/07.txt: File too large");
    EXPECT_TRUE(names_in(scratch.file(kName) + "/direct-one_per_rank").empty());
}

// The recordings of a run that the environment names (contrib/check names one), or else some made
// by the engine.
TEST(Recording, RunsAreReadBackAndProved)
{
    const char *named = std::getenv("NBRHOOD_RECORDINGS");
    const ScratchDirectory scratch;
    if (named == nullptr) {
        Random random(7);
        Job(random_graph(random, 16), random_machine(random, 16),
            all_choices(find_choice("aggregated")))
            .record_all(scratch.name());
    }
    int patterns = 0;
    for (const auto &communicator :
         fs::directory_iterator(named != nullptr ? named : scratch.name())) {
        for (const auto &pattern : fs::directory_iterator(communicator.path())) {
            const auto ranks = read_and_prove(pattern.path().string());
            EXPECT_EQ(ranks[0].communicator, communicator.path().filename());
            EXPECT_EQ(ranks[0].algorithm + "-" + name_of(ranks[0].pattern.kind),
                      pattern.path().filename());
            ++patterns;
        }
    }
    EXPECT_GT(patterns, 0);
    RecordProperty("patterns", patterns);
}

} // namespace
} // namespace nbrhood::test
