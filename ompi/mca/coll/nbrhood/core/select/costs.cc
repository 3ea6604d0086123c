// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/costs.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "files/file_io.h"
#include "files/number_text.h"

namespace nbrhood {
namespace {

constexpr const char *kTitle = "nbrhood_costs";
constexpr int kCostsVersion = 2;
constexpr const char *kBlanks = " \t\r";

// Upper bounds of costs, in seconds, and of the size at which the protocol changes. With them the
// times of calls stay far from infinity.
constexpr double kMostSeconds = 1000;
constexpr double kMostBytes = 1e15;

struct Field {
    std::string name;
    double &(*of)(Costs &costs, Link link);
    double most = kMostSeconds;
    Link link = Link::network; // for the costs of a link
};

// The number of costs of a link; these come first, link by link.
constexpr std::size_t kLinkFields = 4;

// The lines of a file, in the order in which they are written.
const std::vector<Field> &fields()
{
    static const std::vector<Field> all = [] {
        std::vector<Field> list;
        for (int l = 0; l < kLinks; ++l) {
            const auto link = static_cast<Link>(l);
            const std::string name = link_name(l);
            const auto add = [&](const char *what, double &(*of)(Costs &, Link)) {
                list.push_back({name + what, of, kMostSeconds, link});
            };
            add("_message", [](Costs &c, Link on) -> double & { return c[on].message; });
            add("_byte", [](Costs &c, Link on) -> double & { return c[on].byte; });
            add("_long_message", [](Costs &c, Link on) -> double & { return c[on].long_message; });
            add("_long_byte", [](Costs &c, Link on) -> double & { return c[on].long_byte; });
        }
        list.push_back({"protocol_switch",
                        [](Costs &c, Link) -> double & { return c.protocol_switch; }, kMostBytes});
        list.push_back(
            {"injection_byte", [](Costs &c, Link) -> double & { return c.injection_byte; }});
        list.push_back({"copy_byte", [](Costs &c, Link) -> double & { return c.copy_byte; }});
        list.push_back(
            {"phase_latency", [](Costs &c, Link) -> double & { return c.phase_latency; }});
        return list;
    }();
    return all;
}
constexpr const char *kNameField = "name";

std::string trimmed(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Reads with the classic locale, because the application may have set one with decimal commas.
double read_number(const std::string &name, const std::string &text, double most)
{
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) {
        throw std::invalid_argument("the value of " + name + ", '" + text
                                    + "', is not a number that can be used");
    }
    if (std::signbit(value)) {
        throw std::invalid_argument("the value of " + name + ", '" + text + "', is negative");
    }
    if (value > most) {
        throw std::invalid_argument("the value of " + name + ", '" + text + "', is larger than "
                                    + std::to_string(static_cast<std::int64_t>(most)));
    }
    return value;
}

Link next_farther(Link link)
{
    return static_cast<Link>(static_cast<int>(link) + 1);
}

bool same(const LinkCosts &a, const LinkCosts &b)
{
    return a.message == b.message && a.byte == b.byte && a.long_message == b.long_message
           && a.long_byte == b.long_byte;
}

class Reader {
public:
    // One line without its comment, not empty.
    void take(const std::string &line)
    {
        const std::size_t blank = line.find_first_of(kBlanks);
        const std::string name = line.substr(0, blank);
        const std::string value = blank == std::string::npos ? "" : trimmed(line.substr(blank));
        if (!titled_) {
            take_title(name, value);
        } else if (name == kNameField) {
            expect_value(name, value, named_);
            costs_.name = value;
            named_ = true;
        } else {
            take_number(name, value);
        }
    }

    Costs finish() const
    {
        if (!titled_) {
            throw std::invalid_argument("the line '" + title() + "' is missing");
        }
        Costs costs = with_nearer_links();
        for (std::size_t i = 0; i < fields().size(); ++i) {
            if (!given_[i] && !is_omitted(i)) {
                throw std::invalid_argument(fields()[i].name + " is missing");
            }
        }
        if (!named_) {
            throw std::invalid_argument(std::string(kNameField) + " is missing");
        }
        return costs;
    }

    static std::string title() { return std::string(kTitle) + " " + std::to_string(kCostsVersion); }

private:
    void take_title(const std::string &name, const std::string &value)
    {
        if (name != kTitle) {
            throw std::invalid_argument("the first line must be '" + title() + "', not '" + name
                                        + "'");
        }
        if (value != std::to_string(kCostsVersion)) {
            throw std::invalid_argument(
                "version '" + value + "' of the file format is not known, only "
                + std::to_string(kCostsVersion) + "; nbrhood-calibrate writes it");
        }
        titled_ = true;
    }

