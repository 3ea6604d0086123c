// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A builder that changes one of its messages on the way.
#pragma once

#include "algorithms/toolkit/builder.h"

namespace nbrhood::test {

// Passes calls on to another builder, and changes one of its messages.
class Changing : public Builder {
public:
    // number: of the message; none where it is negative.
    Changing(Builder &inner, int number) : inner_(inner), number_(number) {}

    Step step(const std::vector<Message> &inbox) override
    {
        Step step = inner_.step(inbox);
        for (Message &message : step.outbox) {
            if (number_-- == 0 && !message.words.empty()) {
                message.words.back() ^= 1;
                changed = true;
            }
        }
        return step;
    }
    Outcome outcome(std::size_t task) const override { return inner_.outcome(task); }
    Traffic traffic(std::size_t task) const override { return inner_.traffic(task); }
    bool one_size() const override { return inner_.one_size(); }
    Pattern take_pattern(std::size_t task) override { return inner_.take_pattern(task); }

    bool changed = false;

private:
    Builder &inner_;
    int number_;
};

} // namespace nbrhood::test
