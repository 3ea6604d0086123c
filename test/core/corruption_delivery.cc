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

// Changes messages of deliveries; a script chooses the changes.
class Changer {
public:
    Changer(Script &script, bool lies) : script_(script), lies_(lies) {}

    void change(Rank source, Message &message)
    {
        const Message before = message;
        if (!script_.ended() && script_.below(4) == 0) {
            if (lies_) {
                lie(source, message);
            } else {
                corrupt_words(script_, message.words, earlier_);
                message.failed = message.failed != (script_.below(8) == 0);
            }
        }
        earlier_.push_back(before.words);
        changed += message.words != before.words || message.failed != before.failed ? 1 : 0;
    }

    int changed = 0;

private:
    // Changes the content of a message and seals it again.
    void lie(Rank source, Message &message)
    {
        for (const int kind : {DeliveryWorld::kMessages, DeliveryWorld::kAnswers}) {
            try {
                Message read = message;
                read.peer = source;
                std::vector<std::int32_t> words =
                    CheckedMessages(message.peer).open(kind, read).copy();
                contents_.push_back(words);
                corrupt_words(script_, words, contents_);
                message = CheckedMessages(source).write(kind, message.peer, false, words);
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

// The demand if ranks send false messages: messages come from ranks that may send, in their order.
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
    world.start(kNoRank, -1,
                [&](Rank source, Message &message) { changer.change(source, message); });
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