    void take_number(const std::string &name, const std::string &value)
    {
        for (std::size_t i = 0; i < fields().size(); ++i) {
            const Field &field = fields()[i];
            if (name == field.name) {
                expect_value(name, value, given_[i]);
                field.of(costs_, field.link) = read_number(name, value, field.most);
                given_[i] = true;
                return;
            }
        }
        throw std::invalid_argument("unknown name '" + name + "'");
    }

    // Whether a cost belongs to a link that is nearer than the node and of which the file has no
    // costs.
    bool is_omitted(std::size_t i) const
    {
        const std::size_t link = i / kLinkFields;
        const auto first = given_.begin() + static_cast<std::ptrdiff_t>(link * kLinkFields);
        return link < static_cast<std::size_t>(Link::node)
               && std::find(first, first + kLinkFields, true) == first + kLinkFields;
    }

    // The costs; links that the file leaves out have the costs of the next farther link.
    Costs with_nearer_links() const
    {
        Costs costs = costs_;
        for (auto link = static_cast<std::size_t>(Link::node); link-- > 0;) {
            if (is_omitted(link * kLinkFields)) {
                costs.links[link] = costs.links[link + 1];
            }
        }
        return costs;
    }

    static void expect_value(const std::string &name, const std::string &value, bool given)
    {
        if (given) {
            throw std::invalid_argument(name + " is given twice");
        }
        if (value.empty()) {
            throw std::invalid_argument(name + " has no value");
        }
    }

    Costs costs_;
    std::vector<bool> given_ = std::vector<bool>(fields().size());
    bool titled_ = false;
    bool named_ = false;
};

} // namespace

Costs read_costs(std::istream &in, const std::string &file)
{
    Reader reader;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const std::string text = trimmed(line.substr(0, line.find('#')));
        if (text.empty()) {
            continue;
        }
        try {
            reader.take(text);
        } catch (const std::invalid_argument &error) {
            throw std::invalid_argument(file + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    try {
        return reader.finish();
    } catch (const std::invalid_argument &error) {
        throw std::invalid_argument(file + ": " + error.what());
    }
}

Costs read_costs_file(const std::string &file)
{
    std::istringstream in(read_file(file, kMostCostsBytes));
    return read_costs(in, file);
}

void write_costs(std::ostream &out, const Costs &costs)
{
    if (trimmed(costs.name) != costs.name || costs.name.empty()
        || costs.name.find_first_of("#\n") != std::string::npos) {
        throw std::invalid_argument("the name '" + costs.name + "' cannot be written");
    }
    Costs copy = costs; // the accessors need a mutable one
    std::string text = Reader::title() + "\n" + kNameField + " " + costs.name + "\n";
    for (const Field &field : fields()) {
        if (field.link < Link::node && same(costs[field.link], costs[next_farther(field.link)])) {
            continue;
        }
        const double value = field.of(copy, field.link);
        if (!(value <= field.most) || std::signbit(value)) {
            throw std::invalid_argument("the value of " + field.name + " cannot be written");
        }
        text += field.name + " " + number_text(value) + "\n";
    }
    out << text;
}

Costs default_costs()
{
    // A cluster with EDR InfiniBand and 40 ranks on a node of two sockets: the numbers of
    // costs/lassen.txt, rounded to two digits. That file names the published measurements behind
    // each number.
    Costs costs;
    costs[Link::socket] = {0.56e-6, 0.15e-9, 4.0e-6, 0.070e-9};
    costs[Link::die_pair] = costs[Link::socket];
    costs[Link::node] = {1.0e-6, 0.27e-9, 5.9e-6, 0.16e-9};
    costs[Link::network] = {1.5e-6, 0.51e-9, 6.5e-6, 0.077e-9};
    costs.protocol_switch = 8192;
    costs.injection_byte = 0.042e-9;
    costs.copy_byte = 0.070e-9;
    costs.phase_latency = 0.94e-6;
    costs.name = "default (EDR InfiniBand)";
    return costs;
}

Costs default_costs_of_tcp()
{
    // Measured by nbrhood-calibrate on nodes of contrib/cluster whose ranks have cores of their
    // own, rounded to one digit (2026-11-26, 16 cores, 2 to 8 ranks a node: 9.4 to 10.2 us for each
    // message, 2.1 to 2.7 us for each phase; on two cores 0.7 ns for each byte), and a network of
    // 10 Gbit/s. Costs inside nodes are those above.
    Costs costs = default_costs();
    costs[Link::network] = {10e-6, 0.7e-9, 10e-6, 0.7e-9};
    costs.injection_byte = 0.8e-9;
    costs.phase_latency = 2e-6;
    costs.name = "default (TCP)";
    return costs;
}

} // namespace nbrhood
