// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption.h"

#include "corruption_post.h"

namespace nbrhood::test {
namespace {

// Messages of `aggregated` that tell ranks who will write to them: edges of members, which are
// their leader's children in this test, and decisions.
constexpr int kUp = 1;
constexpr int kDown = 2;

} // namespace

CorruptionResult corrupt_builders(const std::uint8_t *data, std::size_t size)
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
    CorruptPost post(script, lies, [](int kind) { return kind == kUp || kind == kDown; });
    const bool done = post.run(construction.builders());
    return result_of(construction, tasks, done, post, lies, random);
}

} // namespace nbrhood::test
