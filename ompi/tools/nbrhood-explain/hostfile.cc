// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "hostfile.h"

#include "common/bounds.h"
#include "common/error.h"
#include "common/text_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <sstream>

namespace nbrhood_tools::explain {

namespace {

constexpr std::int64_t most = most_ranks; // limit on slots or cores of a keyword
constexpr std::int64_t most_sockets = std::numeric_limits<std::int16_t>::max(); // see Place

enum Word { slots, max_slots, sockets, cores, ignored, words };

/// All spellings of the keywords in Open MPI, with '-' as '_'.
const std::map<std::string, Word> spellings = {
    {"slots", slots},
    {"cpu", slots},
    {"count", slots},
    {"max_slots", max_slots},
    {"slots_max", max_slots},
    {"max_cpu", max_slots},
    {"cpu_max", max_slots},
    {"max_count", max_slots},
    {"count_max", max_slots},
    {"sockets", sockets},
    {"cores", cores},
    {"sockets_per_board", sockets},
    {"cores_per_socket", cores},
    {"username", ignored},
    {"user_name", ignored},
    {"port", ignored},
};

/// One line: a host and its values, 0 if not given.
struct Entry {
    std::string name;
    int values[words] = {};
    bool bare = true;
};

class Reader {
public:
    explicit Reader(const std::string &path) : path_(path) {}

    std::vector<Node> read(const std::string &text)
    {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            ++line_;
            line.erase(std::min({line.size(), line.find('#'), line.find("//")}));
            const std::vector<std::string> tokens = split(line);
            if (!tokens.empty())
                take(parse(tokens));
        }
        if (nodes_.empty())
            throw InputError(path_, 0, "there is no host in it");
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            nodes_[node].cores = layout(entries_[node], nodes_[node].slots);
        return nodes_;
    }

private:
    [[noreturn]] void refuse(const std::string &reason) const
    {
        throw InputError(path_, line_, reason);
    }

    /// Splits words at blanks and at equals signs, which need no blanks around them.
    static std::vector<std::string> split(const std::string &line)
    {
        std::string spaced;
        for (char c : line)
            spaced += c == '=' ? std::string(" = ") : std::string(1, c);
        std::istringstream text(spaced);
        std::vector<std::string> tokens;
        for (std::string token; text >> token;)
            tokens.push_back(token);
        return tokens;
    }

