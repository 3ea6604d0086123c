// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "answer.h"

#include "common/number_text.h"
#include "select/selection.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace nbrhood_tools::explain {

namespace {

/// One message for each edge, as Open MPI's own functions send.
const char *direct()
{
    return nbrhood::choice_name(nbrhood::kDirectChoice);
}

/// A parameter can name rows of the registry, but not a recorded pattern.
bool can_be_named(const AlgorithmReport &algorithm)
{
    return nbrhood::find_choice(algorithm.name) >= nbrhood::kFirstRow;
}

SizeAnswer answer_for(const ScenarioReport &report, std::size_t size, double direct_seconds)
{
    SizeAnswer answer;
    answer.bytes = report.bytes[size];
    answer.fastest = direct();
    answer.fastest_speed_up = 1;
    for (const AlgorithmReport &algorithm : report.algorithms) {
        const double speed_up = algorithm.sizes.empty() ? 0 : algorithm.sizes[size].speed_up;
        if (can_be_named(algorithm) && algorithm.name != direct()
            && speed_up > answer.fastest_speed_up) {
            answer.fastest = algorithm.name;
            answer.fastest_speed_up = speed_up;
        }
    }
    const AlgorithmReport *taken = report.find(report.automatic.choice);
    if (report.automatic.choice == direct()) {
        answer.speed_up = 1;
    } else if (taken != nullptr && !taken->sizes.empty()) {
        answer.speed_up = taken->sizes[size].speed_up;
        const double gain = direct_seconds - taken->sizes[size].seconds.events;
        if (answer.speed_up >= same_time)
            answer.break_even_calls = std::ceil(taken->creation_seconds / gain);
    }
    return answer;
}

/// Neighbouring sizes, from the first to the last, with the same statement.
struct Sizes {
    std::size_t first, last;
    std::string what;
};

std::string range_text(const std::vector<double> &values, const char *format)
{
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::string low = number_text(*least, format), high = number_text(*most, format);
    return low == high ? low : low + " to " + high;
}

std::string joined(const std::vector<std::string> &parts, const char *between)
{
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : between) + part;
    return text;
}

class Statements {
public:
    explicit Statements(const ScenarioReport &report) : report_(report), answers_(report.answers) {}

    std::vector<std::string> all()
    {
        if (answers_.empty())
            return {"none: --algorithms leaves direct out, to which the others are compared"};
        state_choice();
        state_sizes();
        state_creation();
        state_preference();
        for (const AlgorithmReport &algorithm : report_.algorithms) {
            if (algorithm.sizes.empty())
                statements_.push_back(algorithm.name + ": not modelled, as the proof refuses it");
            else if (!can_be_named(algorithm))
                statements_.push_back(algorithm.name + ": " + speeds_text([&](std::size_t s) {
                                          return algorithm.sizes[s].speed_up;
                                      }));
        }
        return std::move(statements_);
    }

private:
    using Value = std::function<double(std::size_t size)>;

    /// Sizes grouped by the statements that `say` returns; sizes without a statement are left out.
    std::vector<Sizes> grouped(const std::function<std::string(const SizeAnswer &)> &say) const
    {
        return grouped_by([&](std::size_t s) { return say(answers_[s]); });
    }

    std::vector<Sizes> grouped_by(const std::function<std::string(std::size_t)> &say) const
    {
        std::vector<Sizes> groups;
        for (std::size_t s = 0; s < answers_.size(); ++s) {
            const std::string what = say(s);
            if (what.empty())
                continue;
            if (!groups.empty() && groups.back().what == what && groups.back().last + 1 == s)
                groups.back().last = s;
            else
                groups.push_back({s, s, what});
        }
        return groups;
    }

    static std::string values_text(const Sizes &sizes, const Value &value, const char *format)
    {
        std::vector<double> values;
        for (std::size_t s = sizes.first; s <= sizes.last; ++s)
            values.push_back(value(s));
        return range_text(values, format);
    }

    std::string unit() const { return report_.has_counts ? "entries" : "blocks"; }

    /// "8 bytes".
    std::string size_text(std::size_t size) const
    {
        const std::int64_t bytes = answers_[size].bytes;
        return bytes_text(static_cast<double>(bytes)) + (bytes == 1 ? " byte" : " bytes");
    }

    /// "with blocks of 8 bytes", "with blocks of 8 to 512 bytes".
    std::string with_blocks(const Sizes &sizes) const
    {
        const auto first = static_cast<double>(answers_[sizes.first].bytes);
        return "with " + unit() + " of "
               + (sizes.first == sizes.last ? "" : bytes_text(first) + " to ")
               + size_text(sizes.last);
    }

    /// "from blocks of 4K bytes on".
    std::string from_blocks(std::size_t size) const
    {
        return "from " + unit() + " of " + size_text(size) + " on";
    }

