// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption.h"

#include <algorithm>
#include <cstring>

#include "corruption_run.h"
#include "corruption_script.h"

namespace nbrhood::test {
namespace {

constexpr WireSettings kWires[] = {
    {24, 64, 16, 0, true}, {24, 40, 24, 0, true}, {512, 128, 48, 0, true}, {64, 4096, 64, 0, true}};

// Changes the relayed messages of a world; a script chooses the changes.
class Corruptor {
public:
    explicit Corruptor(Script &script) : script_(script) {}

    void change(std::vector<char> &bytes)
    {
        const std::vector<char> before = bytes;
        if (!script_.ended()) {
            switch (script_.below(16)) {
            case 0:
                flip(bytes);
                break;
            case 1:
            case 2:
                put_word(bytes, script_.below(std::max<std::size_t>(1, bytes.size() / 8)));
                break;
            case 3: // a field of the header
                put_word(bytes, script_.below(5));
                break;
            case 4: // twice the same
                copy_word(bytes);
                break;
            case 5:
                bytes.resize(script_.below(bytes.size() + 1));
                break;
            case 6:
                bytes.resize(bytes.size() + 1 + script_.below(64));
                break;
            case 7:
                if (!earlier_.empty()) { // another message, perhaps of another operation
                    bytes = earlier_[script_.below(earlier_.size())];
                }
                break;
            case 8:
                make_table(bytes);
                break;
            default:
                break;
            }
        }
        changed += bytes != before ? 1 : 0;
        earlier_.push_back(before);
    }

    int changed = 0;

private:
    void flip(std::vector<char> &bytes)
    {
        if (!bytes.empty()) {
            char &byte = bytes[script_.below(bytes.size())];
            byte = static_cast<char>(byte ^ (1 << script_.below(8)));
        }
    }

    static std::uint64_t word_at(const std::vector<char> &bytes, std::size_t word)
    {
        std::uint64_t value = 0;
        if (8 * word + 8 <= bytes.size()) {
            std::memcpy(&value, bytes.data() + 8 * word, 8);
        }
        return value;
    }

    static void set_word(std::vector<char> &bytes, std::size_t word, std::uint64_t value)
    {
        if (8 * word + 8 <= bytes.size()) {
            std::memcpy(bytes.data() + 8 * word, &value, 8);
        }
    }

    void put_word(std::vector<char> &bytes, std::size_t word)
    {
        set_word(bytes, word, script_.wild(word_at(bytes, word)));
    }

    void copy_word(std::vector<char> &bytes)
    {
        const std::size_t words = bytes.size() / 8;
        set_word(bytes, script_.below(words), word_at(bytes, script_.below(words)));
    }

    // Makes the payload, or a part of it, a table with arbitrary runs, and makes the header fit.
    void make_table(std::vector<char> &bytes)
    {
        if (bytes.size() < sizeof(Header)) {
            return;
        }
        Header header;
        std::memcpy(&header, bytes.data(), sizeof header);
        header.table = script_.wild(header.table);
        header.payload = script_.below(2) == 0 ? header.payload : script_.wild(header.payload);
        std::memcpy(bytes.data(), &header, sizeof header);
        const std::size_t first = sizeof header / 8 + std::min<std::size_t>(header.blocks, 64);
        for (std::size_t word = first; word < bytes.size() / 8 && !script_.ended(); ++word) {
            put_word(bytes, word);
        }
    }

    Script &script_;
    std::vector<std::vector<char>> earlier_;
};

// Whether a message with this tag is relayed.
bool is_relayed(int tag)
{
    const int phase = (tag - kTagBlocking) % kPhases;
    return phase == kGather || phase == kInter || phase == kRedistribute;
}

} // namespace

CorruptionResult corrupt_messages(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const int ranks = 2 + static_cast<int>(script.below(7));
    const Graph graph = random_graph(random, ranks);
    const BlockKind kind = kKinds[script.below(2)];
    const Scheme scheme = kSchemes[script.below(2)];
    const WireSettings wire = kWires[script.below(4)];
    const bool learns = script.below(2) != 0;
    const Programs programs(
        Construction(graph, random_machine(random, ranks), random_tuning(random), kind, scheme)
            .run());
    WorldOptions timing;
    timing.eager = draw(random, 0, 2) / 2.0;
    World world(ranks, random(), timing);
    GuardedRun run(graph, programs, wire, world, kind, learns, random);
    Corruptor corruptor(script);
    world.on_matched([&](int tag, std::vector<char> &bytes) {
        if (is_relayed(tag)) {
            corruptor.change(bytes);
        }
    });
    CorruptionResult result;
    result.fault = run.run(learns ? 3 : 2);
    result.changed = corruptor.changed;
    result.noticed = run.errors();
    if (result.fault.empty() && result.changed == 0 && (run.errors() != 0 || run.waiting() != 0)) {
        result.fault = "errors without a cause";
    }
    return result;
}

} // namespace nbrhood::test