    std::string parse_name(const std::string &word) const
    {
        if (word[0] == '+' || word[0] == '^')
            refuse("'" + word + "' names hosts of another list, which there is not");
        std::string name = word.substr(word.find('@') + 1); // of user@host
        const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                   || c == '.' || c == '_' || c == '-' || c == ':';
        });
        if (!good)
            refuse("'" + word + "' cannot be the name of a host");
        return name;
    }

    int parse_number(const std::string &word, const std::string &text) const
    {
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
            refuse(word + "= wants a number from 1 to " + std::to_string(most) + ", not '" + text
                   + "'");
        return number;
    }

    Entry parse(const std::vector<std::string> &tokens) const
    {
        if (tokens.size() > 1 && tokens[1] == "=")
            refuse("the line begins with '" + tokens[0] + "=', not with a host");
        Entry entry;
        entry.name = parse_name(tokens[0]);
        entry.bare = tokens.size() == 1;
        for (std::size_t at = 1; at < tokens.size(); at += 3) {
            std::string spelling = tokens[at];
            std::replace(spelling.begin(), spelling.end(), '-', '_');
            const auto word = spellings.find(spelling);
            if (word == spellings.end())
                refuse("unknown word '" + tokens[at]
                       + "'; there are slots=, max_slots=, sockets= and cores=");
            if (at + 2 >= tokens.size() || tokens[at + 1] != "=")
                refuse("nothing is said about " + tokens[at] + "; write " + tokens[at] + "=NUMBER");
            if (word->second == ignored)
                continue;
            if (entry.values[word->second] != 0)
                refuse(tokens[at] + "= stands there twice");
            entry.values[word->second] = parse_number(tokens[at], tokens[at + 2]);
        }
        if (entry.values[slots] != 0 && entry.values[max_slots] != 0
            && entry.values[max_slots] < entry.values[slots])
            refuse("max_slots=" + std::to_string(entry.values[max_slots])
                   + " is less than slots=" + std::to_string(entry.values[slots]));
        if (total_cores(entry) > most)
            refuse("a node would have more than " + std::to_string(most) + " cores");
        if (entry.values[sockets] > most_sockets)
            refuse("a node would have more than " + std::to_string(most_sockets) + " sockets");
        return entry;
    }

    /// 0 if the line does not give it.
    static std::int64_t total_cores(const Entry &entry)
    {
        return std::int64_t{std::max(entry.values[sockets], 1)} * entry.values[cores];
    }

    void take(const Entry &entry)
    {
        const auto [known, is_new] = number_of_.emplace(entry.name, nodes_.size());
        if (is_new) {
            Node node;
            node.name = entry.name;
            node.line = line_;
            node.most_ranks = entry.values[max_slots];
            node.slots = entry.values[slots];
            if (node.slots == 0)
                node.slots = node.most_ranks;
            if (node.slots == 0)
                node.slots = static_cast<int>(std::max<std::int64_t>(total_cores(entry), 1));
            nodes_.push_back(node);
            entries_.push_back(entry);
            add_up(node.slots, total_cores(entry));
            return;
        }
        Node &node = nodes_[known->second];
        if (!entry.bare)
            refuse(entry.name + " is described on line " + std::to_string(node.line) + " already");
        if (node.most_ranks != 0 && node.slots == node.most_ranks)
            refuse(entry.name + " has max_slots=" + std::to_string(node.most_ranks)
                   + " already, there is none to add");
        ++node.slots;
        add_up(1, 0);
    }

    /// The nodes that a line adds to the machine.
    void add_up(std::int64_t more_slots, std::int64_t more_cores)
    {
        all_slots_ += more_slots;
        all_cores_ += more_cores;
        if (static_cast<std::int64_t>(nodes_.size()) > most_nodes)
            refuse("more than " + std::to_string(most_nodes) + " hosts");
        if (all_slots_ > most_ranks)
            refuse("the hosts have " + std::to_string(all_slots_) + " slots up to here, more than "
                   + std::to_string(most_ranks));
        if (all_cores_ > most_cores)
            refuse("the hosts have " + std::to_string(all_cores_) + " cores up to here, more than "
                   + std::to_string(most_cores));
    }

    /// Shared by identical nodes.
    std::shared_ptr<const std::vector<Core>> layout(const Entry &entry, int slots_of_node)
    {
        const std::int64_t all = entry.values[cores] != 0 ? total_cores(entry) : slots_of_node;
        const std::int64_t parts = std::max(entry.values[sockets], 1);
        auto &shared = layouts_[{all, parts}];
        if (!shared) {
            auto made = std::make_shared<std::vector<Core>>();
            for (std::int64_t core = 0; core < all; ++core)
                made->push_back(Core{static_cast<std::int16_t>(
                    entry.values[sockets] == 0 ? nbrhood::kNoSuchLevel : core * parts / all + 1)});
            shared = std::move(made);
        }
        return shared;
    }

    std::string path_;
    long line_ = 0;
    std::int64_t all_slots_ = 0;
    std::int64_t all_cores_ = 0;
    std::vector<Node> nodes_;
    std::vector<Entry> entries_; ///< the line that describes each node
    std::map<std::string, std::size_t> number_of_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::shared_ptr<const std::vector<Core>>>
        layouts_;
};

} // namespace

std::vector<Node> parse_hostfile(const std::string &text, const std::string &path)
{
    return Reader(path).read(text);
}

std::vector<Node> read_hostfile(const std::string &path)
{
    return parse_hostfile(read_text_file(path, most_description_bytes), path);
}

} // namespace nbrhood_tools::explain
