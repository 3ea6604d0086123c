// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/lockstep.h"
#include "corruption_words.h"
#include "delivery_support.h"

namespace nbrhood::test {
namespace {

// Changes letters of deliveries; a script chooses the changes.
class Changer {
public:
    Changer(Script &script, bool lies) : script_(script), lies_(lies) {}

    void change(Rank source, Message &letter)
    {
        const Message before = letter;
        if (!script_.ended() && script_.below(4) == 0) {
            if (lies_) {
                lie(source, letter);
            } else {
                corrupt_words(script_, letter.words, earlier_);
                letter.failed = letter.failed != (script_.below(8) == 0);
            }
        }
        earlier_.push_back(before.words);
        changed += letter.words != before.words || letter.failed != before.failed ? 1 : 0;
    }

    int changed = 0;

private:
    // Changes the content of a letter and seals it again.
    void lie(Rank source, Message &letter)
    {
        for (const int kind : {DeliveryWorld::kMessages, DeliveryWorld::kAnswers}) {
            try {
                Message read = letter;
                read.peer = source;
                std::vector<std::int32_t> words = Letters(letter.peer).open(kind, read).copy();
                contents_.push_back(words);
                corrupt_words(script_, words, contents_);
                letter = Letters(source).write(kind, letter.peer, false, words);
                return;
            } catch (const std::exception &) { // of the other kind, or from a rank that failed
            }
        }
    }

    Script &script_;
    bool lies_;
    std::vector<std::vector<std::int32_t>> earlier_;
    std::vector<std::vector<std::int32_t>> contents_;
};

// The demand if ranks send false letters: messages come from ranks that may send, in their order.
std::string fault_of_lies(const DeliveryWorld &world)
{
    const std::vector<Rank> &all = world.participants();
    for (const Rank rank : all) {
        const Received received = world.received(rank);
        for (const auto *list : {&received.messages, &received.answers}) {
            Rank last = 0;
            for (const Delivered &message : *list) {
                if (message.source < last
                    || std::find(all.begin(), all.end(), message.source) == all.end()) {
                    return "a message from a rank that cannot have sent it";
                }
                last = message.source;
            }
        }
    }
    return {};
}

} // namespace

CorruptionResult corrupt_delivery(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const int ranks = 1 + static_cast<int>(script.below(24));
    const bool lies = script.below(2) != 0;
    const std::vector<Rank> participants = random_participants(random, ranks);
    DeliveryWorld world(random_machine(random, ranks), chance(random, 0.5) ? 1 : 2, participants,
                        random_messages(random, participants));
    Changer changer(script, lies);
    world.start(kNoRank, -1, [&](Rank source, Message &letter) { changer.change(source, letter); });
    CorruptionResult result;
    try {
        run_lockstep(world.builders());
    } catch (const std::runtime_error &error) {
        result.fault = error.what();
        return result;
    }
    result.changed = changer.changed;
    result.noticed = static_cast<int>(std::count_if(participants.begin(), participants.end(),
                                                    [&](Rank rank) { return world.failed(rank); }));
    result.built = result.noticed == 0 ? 1 : 0;
    if (result.noticed != 0 && result.changed == 0) {
        result.fault = "ranks fail without a cause";
    } else {
        result.fault = lies ? fault_of_lies(world) : world.fault();
    }
    return result;
}

} // namespace nbrhood::test