    /// Statements on speed-ups, for each range of sizes.
    std::string speeds_text(const Value &speed_up) const
    {
        std::vector<std::string> parts;
        for (const Sizes &sizes : grouped_by([&](std::size_t s) -> std::string {
                 return speed_up(s) >= same_time       ? "faster"
                        : speed_up(s) * same_time <= 1 ? "slower"
                                                       : "no gain";
             })) {
            const std::string times = values_text(sizes, speed_up, "%.2f");
            const std::string where = with_blocks(sizes);
            // Blocks larger than T go directly, so a gain that has ended does not come back.
            const bool for_good = sizes.first > 0 && sizes.last + 1 == answers_.size();
            if (sizes.what == "faster")
                parts.push_back(times + " times as fast as Open MPI's own " + where);
            else if (sizes.what == "slower")
                parts.push_back("slower than Open MPI's own " + where + " (" + times + ")");
            else
                parts.push_back("no gain " + (for_good ? from_blocks(sizes.first) : where) + " ("
                                + times + "): Open MPI's own (default) is as fast");
        }
        return joined(parts, "; ");
    }

    void state_choice()
    {
        const Decision &automatic = report_.automatic;
        const bool known = !automatic.choice.empty();
        if (!known)
            statements_.push_back("the choice of auto is " + automatic.text());
        else if (automatic.choice == direct())
            statements_.push_back("auto takes " + automatic.text()
                                  + ": one message for each edge, as Open MPI's own");
        else
            statements_.push_back(
                "auto takes " + automatic.text() + ": "
                + speeds_text([&](std::size_t s) { return answers_[s].speed_up; }));
        if ((!known || automatic.choice == direct())
            && std::none_of(answers_.begin(), answers_.end(), prefers_another))
            statements_.emplace_back("no gain: Open MPI's own (default) is as fast");
    }

    /// If all ranks know the size of blocks, different algorithms serve different sizes.
    void state_sizes()
    {
        const nbrhood::SizeChoices &by_size = report_.automatic.by_size;
        if (by_size.size() < 2)
            return;
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < by_size.size(); ++i) {
            const bool last = i + 1 == by_size.size();
            const std::size_t bytes = by_size[last ? i - 1 : i].most;
            parts.push_back(std::string(nbrhood::choice_name(by_size[i].choice))
                            + " with blocks of " + (last ? "more than " : "up to ")
                            + bytes_text(static_cast<double>(bytes)) + " bytes");
        }
        statements_.push_back(std::string("auto takes for ")
                              + (report_.kind == nbrhood::BlockKind::one_per_rank
                                     ? "neighbor_allgather"
                                     : "neighbor_alltoall")
                              + ", where all ranks know the size: " + joined(parts, ", "));
    }

    void state_creation()
    {
        const AlgorithmReport *taken = report_.find(report_.automatic.choice);
        if (taken == nullptr || taken->name == direct())
            return;
        const auto messages = static_cast<double>(taken->creation.messages.size());
        const double words = static_cast<double>(taken->creation.bytes())
                             / static_cast<double>(sizeof(std::int32_t)) / std::max(1.0, messages);
        std::vector<std::string> parts;
        for (const Sizes &sizes : grouped([](const SizeAnswer &answer) {
                 return answer.break_even_calls > 0 ? "breaks even" : "";
             }))
            parts.push_back(
                values_text(
                    sizes, [&](std::size_t s) { return answers_[s].break_even_calls; }, "%.0f")
                + " calls " + with_blocks(sizes));
        statements_.push_back("creation takes " + number_text(messages, "%.0f") + " messages of "
                              + number_text(words, "%.0f") + " words (mean) in "
                              + std::to_string(taken->creation.rounds) + " rounds, about "
                              + time_text(taken->creation_seconds) + ": "
                              + (parts.empty() ? "never breaks even"
                                               : "break-even after about " + joined(parts, ", ")));
    }

    void state_preference()
    {
        std::vector<std::string> names, parts;
        for (const Sizes &sizes : grouped([](const SizeAnswer &answer) {
                 return prefers_another(answer) ? answer.fastest : "";
             })) {
            const std::string times = values_text(
                sizes, [&](std::size_t s) { return answers_[s].fastest_speed_up; }, "%.2f");
            parts.push_back(sizes.what + " " + with_blocks(sizes) + " (" + times + ")");
            if (std::find(names.begin(), names.end(), sizes.what) == names.end())
                names.push_back(sizes.what);
        }
        if (!parts.empty())
            statements_.push_back("events prefer " + joined(parts, ", ")
                                  + "; where most blocks are like that, name it: --mca "
                                  + parameter() + " " + joined(names, " or "));
    }

    /// The parameter of the v-variant of the kind, which stands for the other collectives of the
    /// kind.
    const char *parameter() const
    {
        return report_.kind == nbrhood::BlockKind::one_per_rank
                   ? "coll_nbrhood_neighbor_allgather_algorithm"
                   : "coll_nbrhood_neighbor_alltoallv_algorithm";
    }

    const ScenarioReport &report_;
    const std::vector<SizeAnswer> &answers_;
    std::vector<std::string> statements_;
};

} // namespace

std::vector<SizeAnswer> find_answers(const ScenarioReport &report)
{
    std::vector<SizeAnswer> answers;
    const AlgorithmReport *base = report.find(direct());
    if (base != nullptr)
        for (std::size_t s = 0; s < base->sizes.size(); ++s)
            answers.push_back(answer_for(report, s, base->sizes[s].seconds.events));
    return answers;
}

bool prefers_another(const SizeAnswer &answer)
{
    // If the choice of `auto` is not known: a gain over direct.
    return answer.fastest_speed_up >= same_time * (answer.speed_up > 0 ? answer.speed_up : 1);
}

std::vector<std::string> answer_statements(const ScenarioReport &report)
{
    return Statements(report).all();
}

} // namespace nbrhood_tools::explain
