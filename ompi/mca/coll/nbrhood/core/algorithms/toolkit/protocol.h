// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Base of builders: supersteps, failures, messages, and the outcome of each task.
#pragma once

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/checked_messages.h"
#include "algorithms/toolkit/tree_exchange.h"
#include "pattern/message_words.h"

namespace nbrhood {

// A builder that handles failures. A rank that fails goes on with its supersteps, so that no rank
// waits for it forever; its messages then say that it failed, and each of its tasks ends as failed.
// Algorithms derive from this class and write advance().
class Protocol : public Builder {
public:
    Step step(const std::vector<Message> &inbox) final;
    Outcome outcome(std::size_t task) const final
    {
        return failed_ ? Outcome::failed : works_.at(task).outcome;
    }
    Traffic traffic(std::size_t task) const final { return works_.at(task).totals; }
    Pattern take_pattern(std::size_t task) final { return std::move(works_.at(task).pattern); }
    bool one_size() const final { return one_size_; }

protected:
    // A task with its traffic and pattern. The pattern has its rank and kind already.
    struct Work {
        Task task;
        Traffic totals; // of the ranks that are counted so far; all tasks have the same direct half
        Outcome outcome = Outcome::built;
        Pattern pattern;
    };

    explicit Protocol(const BuildInput &input);

    // One superstep, with one message from each rank that the last one expected.
    virtual Step advance(const std::vector<Message> &inbox) = 0;

    // For a superstep that waits for no rank: the next one follows at once.
    void begin_next_superstep() { ++superstep_; }

    // Runs a part of the construction. If it throws, this rank has failed. Does nothing on a rank
    // that has failed.
    template <typename Part>
    void attempt(const Part &part)
    {
        if (failed_) {
            return;
        }
        try {
            if (superstep_ == input_.fail_in_step) {
                throw std::runtime_error("injected failure");
            }
            part();
        } catch (const std::exception &) {
            failed_ = true;
        }
    }
    void fail() { failed_ = true; }
    bool failed() const { return failed_; }

    // One superstep of a part that is embedded in the protocol (Delivery, TreeExchange), with that
    // part's inbox. Nothing when the part has ended: then this superstep is the protocol's own
    // again. If a rank failed, ranks that do not know it yet go on; Delivery::take says which
    // messages they have.
    template <typename Part>
    std::optional<Step> deliver(Part &part, const std::vector<Message> &inbox)
    {
        if constexpr (std::is_same_v<Part, TreeExchange>) {
            part.look(inbox);
        }
        attempt([&] { part.receive(inbox); });
        return part.next(failed_);
    }

    const BuildInput &input() const { return input_; }
    Rank self() const { return input_.neighbourhood->rank; }
    std::vector<Work> &works() { return works_; } // by task
    const std::vector<Work> &works() const { return works_; }

    // Writes a message to a rank, and reads a received one; `kind` identifies the message in the
    // protocol. open_message throws OtherFailed or BadMessage, see CheckedMessages.
    Message write_message(int kind, Rank peer, const std::vector<std::int32_t> &words) const
    {
        return messages_.write(kind, peer, failed_, words);
    }
    WordReader open_message(int kind, const Message &message) const
    {
        return messages_.open(kind, message);
    }

    // The totals of all tasks as words, and added from words. The direct half is the same for all
    // tasks, and travels once.
    // add_member_totals: of another rank of this region.
    void put_totals(WordWriter &words) const;
    void add_totals(WordReader &words);
    void add_member_totals(WordReader &words);

    // Asks which tasks are built; for the one rank that has the totals of all ranks.
    void decide();

    // See one_size(); for the rank that decides, before decide().
    void set_one_size(bool one_size) { one_size_ = one_size; }

    // The decision, the totals and one_size() as words. take_decisions throws BadMessage.
    void put_decisions(WordWriter &words) const;
    void take_decisions(WordReader &words);

private:
    BuildInput input_;
    CheckedMessages messages_;
    std::vector<Work> works_;
    int superstep_ = 0;
    bool failed_ = false;
    bool one_size_ = false;
};

} // namespace nbrhood
