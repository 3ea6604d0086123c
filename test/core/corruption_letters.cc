#include "corruption.h"

#include <algorithm>
#include <deque>
#include <map>

#include "algorithms/letters.h"
#include "corruption_run.h"
#include "corruption_words.h"

namespace nbrhood::test {
namespace {

constexpr int kKindsOfLetters = 5; // in the order of the protocol
constexpr int kEdges = 0;
constexpr int kDecision = 2;

// Delivers the letters of all builders, changed as a script says.
class Post {
public:
    Post(Script &script, bool lies) : script_(script), lies_(lies) {}

    // Steps all builders until none can go on. Returns whether all are done.
    bool run(const std::vector<std::unique_ptr<Builder>> &builders)
    {
        std::vector<Step> current(builders.size());
        std::size_t done = 0;
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t r = 0; r < builders.size(); ++r) {
                Step &step = current[r];
                std::vector<Message> inbox;
                if (step.done || !fetch(static_cast<Rank>(r), step.expect, inbox)) {
                    continue;
                }
                step = builders[r]->step(inbox);
                progress = true;
                done += step.done ? 1 : 0;
                for (const Message &letter : step.outbox) {
                    send(static_cast<Rank>(r), letter);
                }
            }
        }
        return done == builders.size();
    }

    int changed = 0;
    // Lies that leave a rank waiting for another that was told something else.
    bool may_wait = false;

private:
    bool fetch(Rank self, const std::vector<Rank> &expect, std::vector<Message> &inbox)
    {
        const bool ready = std::all_of(expect.begin(), expect.end(), [&](Rank peer) {
            return !channels_[{peer, self}].empty();
        });
        for (std::size_t i = 0; ready && i < expect.size(); ++i) {
            auto &channel = channels_[{expect[i], self}];
            inbox.push_back(std::move(channel.front()));
            channel.pop_front();
        }
        return ready;
    }

    void send(Rank self, const Message &letter)
    {
        Message sent{self, letter.failed, letter.words};
        if (!script_.ended() && script_.below(4) == 0) {
            if (lies_) {
                lie(self, letter, sent);
            } else {
                corrupt_words(script_, sent.words, earlier_);
                sent.failed = sent.failed != (script_.below(8) == 0);
            }
        }
        changed += sent.words != letter.words || sent.failed != letter.failed ? 1 : 0;
        earlier_.push_back(letter.words);
        channels_[{self, letter.peer}].push_back(std::move(sent));
    }

    // Changes what a letter says and seals it again.
    void lie(Rank self, const Message &letter, Message &sent)
    {
        for (int kind = 0; kind < kKindsOfLetters; ++kind) {
            try {
                std::vector<std::int32_t> words =
                    Letters(letter.peer)
                        .open(kind, Message{self, letter.failed, letter.words})
                        .copy();
                const std::vector<std::int32_t> before = words;
                corrupt_words(script_, words, contents_[kind]);
                contents_[kind].push_back(before);
                sent.words = Letters(self).write(kind, letter.peer, false, words).words;
                may_wait = may_wait || (words != before && (kind == kEdges || kind == kDecision));
                return;
            } catch (const std::exception &) { // not of this kind, or from a rank that failed
            }
        }
    }

    Script &script_;
    bool lies_;
    std::map<std::pair<Rank, Rank>, std::deque<Message>> channels_;
    std::vector<std::vector<std::int32_t>> earlier_;
    std::map<int, std::vector<std::vector<std::int32_t>>> contents_; // by kind
};

// What the ranks agree on afterwards: whether any failed, or received something else than others.
bool all_built(const Construction &ranks, std::size_t tasks, int &failed)
{
    std::vector<std::int32_t> first;
    bool identical = true;
    for (std::size_t r = 0; r < ranks.builders().size(); ++r) {
        failed += ranks.outcome(r) == Outcome::failed ? 1 : 0;
        WordWriter received;
        for (std::size_t task = 0; task < tasks && failed == 0; ++task) {
            received.put(static_cast<std::int32_t>(ranks.outcome(r, task)));
            received.put_all(words_of(ranks.traffic(r, task)));
        }
        if (ranks.has_edges(r)) {
            first = first.empty() ? received.words() : first;
            identical = identical && received.words() == first;
        }
    }
    return failed == 0 && identical;
}

// Runs what lies made: it may be wrong, but does no harm.
std::string run_patterns(const Graph &graph, const std::vector<Pattern> &patterns, BlockKind kind,
                         Random &random)
{
    World world(static_cast<int>(graph.size()), random(), {});
    try {
        const Programs programs(patterns);
        GuardedRun run(graph, programs, WireSettings{24, 64, 16, 0, true}, world, kind,
                       chance(random, 0.5), random);
        return run.run(2);
    } catch (const std::invalid_argument &) { // this rank cannot build it
        return {};
    }
}

} // namespace

CorruptionResult corrupt_letters(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const int ranks = 2 + static_cast<int>(script.below(11));
    const bool lies = script.below(2) != 0;
    std::vector<Task> tasks = all_tasks();
    tasks.resize(1 + script.below(4));
    const std::size_t declined = script.below(6); // this task, if there is one
    Construction construction(random_graph(random, ranks), random_machine(random, ranks),
                              random_tuning(random), tasks,
                              [&](const std::vector<Traffic> &all, bool /*one_size*/) {
                                  std::vector<char> decisions(all.size(), 1);
                                  if (declined < all.size()) {
                                      decisions[declined] = 0;
                                  }
                                  return decisions;
                              });
    Post post(script, lies);
    CorruptionResult result;
    const bool done = post.run(construction.builders());
    result.changed = post.changed;
    if (!done) {
        result.fault = post.may_wait ? "" : "a rank waits forever";
        return result;
    }
    if (!all_built(construction, tasks.size(), result.noticed)) {
        result.fault = post.changed == 0 ? "ranks fail without a cause" : "";
        return result;
    }
    result.built = 1;
    for (std::size_t task = 0; task < tasks.size() && result.fault.empty(); ++task) {
        bool built = true;
        for (std::size_t r = 0; r < construction.builders().size(); ++r) {
            built = built && construction.outcome(r, task) == Outcome::built;
        }
        if (!built) {
            continue;
        }
        const std::vector<Pattern> patterns = construction.take(task);
        result.fault = lies ? run_patterns(construction.graph(), patterns, tasks[task].kind, random)
                            : joined(prove(patterns, construction.graph(), random_large(random)));
    }
    return result;
}

} // namespace nbrhood::test
