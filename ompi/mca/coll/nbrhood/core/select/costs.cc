#include "select/costs.h"

#include <array>
#include <cmath>
#include <istream>
#include <locale>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "files/file_io.h"
#include "files/number_text.h"

namespace nbrhood {
namespace {

constexpr const char *kTitle = "nbrhood_costs";
constexpr int kVersion = 1;
constexpr const char *kBlanks = " \t\r";

// No message takes longer, in seconds, and no protocol changes at more bytes. The times of calls
// stay far from infinity with them.
constexpr double kMostSeconds = 1000;
constexpr double kMostBytes = 1e15;

struct Field {
    const char *name;
    double &(*of)(Costs &costs);
    double most = kMostSeconds;
};

// The lines of a file, in the order in which they are written.
const std::array<Field, 12> kFields{{
    {"local_message", [](Costs &c) -> double & { return c.local.message; }},
    {"local_byte", [](Costs &c) -> double & { return c.local.byte; }},
    {"local_long_message", [](Costs &c) -> double & { return c.local.long_message; }},
    {"local_long_byte", [](Costs &c) -> double & { return c.local.long_byte; }},
    {"nonlocal_message", [](Costs &c) -> double & { return c.nonlocal.message; }},
    {"nonlocal_byte", [](Costs &c) -> double & { return c.nonlocal.byte; }},
    {"nonlocal_long_message", [](Costs &c) -> double & { return c.nonlocal.long_message; }},
    {"nonlocal_long_byte", [](Costs &c) -> double & { return c.nonlocal.long_byte; }},
    {"protocol_switch", [](Costs &c) -> double & { return c.protocol_switch; }, kMostBytes},
    {"injection_byte", [](Costs &c) -> double & { return c.injection_byte; }},
    {"copy_byte", [](Costs &c) -> double & { return c.copy_byte; }},
    {"phase", [](Costs &c) -> double & { return c.phase; }},
}};
constexpr const char *kNameField = "name";

std::string trimmed(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Streams with the classic locale, because the program around the component may have set one in
// which numbers have decimal commas.
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
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (!given_[i]) {
                throw std::invalid_argument(std::string(kFields[i].name) + " is missing");
            }
        }
        if (!named_) {
            throw std::invalid_argument(std::string(kNameField) + " is missing");
        }
        return costs_;
    }

    static std::string title() { return std::string(kTitle) + " " + std::to_string(kVersion); }

private:
    void take_title(const std::string &name, const std::string &value)
    {
        if (name != kTitle) {
            throw std::invalid_argument("the first line must be '" + title() + "', not '" + name
                                        + "'");
        }
        if (value != std::to_string(kVersion)) {
            throw std::invalid_argument("version '" + value
                                        + "' of the file form is not known, only "
                                        + std::to_string(kVersion));
        }
        titled_ = true;
    }

    void take_number(const std::string &name, const std::string &value)
    {
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (name == kFields[i].name) {
                expect_value(name, value, given_[i]);
                kFields[i].of(costs_) = read_number(name, value, kFields[i].most);
                given_[i] = true;
                return;
            }
        }
        throw std::invalid_argument("unknown name '" + name + "'");
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
    std::array<bool, kFields.size()> given_{};
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
    Costs copy = costs; // the accessors want one that can change
    std::string text = Reader::title() + "\n" + kNameField + " " + costs.name + "\n";
    for (const Field &field : kFields) {
        const double value = field.of(copy);
        if (!(value <= field.most) || std::signbit(value)) {
            throw std::invalid_argument("the value of " + std::string(field.name)
                                        + " cannot be written");
        }
        text += std::string(field.name) + " " + number_text(value) + "\n";
    }
    out << text;
}

Costs default_costs()
{
    // A cluster with EDR InfiniBand and 40 ranks on a node of two sockets: two digits of what
    // costs/lassen.txt says, where the published measurements behind each number are named.
    Costs costs;
    costs.local = {0.79e-6, 0.21e-9, 5.0e-6, 0.11e-9};
    costs.nonlocal = {1.5e-6, 0.51e-9, 6.5e-6, 0.077e-9};
    costs.protocol_switch = 8192;
    costs.injection_byte = 0.042e-9;
    costs.copy_byte = 0.070e-9;
    costs.phase = 0.92e-6;
    costs.name = "default (EDR InfiniBand)";
    return costs;
}

} // namespace nbrhood
